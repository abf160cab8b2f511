package store

import (
	"context"
	"fmt"
	"strings"

	"nadmor/internal/hospital"
)

// JobDayClose is the kind of the job that marks no-shows.
const JobDayClose = "day-close"

// DayClose is the payload of JobDayClose: slots that ended by this time are closed.
type DayClose struct {
	Date string `json:"date"`
	Time string `json:"time"`
}

// DayToClose returns the time up to which slots are to be closed now, see Setting.ClosesUntil. ok is false
// if the hospital does not close days.
func (db *DB) DayToClose(ctx context.Context) (until DayClose, ok bool, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return until, false, err
	}
	at, ok := setting.ClosesUntil(db.localNow())
	return dayClose(at), ok, nil
}

func dayClose(until hospital.Moment) DayClose { return DayClose{until.Date, until.Clock.String()} }

// missedUntil selects the appointments in slots that ended by a time and whose patients did not arrive:
// index appointments_status.
func missedUntil(until DayClose) (where string, args []any) {
	return `WHERE ` + oneOf("a.status", hospital.Expected...) + ` AND a.deleted_at IS NULL
		AND a.date <= $1 AND (a.date < $1 OR a.end_time <= $2)`,
		[]any{until.Date, until.Time}
}

// EnqueueDayClose enqueues a job if there are no-shows to mark. The key of the job is the end of the last
// such slot, so that later slots of the day get their own job. Slots of earlier days share one job per day.
func (db *DB) EnqueueDayClose(ctx context.Context, until DayClose) error {
	return db.Change(ctx, func(tx *Tx) error {
		last, err := tx.lastMissed(until)
		if err != nil || last.Date == "" {
			return err
		}
		if today := tx.LocalNow().Date; last.Date < today {
			last = dayClose(hospital.EndOf(hospital.AddDays(today, -1)))
		}
		tx.enqueue(JobDayClose, last, fmt.Sprintf("%s %s %s", JobDayClose, last.Date, last.Time))
		return nil
	})
}

// lastMissed returns the date and end of the last slot that missedUntil selects, or only the date if it is
// on an earlier day. The date is empty if there is none. It is called every second and reads only the
// ends of the index appointments_status, in one statement to see one snapshot.
func (tx *Tx) lastMissed(until DayClose) (last DayClose, err error) {
	missed := func(value string, condition string, statuses ...hospital.AppointmentStatus) string {
		return `(SELECT max(` + value + `) FROM appointments a
			WHERE ` + oneOf("a.status", statuses...) + ` AND a.deleted_at IS NULL AND ` + condition + `)`
	}
	columns := []string{missed("a.end_time", "a.date = $1 AND a.end_time <= $2", hospital.Expected...)}
	for _, status := range hospital.Expected {
		columns = append(columns, missed("a.date", "a.date < $1", status))
	}
	values := make([]*string, len(columns))
	dest := make([]any, len(values))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := tx.Get(`SELECT `+strings.Join(columns, ", "), until.Date, until.Time).Scan(dest...); err != nil {
		return last, err
	}
	if ended := values[0]; ended != nil {
		return DayClose{until.Date, *ended}, nil
	}
	for _, date := range values[1:] {
		if date != nil {
			last.Date = max(last.Date, *date)
		}
	}
	return last, nil
}

// CloseDays marks the appointments that missedUntil selects as NO_SHOW, including those of earlier days
// that were never closed. It is idempotent and safe to run on several nodes.
func (db *DB) CloseDays(ctx context.Context, until DayClose) (closed int, err error) {
	const batch = 200
	where, args := missedUntil(until)
	for {
		n := 0
		err := db.Change(ctx, func(tx *Tx) error {
			n = 0
			order := fmt.Sprintf(` ORDER BY a.id LIMIT %d`, batch)
			list, err := tx.appointmentsWhere(where+order+db.dialect.lock("a"), args...)
			if err != nil {
				return err
			}
			for _, old := range list {
				a := old
				a.Status = hospital.NoShow
				tx.saveStep(&a)
				tx.recordChange(hospital.HistoryStatus, old, a, "")
			}
			n = len(list)
			return nil
		})
		closed += n
		if err != nil || n < batch {
			return closed, err
		}
	}
}
