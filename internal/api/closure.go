package api

import (
	"context"

	"nadmor/internal/hospital"
)

type closureQuery struct {
	hospital.DateRange
	ServiceID int64 `json:"serviceId,omitempty" doc:"Closures of this service and of the whole hospital"`
}

// Validate wants a period of at most three years.
func (q closureQuery) Validate() error { return q.DateRange.Validate(1100) }

func (s *Server) listClosures(ctx context.Context, in *body[closureQuery]) ([]hospital.Closure, error) {
	return s.DB.ListClosures(ctx, in.Body.DateFrom, in.Body.DateTo, in.Body.ServiceID)
}

// closed is a closure that was made, and how many it concerns.
type closed struct {
	hospital.Closure
	Affected int `json:"affected" doc:"How many seats are booked in it; they stay booked"`
}

func (s *Server) createClosure(ctx context.Context, in *body[hospital.ClosureFields]) (closed, error) {
	c, affected, err := s.DB.CreateClosure(ctx, in.Body)
	return closed{c, affected}, err
}

// ClosureDraft is a closure that may not exist yet.
type ClosureDraft struct {
	DateFrom   string               `json:"dateFrom,omitempty"`
	DateTo     string               `json:"dateTo,omitempty"`
	StartTime  *string              `json:"startTime,omitempty"`
	EndTime    *string              `json:"endTime,omitempty"`
	ServiceIDs []int64              `json:"serviceIds,omitempty"`
	Reason     string               `json:"reason,omitempty"`
	Kind       hospital.ClosureKind `json:"kind,omitempty"`
}

type affectedQuery struct {
	ID int64 `json:"id,omitempty" doc:"A closure that exists; or the fields of one"`
	ClosureDraft
}

// Validate wants an id, or days.
func (q affectedQuery) Validate() error {
	if q.ID != 0 {
		return nil
	}
	f := hospital.ClosureFields(q.ClosureDraft)
	if f.Reason == "" {
		f.Reason = "-" // not yet given
	}
	return f.Validate()
}

// affectedByClosure shows appointments, so it also needs the permission to see
// those; how many there are is told to whoever closes.
func (s *Server) affectedByClosure(ctx context.Context, in *body[affectedQuery]) ([]hospital.Appointment, error) {
	if err := s.alsoNeeds(ctx, hospital.AppointmentShow, "post-service-config-closures-affected"); err != nil {
		return nil, err
	}
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

type closureMove struct {
	ID      int64        `json:"id" minimum:"1"`
	Preview bool         `json:"preview,omitempty"`
	Moves   []chosenMove `json:"moves,omitempty" maxItems:"5000" doc:"Times chosen instead of the proposed ones"`
}

type chosenMove struct {
	AppointmentID int64          `json:"appointmentId" minimum:"1"`
	To            hospital.Time  `json:"to"`
	From          *hospital.Time `json:"from,omitempty" doc:"Not needed; a proposal can be sent back as it came"`
}

type moved struct {
	Moves    []hospital.Move        `json:"moves"`
	Unplaced []hospital.Appointment `json:"unplaced" doc:"Who has to be called"`
}

// moveClosed tells whom it found no time for, so it also needs the permission to
// see appointments.
func (s *Server) moveClosed(ctx context.Context, in *body[closureMove]) (moved, error) {
	if err := s.alsoNeeds(ctx, hospital.AppointmentShow, "post-service-config-closures-move"); err != nil {
		return moved{}, err
	}
	chosen := map[int64]hospital.Time{}
	for _, m := range in.Body.Moves {
		chosen[m.AppointmentID] = m.To
	}
	moves, unplaced, err := s.DB.MoveClosed(ctx, in.Body.ID, in.Body.Preview, chosen)
	return moved{moves, unplaced}, err
}

func (s *Server) deleteClosure(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteClosure(ctx, in.Body.ID))
}
