package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const displaySelect = `SELECT d.id, d.service_id, d.label, d.created_by, d.created_at, d.seen_at FROM displays d `

func scanDisplay(scan sqldb.Scan) (hospital.Display, error) {
	var d hospital.Display
	var created int64
	var seen sql.NullInt64
	err := scan(&d.ID, &d.ServiceID, &d.Label, &d.CreatedBy, &created, &seen)
	d.CreatedAt, d.SeenAt = at(created), atOrNil(seen)
	return d, err
}

// ListDisplays returns the screens of a service, the oldest first.
func (db *DB) ListDisplays(ctx context.Context, serviceID int64) (list []hospital.Display, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		rows := tx.All(displaySelect+`WHERE d.service_id = $1 ORDER BY d.id`, serviceID)
		list, err = sqldb.Collect(rows, scanDisplay)
		return err
	})
	return list, err
}

// maxDisplays is the maximum number of screens of a service.
const maxDisplays = 50

// CreatedDisplay is a new screen with the token that opens it.
type CreatedDisplay struct {
	hospital.Display
	Token string `json:"token" doc:"Opens the screen; returned only once"`
}

// CreateDisplay creates a screen and returns the token that opens it, of which only a hash is stored.
// It returns NOT_FOUND for an unknown service, VALIDATION_FAILED for invalid fields, and IN_USE if the
// service has maxDisplays screens.
func (db *DB) CreateDisplay(ctx context.Context, in hospital.NewDisplay) (d hospital.Display, token string, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return d, "", err
	}
	err = db.changeOnce(ctx, func() any { return CreatedDisplay{d, token} }, func(tx *Tx) error {
		displays := tx.Get(`SELECT count(*) FROM displays WHERE service_id = $1`, in.ServiceID)
		s, err := tx.readService(in.ServiceID)
		if err != nil {
			return err
		}
		var count int
		if err := displays.Scan(&count); err != nil {
			return err
		}
		if count >= maxDisplays {
			return hospital.Reject(hospital.InUse).With("count", count).
				Because(fmt.Sprintf("มีจอแสดงคิวครบ %d จอแล้ว กรุณายกเลิกลิงก์ของจอที่ไม่ใช้ก่อน", maxDisplays),
					fmt.Sprintf("There are %d screens already. Remove one that is not used first.", maxDisplays))
		}
		token = auth.NewSecret()
		d, err = scanDisplay(tx.Get(`INSERT INTO displays (service_id, label, token_hash, created_by, created_at)
			VALUES ($1, $2, $3, $4, $5) RETURNING id, service_id, label, created_by, created_at, seen_at`,
			s.ID, in.Label, auth.HashSecret(token), actorID(tx.actor), ms(tx.now)).Scan)
		if err != nil {
			return err
		}
		tx.Note("display.create", "display", d.ID, s.Name+" · "+d.Label, diff(nil, d))
		return nil
	})
	return d, token, err
}

// DeleteDisplay deletes a screen, whose token becomes invalid. It returns NOT_FOUND.
func (db *DB) DeleteDisplay(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		d, err := scanDisplay(tx.Get(displaySelect+`WHERE d.id = $1`, id).Scan)
		if err != nil {
			return orNotFound(err)
		}
		tx.Exec(`DELETE FROM displays WHERE id = $1`, id)
		var service string
		if err := tx.Get(`SELECT name FROM services WHERE id = $1`, d.ServiceID).Scan(&service); err != nil {
			return fmt.Errorf("name of service %d: %w", d.ServiceID, err)
		}
		tx.Note("display.delete", "display", id, service+" · "+d.Label, diff(d, nil))
		return nil
	})
}

// DisplayByToken returns the screen that a token opens. It returns UNAUTHENTICATED for an invalid token.
func (db *DB) DisplayByToken(ctx context.Context, token string) (d hospital.Display, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		d, err = scanDisplay(tx.Get(displaySelect+`WHERE d.token_hash = $1`, auth.HashSecret(token)).Scan)
		if errors.Is(err, sqldb.ErrNoRows) {
			return hospital.Reject(hospital.Unauthenticated).Because(
				"ลิงก์ของจอนี้ถูกยกเลิกแล้ว กรุณาขอลิงก์ใหม่จากเจ้าหน้าที่",
				"The link of this screen was withdrawn. Ask the staff for a new one.")
		}
		return err
	})
	return d, err
}

// screenSeenEvery is how often the time of the last request of a screen is stored.
const screenSeenEvery = time.Minute

// QueueBoard returns the content of a screen: the queue numbers of its service that are being served,
// and the next ones. An inactive service has none.
func (db *DB) QueueBoard(ctx context.Context, d hospital.Display) (b hospital.QueueBoard, err error) {
	noteSeen := d.SeenAt == nil || db.Now().Sub(*d.SeenAt) >= screenSeenEvery
	run := db.Read
	if noteSeen {
		run = db.Change
	}
	err = run(ctx, func(tx *Tx) error {
		if noteSeen {
			tx.Exec(`UPDATE displays SET seen_at = $2 WHERE id = $1`, d.ID, ms(tx.now))
		}
		b, err = tx.queueBoard(d.ServiceID)
		return err
	})
	return b, err
}

func (tx *Tx) queueBoard(serviceID int64) (b hospital.QueueBoard, err error) {
	b = hospital.QueueBoard{Date: tx.LocalNow().Date, Serving: []int{}, Waiting: []int{}, At: tx.now}
	setting := tx.querySetting()
	service := tx.Get(`SELECT id, code, name, name_en, location, color, active AND deleted_at IS NULL
		FROM services WHERE id = $1`, serviceID)
	// Index appointments_service. The number that was called last comes first, then the waiting ones.
	queue := tx.All(`SELECT status, queue_no FROM appointments
		WHERE service_id = $1 AND date = $2 AND `+oneOf("status", hospital.Present...)+`
		AND queue_no IS NOT NULL AND deleted_at IS NULL
		ORDER BY CASE WHEN `+oneOf("status", hospital.InService)+` THEN -coalesce(started_at, 0) ELSE 0 END, queue_no`,
		serviceID, b.Date)
	current, err := setting()
	if err != nil {
		return b, err
	}
	b.Hospital = current.IdentityAt(tx.now)
	err = service.Scan(&b.Service.ID, &b.Service.Code, &b.Service.Name, &b.Service.NameEn, &b.Service.Location,
		&b.Service.Color, &b.Service.Active)
	if err != nil || !b.Service.Active {
		return b, err
	}
	err = queue.Each(func(scan sqldb.Scan) error {
		var status hospital.AppointmentStatus
		var number int
		err := scan(&status, &number)
		switch {
		case status == hospital.InService:
			b.Serving = append(b.Serving, number)
		case len(b.Waiting) < hospital.BoardLength:
			b.Waiting = append(b.Waiting, number)
		}
		if status == hospital.CheckedIn {
			b.Total++
		}
		return err
	})
	return b, err
}
