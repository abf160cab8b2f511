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
	"nadmor/internal/sqldb"
)

// The audit actions of requests under the Personal Data Protection Act, and of the report after a
// breach.
const (
	pdpaExport = "pdpa.export"
	pdpaAccess = "pdpa.access"
	pdpaBreach = "pdpa.breach"
)

// FindSubject finds a patient by HN, ID card, passport, or the id of the record ("id:17"), deleted
// records included. It returns NOT_FOUND, and POSSIBLE_DUPLICATE with the ids if several records
// have the number.
func (db *DB) FindSubject(ctx context.Context, whom string) (p hospital.Patient, err error) {
	whom = strings.TrimSpace(hospital.ArabicDigits(whom))
	if id, ok := strings.CutPrefix(whom, "id:"); ok {
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return p, hospital.Refuse(hospital.NotFound)
		}
		err = db.Read(ctx, func(tx *Tx) (err error) {
			p, err = tx.subjectPatient(n)
			return err
		})
		return p, err
	}
	type condition struct{ where, value string }
	conditions := []condition{{`p.hn_key = $1`, hospital.HNKey(whom)}}
	if digits := numberOf(whom); len(digits) == 13 {
		conditions = append(conditions, condition{`p.id_card <> '' AND p.id_card = $1`, digits})
	} else if looksLikeHN(whom) {
		conditions = append(conditions, condition{`p.passport_no <> '' AND p.passport_no = $1`, strings.ToUpper(whom)})
	}
	err = db.Read(ctx, func(tx *Tx) error {
		for _, c := range conditions {
			if c.value == "" {
				continue
			}
			// Only records that are not deleted are in the indexes.
			for _, state := range []string{living, ` AND p.deleted_at IS NOT NULL`} {
				list, err := tx.patientsWhere(`WHERE `+c.where+state+` ORDER BY p.id LIMIT 20`, c.value)
				if err != nil || len(list) > 0 {
					p, err = oneSubject(list, err)
					return err
				}
			}
		}
		return hospital.Refuse(hospital.NotFound)
	})
	return p, err
}

// subjectPatient returns a patient, deleted or not. It returns NOT_FOUND if there is none.
func (tx *Tx) subjectPatient(id int64) (hospital.Patient, error) {
	return only(tx.patientsWhere(`WHERE p.id = $1`, id))
}

func oneSubject(list []hospital.Patient, err error) (hospital.Patient, error) {
	if err == nil && len(list) > 1 {
		ids := make([]string, len(list))
		for i, p := range list {
			ids[i] = fmt.Sprintf("id:%d", p.ID)
		}
		return hospital.Patient{}, hospital.Refuse(hospital.PossibleDuplicate).Because(
			"เลขนี้อยู่ในหลายระเบียน กรุณาระบุด้วย "+strings.Join(ids, ", "),
			"This number is on several records, say which: "+strings.Join(ids, ", "))
	}
	return only(list, err)
}

// Dossier returns everything that is stored about a patient, deleted or not, and records the export
// in the audit log before it reads it. It returns NOT_FOUND if there is no such patient.
func (db *DB) Dossier(ctx context.Context, id int64) (d hospital.Dossier, err error) {
	err = db.Change(ctx, func(tx *Tx) error {
		p, err := tx.subjectPatient(id)
		if err == nil {
			tx.Note(pdpaExport, "patient", id, p.FullName(), nil)
		}
		return err
	})
	if err != nil {
		return d, err
	}
	err = db.Read(ctx, func(tx *Tx) (err error) {
		d, err = tx.dossier(id)
		return err
	})
	return d, err
}

func (tx *Tx) dossier(id int64) (d hospital.Dossier, err error) {
	deletion := tx.Get(`SELECT deleted_at FROM patients WHERE id = $1`, id)
	p, err := tx.subjectPatient(id)
	if err != nil {
		return d, err
	}
	var deleted sql.NullInt64
	if err := deletion.Scan(&deleted); err != nil {
		return d, err
	}
	d = hospital.Dossier{
		Patient:   hospital.DossierPatient{Patient: p, IDCard: string(p.IDCard)},
		DeletedAt: atOrNil(deleted),
		Consents:  []hospital.DossierConsent{},
	}
	if p.ConsentAt != nil {
		d.Consents = append(d.Consents, hospital.DossierConsent{Of: "patient", At: *p.ConsentAt})
	}
	if err := tx.dossierCustomers(&d); err != nil {
		return d, err
	}
	if err := tx.dossierAppointments(&d); err != nil {
		return d, err
	}
	own := subject{patient: id}
	for _, c := range d.Customers {
		if c.Relation == hospital.RelationSelf {
			own.customers = append(own.customers, c.ID)
		}
	}
	for _, a := range d.Appointments {
		own.appointments = append(own.appointments, a.ID)
		for _, r := range a.Results {
			own.results = append(own.results, r.ID)
		}
	}
	d.Access, d.Together, err = tx.accessLog(own)
	return d, err
}

