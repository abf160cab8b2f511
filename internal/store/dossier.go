package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nadmor/internal/hospital"
)

// The audit actions of what people ask for under the Personal Data Protection
// Act, and of what has to be told after a breach.
const (
	pdpaExport = "pdpa.export"
	pdpaAccess = "pdpa.access"
	pdpaBreach = "pdpa.breach"
)

// FindSubject finds whose data is meant: by HN, ID card, passport, or the id of
// the record ("id:17"). Records that were deleted are found, too. Refused:
// NOT_FOUND; POSSIBLE_DUPLICATE where a number is on several records, which only
// their ids tell apart.
func (db *DB) FindSubject(ctx context.Context, whom string) (hospital.Patient, error) {
	whom = strings.TrimSpace(hospital.ArabicDigits(whom))
	ways := []way{{`p.hn_key = $1`, hospital.HNKey(whom)}}
	if id, ok := strings.CutPrefix(whom, "id:"); ok {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return hospital.Patient{}, hospital.Refuse(hospital.NotFound)
		}
		list, err := db.patientsWhere(ctx, db.read, `WHERE p.id = $1`, n)
		return oneSubject(list, err)
	}
	if digits := numberOf(whom); len(digits) == 13 {
		ways = append(ways, way{`p.id_card <> '' AND p.id_card = $1`, digits})
	} else if looksLikeHN(whom) {
		ways = append(ways, way{`p.passport_no <> '' AND p.passport_no = $1`, strings.ToUpper(whom)})
	}
	for _, w := range ways {
		if w.by == "" {
			continue
		}
		// The living by their indexes; those who were deleted are looked for in all.
		for _, state := range []string{living, ` AND p.deleted_at IS NOT NULL`} {
			list, err := db.patientsWhere(ctx, db.read, `WHERE `+w.where+state+` ORDER BY p.id LIMIT 20`, w.by)
			if err != nil || len(list) > 0 {
				return oneSubject(list, err)
			}
		}
	}
	return hospital.Patient{}, hospital.Refuse(hospital.NotFound)
}

func oneSubject(list []hospital.Patient, err error) (hospital.Patient, error) {
	switch {
	case err != nil:
		return hospital.Patient{}, mapError(err)
	case len(list) == 0:
		return hospital.Patient{}, hospital.Refuse(hospital.NotFound)
	case len(list) > 1:
		ids := make([]string, len(list))
		for i, p := range list {
			ids[i] = fmt.Sprintf("id:%d", p.ID)
		}
		return hospital.Patient{}, hospital.Refuse(hospital.PossibleDuplicate).
			Because("เลขนี้อยู่ในหลายระเบียน กรุณาระบุด้วย "+strings.Join(ids, ", "), "This number is on several records, say which: "+strings.Join(ids, ", "))
	}
	return list[0], nil
}

// Dossier collects everything that is kept about a patient, deleted or not, and
// writes down that it was handed out: NOT_FOUND.
func (db *DB) Dossier(ctx context.Context, id int64) (d hospital.Dossier, err error) {
	p, err := oneSubject(db.patientsWhere(ctx, db.read, `WHERE p.id = $1`, id))
	if err != nil {
		return d, err
	}
	if err := db.Note(ctx, hospital.AuditEntry{Action: pdpaExport, Entity: "patient", EntityID: fmt.Sprint(id), Subject: p.FullName()}); err != nil {
		return d, err
	}
	d = hospital.Dossier{
		Patient:  hospital.DossierPatient{Patient: p, IDCard: string(p.IDCard)},
		Consents: []hospital.DossierConsent{},
	}
	var deleted sql.NullInt64
	if err := db.read.QueryRowContext(ctx, `SELECT deleted_at FROM patients WHERE id = $1`, id).Scan(&deleted); err != nil {
		return d, mapError(err)
	}
	d.DeletedAt = atOrNil(deleted)
	if p.ConsentAt != nil {
		d.Consents = append(d.Consents, hospital.DossierConsent{Of: "patient", At: *p.ConsentAt})
	}
	if err := db.dossierCustomers(ctx, &d); err != nil {
		return d, mapError(err)
	}
	if err := db.dossierVisits(ctx, &d); err != nil {
		return d, mapError(err)
	}
	own := subject{patient: id}
	for _, c := range d.Customers {
		if c.Relation == hospital.RelationSelf {
			own.customers = append(own.customers, c.ID)
		}
	}
	for _, v := range d.Appointments {
		own.appointments = append(own.appointments, v.ID)
		for _, r := range v.Results {
			own.results = append(own.results, r.ID)
		}
	}
	d.Access, d.Together, err = db.accessLog(ctx, own)
	return d, mapError(err)
}

