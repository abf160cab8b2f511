package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const pdpaAnonymise = "pdpa.anonymise"

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
func (db *DB) Anonymise(ctx context.Context, in hospital.Erasure) (done hospital.Erased, err error) {
	if err := in.Validate(); err != nil {
		return done, err
	}
	if err := db.overwriteFreed(ctx); err != nil {
		return done, err
	}
	err = db.Change(ctx, func(tx *Tx) error {
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
		err = db.forgetFreed(ctx)
	}
	return done, err
}

// EraseSince erases what was written to the audit log about a patient after the erasure.
func (db *DB) EraseSince(ctx context.Context, patientID int64) error {
	return db.Change(ctx, func(tx *Tx) error {
		e := eraser{
			Tx: tx, in: hospital.Erasure{PatientID: patientID, Reason: hospital.ErasedText},
			done: &hospital.Erased{Already: true},
		}
		s, err := tx.subjectOf(patientID)
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
	*Tx
	setting hospital.Setting
	in      hospital.Erasure
	done    *hospital.Erased
}

func (e eraser) erase() error {
	id := e.in.PatientID
	// The lock keeps others from booking for the patient and from changing the record.
	lock := e.Get(`SELECT p.deleted_at FROM patients p WHERE p.id = $1`+e.db.dialect.lock("p"), id)
	erasures := e.Get(`SELECT count(*) > 0 FROM erasures WHERE patient_id = $1`, id)
	setting := e.querySetting()
	var deleted sql.NullInt64
	if err := lock.Scan(&deleted); err != nil {
		return orNotFound(err)
	}
	if err := erasures.Scan(&e.done.Already); err != nil {
		return err
	}
	var err error
	if e.setting, err = setting(); err != nil {
		return err
	}
	p, err := e.subjectPatient(id)
	if err != nil {
		return err
	}
	if err := e.cancel(); err != nil {
		return err
	}
	s, err := e.subjectOf(id)
	if err != nil {
		return err
	}
	if !e.done.Already {
		e.patient(p, deleted.Valid)
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
	e.Exec(`INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ($1, $2, $3, $4)`,
		JobErase, toJSON(EraseAgain{id, append([]string{}, e.done.Files...)}), ms(e.now.Add(eraseAgainAfter)), ms(e.now))
	return nil
}

// noteErasure adds the audit entry of the erasure. It names the entries that were redacted.
func (e eraser) noteErasure(named []string) {
	e.NoteEntry(hospital.AuditEntry{
		Action: pdpaAnonymise, Entity: "patient", EntityID: strconv.FormatInt(e.in.PatientID, 10),
		Subject: hospital.ErasedPatient, Reason: e.in.Reason, Changes: map[string]hospital.Change{
			redactedEntries: {After: named}, "appointments": {After: e.done.Appointments},
			"cancelled": {After: e.done.Cancelled}, "results": {After: e.done.Results}, "files": {After: len(e.done.Files)},
		},
	})
}

// cancel cancels the upcoming appointments, or returns IN_USE.
func (e eraser) cancel() error {
	var f filter
	f.add("a.patient_id = %s", e.in.PatientID)
	f.add("a.deleted_at IS NULL")
	f.add("a.date >= %s", e.Wall().Date)
	f.in("a.status", texts([]hospital.AppointmentStatus{
		hospital.Waitlisted, hospital.Pending, hospital.Booked, hospital.Confirmed, hospital.CheckedIn, hospital.InService,
	}))
	coming, err := e.appointmentsWhere(f.where()+" ORDER BY a.service_id, a.date, a.start_time", f.args...)
	if err != nil {
		return err
	}
	for _, a := range coming {
		if a.Status.Visited() {
			return hospital.Refuse(hospital.InUse).With("count", len(coming)).Because(
				"ผู้ป่วยอยู่ในโรงพยาบาลตามนัด "+a.Number+" กรุณาปิดนัดนี้ก่อน",
				"The patient is in the hospital for appointment "+a.Number+". Finish it first.")
		}
	}
	if e.done.Cancelled = len(coming); e.in.DryRun {
		return nil
	}
	if len(coming) > 0 && !e.in.CancelFuture {
		return hospital.Refuse(hospital.InUse).With("count", len(coming)).Because(
			fmt.Sprintf("ผู้ป่วยยังมีนัดที่จะถึง %d รายการ กรุณายกเลิกก่อน", len(coming)),
			fmt.Sprintf("The patient has %d coming appointments. Cancel them first.", len(coming)))
	}
	for _, c := range coming {
		old, err := e.lockAppointment(c.ID, 0)
		if err != nil {
			return err
		}
		a := old
		a.Status, a.CancelReason = hospital.Cancelled, hospital.ErasedText
		if err := e.step(e.setting, old, &a); err != nil {
			return err
		}
		if err := e.happened(hospital.HistoryStatus, old, a, hospital.ErasedText); err != nil {
			return err
		}
	}
	return nil
}

// patient erases and deletes the record, except for the fields that statistics need.
func (e eraser) patient(p hospital.Patient, deleted bool) {
	e.Exec(`INSERT INTO erasures (patient_id, at, hn_mark) VALUES ($1, $2, $3)`,
		p.ID, ms(e.now), e.db.hnMark(hospital.HNKey(p.HN)))
	// The counter must not assign the HN again.
	e.passHNs(hospital.NumberFormat(e.setting.HNFormat), slices.Values([]string{hospital.HNKey(p.HN)}))
	args := []any{p.ID, ms(e.now)}
	var sets []string
	for _, c := range append(patientColumns(p.Erased()), patientKeys(p.Erased())...) {
		args = append(args, c.value)
		sets = append(sets, fmt.Sprintf("%s = $%d", c.name, len(args)))
	}
	e.Exec(`UPDATE patients SET version = version + 1, updated_at = $2, deleted_at = coalesce(deleted_at, $2), `+
		strings.Join(sets, ", ")+` WHERE id = $1`, args...)
	if !deleted {
		e.patients--
	}
	e.Exec(`DELETE FROM patient_search WHERE rowid = $1`, p.ID)
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
		if id, _ := strconv.ParseInt(r.EntityID, 10, 64); r.linksSelf(s.patient) && !slices.Contains(own, id) {
			own = append(own, id)
		}
	}
	linked, err := e.customersOf(s.patient)
	if err != nil {
		return nil, err
	}
	for _, id := range linked { // the new version makes others reload an account that they are editing
		e.Exec(`UPDATE customers SET version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(e.now))
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
		n, err := e.Exec(`UPDATE customers SET name = $2, name_search = $3, name_sort = $4, phone = '', email = '',
				line_user_id = '', consent_at = NULL, note = '', deleted_at = coalesce(deleted_at, $5),
				version = version + 1, updated_at = $5
			WHERE id = $1 AND name <> $2`,
			id, hospital.ErasedCustomer, hospital.SearchKey(hospital.ErasedCustomer), sortKey(hospital.ErasedCustomer),
			ms(e.now)).Affected()
		if err != nil {
			return nil, err
		}
		e.done.Accounts += int(n)
		erased = append(erased, id)
	}
	e.Exec(`DELETE FROM customer_patients WHERE patient_id = $1`, s.patient)
	return erased, nil
}

// appointmentsAndResults erases the texts of appointments and results and the stored responses that
// contain them. It adds the files of the results to those to be deleted.
func (e eraser) appointmentsAndResults(s subject) error {
	for part := range slices.Chunk(s.results, importBatch) {
		var f filter
		f.in("id", numbers(part))
		keys, err := sqldb.Column[string](e.All(
			`SELECT file_key FROM results `+f.where()+` AND file_key IS NOT NULL`, f.args...))
		if err != nil {
			return err
		}
		e.done.Files = append(e.done.Files, keys...)
		text := f.mark(hospital.ErasedText)
		f.add("(diagnosis <> " + text + " OR file_key IS NOT NULL OR icd10 <> '[]' OR advice <> '')")
		n, err := e.Exec(`UPDATE results SET diagnosis = `+text+`, icd10 = '[]', advice = '', follow_up_date = NULL,
			file_key = NULL, file_name = '', file_type = '', file_size = 0, file_sha256 = '' `+f.where(), f.args...).Affected()
		if err != nil {
			return err
		}
		e.done.Results += int(n)
	}
	for part := range slices.Chunk(s.appointments, importBatch) {
		var f filter
		f.in("id", numbers(part))
		f.add("(reason <> '' OR note <> '' OR overbook_reason <> '' OR cancel_reason <> '' OR customer_id IS NOT NULL)")
		n, err := e.Exec(`UPDATE appointments SET reason = '', note = '', overbook_reason = '', cancel_reason = '',
			customer_id = NULL, version = version + 1 `+f.where(), f.args...).Affected()
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
	var f filter
	f.in("appointment_id", numbers(appointments))
	type entry struct {
		id                    int64
		before, after, reason string
	}
	list, err := sqldb.Collect(
		e.All(`SELECT id, before, after, reason FROM appointment_history `+f.where(), f.args...),
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
			maps.DeleteFunc(left, func(field string, _ any) bool { return !hospital.ErasedKeeps("appointment", field) })
			if len(left) != len(fields) {
				*text = toJSON(left)
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
