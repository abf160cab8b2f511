package privacy

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
	"nadmor/internal/store"
)

// JobErase deletes the files of a patient who was erased, and erases what a request that ran at the
// same time has written since.
const JobErase = "erase"

// EraseAgain is the payload of JobErase.
type EraseAgain struct {
	PatientID int64    `json:"patientId"`
	Files     []string `json:"files"`
}

// eraseAgainAfter is longer than any request takes.
const eraseAgainAfter = 5 * time.Minute

// errDryRun rolls a dry run back.
var errDryRun = errors.New("dry run")

// Anonymise erases the identity and the medical data of a patient from the record, the appointments,
// their history, the results, the patient's own app account, the search index and the audit log.
// Seats and visits are kept, so that no total changes. It can be repeated, and then erases only what
// was added since. It returns NOT_FOUND; VALIDATION_FAILED without a reason; IN_USE with the number
// of upcoming appointments unless they are to be cancelled, and IN_USE while the patient is in the
// hospital.
func Anonymise(ctx context.Context, db *store.DB, in hospital.Erasure) (done hospital.Erased, err error) {
	if err := in.Validate(); err != nil {
		return done, err
	}
	if err := overwriteFreed(ctx, db); err != nil {
		return done, err
	}
	err = db.Change(ctx, func(tx *store.Tx) error {
		done = hospital.Erased{}
		e := eraser{Tx: tx, in: in, done: &done}
		if err := e.erase(); err != nil {
			return err
		}
		if in.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return done, nil
	}
	if err == nil {
		err = forgetFreed(ctx, db)
	}
	return done, err
}

// EraseSince erases what was written to the audit log about a patient after the erasure.
func EraseSince(ctx context.Context, db *store.DB, patientID int64) error {
	return db.Change(ctx, func(tx *store.Tx) error {
		e := eraser{
			Tx: tx, in: hospital.Erasure{PatientID: patientID, Reason: hospital.ErasedText},
			done: &hospital.Erased{Already: true},
		}
		s, err := subjectOf(tx, patientID)
		if err != nil {
			return err
		}
		named, err := e.log(s)
		if err == nil && len(named) > 0 {
			e.noteErasure(named)
		}
		return err
	})
}

// eraser is one erasure.
type eraser struct {
	*store.Tx
	in   hospital.Erasure
	done *hospital.Erased
}

func (e eraser) erase() error {
	id := e.in.PatientID
	p, err := e.LockPatientForErasure(id)
	if err != nil {
		return err
	}
	if err := e.Get(isErased, id).Scan(&e.done.Already); err != nil {
		return err
	}
	if err := e.cancel(); err != nil {
		return err
	}
	s, err := subjectOf(e.Tx, id)
	if err != nil {
		return err
	}
	if !e.done.Already {
		if err := e.ErasePatient(p); err != nil {
			return err
		}
	}
	if s.customers, err = e.accounts(s); err != nil {
		return err
	}
	if err := e.appointmentsAndResults(s); err != nil {
		return err
	}
	named, err := e.log(s)
	if err != nil {
		return err
	}
	if !e.done.Already || len(named) > 0 || len(e.done.Files) > 0 {
		e.noteErasure(named)
	}
	e.Publish(hospital.Event{Kind: hospital.EventRefetch})
	e.EnqueueAfter(eraseAgainAfter, JobErase, EraseAgain{id, append([]string{}, e.done.Files...)})
	return nil
}

// noteErasure adds the audit entry of the erasure. It names the entries that were redacted.
func (e eraser) noteErasure(named []string) {
	e.NoteEntry(hospital.AuditEntry{
		Action: store.ActionAnonymise, Entity: "patient", EntityID: strconv.FormatInt(e.in.PatientID, 10),
		Subject: hospital.ErasedPatient, Reason: e.in.Reason, Changes: map[string]hospital.Change{
			store.RedactedEntries: {After: named},
			"appointments":        {After: e.done.Appointments}, "cancelled": {After: e.done.Cancelled},
			"results": {After: e.done.Results}, "files": {After: len(e.done.Files)},
		},
	})
}

// cancel cancels the upcoming appointments, or returns IN_USE.
func (e eraser) cancel() error {
	coming, err := e.coming()
	if err != nil {
		return err
	}
	for _, a := range coming {
		if a.Status.Visited() {
			return hospital.Reject(hospital.InUse).With("count", len(coming)).Because(
				"ผู้ป่วยอยู่ในโรงพยาบาลตามนัด "+a.Number+" กรุณาปิดนัดนี้ก่อน",
				"The patient is in the hospital for appointment "+a.Number+". Finish it first.")
		}
	}
	if e.done.Cancelled = len(coming); e.in.DryRun {
		return nil
	}
	if len(coming) > 0 && !e.in.CancelFuture {
		return hospital.Reject(hospital.InUse).With("count", len(coming)).Because(
			fmt.Sprintf("ผู้ป่วยยังมีนัดที่จะถึง %d รายการ กรุณายกเลิกก่อน", len(coming)),
			fmt.Sprintf("The patient has %d coming appointments. Cancel them first.", len(coming)))
	}
	for _, a := range coming {
		if err := e.CancelAppointment(a.ID, hospital.ErasedText); err != nil {
			return err
		}
	}
	return nil
}

// upcoming are the statuses of appointments that are cancelled, or are in the way.
var upcoming = []string{
	string(hospital.Waitlisted), string(hospital.Pending), string(hospital.Booked), string(hospital.Confirmed),
	string(hospital.CheckedIn), string(hospital.InService),
}

// coming returns the ids, numbers and statuses of the upcoming appointments, in the order in which their
// seats are locked: index appointments_patient.
func (e eraser) coming() ([]hospital.Appointment, error) {
	args := []any{e.in.PatientID, e.LocalNow().Date}
	query := `SELECT id, number, status FROM appointments
		WHERE patient_id = $1 AND deleted_at IS NULL AND date >= $2 AND status IN ` + inList(&args, upcoming) + `
		ORDER BY service_id, date, start_time`
	return sqldb.Collect(e.All(query, args...), func(scan sqldb.Scan) (a hospital.Appointment, err error) {
		err = scan(&a.ID, &a.Number, &a.Status)
		return a, err
	})
}

// accounts erases the patient's own app accounts, deleted ones included, and unlinks the patient from
// the accounts of others. It returns the ids of the erased accounts.
func (e eraser) accounts(s subject) (erased []int64, err error) {
	own := slices.Clone(s.customers)
	entries, err := e.customerEntries(s.patient)
	if err != nil {
		return nil, err
	}
	for _, r := range entries {
		if id, _ := strconv.ParseInt(r.EntityID, 10, 64); linksSelf(r, s.patient) && !slices.Contains(own, id) {
			own = append(own, id)
		}
	}
	linked, err := customersOf(e.Tx, s.patient)
	if err != nil {
		return nil, err
	}
	for _, id := range linked { // the new version makes others reload an account that they are editing
		e.Exec(`UPDATE customers SET version = version + 1, updated_at = $2 WHERE id = $1`, id, e.Now().UnixMilli())
	}
	for _, id := range own {
		var others int
		var deleted sql.NullInt64
		err := e.Get(`SELECT c.deleted_at,
				(SELECT count(*) FROM customer_patients l WHERE l.customer_id = c.id AND l.patient_id <> $2)
			FROM customers c WHERE c.id = $1`, id, s.patient).Scan(&deleted, &others)
		switch {
		case err != nil:
			return nil, fmt.Errorf("read customer: %w", err)
		case others > 0:
			if slices.Contains(s.customers, id) {
				e.done.SharedAccount = append(e.done.SharedAccount, id)
			}
			continue
		case !deleted.Valid && !slices.Contains(s.customers, id):
			continue // it was unlinked and may belong to another person now
		}
		changed, err := e.EraseCustomer(id)
		if err != nil {
			return nil, err
		}
		if changed {
			e.done.Accounts++
		}
		erased = append(erased, id)
	}
	e.Exec(`DELETE FROM customer_patients WHERE patient_id = $1`, s.patient)
	return erased, nil
}

// appointmentsAndResults erases the texts of appointments and results and the stored responses that
// contain them. It adds the files of the results to those to be deleted.
func (e eraser) appointmentsAndResults(s subject) error {
	err := selectByID(e.Tx, `SELECT file_key FROM results WHERE id IN `, s.results, func(scan sqldb.Scan) error {
		var key sql.NullString
		err := scan(&key)
		if key.Valid {
			e.done.Files = append(e.done.Files, key.String)
		}
		return err
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(s.results, maxIDs) {
		var args []any
		ids := inList(&args, part)
		text := arg(&args, hospital.ErasedText)
		n, err := e.Exec(`UPDATE results SET diagnosis = `+text+`, icd10 = '[]', advice = '', follow_up_date = NULL,
				file_key = NULL, file_name = '', file_type = '', file_size = 0, file_sha256 = ''
			WHERE id IN `+ids+` AND
				(diagnosis <> `+text+` OR file_key IS NOT NULL OR icd10 <> '[]' OR advice <> '')`, args...).Affected()
		if err != nil {
			return err
		}
		e.done.Results += int(n)
	}
	for part := range slices.Chunk(s.appointments, maxIDs) {
		var args []any
		n, err := e.Exec(`UPDATE appointments SET reason = '', note = '', overbook_reason = '', cancel_reason = '',
				customer_id = NULL, version = version + 1
			WHERE id IN `+inList(&args, part)+` AND (reason <> '' OR note <> '' OR overbook_reason <> ''
				OR cancel_reason <> '' OR customer_id IS NOT NULL)`, args...).Affected()
		if err != nil {
			return err
		}
		e.done.Appointments += int(n)
		if err := e.history(part); err != nil {
			return err
		}
	}
	e.answers(s.patient)
	return nil
}

// answers deletes the stored responses of writes that contain data of a patient. A patient's
// own record has an id; all other records refer to the patient by patientId.
func (e eraser) answers(patient int64) {
	for _, of := range []struct{ operations, name string }{{"%", "patientId"}, {"post-patients-%", "id"}} {
		for _, end := range []string{",", "}"} {
			e.Exec(`DELETE FROM idempotency WHERE operation LIKE $1 AND answer LIKE $2`,
				of.operations, fmt.Sprintf(`%%%q:%d%s%%`, of.name, patient, end))
		}
	}
}

// history removes texts from the history of appointments and keeps what happened to their seats.
func (e eraser) history(appointments []int64) error {
	var args []any
	type entry struct {
		id                    int64
		before, after, reason string
	}
	list, err := sqldb.Collect(
		e.All(`SELECT id, before, after, reason FROM appointment_history WHERE appointment_id IN `+
			inList(&args, appointments), args...),
		func(scan sqldb.Scan) (h entry, err error) {
			err = scan(&h.id, &h.before, &h.after, &h.reason)
			return h, err
		})
	if err != nil {
		return err
	}
	for _, h := range list {
		was := h
		for _, text := range []*string{&h.before, &h.after} {
			var fields map[string]any
			if err := json.Unmarshal([]byte(*text), &fields); err != nil {
				return fmt.Errorf("read history: %w", err)
			}
			left := maps.Clone(fields)
			maps.DeleteFunc(left, func(field string, _ any) bool { return !hospital.KeptAfterErasure("appointment", field) })
			if len(left) != len(fields) {
				b, err := json.Marshal(left)
				if err != nil {
					return err
				}
				*text = string(b)
			}
		}
		if h.reason = ""; h == was {
			continue
		}
		e.Exec(`UPDATE appointment_history SET before = $2, after = $3, reason = '' WHERE id = $1`,
			h.id, h.before, h.after)
		e.done.History++
	}
	return nil
}
