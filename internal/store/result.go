package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const resultSelect = `SELECT r.id, r.appointment_id, r.patient_id, r.type, r.diagnosis, r.icd10, r.advice,
	r.follow_up_date, r.file_key, r.file_name, r.file_type, r.file_size, r.file_sha256,
	r.created_by, r.created_by_name, r.created_at, a.number, a.date, s.id, s.code, s.name, s.color
	FROM results r JOIN appointments a ON a.id = r.appointment_id JOIN services s ON s.id = a.service_id `

// storedResult is a result with the key of its file, which is empty if it has none.
type storedResult struct {
	hospital.Result
	key string
}

func scanStoredResult(scan sqldb.Scan) (r storedResult, err error) {
	var codes string
	var created int64
	var key *string
	var file hospital.ResultFile
	err = scan(&r.ID, &r.AppointmentID, &r.PatientID, &r.Type, &r.Diagnosis, &codes, &r.Advice, &r.FollowUpDate,
		&key, &file.Name, &file.ContentType, &file.Size, &file.SHA256, &r.CreatedBy, &r.CreatedByName, &created,
		&r.AppointmentNumber, &r.Date, &r.Service.ID, &r.Service.Code, &r.Service.Name, &r.Service.Color)
	if err != nil {
		return r, err
	}
	if key != nil {
		r.key, r.File = *key, &file
	}
	r.CreatedAt = at(created)
	return r, json.Unmarshal([]byte(codes), &r.ICD10)
}

func scanResult(scan sqldb.Scan) (hospital.Result, error) {
	r, err := scanStoredResult(scan)
	return r.Result, err
}

// ResultsByID returns the results with the ids, deleted ones included.
func (tx *Tx) ResultsByID(ids ...int64) ([]hospital.Result, error) {
	return byID("r.id", ids, func(where string, args ...any) ([]hospital.Result, error) {
		return sqldb.Collect(tx.All(resultSelect+where, args...), scanResult)
	})
}

// readResult returns a result that is not deleted. It returns NOT_FOUND if there is none.
func (tx *Tx) readResult(id int64) (storedResult, error) {
	r, err := scanStoredResult(tx.Get(resultSelect+`WHERE r.id = $1 AND r.deleted_at IS NULL`, id).Scan)
	return r, orNotFound(err)
}

// CheckTakesResult checks whether AddResult would accept a result, before a large file is received. It
// returns NOT_FOUND, and the errors of hospital.Appointment.CheckNewResult.
func (db *DB) CheckTakesResult(ctx context.Context, appointmentID int64) error {
	return db.Read(ctx, func(tx *Tx) error {
		a, err := tx.readAppointment(appointmentID)
		if err != nil {
			return err
		}
		return a.CheckNewResult(hospital.ResultFields{})
	})
}

// AddResult records a result. Its file must be stored before. It returns VALIDATION_FAILED for
// invalid fields, NOT_FOUND, and the errors of hospital.Appointment.CheckNewResult.
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
		if err := a.CheckNewResult(in.ResultFields); err != nil {
			return err
		}
		r = hospital.Result{
			AppointmentID: a.ID, ResultFields: in.ResultFields, PatientID: a.PatientID, AppointmentNumber: a.Number,
			Date: a.Date, Service: a.Service, CreatedByName: tx.actor.Name, CreatedAt: tx.now,
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
		tx.addHistory(ResultHistory(r))
		tx.Exec(`UPDATE appointments SET result_count = result_count + 1 WHERE id = $1`, a.ID)
		tx.Note("result.create", "result", r.ID, a.Number, diff(nil, resultFields(r)))
		tx.Publish(hospital.Event{Kind: hospital.EventAppointment, ID: a.ID, ServiceID: a.ServiceID, Date: a.Date})
		return nil
	})
	return r, err
}

// ResultColumns are the columns of a new result.
var ResultColumns = []string{
	"appointment_id", "patient_id", "type", "diagnosis", "icd10", "advice", "follow_up_date",
	"file_key", "file_name", "file_type", "file_size", "file_sha256", "created_by", "created_by_name", "created_at",
}