func (db *DB) dossierCustomers(ctx context.Context, d *hospital.Dossier) error {
	d.Customers = []hospital.DossierCustomer{}
	ids, err := customersOf(ctx, db.read, d.Patient.ID)
	if err != nil || len(ids) == 0 {
		return err
	}
	var f filter
	f.in("c.id", numbers(ids))
	list, err := customersWhere(ctx, db.read, f.where()+` ORDER BY c.id`, f.args...)
	for _, c := range list {
		i := slices.IndexFunc(c.Patients, func(p hospital.CustomerPatient) bool { return p.PatientID == d.Patient.ID })
		of := hospital.DossierCustomer{ID: c.ID, Relation: c.Patients[i].Relation, Name: c.Name}
		if of.Relation == hospital.RelationSelf {
			of.Phone, of.Email, of.LineUserID, of.Status, of.ConsentAt, of.Note = c.Phone, c.Email, c.LineUserID, c.Status, c.ConsentAt, c.Note
			of.CreatedAt, of.UpdatedAt = &c.CreatedAt, &c.UpdatedAt
			if c.ConsentAt != nil {
				d.Consents = append(d.Consents, hospital.DossierConsent{Of: "customer", At: *c.ConsentAt})
			}
		}
		d.Customers = append(d.Customers, of)
	}
	return err
}

// customersOf are the app accounts that book for a patient: index
// customer_patients_patient.
func customersOf(ctx context.Context, q querier, patient int64) ([]int64, error) {
	rows, err := q.QueryContext(ctx, `SELECT customer_id FROM customer_patients WHERE patient_id = $1`, patient)
	return scanAll(rows, err, func(id *int64) []any { return []any{id} })
}

// dossierVisits reads the appointments with their history and results, those
// that were deleted as well: indexes appointments_patient and
// appointments_deleted, results_patient and results_deleted.
func (db *DB) dossierVisits(ctx context.Context, d *hospital.Dossier) error {
	results := map[int64][]hospital.DossierResult{}
	d.Appointments = []hospital.DossierVisit{}
	for _, state := range []string{"NULL", "NOT NULL"} {
		gone := map[int64]sql.NullInt64{}
		for _, table := range []string{"results", "appointments"} {
			rows, err := db.read.QueryContext(ctx, `SELECT id, deleted_at FROM `+table+` WHERE patient_id = $1 AND deleted_at IS `+state, d.Patient.ID)
			type when struct {
				id int64
				at sql.NullInt64
			}
			list, err := scanAll(rows, err, func(w *when) []any { return []any{&w.id, &w.at} })
			if err != nil {
				return err
			}
			clear(gone)
			for _, w := range list {
				gone[w.id] = w.at
			}
			if table == "appointments" {
				break
			}
			rows, err = db.read.QueryContext(ctx, resultSelect+`WHERE r.patient_id = $1 AND r.deleted_at IS `+state+` ORDER BY r.id`, d.Patient.ID)
			if _, err = collect(rows, err, func(rows *sql.Rows) (struct{}, error) {
				r, key, err := scanResult(rows.Scan)
				of := hospital.DossierResult{ID: r.ID, ResultFields: r.ResultFields, CreatedByName: r.CreatedByName, CreatedAt: r.CreatedAt, DeletedAt: atOrNil(gone[r.ID])}
				if r.File != nil {
					of.File = &hospital.DossierFile{ResultFile: *r.File, Key: key}
				}
				results[r.AppointmentID] = append(results[r.AppointmentID], of)
				return struct{}{}, err
			}); err != nil {
				return err
			}
		}
		visits, err := db.appointmentsWhere(ctx, db.read, `WHERE a.patient_id = $1 AND a.deleted_at IS `+state, d.Patient.ID)
		if err != nil {
			return err
		}
		for _, a := range visits {
			history, err := historyOf(ctx, db.read, a.ID)
			if err != nil {
				return err
			}
			d.Appointments = append(d.Appointments, hospital.DossierVisit{Appointment: a, DeletedAt: atOrNil(gone[a.ID]), History: history})
		}
	}
	for i, v := range d.Appointments { // a deleted appointment has no results, a living one may have deleted ones
		found := results[v.ID]
		slices.SortFunc(found, func(a, b hospital.DossierResult) int { return cmp.Compare(a.ID, b.ID) })
		d.Appointments[i].Results = append([]hospital.DossierResult{}, found...)
	}
	slices.SortFunc(d.Appointments, func(a, b hospital.DossierVisit) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.StartTime, b.StartTime), cmp.Compare(a.ID, b.ID))
	})
	return nil
}
