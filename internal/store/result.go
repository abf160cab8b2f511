package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
)

const resultSelect = `SELECT r.id, r.appointment_id, r.patient_id, r.type, r.diagnosis, r.icd10, r.advice, r.follow_up_date, r.file_key, r.file_name, r.file_type, r.file_size, r.file_sha256,
	r.created_by, r.created_by_name, r.created_at, a.number, a.date, s.id, s.code, s.name, s.color
	FROM results r JOIN appointments a ON a.id = r.appointment_id JOIN services s ON s.id = a.service_id `

// scanResult reads a result with the key of its file, empty for none.
func scanResult(scan func(...any) error) (r hospital.Result, key string, err error) {
	var codes string
	var created int64
	var fileKey sql.NullString
	var file hospital.ResultFile
	err = scan(&r.ID, &r.AppointmentID, &r.PatientID, &r.Type, &r.Diagnosis, &codes, &r.Advice, &r.FollowUpDate, &fileKey, &file.Name, &file.ContentType, &file.Size, &file.SHA256,
		&r.CreatedBy, &r.CreatedByName, &created, &r.AppointmentNumber, &r.Date, &r.Service.ID, &r.Service.Code, &r.Service.Name, &r.Service.Color)
	if err != nil {
		return r, "", err
	}
	if fileKey.Valid {
		r.File = &file
	}
	r.CreatedAt = at(created)
	return r, fileKey.String, json.Unmarshal([]byte(codes), &r.ICD10)
}

func resultsWhere(ctx context.Context, q querier, where string, args ...any) ([]hospital.Result, error) {
	rows, err := q.QueryContext(ctx, resultSelect+where, args...)
	return collect(rows, err, func(rows *sql.Rows) (hospital.Result, error) {
		r, _, err := scanResult(rows.Scan)
		return r, err
	})
}

// CheckTakesResult refuses what AddResult would refuse anyway, before a long
// file is read: NOT_FOUND, or as hospital.TakesResult does.
func (db *DB) CheckTakesResult(ctx context.Context, appointmentID int64) error {
	a, err := db.readAppointment(ctx, db.read, appointmentID)
	if err != nil {
		return mapError(err)
	}
	return a.TakesResult(hospital.ResultFields{})
}