// ResultValues returns the values of ResultColumns. key is the key of the file, if there is one.
func ResultValues(r hospital.Result, key string) []any {
	var file hospital.ResultFile
	var fileKey any
	if r.File != nil {
		file, fileKey = *r.File, key
	}
	return []any{
		r.AppointmentID, r.PatientID, r.Type, r.Diagnosis, toJSON(r.ICD10), r.Advice, r.FollowUpDate,
		fileKey, file.Name, file.ContentType, file.Size, file.SHA256, r.CreatedBy, r.CreatedByName, ms(r.CreatedAt),
	}
}

// insertResult writes a result and sets its id.
func (tx *Tx) insertResult(r *hospital.Result, key string) error {
	values := ResultValues(*r, key)
	return tx.Get(`INSERT INTO results (`+strings.Join(ResultColumns, ", ")+`) VALUES `+
		tx.db.dialect.placeholders(1, len(values))+` RETURNING id`, values...).Scan(&r.ID)
}

// ResultHistory returns the entry about a new result in the history of its appointment, as values
// of HistoryColumns.
func ResultHistory(r hospital.Result) []any {
	return []any{
		r.AppointmentID, hospital.HistoryResult, "{}", toJSON(historyFields(r)), "",
		r.CreatedBy, r.CreatedByName, ms(r.CreatedAt),
	}
}

// historyFields returns what the history of an appointment contains of a result: its type and file
// name, not its findings.
func historyFields(r hospital.Result) map[string]any {
	m := map[string]any{"resultType": r.Type}
	if r.File != nil {
		m["resultFile"] = r.File.Name
	}
	return m
}

// resultFields returns a result for the audit log, without the fields of other records.
func resultFields(r hospital.Result) any {
	return struct {
		hospital.Result
		Service           any `json:"service,omitempty"`
		AppointmentNumber any `json:"appointmentNumber,omitempty"`
		Date              any `json:"date,omitempty"`
		CreatedByName     any `json:"createdByName,omitempty"`
	}{Result: r}
}

// Result returns a result with its appointment and records the access in the audit log. It returns
// NOT_FOUND if there is none.
func (db *DB) Result(ctx context.Context, id int64) (r hospital.Result, a hospital.Appointment, err error) {
	err = db.readNoted(ctx, func(tx *Tx) error {
		stored, err := tx.readResult(id)
		if err != nil {
			return err
		}
		if a, err = tx.readAppointment(stored.AppointmentID); err != nil {
			return err
		}
		r = stored.Result
		tx.noteResultAccess("result.read", r)
		return nil
	})
	return r, a, err
}

// ResultFile returns the metadata of a result's file and records the download in the audit log. It
// returns NOT_FOUND if there is none.
func (db *DB) ResultFile(ctx context.Context, id int64) (f hospital.StoredFile, err error) {
	err = db.readNoted(ctx, func(tx *Tx) error {
		r, err := tx.readResult(id)
		if err != nil {
			return err
		}
		if r.File == nil {
			return hospital.Reject(hospital.NotFound)
		}
		f = hospital.StoredFile{Key: r.key, ResultFile: *r.File}
		tx.noteResultAccess("result.download", r.Result)
		return nil
	})
	return f, err
}

func (tx *Tx) noteResultAccess(action string, r hospital.Result) {
	var changes map[string]hospital.Change
	if r.File != nil {
		changes = map[string]hospital.Change{"file": {After: r.File.Name}}
	}
	tx.Note(action, "result", r.ID, r.AppointmentNumber, changes)
}

// ResultsOf returns the results of an appointment, oldest first. If there are any, the access is
// recorded in the audit log. The list is empty for a caller without RESULT.SHOW.
func (db *DB) ResultsOf(ctx context.Context, a hospital.Appointment) (list []hospital.Result, err error) {
	if !maySeeResults(ctx) {
		return []hospital.Result{}, nil
	}
	err = db.Read(ctx, func(tx *Tx) (err error) {
		// Index results_of.
		list, err = sqldb.Collect(tx.All(
			resultSelect+`WHERE r.appointment_id = $1 AND r.deleted_at IS NULL ORDER BY r.id`, a.ID), scanResult)
		return err
	})
	if err != nil || len(list) == 0 {
		return list, err
	}
	return list, db.Note(ctx, hospital.AuditEntry{
		Action: "result.list", Entity: "result", Subject: a.Number,
		Changes: map[string]hospital.Change{"appointmentId": {After: a.ID}},
	})
}

func maySeeResults(ctx context.Context) bool {
	return hospital.ActorFrom(ctx).Permissions[hospital.ResultShow]
}

