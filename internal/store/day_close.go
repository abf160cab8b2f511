package store

import (
	"context"
	"fmt"

	"nadmor/internal/hospital"
)

// JobDayClose marks those who did not come.
const JobDayClose = "day-close"

// DayClose asks to close all days until the end of a date.
type DayClose struct {
	Date string `json:"date"`
}

// DayToClose is the last day whose visits are over: today after the hospital's
// time for it, yesterday before. ok is false where the hospital does without.
func (db *DB) DayToClose(ctx context.Context) (date string, ok bool, err error) {
	setting, err := db.Setting(ctx)
	if err != nil || setting.NoShowTime == "" {
		return "", false, err
	}
	now := hospital.MomentOf(db.Now(), setting.Zone())
	if time, valid := hospital.ParseClock(setting.NoShowTime); valid && now.Clock >= time {
		return now.Date, true, nil
	}
	return hospital.AddDays(now.Date, -1), true, nil
}

// CloseDays makes no-shows of all who were booked until the end of a date and
// did not come, also on days before on which nobody closed. It can be run any
// number of times, by any number of nodes.
func (db *DB) CloseDays(ctx context.Context, until string) (closed int, err error) {
	const batch = 200
	for {
		n := 0
		err := db.change(ctx, func(tx *Tx) error {
			n = 0
			list, err := tx.db.appointmentsWhere(ctx, tx.tx, fmt.Sprintf(`WHERE a.status IN ('BOOKED', 'CONFIRMED') AND a.date <= $1 AND a.deleted_at IS NULL ORDER BY a.id LIMIT %d`, batch)+db.dialect.lock("a"), until)
			if err != nil {
				return err
			}
			for _, old := range list {
				a := old
				a.Status = hospital.NoShow
				if err := tx.saveStep(&a); err != nil {
					return err
				}
				if err := tx.happened(hospital.HistoryStatus, old, a, ""); err != nil {
					return err
				}
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

// SlotFault is a slot whose count is not the number of seats held in it.
type SlotFault struct {
	ServiceID   int64
	Date, Start string
	Booked      int
	Seats       int
}

// VerifySlots compares the count of every slot with the seats held in it, for
// which it reads all appointments once: index appointments_service.
func (db *DB) VerifySlots(ctx context.Context) ([]SlotFault, error) {
	var f filter
	f.in("status", texts(seatStatuses))
	rows, err := db.read.QueryContext(ctx, `SELECT service_id, date, start_time, sum(booked), sum(seats) FROM (
		SELECT service_id, date, start_time, booked, 0 AS seats FROM slots
		UNION ALL SELECT service_id, date, start_time, 0, count(*) FROM appointments `+f.where()+` AND deleted_at IS NULL GROUP BY service_id, date, start_time
		) AS pairs GROUP BY service_id, date, start_time HAVING sum(booked) <> sum(seats) ORDER BY 1, 2, 3`, f.args...)
	list, err := scanAll(rows, err, func(s *SlotFault) []any { return []any{&s.ServiceID, &s.Date, &s.Start, &s.Booked, &s.Seats} })
	return list, mapError(err)
}
