package api

import (
	"context"
	"fmt"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

type closureQuery struct {
	hospital.DateRange
	ServiceID int64 `json:"serviceId,omitempty" doc:"Closures of this service and those of all services"`
}

// Validate allows at most three years.
func (q closureQuery) Validate() error { return q.DateRange.Validate(1100) }

func (s *Server) listClosures(ctx context.Context, in *body[closureQuery]) ([]hospital.Closure, error) {
	return s.DB.ListClosures(ctx, in.Body.DateFrom, in.Body.DateTo, in.Body.ServiceID)
}

func (s *Server) createClosure(ctx context.Context, in *body[hospital.ClosureFields]) (store.Closed, error) {
	c, affected, err := s.DB.CreateClosure(ctx, in.Body)
	return store.Closed{Closure: c, Affected: affected}, err
}

// ClosureDraft is a closure that is not stored yet.
type ClosureDraft struct {
	DateFrom   string               `json:"dateFrom,omitempty"`
	DateTo     string               `json:"dateTo,omitempty"`
	StartTime  *string              `json:"startTime,omitempty"`
	EndTime    *string              `json:"endTime,omitempty"`
	ServiceIDs []int64              `json:"serviceIds,omitempty" maxItems:"500"`
	Reason     string               `json:"reason,omitempty"`
	Kind       hospital.ClosureKind `json:"kind,omitempty"`
}

type affectedQuery struct {
	ID int64 `json:"id,omitempty" doc:"Id of an existing closure; or its fields"`
	ClosureDraft
}

// Validate requires an id or dates.
func (q affectedQuery) Validate() error {
	if q.ID != 0 {
		return nil
	}
	f := hospital.ClosureFields(q.ClosureDraft)
	if f.Reason == "" {
		f.Reason = "-" // not entered yet
	}
	return f.Validate()
}

func (s *Server) affectedByClosure(ctx context.Context, in *body[affectedQuery]) ([]hospital.Appointment, error) {
	fields := hospital.ClosureFields(in.Body.ClosureDraft)
	if in.Body.ID != 0 {
		c, err := s.DB.Closure(ctx, in.Body.ID)
		if err != nil {
			return nil, err
		}
		fields = c.ClosureFields
	}
	return s.DB.AffectedByClosure(ctx, fields)
}

// closureMove limits Moves to store.MaxMoves; a test compares the tag with it.
type closureMove struct {
	ID      int64        `json:"id" minimum:"1"`
	Preview bool         `json:"preview,omitempty"`
	Moves   []chosenMove `json:"moves,omitempty" maxItems:"10000" doc:"Times chosen instead of the proposed ones"`
}

type chosenMove struct {
	AppointmentID int64          `json:"appointmentId" minimum:"1"`
	To            hospital.Time  `json:"to"`
	From          *hospital.Time `json:"from,omitempty" doc:"Ignored, so that a proposal can be sent back unchanged"`
}

// Validate requires valid dates.
func (m closureMove) Validate() error {
	var c hospital.Checker
	for i, chosen := range m.Moves {
		c.Date(chosen.To.Date, fmt.Sprintf("moves[%d].to.date", i))
		if chosen.From != nil {
			c.Date(chosen.From.Date, fmt.Sprintf("moves[%d].from.date", i))
		}
	}
	return c.Err()
}

// moveClosed reschedules the appointments of a closure. Patients without a new time are
// named only to callers with APPOINTMENT.SHOW.
func (s *Server) moveClosed(ctx context.Context, in *body[closureMove]) (store.Moved, error) {
	chosen := map[int64]hospital.Time{}
	for _, m := range in.Body.Moves {
		chosen[m.AppointmentID] = m.To
	}
	shown := hospital.ActorFrom(ctx).Permissions[hospital.AppointmentShow]
	answer := func(m store.Moved) store.Moved {
		for i, a := range m.Unplaced {
			if !shown {
				m.Unplaced[i] = a.WithoutPatient()
			}
		}
		return m
	}
	return respond(ctx, answer, func(ctx context.Context) (m store.Moved, err error) {
		m.Moves, m.Unplaced, err = s.DB.MoveClosed(ctx, in.Body.ID, in.Body.Preview, chosen)
		return m, err
	})
}

func (s *Server) deleteClosure(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteClosure(ctx, in.Body.ID))
}
