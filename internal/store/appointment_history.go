package store

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

// recordChange writes a change of an appointment to its history and to the audit log, counts it in the totals of
// its day, and publishes it.
func (tx *Tx) recordChange(action hospital.HistoryAction, before, after hospital.Appointment, reason string) {
	var was, is any
	if action != hospital.HistoryCreate {
		was = bare(before)
		tx.count(before.ServiceID, before.Date, before.Status, -1)
	}
	if action != hospital.HistoryDelete {
		is = bare(after)
		tx.count(after.ServiceID, after.Date, after.Status, 1)
	}
	changes := diff(was, is)
	from := sideText(changes, func(c hospital.Change) any { return c.Before })
	to := sideText(changes, func(c hospital.Change) any { return c.After })
	tx.addHistory([]any{
		after.ID, action, from, to, reason, actorID(tx.actor), tx.actor.Name, ms(tx.now),
	})
	event := hospital.Event{
		Kind: hospital.EventAppointment, ID: after.ID,
		ServiceID: after.ServiceID, Date: after.Date, Version: after.Version,
	}
	if was != nil && (before.ServiceID != after.ServiceID || before.Date != after.Date) {
		left := event
		left.ServiceID, left.Date = before.ServiceID, before.Date
		tx.Publish(left)
	}
	tx.Publish(event)
	tx.NoteEntry(hospital.AuditEntry{
		Action: historyActions[action], Entity: "appointment", EntityID: strconv.FormatInt(after.ID, 10),
		Subject: after.Number, Reason: reason, Changes: changes,
	})
}

// HistoryColumns are the columns of an entry in the history of an appointment.
var HistoryColumns = []string{
	"appointment_id", "action", "before", "after", "reason", "actor_id", "actor_name", "at",
}

var historyInsert = `INSERT INTO appointment_history (` + strings.Join(HistoryColumns, ", ") + `) VALUES `

// addHistory adds an entry to the history of an appointment. values are those of HistoryColumns. The entries of a
// transaction are written together, at the latest before its commit, see writeHistory.
func (tx *Tx) addHistory(values []any) {
	if tx.history = append(tx.history, values); len(tx.history) == maxRowsPerInsert {
		tx.writeHistory()
	}
}

// writeHistory writes the entries of addHistory.
func (tx *Tx) writeHistory() {
	tx.insertRows(historyInsert, tx.history, "")
	tx.history = nil
}

// historyActions are the names of the changes in the audit log.
var historyActions = map[hospital.HistoryAction]string{
	hospital.HistoryCreate:     "appointment.create",
	hospital.HistoryUpdate:     "appointment.update",
	hospital.HistoryReschedule: "appointment.reschedule",
	hospital.HistoryStatus:     "appointment.status",
	hospital.HistoryUndo:       "appointment.undo",
	hospital.HistoryDelete:     "appointment.delete",
}

// bare returns an appointment without the data of other records and without the actions of the caller.
func bare(a hospital.Appointment) any {
	a.AppointmentActions = hospital.AppointmentActions{}
	return struct {
		hospital.Appointment
		Patient     any `json:"patient,omitempty"`
		Service     any `json:"service,omitempty"`
		Staff       any `json:"staff,omitempty"`
		ResultCount any `json:"resultCount,omitempty"`
		CreatedBy   any `json:"createdBy,omitempty"`
		Number      any `json:"number,omitempty"`
	}{Appointment: a}
}

func actorID(a hospital.Actor) any {
	if a.UserID == 0 {
		return nil
	}
	return a.UserID
}

// HistoryOf reads the history of an appointment, the oldest entry first.
func (tx *Tx) HistoryOf(id int64) ([]hospital.HistoryEntry, error) { return tx.queryHistory(id)() }

// queryHistory queries what HistoryOf returns.
func (tx *Tx) queryHistory(id int64) func() ([]hospital.HistoryEntry, error) {
	rows := tx.All(`SELECT id, action, before, after, reason, actor_id, actor_name, at
		FROM appointment_history WHERE appointment_id = $1 ORDER BY id`, id)
	return func() ([]hospital.HistoryEntry, error) { return sqldb.Collect(rows, scanHistory) }
}

func scanHistory(scan sqldb.Scan) (h hospital.HistoryEntry, err error) {
	var before, after string
	var when int64
	if err := scan(&h.ID, &h.Action, &before, &after, &h.Reason, &h.ActorID, &h.Actor, &when); err != nil {
		return h, err
	}
	h.At = at(when)
	if err = json.Unmarshal([]byte(before), &h.From); err == nil {
		err = json.Unmarshal([]byte(after), &h.To)
	}
	return h, err
}

// AppointmentDetails returns an appointment with its history, without the entries about results if the caller
// may not see results. It returns NOT_FOUND.
func (db *DB) AppointmentDetails(
	ctx context.Context, id int64,
) (a hospital.Appointment, history []hospital.HistoryEntry, err error) {
	err = db.Read(ctx, func(tx *Tx) (err error) {
		historyNow := tx.queryHistory(id)
		if a, err = tx.readAppointment(id); err != nil {
			return err
		}
		history, err = historyNow()
		return err
	})
	if !maySeeResults(ctx) {
		history = slices.DeleteFunc(history, func(h hospital.HistoryEntry) bool { return h.Action.AboutResult() })
	}
	return a, history, err
}