var resultSorts = map[string]string{"createdAt": "r.created_at", "date": "a.date, a.start_time", "type": "r.type"}

// ListResults returns a page of results, the latest first. If it contains any, the search criteria
// are recorded in the audit log.
func (db *DB) ListResults(
	ctx context.Context, in hospital.ResultFilter,
) (page hospital.Paged[hospital.Result], err error) {
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
		f.add("r.type = %s", in.Type)
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
	where, countArgs := f.where(), slices.Clone(f.args)
	limit := f.page(in.Page)
	err = db.Read(ctx, func(tx *Tx) error {
		count := tx.Get(
			`SELECT count(*) FROM results r JOIN appointments a ON a.id = r.appointment_id `+where, countArgs...)
		rows := tx.All(resultSelect+where+" "+order+" "+limit, f.args...)
		var total int64
		if err := count.Scan(&total); err != nil {
			return err
		}
		list, err := sqldb.Collect(rows, scanResult)
		page = hospital.NewPaged(in.Page, list, total)
		return err
	})
	if err != nil {
		return page, err
	}
	criteria := in
	criteria.Page, criteria.Q = hospital.Page{}, "" // the search text may be personal data
	return page, db.noteResultList(ctx, len(page.Items), criteria)
}

// noteResultList records in the audit log that a list with results was read.
func (db *DB) noteResultList(ctx context.Context, results int, criteria any) error {
	if results == 0 {
		return nil
	}
	return db.Note(ctx, hospital.AuditEntry{Action: "result.list", Entity: "result", Changes: diff(nil, criteria)})
}

// AppointmentResults is an appointment with its results.
type AppointmentResults struct {
	hospital.Appointment
	Results []hospital.Result `json:"results"`
}

// ListAppointmentResults returns a page of appointments like ListAppointments, each with its
// results. If has is not nil, only appointments with (or without) results are returned. If the page
// contains results, the search criteria are recorded in the audit log.
func (db *DB) ListAppointmentResults(
	ctx context.Context, in hospital.AppointmentFilter, has *bool,
) (page hospital.Paged[AppointmentResults], err error) {
	found := 0
	err = db.readSearch(ctx, in.Q, func(tx *Tx, terms searchTerms) error {
		appointments, err := tx.listAppointments(in, terms, has)
		if err != nil {
			return err
		}
		items := make([]AppointmentResults, len(appointments.Items))
		ids, index := make([]int64, len(items)), map[int64]int{}
		for i, a := range appointments.Items {
			items[i] = AppointmentResults{a, []hospital.Result{}}
			ids[i], index[a.ID] = a.ID, i
		}
		page, found = hospital.NewPaged(in.Page, items, appointments.Total), 0
		if len(ids) == 0 {
			return nil
		}
		var f filter
		f.in("r.appointment_id", numbers(ids))
		f.add("r.deleted_at IS NULL")
		list, err := sqldb.Collect(tx.All(resultSelect+f.where()+" ORDER BY r.id", f.args...), scanResult)
		for _, r := range list {
			of := &items[index[r.AppointmentID]]
			of.Results = append(of.Results, r)
		}
		found = len(list)
		return err
	})
	if err != nil {
		return page, err
	}
	criteria := in
	criteria.Page, criteria.Q = hospital.Page{}, "" // the search text may be personal data
	return page, db.noteResultList(ctx, found, criteria)
}

// DeleteResult removes a result from all lists. Its row and its file stay stored, and the audit log
// contains its fields and the reason. It returns NOT_FOUND, and VALIDATION_FAILED without a reason.
func (db *DB) DeleteResult(ctx context.Context, id int64, reason string) error {
	var c hospital.Checker
	if c.Lines(reason, "reason", true, 300); c.Err() != nil {
		return c.Err()
	}
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		r, err := tx.readResult(id)
		if err != nil {
			return err
		}
		a, err := tx.lockAppointment(r.AppointmentID, 0)
		if err != nil {
			return err
		}
		n, err := tx.Exec(
			`UPDATE results SET deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL`, id, ms(tx.now)).Affected()
		if err != nil {
			return err
		}
		if n == 0 { // deleted by another transaction since it was read
			return hospital.Reject(hospital.NotFound)
		}
		tx.Exec(`UPDATE appointments SET result_count = result_count - 1 WHERE id = $1`, a.ID)
		tx.addHistory([]any{
			a.ID, hospital.HistoryResultDelete, toJSON(historyFields(r.Result)), "{}", reason,
			actorID(tx.actor), tx.actor.Name, ms(tx.now),
		})
		tx.NoteEntry(hospital.AuditEntry{
			Action: "result.delete", Entity: "result", EntityID: fmt.Sprint(id), Subject: a.Number,
			Reason: reason, Changes: diff(resultFields(r.Result), nil),
		})
		tx.Publish(hospital.Event{Kind: hospital.EventAppointment, ID: a.ID, ServiceID: a.ServiceID, Date: a.Date})
		return nil
	})
}

