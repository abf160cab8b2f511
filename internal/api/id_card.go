package api

import (
	"context"

	"nadmor/internal/hospital"
)

type idCardQuery struct {
	IDCard string `json:"idCard" maxLength:"30" doc:"All 13 digits; prefixes of four or more need PATIENT.VIEW_CID"`
}

// Validate requires at least four digits, because fewer would match too many patients.
func (q idCardQuery) Validate() error {
	var c hospital.Checker
	n := len(hospital.DigitsOf(q.IDCard))
	c.Require(n >= 4 && n <= 13, "idCard", "กรุณากรอกเลขประจำตัวประชาชน 4–13 หลัก", "Fill in 4 to 13 digits.")
	return c.Err()
}

func (s *Server) patientsByIDCard(ctx context.Context, in *body[idCardQuery]) ([]hospital.Patient, error) {
	return s.DB.PatientsByIDCard(ctx, hospital.DigitsOf(in.Body.IDCard))
}

type revealed struct {
	IDCard string `json:"idCard"`
}

func (s *Server) revealIDCard(ctx context.Context, in *body[reasonBody]) (revealed, error) {
	card, err := s.DB.RevealIDCard(ctx, in.Body.ID, in.Body.Reason)
	return revealed{card}, err
}
