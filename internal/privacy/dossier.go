package privacy

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// FindSubject finds a patient by HN, ID card, passport, or the id of the record ("id:17"), deleted
// records included. It returns NOT_FOUND, and POSSIBLE_DUPLICATE with the ids if several records
// have the number.
func FindSubject(ctx context.Context, db *store.DB, whom string) (p hospital.Patient, err error) {
	whom = strings.TrimSpace(hospital.ArabicDigits(whom))
	id, byID := strings.CutPrefix(whom, "id:")
	err = db.Read(ctx, func(tx *store.Tx) error {
		var ids []int64
		if byID {
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return hospital.Reject(hospital.NotFound)
			}
			ids = []int64{n}
		} else if ids, err = tx.PatientIDsByNumber(whom); err != nil {
			return err
		}
		switch len(ids) {
		case 0:
			return hospital.Reject(hospital.NotFound)
		case 1:
			p, err = readPatient(tx, ids[0])
			return err
		}
		words := make([]string, len(ids))
		for i, id := range ids {
			words[i] = fmt.Sprintf("id:%d", id)
		}
		return hospital.Reject(hospital.PossibleDuplicate).Because(
			"เลขนี้อยู่ในหลายระเบียน กรุณาระบุด้วย "+strings.Join(words, ", "),
			"This number is on several records, say which: "+strings.Join(words, ", "))
	})
	return p, err
}

// Dossier returns everything that is stored about a patient, deleted or not, and records the export
// in the audit log before it reads it. It returns NOT_FOUND if there is no such patient.
func Dossier(ctx context.Context, db *store.DB, id int64) (d hospital.Dossier, err error) {
	err = db.Change(ctx, func(tx *store.Tx) error {
		p, err := readPatient(tx, id)
		if err == nil {
			tx.Note(actionExport, "patient", id, p.FullName(), nil)
		}
		return err
	})
	if err != nil {
		return d, err
	}
	err = db.Read(ctx, func(tx *store.Tx) (err error) {
		d, err = readDossier(tx, id)
		return err
	})
	return d, err
}

func readDossier(tx *store.Tx, id int64) (d hospital.Dossier, err error) {
	deletion := tx.Get(`SELECT deleted_at FROM patients WHERE id = $1`, id)
	p, err := readPatient(tx, id)
	if err != nil {
		return d, err
	}
	var deleted sql.NullInt64
	if err := deletion.Scan(&deleted); err != nil {
		return d, err
	}
	d = hospital.Dossier{
		Patient:   hospital.DossierPatient{Patient: p, IDCard: string(p.IDCard)},
		DeletedAt: timeOrNil(deleted),
		Consents:  []hospital.DossierConsent{},
	}
	if p.ConsentAt != nil {
		d.Consents = append(d.Consents, hospital.DossierConsent{Of: "patient", At: *p.ConsentAt})
	}
	s, err := subjectOf(tx, id)
	if err != nil {
		return d, err
	}
	if err := addCustomers(tx, &d); err != nil {
		return d, err
	}
	if err := addAppointments(tx, &d, s); err != nil {
		return d, err
	}
	d.Access, d.Together, err = accessLog(tx, s)
	return d, err
}

// addCustomers adds the app accounts that book for the patient: the patient's own with all fields, of
// others only the name and the relation.
func addCustomers(tx *store.Tx, d *hospital.Dossier) error {
	d.Customers = []hospital.DossierCustomer{}
	ids, err := customersOf(tx, d.Patient.ID)
	if err != nil {
		return err
	}
	list, err := tx.CustomersByID(ids...)
	slices.SortFunc(list, func(a, b hospital.Customer) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range list {
		i := slices.IndexFunc(c.Patients, func(p hospital.CustomerPatient) bool { return p.PatientID == d.Patient.ID })
		of := hospital.DossierCustomer{ID: c.ID, Relation: c.Patients[i].Relation, Name: c.Name}
		if of.Relation == hospital.RelationSelf {
			of.Phone, of.Email, of.LineUserID, of.Status = c.Phone, c.Email, c.LineUserID, c.Status
			of.ConsentAt, of.Note, of.CreatedAt, of.UpdatedAt = c.ConsentAt, c.Note, &c.CreatedAt, &c.UpdatedAt
			if c.ConsentAt != nil {
				d.Consents = append(d.Consents, hospital.DossierConsent{Of: "customer", At: *c.ConsentAt})
			}
		}
		d.Customers = append(d.Customers, of)
	}
	return err
}

// addAppointments adds the appointments with their history and results, deleted ones included.
func addAppointments(tx *store.Tx, d *hospital.Dossier, s subject) error {
	results, err := dossierResults(tx, s.results)
	if err != nil {
		return err
	}
	deleted := map[int64]sql.NullInt64{}
	err = selectByID(tx, `SELECT id, deleted_at FROM appointments WHERE id IN `, s.appointments,
		func(scan sqldb.Scan) error {
			var id int64
			var when sql.NullInt64
			err := scan(&id, &when)
			deleted[id] = when
			return err
		})
	if err != nil {
		return err
	}
	appointments, err := tx.AppointmentsByID(s.appointments...)
	if err != nil {
		return err
	}
	d.Appointments = []hospital.DossierVisit{}
	for _, a := range appointments {
		history, err := tx.HistoryOf(a.ID)
		if err != nil {
			return err
		}
		d.Appointments = append(d.Appointments, hospital.DossierVisit{
			Appointment: a, DeletedAt: timeOrNil(deleted[a.ID]), History: history,
			Results: append([]hospital.DossierResult{}, results[a.ID]...),
		})
	}
	slices.SortFunc(d.Appointments, func(a, b hospital.DossierVisit) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.StartTime, b.StartTime),
			cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// dossierResults returns results by the ids of their appointments, in the order they were added.
func dossierResults(tx *store.Tx, ids []int64) (map[int64][]hospital.DossierResult, error) {
	deleted, keys := map[int64]sql.NullInt64{}, map[int64]sql.NullString{}
	err := selectByID(tx, `SELECT id, deleted_at, file_key FROM results WHERE id IN `, ids,
		func(scan sqldb.Scan) error {
			var id int64
			var when sql.NullInt64
			var key sql.NullString
			err := scan(&id, &when, &key)
			deleted[id], keys[id] = when, key
			return err
		})
	if err != nil {
		return nil, err
	}
	list, err := tx.ResultsByID(ids...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b hospital.Result) int { return cmp.Compare(a.ID, b.ID) })
	results := map[int64][]hospital.DossierResult{}
	for _, r := range list {
		of := hospital.DossierResult{
			ID: r.ID, ResultFields: r.ResultFields, CreatedByName: r.CreatedByName, CreatedAt: r.CreatedAt,
			DeletedAt: timeOrNil(deleted[r.ID]),
		}
		if r.File != nil {
			of.File = &hospital.DossierFile{ResultFile: *r.File, Key: keys[r.ID].String}
		}
		results[r.AppointmentID] = append(results[r.AppointmentID], of)
	}
	return results, nil
}

// timeOrNil returns a stored time, or nil for NULL.
func timeOrNil(v sql.NullInt64) *time.Time {
	if !v.Valid {
		return nil
	}
	t := time.UnixMilli(v.Int64).UTC()
	return &t
}