// dossierCustomers adds the app accounts that book for the patient: the patient's own with all
// fields, of others only the name and the relation.
func (tx *Tx) dossierCustomers(d *hospital.Dossier) error {
	d.Customers = []hospital.DossierCustomer{}
	ids, err := tx.customersOf(d.Patient.ID)
	if err != nil || len(ids) == 0 {
		return err
	}
	var f filter
	f.in("c.id", numbers(ids))
	list, err := tx.customersWhere(f.where()+` ORDER BY c.id`, f.args...)
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

// customersOf returns the app accounts that book for a patient: index customer_patients_patient.
func (tx *Tx) customersOf(patient int64) ([]int64, error) {
	return sqldb.Column[int64](tx.All(`SELECT customer_id FROM customer_patients WHERE patient_id = $1`, patient))
}

// dossierAppointments adds the appointments with their history and results, deleted ones included:
// indexes appointments_patient and appointments_deleted, results_patient and results_deleted.
func (tx *Tx) dossierAppointments(d *hospital.Dossier) error {
	results := map[int64][]hospital.DossierResult{}
	d.Appointments = []hospital.DossierVisit{}
	for _, state := range []string{"NULL", "NOT NULL"} {
		resultsDeleted := tx.queryDeletions("results", d.Patient.ID, state)
		appointmentsDeleted := tx.queryDeletions("appointments", d.Patient.ID, state)
		rows := tx.All(resultSelect+`WHERE r.patient_id = $1 AND r.deleted_at IS `+state+` ORDER BY r.id`, d.Patient.ID)
		appointments, err := tx.appointmentsWhere(`WHERE a.patient_id = $1 AND a.deleted_at IS `+state, d.Patient.ID)
		if err != nil {
			return err
		}
		deleted, err := resultsDeleted()
		if err != nil {
			return err
		}
		list, err := sqldb.Collect(rows, scanStoredResult)
		if err != nil {
			return err
		}
		for _, r := range list {
			of := hospital.DossierResult{
				ID: r.ID, ResultFields: r.ResultFields, CreatedByName: r.CreatedByName, CreatedAt: r.CreatedAt,
				DeletedAt: atOrNil(deleted[r.ID]),
			}
			if r.File != nil {
				of.File = &hospital.DossierFile{ResultFile: *r.File, Key: r.key}
			}
			results[r.AppointmentID] = append(results[r.AppointmentID], of)
		}
		if deleted, err = appointmentsDeleted(); err != nil {
			return err
		}
		for _, a := range appointments {
			history, err := tx.historyOf(a.ID)
			if err != nil {
				return err
			}
			d.Appointments = append(d.Appointments,
				hospital.DossierVisit{Appointment: a, DeletedAt: atOrNil(deleted[a.ID]), History: history})
		}
	}
	for i, a := range d.Appointments { // a deleted appointment has no results, another one may have deleted ones
		found := results[a.ID]
		slices.SortFunc(found, func(a, b hospital.DossierResult) int { return cmp.Compare(a.ID, b.ID) })
		d.Appointments[i].Results = append([]hospital.DossierResult{}, found...)
	}
	slices.SortFunc(d.Appointments, func(a, b hospital.DossierVisit) int {
		return cmp.Or(strings.Compare(a.Date, b.Date), strings.Compare(a.StartTime, b.StartTime), cmp.Compare(a.ID, b.ID))
	})
	return nil
}

// queryDeletions queries when records of a patient were deleted, by their ids.
func (tx *Tx) queryDeletions(table string, patient int64, state string) func() (map[int64]sql.NullInt64, error) {
	rows := tx.All(`SELECT id, deleted_at FROM `+table+` WHERE patient_id = $1 AND deleted_at IS `+state, patient)
	return func() (map[int64]sql.NullInt64, error) {
		deleted := map[int64]sql.NullInt64{}
		err := rows.Each(func(scan sqldb.Scan) error {
			var id int64
			var when sql.NullInt64
			err := scan(&id, &when)
			deleted[id] = when
			return err
		})
		return deleted, err
	}
}
