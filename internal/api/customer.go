package api

import (
	"context"
	"time"

	"nadmor/internal/hospital"
)

// CustomerInput is hospital.CustomerFields with every field optional.
type CustomerInput struct {
	Name       string                     `json:"name,omitempty"`
	Phone      string                     `json:"phone,omitempty"`
	Email      string                     `json:"email,omitempty"`
	LineUserID string                     `json:"lineUserId,omitempty"`
	Status     hospital.CustomerStatus    `json:"status,omitempty"`
	Patients   []hospital.CustomerPatient `json:"patients,omitempty" maxItems:"50"`
	ConsentAt  *time.Time                 `json:"consentAt,omitempty" nullable:"true"`
	Note       string                     `json:"note,omitempty"`
}

// Validate returns VALIDATION_FAILED with every invalid field.
func (c CustomerInput) Validate() error { return hospital.CustomerFields(c).Clean().Validate() }

type customerChange struct {
	ID      int64 `json:"id" minimum:"1"`
	Version int64 `json:"version" minimum:"0"`
	CustomerInput
}

func (s *Server) readCustomer(ctx context.Context, in *byID) (hospital.Customer, error) {
	return s.DB.Customer(ctx, in.ID)
}

func (s *Server) listCustomers(ctx context.Context,
	in *body[hospital.CustomerFilter]) (hospital.Paged[hospital.Customer], error) {
	return s.DB.ListCustomers(ctx, in.Body)
}

func (s *Server) createCustomer(ctx context.Context, in *body[CustomerInput]) (hospital.Customer, error) {
	c, err := s.DB.CreateCustomer(ctx, hospital.CustomerFields(in.Body))
	return c, s.noteForbidden(ctx, err, "post-customers-create")
}

func (s *Server) updateCustomer(ctx context.Context, in *changeInput[customerChange]) (hospital.Customer, error) {
	apply := func(f *hospital.CustomerFields) error { return overlay(in.RawBody, f) }
	c, err := s.DB.UpdateCustomer(ctx, in.Body.ID, in.Body.Version, apply)
	return c, s.noteForbidden(ctx, err, "post-customers-update")
}

func (s *Server) deleteCustomer(ctx context.Context, in *body[idBody]) (null, error) {
	return nothing(s.DB.DeleteCustomer(ctx, in.Body.ID))
}
