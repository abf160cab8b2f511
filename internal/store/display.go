package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
)

const displaySelect = `SELECT d.id, d.service_id, d.label, d.created_by, d.created_at, d.seen_at FROM displays d `

func scanDisplay(scan func(...any) error) (hospital.Display, error) {
	var d hospital.Display
	var created int64
	var seen sql.NullInt64
	err := scan(&d.ID, &d.ServiceID, &d.Label, &d.CreatedBy, &created, &seen)
	d.CreatedAt, d.SeenAt = at(created), atOrNil(seen)
	return d, err
}

// ListDisplays returns the screens of a service, the oldest first.
func (db *DB) ListDisplays(ctx context.Context, serviceID int64) ([]hospital.Display, error) {
	rows, err := db.read.QueryContext(ctx, displaySelect+`WHERE d.service_id = $1 ORDER BY d.id`, serviceID)
	list, err := collect(rows, err, func(rows *sql.Rows) (hospital.Display, error) { return scanDisplay(rows.Scan) })
	return list, mapError(err)
}

// maxDisplays is how many screens a service can have.
const maxDisplays = 50

// MadeDisplay is a new screen with the token that opens it.
type MadeDisplay struct {
	hospital.Display
	Token string `json:"token" doc:"Opens the screen; returned only once"`
}

// CreateDisplay makes a screen and the token that opens it, which is told this
// once and kept only as a hash. Refused: NOT_FOUND, wrong fields, IN_USE beyond
// fifty screens of a service.
func (db *DB) CreateDisplay(ctx context.Context, in hospital.NewDisplay) (d hospital.Display, token string, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return d, "", err
	}
	err = db.changeOnce(ctx, func() any { return MadeDisplay{d, token} }, func(tx *Tx) error {
		s, err := readService(ctx, tx.tx, in.ServiceID)
		if err != nil {
			return err
		}
		var count int
		if err := tx.queryRow(`SELECT count(*) FROM displays WHERE service_id = $1`, s.ID).Scan(&count); err != nil {
			return fmt.Errorf("count displays: %w", err)
		}
		if count >= maxDisplays {
			return hospital.Refuse(hospital.InUse).With("count", count).
				Because(fmt.Sprintf("มีจอแสดงคิวครบ %d จอแล้ว กรุณายกเลิกลิงก์ของจอที่ไม่ใช้ก่อน", maxDisplays), fmt.Sprintf("There are %d screens already. Remove one that is not used first.", maxDisplays))
		}
		token = auth.NewSecret()
		d, err = scanDisplay(tx.queryRow(`INSERT INTO displays (service_id, label, token_hash, created_by, created_at) VALUES ($1, $2, $3, $4, $5)
			RETURNING id, service_id, label, created_by, created_at, seen_at`, s.ID, in.Label, auth.HashSecret(token), actorID(tx.actor), ms(tx.now)).Scan)
		if err != nil {
			return fmt.Errorf("insert display: %w", err)
		}
		tx.note("display.create", "display", d.ID, s.Name+" · "+d.Label, diff(nil, d))
		return nil
	})
	return d, token, err
}

// DeleteDisplay takes a screen away; it shows nothing from its next question on:
// NOT_FOUND.
func (db *DB) DeleteDisplay(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		d, err := scanDisplay(tx.queryRow(displaySelect+`WHERE d.id = $1`, id).Scan)
		if err != nil {
			return orNotFound(err)
		}
		var service string
		if err := tx.queryRow(`SELECT name FROM services WHERE id = $1`, d.ServiceID).Scan(&service); err != nil {
			return fmt.Errorf("name the service: %w", err)
		}
		if _, err := tx.exec(`DELETE FROM displays WHERE id = $1`, id); err != nil {
			return fmt.Errorf("delete display: %w", err)
		}
		tx.note("display.delete", "display", id, service+" · "+d.Label, diff(d, nil))
		return nil
	})
}

// DisplayWith finds the screen that a token opens: UNAUTHENTICATED without one.
func (db *DB) DisplayWith(ctx context.Context, token string) (hospital.Display, error) {
	d, err := scanDisplay(db.read.QueryRowContext(ctx, displaySelect+`WHERE d.token_hash = $1`, auth.HashSecret(token)).Scan)
	if err = orNotFound(err); hospital.CodeOf(err) == hospital.NotFound {
		err = hospital.Refuse(hospital.Unauthenticated).Because("ลิงก์ของจอนี้ถูกยกเลิกแล้ว กรุณาขอลิงก์ใหม่จากเจ้าหน้าที่", "The link of this screen was withdrawn. Ask the staff for a new one.")
	}
	return d, mapError(err)
}

// screenSeenEvery is how often it is written down that a screen is there.
const screenSeenEvery = time.Minute

// QueueBoard tells what a screen shows: the numbers of its service that are seen
// now and those that come next. A service that is closed down has none.
func (db *DB) QueueBoard(ctx context.Context, d hospital.Display) (b hospital.QueueBoard, err error) {
	setting, err := db.Setting(ctx)
	if err != nil {
		return b, err
	}
	now := db.Now()
	b = hospital.QueueBoard{Date: db.Today(), Serving: []int{}, Waiting: []int{}, Hospital: setting.IdentityAt(now), At: now}
	err = db.read.QueryRowContext(ctx, `SELECT id, code, name, name_en, location, color, active AND deleted_at IS NULL FROM services WHERE id = $1`, d.ServiceID).
		Scan(&b.Service.ID, &b.Service.Code, &b.Service.Name, &b.Service.NameEn, &b.Service.Location, &b.Service.Color, &b.Service.Active)
	if err != nil {
		return b, mapError(err)
	}
	if b.Service.Active {
		type called struct {
			status hospital.AppointmentStatus
			number int
		}
		// Index appointments_service. Who was called last stands first; who waits stands in line.
		rows, err := db.read.QueryContext(ctx, `SELECT status, queue_no FROM appointments
			WHERE service_id = $1 AND date = $2 AND `+oneOf("status", hospital.Present...)+`
			AND queue_no IS NOT NULL AND deleted_at IS NULL
			ORDER BY CASE WHEN `+oneOf("status", hospital.InService)+` THEN -coalesce(started_at, 0) ELSE 0 END,
			queue_no`,
			d.ServiceID, b.Date)
		list, err := scanAll(rows, err, func(c *called) []any { return []any{&c.status, &c.number} })
		if err != nil {
			return b, mapError(err)
		}
		for _, c := range list {
			switch {
			case c.status == hospital.InService:
				b.Serving = append(b.Serving, c.number)
			case len(b.Waiting) < hospital.BoardLength:
				b.Waiting = append(b.Waiting, c.number)
			}
			if c.status == hospital.CheckedIn {
				b.Total++
			}
		}
	}
	if d.SeenAt == nil || now.Sub(*d.SeenAt) >= screenSeenEvery {
		err = db.change(ctx, func(tx *Tx) error {
			_, err := tx.exec(`UPDATE displays SET seen_at = $2 WHERE id = $1`, d.ID, ms(now))
			return err
		})
	}
	return b, err
}
