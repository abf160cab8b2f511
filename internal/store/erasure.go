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
)

const pdpaAnonymise = "pdpa.anonymise"

// JobErase deletes the files of somebody who was erased, and looks once more
// whether a request that was on its way has written their name down since.
const JobErase = "erase"

// EraseAgain is what JobErase has to do: whose data, and which files.
type EraseAgain struct {
	PatientID int64    `json:"patientId"`
	Files     []string `json:"files"`
}

// eraseAgainAfter is longer than any request takes.
const eraseAgainAfter = 5 * time.Minute

// errDryRun rolls a look back.
var errDryRun = errors.New("dry run")

// Anonymise erases what tells who a patient is or what ailed them: from the
// record, the appointments, their history, the results, the own app account, the
// search and the audit log. What counts seats and visits stays, so that no total
// changes. It can be repeated, and then only erases what came since. Refused:
// NOT_FOUND; VALIDATION_FAILED without a reason; IN_USE with how many while
// appointments are to come (unless they are to be cancelled), and always while
// the patient is in the house.
func (db *DB) Anonymise(ctx context.Context, in hospital.Erasure) (done hospital.Erased, err error) {
	if err := in.Validate(); err != nil {
		return done, err
	}
	setting, err := db.Setting(ctx)
	if err != nil {
		return done, err
	}
	if err := db.overwriteFreed(ctx); err != nil {
		return done, mapError(err)
	}
	err = db.change(ctx, func(tx *Tx) error {
		done = hospital.Erased{}
		e := eraser{Tx: tx, setting: setting, in: in, done: &done}
		if err := e.run(); err != nil {
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
		err = mapError(db.forgetFreed(ctx))
	}
	return done, err
}

// EraseSince erases what was written of somebody since they were erased.
func (db *DB) EraseSince(ctx context.Context, patientID int64) error {
	return db.change(ctx, func(tx *Tx) error {
		e := eraser{Tx: tx, in: hospital.Erasure{PatientID: patientID, Reason: hospital.ErasedText}, done: &hospital.Erased{Already: true}}
		s, err := db.subjectOf(ctx, tx.tx, patientID)
		if err != nil {
			return err
		}
		named, err := e.log(s)
		if err == nil && len(named) > 0 {
			e.say(named)
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

func (e eraser) run() error {
	id := e.in.PatientID
	// Nobody books or changes the record meanwhile.
	var there int64
	var was sql.NullInt64
	err := e.queryRow(`SELECT p.id, p.deleted_at FROM patients p WHERE p.id = $1`+e.db.dialect.lock("p"), id).Scan(&there, &was)
	if err != nil {
		return orNotFound(err)
	}
	p, err := oneSubject(e.db.patientsWhere(e.ctx, e.tx, `WHERE p.id = $1`, id))
	if err != nil {
		return err
	}
	if err := e.queryRow(`SELECT count(*) > 0 FROM erasures WHERE patient_id = $1`, id).Scan(&e.done.Already); err != nil {
		return fmt.Errorf("look for erasures: %w", err)
	}
	if err := e.cancel(); err != nil {
		return err
	}
	s, err := e.db.subjectOf(e.ctx, e.tx, id)
	if err != nil {
		return err
	}
	if !e.done.Already {
		if err := e.patient(p, was.Valid); err != nil {
			return err
		}
	}
	if s.customers, err = e.accounts(s); err != nil {
		return err
	}
	if err := e.visits(s); err != nil {
		return err
	}
	named, err := e.log(s)
	if err != nil {
		return err
	}
	if !e.done.Already || len(named) > 0 || len(e.done.Files) > 0 {
		e.say(named)
	}
	e.publish(hospital.Event{Kind: hospital.EventRefetch})
	_, err = e.exec(`INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ($1, $2, $3, $4)`, JobErase, toJSON(EraseAgain{id, append([]string{}, e.done.Files...)}), ms(e.now.Add(eraseAgainAfter)), ms(e.now))
	return err
}

// say writes down that it was done. The entry names those of the log that lost
// something, in the chain.
func (e eraser) say(named []string) {
	e.noteEntry(hospital.AuditEntry{Action: pdpaAnonymise, Entity: "patient", EntityID: strconv.FormatInt(e.in.PatientID, 10), Subject: hospital.ErasedPatient, Reason: e.in.Reason, Changes: map[string]hospital.Change{
		redactedEntries: {After: named}, "appointments": {After: e.done.Appointments}, "cancelled": {After: e.done.Cancelled}, "results": {After: e.done.Results}, "files": {After: len(e.done.Files)},
	}})
}

// cancel cancels what is to come, or refuses.
func (e eraser) cancel() error {
	var f filter
	f.add("a.patient_id = %s", e.in.PatientID)
	f.add("a.deleted_at IS NULL")
	f.add("a.date >= %s", e.db.wall().Date)
	f.in("a.status", texts([]hospital.AppointmentStatus{hospital.Waitlisted, hospital.Pending, hospital.Booked, hospital.Confirmed, hospital.CheckedIn, hospital.InService}))
	coming, err := e.db.appointmentsWhere(e.ctx, e.tx, f.where()+" ORDER BY a.service_id, a.date, a.start_time", f.args...)
	if err != nil {
		return err
	}
	for _, a := range coming {
		if a.Status.Visited() {
			return hospital.Refuse(hospital.InUse).With("count", len(coming)).
				Because("ผู้ป่วยอยู่ในโรงพยาบาลตามนัด "+a.Number+" กรุณาปิดนัดนี้ก่อน", "The patient is in the hospital for appointment "+a.Number+". Finish it first.")
		}
	}
	if e.done.Cancelled = len(coming); e.in.DryRun {
		return nil
	}
	if len(coming) > 0 && !e.in.CancelFuture {
		return hospital.Refuse(hospital.InUse).With("count", len(coming)).
			Because(fmt.Sprintf("ผู้ป่วยยังมีนัดที่จะถึง %d รายการ กรุณายกเลิกก่อน", len(coming)), fmt.Sprintf("The patient has %d coming appointments. Cancel them first.", len(coming)))
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

// patient leaves of the record what statistics need, out of use.
func (e eraser) patient(p hospital.Patient, deleted bool) error {
	if _, err := e.exec(`INSERT INTO erasures (patient_id, at, hn_mark) VALUES ($1, $2, $3)`, p.ID, ms(e.now), e.db.hnMark(hospital.HNKey(p.HN))); err != nil {
		return fmt.Errorf("keep that it was erased: %w", err)
	}
	// The number is not given to anybody else by counting, either.
	if err := e.passHNs(hospital.NumberFormat(e.setting.HNFormat), slices.Values([]string{hospital.HNKey(p.HN)})); err != nil {
		return err
	}
	args := []any{p.ID, ms(e.now)}
	var sets []string
	for _, c := range append(patientColumns(p.Erased()), patientKeys(p.Erased())...) {
		args = append(args, c.value)
		sets = append(sets, fmt.Sprintf("%s = $%d", c.name, len(args)))
	}
	if _, err := e.exec(`UPDATE patients SET version = version + 1, updated_at = $2, deleted_at = coalesce(deleted_at, $2), `+strings.Join(sets, ", ")+` WHERE id = $1`, args...); err != nil {
		return fmt.Errorf("erase patient: %w", err)
	}
	if !deleted {
		e.patients--
	}
	if _, err := e.exec(`DELETE FROM patient_search WHERE rowid = $1`, p.ID); err != nil {
		return fmt.Errorf("unindex patient: %w", err)
	}
	return nil
}

// accounts erases the own app accounts, also one that was deleted before, and
// takes the patient out of those of others. It returns the ids of those erased.
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
	linked, err := customersOf(e.ctx, e.tx, s.patient)
	if err != nil {
		return nil, err
	}
	for _, id := range linked { // who has one open reads it again
		if _, err := e.exec(`UPDATE customers SET version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(e.now)); err != nil {
			return nil, fmt.Errorf("unlink customers: %w", err)
		}
	}
	for _, id := range own {
		var others int
		var deleted sql.NullInt64
		err := e.queryRow(`SELECT c.deleted_at, (SELECT count(*) FROM customer_patients l WHERE l.customer_id = c.id AND l.patient_id <> $2) FROM customers c WHERE c.id = $1`, id, s.patient).Scan(&deleted, &others)
		switch {
		case err != nil:
			return nil, fmt.Errorf("read customer: %w", err)
		case others > 0:
			if slices.Contains(s.customers, id) {
				e.done.SharedAccount = append(e.done.SharedAccount, id)
			}
			continue
		case !deleted.Valid && !slices.Contains(s.customers, id):
			continue // it was unlinked, and may be anybody's by now
		}
		n, err := e.exec(`UPDATE customers SET name = $2, name_search = $3, name_sort = $4, phone = '', email = '', line_user_id = '', consent_at = NULL, note = '', deleted_at = coalesce(deleted_at, $5), version = version + 1, updated_at = $5
			WHERE id = $1 AND name <> $2`, id, hospital.ErasedCustomer, hospital.SearchKey(hospital.ErasedCustomer), sortKey(hospital.ErasedCustomer), ms(e.now))
		if err != nil {
			return nil, fmt.Errorf("erase customer: %w", err)
		}
		e.done.Accounts += int(n)
		erased = append(erased, id)
	}
	if _, err := e.exec(`DELETE FROM customer_patients WHERE patient_id = $1`, s.patient); err != nil {
		return nil, fmt.Errorf("unlink customers: %w", err)
	}
	return erased, nil
}

// visits erases what was written about appointments and found at them, and the
// answers that were kept for repeats. Which files go is told.
func (e eraser) visits(s subject) error {
	for part := range slices.Chunk(s.results, importBatch) {
		var f filter
		f.in("id", numbers(part))
		rows, err := e.query(`SELECT coalesce(file_key, '') FROM results `+f.where(), f.args...)
		keys, err := scanAll(rows, err, func(k *string) []any { return []any{k} })
		if err != nil {
			return fmt.Errorf("read files: %w", err)
		}
		e.done.Files = append(e.done.Files, slices.DeleteFunc(keys, func(k string) bool { return k == "" })...)
		f.add("(diagnosis <> %s OR file_key IS NOT NULL OR icd10 <> '[]' OR advice <> '')", hospital.ErasedText)
		f.args = append(f.args, hospital.ErasedText)
		n, err := e.exec(fmt.Sprintf(`UPDATE results SET diagnosis = $%d, icd10 = '[]', advice = '', follow_up_date = NULL, file_key = NULL, file_name = '', file_type = '', file_size = 0, file_sha256 = '' `, len(f.args))+f.where(), f.args...)
		if err != nil {
			return fmt.Errorf("erase results: %w", err)
		}
		e.done.Results += int(n)
	}
	for part := range slices.Chunk(s.appointments, importBatch) {
		var f filter
		f.in("id", numbers(part))
		f.add("(reason <> '' OR note <> '' OR overbook_reason <> '' OR cancel_reason <> '' OR customer_id IS NOT NULL)")
		n, err := e.exec(`UPDATE appointments SET reason = '', note = '', overbook_reason = '', cancel_reason = '', customer_id = NULL, version = version + 1 `+f.where(), f.args...)
		if err != nil {
			return fmt.Errorf("erase appointments: %w", err)
		}
		e.done.Appointments += int(n)
		if err := e.history(part); err != nil {
			return err
		}
	}
	return e.answers(s.patient)
}

// answers deletes the stored responses of writes that contain data of a patient. A patient's
// own record has an id; all other records refer to the patient by patientId.
func (e eraser) answers(patient int64) error {
	for _, of := range []struct{ operations, name string }{{"%", "patientId"}, {"post-patients-%", "id"}} {
		for _, end := range []string{",", "}"} {
			_, err := e.exec(`DELETE FROM idempotency WHERE operation LIKE $1 AND answer LIKE $2`,
				of.operations, fmt.Sprintf(`%%%q:%d%s%%`, of.name, patient, end))
			if err != nil {
				return fmt.Errorf("erase answers: %w", err)
			}
		}
	}
	return nil
}

// history keeps of the history of appointments what happened to their seats.
func (e eraser) history(appointments []int64) error {
	var f filter
	f.in("appointment_id", numbers(appointments))
	type entry struct {
		id                    int64
		before, after, reason string
	}
	rows, err := e.query(`SELECT id, before, after, reason FROM appointment_history `+f.where(), f.args...)
	list, err := scanAll(rows, err, func(h *entry) []any { return []any{&h.id, &h.before, &h.after, &h.reason} })
	if err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	for _, h := range list {
		was := h
		for _, text := range []*string{&h.before, &h.after} {
			var fields map[string]any
			if err := json.Unmarshal([]byte(*text), &fields); err != nil {
				return fmt.Errorf("read history: %w", err)
			}
			kept := maps.Clone(fields)
			maps.DeleteFunc(kept, func(field string, _ any) bool { return !hospital.ErasedKeeps("appointment", field) })
			if len(kept) != len(fields) {
				*text = toJSON(kept)
			}
		}
		if h.reason = ""; h == was {
			continue
		}
		if _, err := e.exec(`UPDATE appointment_history SET before = $2, after = $3, reason = '' WHERE id = $1`, h.id, h.before, h.after); err != nil {
			return fmt.Errorf("erase history: %w", err)
		}
		e.done.History++
	}
	return nil
}
