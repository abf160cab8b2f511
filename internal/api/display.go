package api

import (
	"context"

	"nadmor/internal/hospital"
)

type displayKey struct{}

type serviceBody struct {
	ServiceID int64 `json:"serviceId" minimum:"1"`
}

func (s *Server) listDisplays(ctx context.Context, in *body[serviceBody]) ([]hospital.Display, error) {
	return s.DB.ListDisplays(ctx, in.Body.ServiceID)
}

type madeDisplay struct {
	hospital.Display
	Token string `json:"token" doc:"Opens the screen; told this once"`
}

func (s *Server) createDisplay(ctx context.Context, in *body[hospital.NewDisplay]) (madeDisplay, error) {
	d, token, err := s.DB.CreateDisplay(ctx, in.Body)
	return madeDisplay{d, token}, err
}

func (s *Server) deleteDisplay(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteDisplay(ctx, in.Body.ID))
}

// queueBoard is for a screen only; the middleware has found out which one.
func (s *Server) queueBoard(ctx context.Context, _ *struct{}) (hospital.QueueBoard, error) {
	d, ok := ctx.Value(displayKey{}).(hospital.Display)
	if !ok {
		return hospital.QueueBoard{}, hospital.Refuse(hospital.Unauthenticated)
	}
	return s.DB.QueueBoard(ctx, d)
}
