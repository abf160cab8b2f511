package api

import (
	"context"

	"nadmor/internal/hospital"
)

// identity is the hospital's name and logo, for the sign-in page and the frame.
func (s *Server) identity(ctx context.Context, _ *struct{}) (hospital.Identity, error) {
	v, err := s.db.Setting(ctx)
	return hospital.Identity{Name: v.Name, NameEn: v.NameEn, Logo: v.Logo}, err
}
