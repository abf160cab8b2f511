package api

import (
	"context"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

type displayKey struct{}

type serviceBody struct {
	ServiceID int64 `json:"serviceId" minimum:"1"`
}

func (s *Server) listDisplays(ctx context.Context, in *body[serviceBody]) ([]hospital.Display, error) {
	return s.DB.ListDisplays(ctx, in.Body.ServiceID)
}

func (s *Server) createDisplay(ctx context.Context, in *body[hospital.NewDisplay]) (store.CreatedDisplay, error) {
	d, token, err := s.DB.CreateDisplay(ctx, in.Body)
	return store.CreatedDisplay{Display: d, Token: token}, err
}

func (s *Server) deleteDisplay(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteDisplay(ctx, in.Body.ID))
}

// queueBoard returns the queue board of the calling display, which authenticateDisplay has authenticated.
func (s *Server) queueBoard(ctx context.Context, _ *struct{}) (hospital.QueueBoard, error) {
	d, ok := ctx.Value(displayKey{}).(hospital.Display)
	if !ok {
		return hospital.QueueBoard{}, hospital.Reject(hospital.Unauthenticated)
	}
	return s.DB.QueueBoard(ctx, d)
}
