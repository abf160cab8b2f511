package store

import (
	"context"
	"fmt"

	"nadmor/internal/hospital"
)

// RevealIDCard returns the full ID card number of a patient and records the reason in the audit log. Its route
// needs PATIENT.VIEW_CID. Only an export with that permission and a reason returns the number as well. It
// returns NOT_FOUND if there is no such patient.
func (db *DB) RevealIDCard(ctx context.Context, id int64, reason string) (card string, err error) {
	err = db.readNoted(ctx, func(tx *Tx) error {
		p, err := tx.readPatient(id)
		if err != nil {
			return err
		}
		card = string(p.IDCard)
		tx.NoteEntry(hospital.AuditEntry{
			Action: "patient.reveal-id-card", Entity: "patient", EntityID: fmt.Sprint(id),
			Subject: p.FullName(), Reason: reason,
		})
		return nil
	})
	return card, err
}

// PatientsByIDCard returns the patient with an ID card or, for a caller with PATIENT.VIEW_CID, those
// whose card begins with at least four digits: index patients_id_card. The search is recorded in
// the audit log.
func (db *DB) PatientsByIDCard(ctx context.Context, number string) (list []hospital.Patient, err error) {
	digits := hospital.CardDigits(number, hospital.ActorFrom(ctx).Permissions)
	if digits == "" {
		return []hospital.Patient{}, nil
	}
	err = db.readNoted(ctx, func(tx *Tx) (err error) {
		tx.NoteEntry(cardSearch(digits))
		list, err = tx.patientsWhere(`WHERE p.id_card <> '' AND p.id_card >= $1 AND p.id_card < $2`+notDeleted+`
			ORDER BY p.id_card LIMIT 50`, digits, after(digits))
		return err
	})
	return list, err
}

// cardSearch is the audit entry of a search by ID card. It contains the number of digits only,
// because the digits may be those of a patient.
func cardSearch(digits string) hospital.AuditEntry {
	return hospital.AuditEntry{
		Action: "patient.search-id-card", Entity: "patient",
		Changes: map[string]hospital.Change{"digits": {After: len(digits)}},
	}
}
