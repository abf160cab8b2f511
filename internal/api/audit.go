package api

import (
	"context"

	"nadmor/internal/hospital"
)

func (s *Server) listAudit(ctx context.Context,
	in *body[hospital.AuditFilter]) (hospital.Paged[hospital.AuditEntry], error) {
	return s.DB.ListAudit(ctx, in.Body)
}

func (s *Server) auditPeople(ctx context.Context, _ *struct{}) ([]hospital.AuditPerson, error) {
	return s.DB.AuditPeople(ctx)
}
