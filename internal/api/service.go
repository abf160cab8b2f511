package api

import (
	"context"
	"encoding/json"
	"fmt"

	"nadmor/internal/hospital"
)

// ServiceInput is hospital.ServiceFields with every field optional.
type ServiceInput struct {
	Code                string                 `json:"code,omitempty"`
	Name                string                 `json:"name,omitempty"`
	NameEn              string                 `json:"nameEn,omitempty"`
	Department          string                 `json:"department,omitempty"`
	Location            string                 `json:"location,omitempty"`
	Color               string                 `json:"color,omitempty"`
	Description         string                 `json:"description,omitempty"`
	Instructions        string                 `json:"instructions,omitempty"`
	SlotMinutes         int                    `json:"slotMinutes,omitempty"`
	DefaultCapacity     int                    `json:"defaultCapacity,omitempty"`
	OverbookLimit       int                    `json:"overbookLimit,omitempty"`
	BookingWindowDays   *int                   `json:"bookingWindowDays,omitempty" nullable:"true"`
	LeadMinutes         *int                   `json:"leadMinutes,omitempty" nullable:"true"`
	CancelCutoffMinutes *int                   `json:"cancelCutoffMinutes,omitempty" nullable:"true"`
	RequiresApproval    bool                   `json:"requiresApproval,omitempty"`
	StaffIDs            []int64                `json:"staffIds,omitempty" maxItems:"500"`
	Active              bool                   `json:"active,omitempty" doc:"Defaults to true for a new service"`
	Sort                int                    `json:"sort,omitempty"`
	Schedule            []hospital.ScheduleRow `json:"schedule,omitempty" maxItems:"200"`
}

type serviceChange struct {
	ID      int64 `json:"id" minimum:"1"`
	Version int64 `json:"version" minimum:"0"`
	ServiceInput
}

type serviceList struct {
	All bool `query:"all" doc:"Include inactive services"`
}

func (s *Server) listServices(ctx context.Context, in *serviceList) ([]hospital.Service, error) {
	return s.DB.ListServices(ctx, in.All)
}

func (s *Server) readService(ctx context.Context, in *byID) (hospital.Service, error) {
	return s.DB.Service(ctx, in.ID)
}

// createService starts with the defaults of a service.
func (s *Server) createService(ctx context.Context, in *changeInput[ServiceInput]) (hospital.Service, error) {
	fields := hospital.NewService
	if err := overlay(in.RawBody, &fields); err != nil {
		return hospital.Service{}, err
	}
	return s.DB.CreateService(ctx, fields)
}

// updateService limits callers with only SERVICE_SCHEDULE.UPDATE to changes of the schedule.
func (s *Server) updateService(ctx context.Context, in *changeInput[serviceChange]) (hospital.Service, error) {
	if !hospital.ActorFrom(ctx).Permissions[hospital.ServiceConfigUpdate] {
		var sent map[string]json.RawMessage
		if err := json.Unmarshal(in.RawBody, &sent); err != nil {
			return hospital.Service{}, fmt.Errorf("read change: %w", err)
		}
		for field := range sent {
			if field != "id" && field != "version" && field != "schedule" {
				return hospital.Service{}, hospital.Reject(hospital.Forbidden).With("permission", hospital.ServiceConfigUpdate)
			}
		}
	}
	return s.DB.UpdateService(ctx, in.Body.ID, in.Body.Version, func(f *hospital.ServiceFields) error {
		return overlay(in.RawBody, f)
	})
}

func (s *Server) deleteService(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteService(ctx, in.Body.ID))
}

type slotDays struct {
	Days []hospital.DaySlots `json:"days"`
}

func (s *Server) checkSlots(ctx context.Context, in *body[hospital.SlotQuery]) (slotDays, error) {
	days, err := s.DB.CheckSlots(ctx, in.Body)
	return slotDays{days}, err
}

func (s *Server) updateCapacity(ctx context.Context,
	in *body[hospital.CapacityChange]) (hospital.CapacityChanged, error) {
	return s.DB.UpdateCapacity(ctx, in.Body)
}