// AddResult records a result. Its file must be stored before. It returns VALIDATION_FAILED for
// invalid fields, NOT_FOUND, and the errors of hospital.Appointment.TakesResult.
func (db *DB) AddResult(ctx context.Context, in hospital.NewResult) (r hospital.Result, err error) {
	in.ResultFields = in.Clean()
	if err := in.Validate(in.File != nil); err != nil {
		return r, err
	}
	err = db.changeOnce(ctx, valueOf(&r), func(tx *Tx) error {
		a, err := tx.lockAppointment(in.AppointmentID, 0)
		if err != nil {
			return err
		}
		if err := a.TakesResult(in.ResultFields); err != nil {
			return err
		}
		r = hospital.Result{
			AppointmentID: a.ID, ResultFields: in.ResultFields, PatientID: a.PatientID, AppointmentNumber: a.Number, Date: a.Date, Service: a.Service, CreatedByName: tx.actor.Name, CreatedAt: tx.now,
		}
		if tx.actor.UserID != 0 {
			r.CreatedBy = &tx.actor.UserID
		}
		key := ""
		if in.File != nil {
			r.File, key = &in.File.ResultFile, in.File.Key
		}
		if err := tx.insertResult(&r, key); err != nil {
			return err
		}
		if err := tx.insertHistory(historyValues(r)); err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE appointments SET result_count = result_count + 1 WHERE id = $1`, a.ID); err != nil {
			return fmt.Errorf("count results: %w", err)
		}
		tx.noteEntry(hospital.AuditEntry{Action: "result.create", Entity: "result", EntityID: fmt.Sprint(r.ID), Subject: a.Number, Changes: diff(nil, bareResult(r))})
		tx.publish(hospital.Event{Kind: hospital.EventAppointment, ID: a.ID, ServiceID: a.ServiceID, Date: a.Date})
		return nil
	})
	return r, err
}

var resultColumns = []string{
	"appointment_id", "patient_id", "type", "diagnosis", "icd10", "advice", "follow_up_date", "file_key", "file_name", "file_type", "file_size", "file_sha256", "created_by", "created_by_name", "created_at",
}

// resultValues are the values of the columns; the key of the file is empty where
// there is none.
func resultValues(r hospital.Result, key string) []any {
	var file hospital.ResultFile
	var fileKey any
	if r.File != nil {
		file, fileKey = *r.File, key
	}
	return []any{
		r.AppointmentID, r.PatientID, string(r.Type), r.Diagnosis, toJSON(r.ICD10), r.Advice, r.FollowUpDate, fileKey, file.Name, file.ContentType, file.Size, file.SHA256, r.CreatedBy, r.CreatedByName, ms(r.CreatedAt),
	}
}

func (tx *Tx) insertResult(r *hospital.Result, key string) error {
	values := resultValues(*r, key)
	query := `INSERT INTO results (` + strings.Join(resultColumns, ", ") + `) VALUES ` + tx.db.dialect.placeholders(1, len(values)) + ` RETURNING id`
	if err := tx.queryRow(query, values...).Scan(&r.ID); err != nil {
		return fmt.Errorf("insert result: %w", err)
	}
	return nil
}

// historyValues tell the history of an appointment that a result was recorded.
func historyValues(r hospital.Result) []any {
	return []any{r.AppointmentID, string(hospital.HistoryResult), "{}", toJSON(mentioned(r)), "", r.CreatedBy, r.CreatedByName, ms(r.CreatedAt)}
}

// mentioned is what the history of an appointment says of a result: which one
// it was, not what was found.
func mentioned(r hospital.Result) map[string]any {
	m := map[string]any{"resultType": r.Type}
	if r.File != nil {
		m["resultFile"] = r.File.Name
	}
	return m
}

// bareResult is a result without what belongs to other records, for the audit.
func bareResult(r hospital.Result) any {
	return struct {
		hospital.Result
		Service           any `json:"service,omitempty"`
		AppointmentNumber any `json:"appointmentNumber,omitempty"`
		Date              any `json:"date,omitempty"`
		CreatedByName     any `json:"createdByName,omitempty"`
	}{Result: r}
}

// Result returns a result with its appointment, and writes down that it was
// read: NOT_FOUND.
func (db *DB) Result(ctx context.Context, id int64) (r hospital.Result, a hospital.Appointment, err error) {
	if r, _, err = db.result(ctx, id); err != nil {
		return r, a, err
	}
	if a, err = db.readAppointment(ctx, db.read, r.AppointmentID); err != nil {
		return r, a, mapError(err)
	}
	return r, a, db.noteResult(ctx, "result.read", r)
}

// ResultFile returns what is known of a result's file, and writes down that it
// is downloaded: NOT_FOUND where there is none.
func (db *DB) ResultFile(ctx context.Context, id int64) (hospital.StoredFile, error) {
	r, key, err := db.result(ctx, id)
	if err == nil && key == "" {
		err = hospital.Refuse(hospital.NotFound)
	}
	if err != nil {
		return hospital.StoredFile{}, err
	}
	return hospital.StoredFile{Key: key, ResultFile: *r.File}, db.noteResult(ctx, "result.download", r)
}

func (db *DB) result(ctx context.Context, id int64) (r hospital.Result, key string, err error) {
	r, key, err = scanResult(db.read.QueryRowContext(ctx, resultSelect+`WHERE r.id = $1 AND r.deleted_at IS NULL`, id).Scan)
	return r, key, mapError(orNotFound(err))
}

func (db *DB) noteResult(ctx context.Context, action string, r hospital.Result) error {
	e := hospital.AuditEntry{Action: action, Entity: "result", EntityID: fmt.Sprint(r.ID), Subject: r.AppointmentNumber}
	if r.File != nil {
		e.Changes = map[string]hospital.Change{"file": {After: r.File.Name}}
	}
	return db.Note(ctx, e)
}

// ResultsOf returns the results of an appointment, oldest first, and writes
// down that they were read, if there are any. Whoever may not see results is
// told of none.
func (db *DB) ResultsOf(ctx context.Context, a hospital.Appointment) ([]hospital.Result, error) {
	if !maySeeResults(ctx) {
		return []hospital.Result{}, nil
	}
	// Index results_of.
	list, err := resultsWhere(ctx, db.read, `WHERE r.appointment_id = $1 AND r.deleted_at IS NULL ORDER BY r.id`, a.ID)
	if err != nil || len(list) == 0 {
		return list, mapError(err)
	}
	return list, db.Note(ctx, hospital.AuditEntry{Action: "result.list", Entity: "result", Subject: a.Number, Changes: map[string]hospital.Change{"appointmentId": {After: a.ID}}})
}

func maySeeResults(ctx context.Context) bool {
	return hospital.ActorFrom(ctx).Permissions[hospital.ResultShow]
}

var resultSorts = map[string]string{"createdAt": "r.created_at", "date": "a.date, a.start_time", "type": "r.type"}

// ListResults returns a page of results, the latest first, and writes down what
// was looked for.
func (db *DB) ListResults(ctx context.Context, in hospital.ResultFilter) (page hospital.Paged[hospital.Result], err error) {
	order, err := orderBy(in.Page, resultSorts, "r.id", "-createdAt")
	if err != nil {
		return page, err
	}
	var f filter
	f.add("r.deleted_at IS NULL")
	if in.AppointmentID != 0 {
		f.add("r.appointment_id = %s", in.AppointmentID)
	}
	if in.PatientID != 0 {
		f.add("r.patient_id = %s", in.PatientID)
	}
	if in.Type != "" {
		f.add("r.type = %s", string(in.Type))
	}
	if in.DateFrom != "" {
		f.add("a.date >= %s", in.DateFrom)
	}
	if in.DateTo != "" {
		f.add("a.date <= %s", in.DateTo)
	}
	if in.Q != "" {
		f.contains(in.Q, "lower(r.diagnosis)", "lower(r.icd10)", "lower(r.file_name)")
	}
	var total int64
	if err := db.read.QueryRowContext(ctx, `SELECT count(*) FROM results r JOIN appointments a ON a.id = r.appointment_id `+f.where(), f.args...).Scan(&total); err != nil {
		return page, mapError(err)
	}
	where, limit := f.where(), f.page(in.Page)
	list, err := resultsWhere(ctx, db.read, where+" "+order+" "+limit, f.args...)
	if err != nil {
		return page, mapError(err)
	}
	criteria := in
	criteria.Page, criteria.Q = hospital.Page{}, "" // what was typed may be a patient's
	return hospital.Of(in.Page, list, total), db.noteList(ctx, len(list), criteria)
}

// noteList writes down that results were read in a list, if there were any.
func (db *DB) noteList(ctx context.Context, shown int, criteria any) error {
	if shown == 0 {
		return nil
	}
	return db.Note(ctx, hospital.AuditEntry{Action: "result.list", Entity: "result", Changes: diff(nil, criteria)})
}

// AppointmentResults is an appointment with what was found at it.
type AppointmentResults struct {
	hospital.Appointment
	Results []hospital.Result `json:"results"`
}

// ListAppointmentResults returns a page of appointments as ListAppointments
// does, each with its results, and writes down what was looked for. With has
// only those with, or without, any result.
func (db *DB) ListAppointmentResults(ctx context.Context, in hospital.AppointmentFilter, has *bool) (page hospital.Paged[AppointmentResults], err error) {
	visits, err := db.listAppointments(ctx, in, has)
	if err != nil {
		return page, err
	}
	items := make([]AppointmentResults, len(visits.Items))
	ids, at := make([]int64, len(items)), map[int64]int{}
	for i, a := range visits.Items {
		items[i] = AppointmentResults{a, []hospital.Result{}}
		ids[i], at[a.ID] = a.ID, i
	}
	shown := 0
	if len(ids) > 0 {
		var of filter
		of.in("r.appointment_id", numbers(ids))
		of.add("r.deleted_at IS NULL")
		list, err := resultsWhere(ctx, db.read, of.where()+" ORDER BY r.id", of.args...)
		if err != nil {
			return page, mapError(err)
		}
		for _, r := range list {
			items[at[r.AppointmentID]].Results = append(items[at[r.AppointmentID]].Results, r)
		}
		shown = len(list)
	}
	criteria := in
	criteria.Page, criteria.Q = hospital.Page{}, "" // what was typed may be a patient's
	return hospital.Of(in.Page, items, visits.Total), db.noteList(ctx, shown, criteria)
}

// DeleteResult takes a result out of all lists, for a reason. Its row and its
// file stay, out of reach, and the log says what it was: NOT_FOUND,
// VALIDATION_FAILED without a reason.
func (db *DB) DeleteResult(ctx context.Context, id int64, reason string) error {
	var c hospital.Checker
	if c.Lines(reason, "reason", true, 300); c.Err() != nil {
		return c.Err()
	}
	r, _, err := db.result(ctx, id)
	if err != nil {
		return err
	}
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		a, err := tx.lockAppointment(r.AppointmentID, 0)
		if err != nil {
			return err
		}
		n, err := tx.exec(`UPDATE results SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL`, id, ms(tx.now))
		if err != nil {
			return fmt.Errorf("delete result: %w", err)
		}
		if n == 0 { // by somebody else, meanwhile
			return hospital.Refuse(hospital.NotFound)
		}
		if _, err := tx.exec(`UPDATE appointments SET result_count = result_count - 1 WHERE id = $1`, a.ID); err != nil {
			return fmt.Errorf("count results: %w", err)
		}
		if err := tx.insertHistory([]any{a.ID, string(hospital.HistoryResultDelete), toJSON(mentioned(r)), "{}", reason, actorID(tx.actor), tx.actor.Name, ms(tx.now)}); err != nil {
			return err
		}
		tx.noteEntry(hospital.AuditEntry{Action: "result.delete", Entity: "result", EntityID: fmt.Sprint(id), Subject: a.Number, Reason: reason, Changes: diff(bareResult(r), nil)})
		tx.publish(hospital.Event{Kind: hospital.EventAppointment, ID: a.ID, ServiceID: a.ServiceID, Date: a.Date})
		return nil
	})
}

// LoadResults writes results that were found before, as they are, with the keys
// of their files (empty for none). It is one transaction and one entry in the
// audit log.
func (db *DB) LoadResults(ctx context.Context, list []hospital.Result, keys []string) error {
	return db.load(ctx, func(tx *Tx) error {
		last, err := tx.lastID("results")
		if err != nil {
			return err
		}
		rows, history := make([][]any, len(list)), make([][]any, len(list))
		for i, r := range list {
			last++
			rows[i], history[i] = append([]any{last}, resultValues(r, keys[i])...), historyValues(r)
		}
		if err := tx.copyIn("results", append([]string{"id"}, resultColumns...), rows, ""); err != nil {
			return fmt.Errorf("load results: %w", err)
		}
		if err := tx.copyIn("appointment_history", historyColumns, history, ""); err != nil {
			return fmt.Errorf("load history: %w", err)
		}
		if err := tx.givenUpTo("results", last); err != nil {
			return err
		}
		_, err = tx.exec(`UPDATE appointments SET result_count = (SELECT count(*) FROM results r WHERE r.appointment_id = appointments.id AND r.deleted_at IS NULL)
			WHERE id IN (SELECT appointment_id FROM results)`)
		if err != nil {
			return fmt.Errorf("count results: %w", err)
		}
		tx.publish(hospital.Event{Kind: hospital.EventRefetch})
		tx.noteEntry(hospital.AuditEntry{Action: "result.import", Entity: "result", Changes: map[string]hospital.Change{"new": {After: len(list)}}})
		return nil
	})
}

// ResultFilesInUse tells which of the keys are of files that a result has, be it
// a deleted one. A file is kept moments before its result is recorded, so one
// that nobody has is left over only when it is older than any request.
func (db *DB) ResultFilesInUse(ctx context.Context, keys []string) (map[string]bool, error) {
	used := map[string]bool{}
	for part := range slices.Chunk(keys, importBatch) {
		var f filter
		f.in("file_key", texts(part)) // Index results_file.
		rows, err := db.read.QueryContext(ctx, `SELECT file_key FROM results `+f.where(), f.args...)
		list, err := scanAll(rows, err, func(key *string) []any { return []any{key} })
		if err != nil {
			return nil, mapError(err)
		}
		for _, key := range list {
			used[key] = true
		}
	}
	return used, nil
}

// EachResultFile calls fn for the file of every result, deleted ones included.
func (db *DB) EachResultFile(ctx context.Context, fn func(resultID int64, f hospital.StoredFile) error) error {
	return eachResultFile(ctx, db.read, fn)
}

func eachResultFile(ctx context.Context, q querier, fn func(resultID int64, f hospital.StoredFile) error) error {
	for after := int64(0); ; {
		type row struct {
			id int64
			hospital.StoredFile
		}
		rows, err := q.QueryContext(ctx, `SELECT id, file_key, file_name, file_type, file_size, file_sha256 FROM results WHERE id > $1 AND file_key IS NOT NULL ORDER BY id LIMIT 500`, after)
		list, err := scanAll(rows, err, func(r *row) []any { return []any{&r.id, &r.Key, &r.Name, &r.ContentType, &r.Size, &r.SHA256} })
		if err != nil || len(list) == 0 {
			return mapError(err)
		}
		for _, r := range list {
			if err := fn(r.id, r.StoredFile); err != nil {
				return err
			}
			after = r.id
		}
	}
}

// CountFault is an appointment that counts other results than it has.
type CountFault struct {
	AppointmentID  int64
	Counted, Found int
}

// VerifyResultCounts compares the count of every appointment with its results.
func (db *DB) VerifyResultCounts(ctx context.Context) ([]CountFault, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT a.id, a.result_count, coalesce(r.n, 0) FROM appointments a
		LEFT JOIN (SELECT appointment_id, count(*) AS n FROM results WHERE deleted_at IS NULL GROUP BY appointment_id) r ON r.appointment_id = a.id
		WHERE a.result_count <> coalesce(r.n, 0) ORDER BY a.id`)
	list, err := scanAll(rows, err, func(f *CountFault) []any { return []any{&f.AppointmentID, &f.Counted, &f.Found} })
	return list, mapError(err)
}
