package api

import (
	"context"

	"nadmor/internal/store"
)

type dashboardInput struct {
	Date string `query:"date" format:"date" doc:"Today if absent"`
}

// dashboard returns the state of a day. The next appointments are omitted without APPOINTMENT.SHOW.
func (s *Server) dashboard(ctx context.Context, in *dashboardInput) (store.Dashboard, error) {
	if in.Date == "" {
		in.Date = s.DB.Today()
	}
	if err := checkDate(in.Date); err != nil {
		return store.Dashboard{}, err
	}
	return s.DB.Dashboard(ctx, in.Date)
}