// ResultFilesInUse returns which of the keys belong to the file of a result, deleted results
// included. A file is stored shortly before its result is recorded, so an unused file may be deleted
// only if it is older than any request.
func (db *DB) ResultFilesInUse(ctx context.Context, keys []string) (used map[string]bool, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		used = map[string]bool{}
		for part := range slices.Chunk(keys, importBatch) {
			var f filter
			f.in("file_key", texts(part)) // Index results_file.
			found, err := sqldb.Column[string](tx.All(`SELECT file_key FROM results `+f.where(), f.args...))
			if err != nil {
				return err
			}
			for _, key := range found {
				used[key] = true
			}
		}
		return nil
	})
	return used, err
}

// resultFile is the file of a result.
type resultFile struct {
	resultID int64
	hospital.StoredFile
}

// resultFilesAfter returns the next files after that of the result $1.
const resultFilesAfter = `SELECT id, file_key, file_name, file_type, file_size, file_sha256 FROM results
	WHERE id > $1 AND file_key IS NOT NULL ORDER BY id LIMIT 500`

func scanResultFile(scan sqldb.Scan) (f resultFile, err error) {
	err = scan(&f.resultID, &f.Key, &f.Name, &f.ContentType, &f.Size, &f.SHA256)
	return f, err
}

// EachResultFile calls fn for the file of every result, deleted results included. fn may take long:
// it is called outside of the transactions that read the rows.
func (db *DB) EachResultFile(ctx context.Context, fn func(resultID int64, f hospital.StoredFile) error) error {
	return eachResultFile(func(after int64) (list []resultFile, err error) {
		err = db.Read(ctx, func(tx *Tx) (err error) {
			list, err = sqldb.Collect(tx.All(resultFilesAfter, after), scanResultFile)
			return err
		})
		return list, err
	}, fn)
}

// Query runs a query of the store elsewhere than in a Tx and calls row for every row of the result.
type Query func(row func(sqldb.Scan) error, query string, args ...any) error

// EachResultFileIn is EachResultFile for the snapshot of a backup, which query reads.
func EachResultFileIn(query Query, fn func(hospital.StoredFile) error) error {
	return eachResultFile(func(after int64) (list []resultFile, err error) {
		err = query(func(scan sqldb.Scan) error {
			f, err := scanResultFile(scan)
			list = append(list, f)
			return err
		}, resultFilesAfter, after)
		return list, err
	}, func(_ int64, f hospital.StoredFile) error { return fn(f) })
}

// eachResultFile calls fn for all files. next runs resultFilesAfter.
func eachResultFile(
	next func(after int64) ([]resultFile, error), fn func(resultID int64, f hospital.StoredFile) error,
) error {
	for after := int64(0); ; {
		list, err := next(after)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, f := range list {
			if err := fn(f.resultID, f.StoredFile); err != nil {
				return err
			}
			after = f.resultID
		}
	}
}

// CountFault is an appointment whose stored number of results is wrong.
type CountFault struct {
	AppointmentID  int64
	Counted, Found int
}

// VerifyResultCounts compares the stored number of results of every appointment with its results.
func (db *DB) VerifyResultCounts(ctx context.Context) (faults []CountFault, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		faults, err = sqldb.Collect(tx.All(`SELECT a.id, a.result_count, coalesce(r.n, 0) FROM appointments a
			LEFT JOIN (SELECT appointment_id, count(*) AS n FROM results WHERE deleted_at IS NULL GROUP BY appointment_id) r
			ON r.appointment_id = a.id
			WHERE a.result_count <> coalesce(r.n, 0) ORDER BY a.id`), func(scan sqldb.Scan) (f CountFault, err error) {
			err = scan(&f.AppointmentID, &f.Counted, &f.Found)
			return f, err
		})
		return err
	})
	return faults, err
}
