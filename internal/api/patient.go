package api

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// PatientInput is hospital.PatientFields with every field optional: missing ones are reported by Validate,
// all at once, and an update sends only changes. It is exported because huma ignores unexported embedded
// types.
type PatientInput struct {
	HN              string                  `json:"hn,omitempty" maxLength:"40" doc:"Assigned if absent"`
	IDType          hospital.IDType         `json:"idType,omitempty"`
	IDCard          hospital.IDCard         `json:"idCard,omitempty" maxLength:"40" doc:"A masked number leaves it unchanged; empty removes it"`
	PassportNo      string                  `json:"passportNo,omitempty" maxLength:"40"`
	Prename         string                  `json:"prename,omitempty"`
	FirstName       string                  `json:"firstName,omitempty"`
	LastName        string                  `json:"lastName,omitempty"`
	FirstNameEn     string                  `json:"firstNameEn,omitempty"`
	LastNameEn      string                  `json:"lastNameEn,omitempty"`
	BirthDate       string                  `json:"birthDate,omitempty" maxLength:"10"`
	BirthPrecision  hospital.BirthPrecision `json:"birthPrecision,omitempty"`
	Sex             hospital.Sex            `json:"sex,omitempty"`
	BloodGroup      string                  `json:"bloodGroup,omitempty"`
	RhFactor        string                  `json:"rhFactor,omitempty"`
	Nationality     string                  `json:"nationality,omitempty"`
	Religion        string                  `json:"religion,omitempty"`
	MaritalStatus   string                  `json:"maritalStatus,omitempty"`
	Occupation      string                  `json:"occupation,omitempty"`
	Phone           string                  `json:"phone,omitempty"`
	Phone2          string                  `json:"phone2,omitempty"`
	Email           string                  `json:"email,omitempty"`
	LineUserID      string                  `json:"lineUserId,omitempty"`
	Address         hospital.Address        `json:"address,omitempty"`
	RightCode       string                  `json:"rightCode,omitempty"`
	RightCardNo     string                  `json:"rightCardNo,omitempty"`
	RightHospital   string                  `json:"rightHospital,omitempty"`
	RightExpires    string                  `json:"rightExpires,omitempty"`
	Allergies       []hospital.Allergy      `json:"allergies,omitempty" maxItems:"50"`
	NoKnownAllergy  bool                    `json:"noKnownAllergy,omitempty"`
	Conditions      []string                `json:"conditions,omitempty" maxItems:"50"`
	ContactName     string                  `json:"contactName,omitempty"`
	ContactRelation string                  `json:"contactRelation,omitempty"`
	ContactPhone    string                  `json:"contactPhone,omitempty"`
	ConsentAt       *time.Time              `json:"consentAt,omitempty" nullable:"true"`
	Note            string                  `json:"note,omitempty"`
}

// NewPatient is the input of a registration.
type NewPatient struct {
	PatientInput
	ConfirmDuplicate bool `json:"confirmDuplicate,omitempty" doc:"Register despite a patient with the same name and birth date"`
}

// ValidateOn returns VALIDATION_FAILED with every field that is invalid on a date.
func (n NewPatient) ValidateOn(today string) error {
	return hospital.PatientFields(n.PatientInput).Clean().Validate(today)
}

func (s *Server) createPatient(ctx context.Context, in *body[NewPatient]) (hospital.Patient, error) {
	return s.DB.CreatePatient(ctx, hospital.PatientFields(in.Body.PatientInput), in.Body.ConfirmDuplicate)
}

type patientChange struct {
	ID      int64 `json:"id" minimum:"1"`
	Version int64 `json:"version" minimum:"0"`
	NewPatient
}

// changeInput is the input of an update. The raw body shows which fields were sent.
type changeInput[T any] struct {
	RawBody []byte
	Body    T
}

// overlay writes the sent fields over the stored ones. Lists are replaced as a whole.
func overlay[T any](sent []byte, fields *T) error {
	var present map[string]json.RawMessage
	if err := json.Unmarshal(sent, &present); err != nil {
		return fmt.Errorf("read change: %w", err)
	}
	v := reflect.ValueOf(fields).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if _, ok := present[name]; ok && v.Field(i).Kind() == reflect.Slice {
			v.Field(i).SetZero() // json would merge new items into old ones
		}
	}
	return json.Unmarshal(sent, fields)
}

func (s *Server) updatePatient(ctx context.Context, in *changeInput[patientChange]) (hospital.Patient, error) {
	return s.DB.UpdatePatient(ctx, in.Body.ID, in.Body.Version, in.Body.ConfirmDuplicate,
		func(f *hospital.PatientFields) error { return overlay(in.RawBody, f) })
}

func (s *Server) readPatient(ctx context.Context, in *byID) (store.PatientRecord, error) {
	return s.DB.Patient(ctx, in.ID)
}

func (s *Server) listPatients(ctx context.Context,
	in *body[hospital.PatientFilter]) (hospital.Paged[hospital.Patient], error) {
	return s.DB.ListPatients(ctx, in.Body)
}

type patientQuery struct {
	Q     string `json:"q" maxLength:"100" doc:"Part of a name, HN or phone, or an ID card (see list-id-card)"`
	Limit int    `json:"limit,omitempty" default:"20" minimum:"1" maximum:"50"`
}

func (s *Server) searchPatients(ctx context.Context, in *body[patientQuery]) ([]hospital.Patient, error) {
	return s.DB.SearchPatients(ctx, in.Body.Q, in.Body.Limit)
}

type reasonBody struct {
	ID     int64  `json:"id" minimum:"1"`
	Reason string `json:"reason"`
}

// Validate requires a reason.
func (b reasonBody) Validate() error {
	var c hospital.Checker
	c.Text(b.Reason, "reason", true, 300)
	return c.Err()
}

func (s *Server) deletePatient(ctx context.Context, in *body[reasonBody]) (null, error) {
	return nothing(s.DB.DeletePatient(ctx, in.Body.ID, in.Body.Reason))
}
