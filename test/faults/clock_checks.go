package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/pquerna/otp/totp"

	"nadmor/internal/hospital"
	"nadmor/test/product"
)

// slots checks that slots and visits do not change with the clock.
func (h *clockHospital) slots(start time.Time) error {
	var before []any
	for _, when := range []time.Time{start, start.Add(day), start, start.Add(-day), start} {
		h.set(when)
		c, err := h.in("admin")
		if err != nil {
			return err
		}
		var services []struct{ ID int64 }
		if err := c.Call(h.ctx, http.MethodGet, "/admin/api/v1/service-config/list", nil, &services); err != nil {
			return err
		}
		var slots, visits any
		err = errors.Join(
			c.Call(h.ctx, http.MethodPost, "/admin/api/v1/appointment-time-slots/check-time-slots",
				map[string]any{"serviceId": services[0].ID, "dateFrom": "2026-11-18", "dateTo": "2026-11-27"}, &slots),
			c.Call(h.ctx, http.MethodPost, "/admin/api/v1/appointment/list",
				map[string]any{"pageSize": 200, "dateFrom": "2026-11-18", "dateTo": "2026-11-27", "sort": "number"}, &visits))
		if err != nil {
			return err
		}
		if found := []any{slots, visits}; before == nil {
			before = found
		} else if !reflect.DeepEqual(before, found) {
			return fmt.Errorf("slots or visits of a week ahead are others at %s", when)
		}
	}
	return nil
}

// noShows checks that a clock that jumps to tomorrow and back makes no no-shows today.
func (h *clockHospital) noShows(start time.Time) error {
	count := func() (int64, error) {
		n, err := h.storage.Ints(h.ctx, `SELECT count(*) FROM appointments WHERE status = $1`, string(hospital.NoShow))
		if err != nil {
			return 0, err
		}
		return n[0], nil
	}
	expected, err := h.storage.Ints(h.ctx, `SELECT count(*) FROM appointments
		WHERE date = '2026-11-16' AND status IN ($1, $2)`,
		string(hospital.Expected[0]), string(hospital.Expected[1]))
	if err != nil || expected[0] == 0 {
		return errors.Join(err, errors.New("nobody is expected today: nothing was tried"))
	}
	pause(h.ctx, 1500*time.Millisecond) // the runner checks the clock every second
	before, err := count()
	if err != nil {
		return err
	}
	h.set(start.Add(day))
	pause(h.ctx, 2500*time.Millisecond)
	h.set(start)
	pause(h.ctx, 1500*time.Millisecond)
	after, err := count()
	if err == nil && after != before {
		err = fmt.Errorf("%d were made no-shows", after-before)
	}
	return err
}

// sessions checks that sessions last twelve hours, and that none from the future is valid.
func (h *clockHospital) sessions(start time.Time) error {
	today, err := h.in("admin")
	if err != nil {
		return err
	}
	h.set(start.Add(day))
	tomorrow, err := h.in("admin")
	if err != nil {
		return err
	}
	switch {
	case h.at(start.Add(day), today):
		return errors.New("one is good after a day")
	case !h.at(start.Add(day), tomorrow):
		return errors.New("a new one is not good")
	case h.at(start, tomorrow), h.at(start.Add(-day), tomorrow), h.at(start.Add(day-10*time.Minute), tomorrow):
		return errors.New("one of tomorrow is good today: it would last a day longer")
	case h.at(start.Add(-day), today):
		return errors.New("one of today was good yesterday")
	case !h.at(start.Add(11*time.Hour), today):
		return errors.New("one is not good any more after the clock was away and is right again")
	case h.at(start.Add(12*time.Hour+time.Second), today):
		return errors.New("one is good after its time")
	}
	return nil
}

// lockouts checks that a lockout lasts a quarter of an hour even if the clock was wrong.
func (h *clockHospital) lockouts(start time.Time) error {
	c := product.NewClient(h.base, clientTimeout)
	wrong := func() error { return c.SignIn(h.ctx, "nurse", "not the password") }
	h.set(start.Add(day))
	for range 5 {
		if err := wrong(); !rejectedAs(err, http.StatusUnauthorized, "INVALID_CREDENTIALS", "") {
			return fmt.Errorf("a wrong password: %w", err)
		}
	}
	locked := func(when time.Time) bool {
		h.set(when)
		return rejectedAs(c.SignIn(h.ctx, "nurse", "nadmor-demo"), http.StatusTooManyRequests, "TOO_MANY_ATTEMPTS", "")
	}
	switch {
	case !locked(start.Add(day + time.Minute)):
		return errors.New("five wrong passwords do not lock")
	case !locked(start):
		return errors.New("putting the clock back unlocks")
	case !locked(start.Add(14 * time.Minute)):
		return errors.New("it is unlocked before a quarter of an hour")
	case locked(start.Add(15*time.Minute + time.Second)):
		return errors.New("it is locked for longer than a quarter of an hour")
	}
	return nil
}

// codes checks that a one-time code is valid once, also if its time comes again.
func (h *clockHospital) codes(start time.Time) error {
	c, err := h.in("doctor")
	if err != nil {
		return err
	}
	var made struct{ Secret string }
	if err := c.Call(h.ctx, http.MethodPost, "/admin/api/v1.0/auth/totp/setup",
		map[string]string{"password": "nadmor-demo"}, &made); err != nil {
		return err
	}
	code := func(t time.Time) string {
		text, err := totp.GenerateCode(made.Secret, t)
		if err != nil {
			panic(err) // our own secret
		}
		return text
	}
	if err := c.Call(h.ctx, http.MethodPost, "/admin/api/v1.0/auth/totp/enable", map[string]string{"otp": code(start)},
		nil); err != nil {
		return err
	}
	signIn := func(at time.Time, otp string) error {
		h.set(at)
		return c.Call(h.ctx, http.MethodPost, "/admin/api/v1.0/auth/login",
			map[string]string{"username": "doctor", "password": "nadmor-demo", "otp": otp}, nil)
	}
	later := start.Add(2 * time.Minute)
	if err := signIn(later, code(later)); err != nil {
		return err
	}
	for _, back := range []time.Duration{0, 30 * time.Second, time.Minute, day} {
		at := later.Add(-back)
		if err := signIn(at, code(later)); !rejectedAs(err, http.StatusUnauthorized, "INVALID_CREDENTIALS", "") {
			return fmt.Errorf("a code that was used, %s before: %w", back, errors.Join(err, errors.New("not refused")))
		}
	}
	h.set(later.Add(time.Hour)) // the failed attempts were counted
	return signIn(later.Add(time.Hour), code(later.Add(time.Hour)))
}

// links checks that links to set a password are valid for half an hour.
func (h *clockHospital) links(start time.Time) error {
	c, err := h.in("admin")
	if err != nil {
		return err
	}
	var users struct{ Items []struct{ ID int64 } }
	if err := c.Call(h.ctx, http.MethodPost, "/admin/api/v1.0/user-admin/list", map[string]any{"q": "somchai.k"},
		&users); err != nil || len(users.Items) != 1 {
		return errors.Join(err, errors.New("one account was looked for"))
	}
	var made struct{ Link string }
	if err := c.Call(h.ctx, http.MethodPost, fmt.Sprintf("/admin/api/v1.0/user-admin/%d/reset-link", users.Items[0].ID),
		nil, &made); err != nil {
		return err
	}
	_, token, _ := strings.Cut(made.Link, "#token=")
	use := func(at time.Time) error {
		h.set(at)
		return product.NewClient(h.base, clientTimeout).Call(h.ctx, http.MethodPost, "/admin/api/v1.0/auth/reset-password",
			map[string]string{"token": token, "password": "another good one"}, nil)
	}
	for _, at := range []time.Time{start.Add(day), start.Add(-day), start.Add(31 * time.Minute)} {
		if err := use(at); !rejectedAs(err, http.StatusUnprocessableEntity, "VALIDATION_FAILED", "") {
			return fmt.Errorf("a link is good %s from when it was made: %w", at.Sub(start),
				errors.Join(err, errors.New("not refused")))
		}
	}
	return use(start.Add(29 * time.Minute))
}

// clinic returns the service that keys creates.
func (h *clockHospital) clinic() (int64, error) {
	ids, err := h.storage.Ints(h.ctx, `SELECT id FROM services WHERE code = 'CLOCK'`)
	if err == nil && len(ids) != 1 {
		err = fmt.Errorf("%d clinics of the clock, not one", len(ids))
	}
	if err != nil {
		return 0, err
	}
	return ids[0], nil
}

// keys checks that an idempotency key prevents a second execution for 24 hours.
func (h *clockHospital) keys(start time.Time) error {
	var first int64
	for n, at := range []time.Time{start, start.Add(day - time.Minute), start.Add(-day), start} {
		h.set(at)
		c, err := h.in("admin")
		if err != nil {
			return err
		}
		if n == 0 {
			if _, err := c.OpenClinic(h.ctx, "CLOCK", 200, 1, seats); err != nil {
				return err
			}
		}
		service, err := h.clinic()
		if err != nil {
			return err
		}
		var visit struct{ ID int64 }
		if err := c.Book(h.ctx,
			product.Booking{Key: "one request", PatientID: 7, ServiceID: service, Date: "2026-12-01", Start: "08:15"},
			&visit); err != nil {
			return err
		}
		if n == 0 {
			first = visit.ID
		} else if visit.ID != first {
			return fmt.Errorf("one request was booked as %d and as %d", first, visit.ID)
		}
	}
	return nil
}

// jobs checks that jobs delayed by a wrong clock run when it is right, and others not before their time.
func (h *clockHospital) jobs(start time.Time) (err error) {
	db, err := h.storage.SQL()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for kind, at := range map[string]time.Time{"future": start.Add(day), "soon": start.Add(30 * time.Minute)} {
		if _, err := db.ExecContext(h.ctx, `INSERT INTO jobs (kind, payload, unique_key, run_at, created_at)
			VALUES ('clean-up', '{}', $1, $2, $3)`, "clock "+kind, at.UnixMilli(), start.UnixMilli()); err != nil {
			return err
		}
	}
	// A job that was leased when the clock was set back.
	if _, err := db.ExecContext(h.ctx, `INSERT INTO jobs (kind, payload, unique_key, run_at, created_at, leased_until)
		VALUES ('clean-up', '{}', 'clock held', $1, $1, $2)`, start.UnixMilli(), start.Add(day).UnixMilli()); err != nil {
		return err
	}
	done := func(key string) bool {
		n, err := h.storage.Ints(h.ctx, `SELECT count(*) FROM jobs WHERE unique_key = $1 AND done_at IS NOT NULL`, key)
		return err == nil && n[0] == 1
	}
	for began := time.Now(); !done("clock future") || !done("clock held"); pause(h.ctx, 50*time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			return errors.New("a job waits for a day that was a mistake")
		}
	}
	if done("clock soon") {
		return errors.New("a job was done half an hour before its time")
	}
	return nil
}

// midnight checks that the date changes at midnight in Bangkok.
func (h *clockHospital) midnight(time.Time) error {
	for at, want := range map[time.Time]string{
		time.Date(2026, 11, 16, 23, 59, 59, 999_000_000, hospital.Bangkok): "2026-11-16",
		time.Date(2026, 11, 17, 0, 0, 0, 0, hospital.Bangkok):              "2026-11-17",
		time.Date(2026, 11, 17, 6, 59, 59, 0, hospital.Bangkok):            "2026-11-17", // still the day before in UTC
	} {
		h.set(at)
		c, err := h.in("admin")
		if err != nil {
			return err
		}
		var shown struct{ Date string }
		if err := c.Call(h.ctx, http.MethodGet, "/admin/api/v1/dashboard/summary", nil, &shown); err != nil ||
			shown.Date != want {
			return fmt.Errorf("today is %s, not %s: %w", shown.Date, want, err)
		}
		service, err := h.clinic()
		if err != nil {
			return err
		}
		var table struct {
			Days []struct {
				Date  string
				Slots []struct {
					StartTime string
					Past      bool
				}
			}
		}
		if err := c.Call(h.ctx, http.MethodPost, "/admin/api/v1/appointment-time-slots/check-time-slots",
			map[string]any{"serviceId": service, "dateFrom": "2026-11-16", "dateTo": "2026-11-17"}, &table); err != nil {
			return err
		}
		for _, d := range table.Days {
			for _, s := range d.Slots {
				if s.Past != (d.Date == "2026-11-16") {
					return fmt.Errorf("at %s the slot of %s %s is past: %t", at.Format(time.DateTime), d.Date, s.StartTime, s.Past)
				}
			}
		}
	}
	return nil
}

// leapDay checks bookings on 29 February.
func (h *clockHospital) leapDay(time.Time) error {
	h.set(time.Date(2028, 2, 29, 7, 0, 0, 0, hospital.Bangkok))
	c, err := h.in("admin")
	if err != nil {
		return err
	}
	service, err := h.clinic()
	if err != nil {
		return err
	}
	var today, nextYear struct{ ID int64 }
	if err := c.Book(h.ctx,
		product.Booking{Key: "leap", PatientID: 8, ServiceID: service, Date: "2028-02-29", Start: "08:15"},
		&today); err != nil {
		return err
	}
	if err := c.Book(h.ctx,
		product.Booking{Key: "no such day", PatientID: 9, ServiceID: service, Date: "2029-02-29", Start: "08:15"},
		&nextYear); !rejectedAs(err, http.StatusUnprocessableEntity, "VALIDATION_FAILED", "") {
		return fmt.Errorf("29 February 2029: %w", errors.Join(err, errors.New("not refused")))
	}
	list, err := c.Send(h.ctx, http.MethodGet,
		"/admin/api/v1/appointment/list-all?dateFrom=2028-02-29&dateTo=2028-02-29&format=csv", nil)
	if err != nil || list.Status != http.StatusOK ||
		!strings.Contains(list.Header.Get("Content-Disposition"), "2571-02-29") {
		return fmt.Errorf("the file of 29 February 2571: %d %s: %w", list.Status, list.Header.Get("Content-Disposition"), err)
	}
	for date, right := range map[string]bool{"2024-02-29": true, "2023-02-29": false, "2567-02-29": false} {
		err := h.register(c, date)
		if (err == nil) != right {
			return fmt.Errorf("born on %s: %w", date, errors.Join(err, errors.New("not as it should be")))
		}
	}
	return nil
}

// register registers a patient with a birth date.
func (h *clockHospital) register(c *product.Client, birth string) error {
	return c.Call(h.ctx, http.MethodPost, "/admin/api/v1/patients/create", map[string]any{
		"idType": "NONE", "prename": "นางสาว", "firstName": "ทดสอบ", "lastName": "เวลา " + birth, "sex": "F",
		"birthDate": birth, "phone": "0812345678", "confirmDuplicate": true,
	}, nil)
}

// eras checks that years of the wrong era are rejected and never shifted by 543 years.
func (h *clockHospital) eras(time.Time) error {
	c, err := h.in("admin")
	if err != nil {
		return err
	}
	if err := h.register(c, "2530-05-17"); !rejectedAs(err, http.StatusUnprocessableEntity, "VALIDATION_FAILED", "") {
		return fmt.Errorf("born in 2530: %w", errors.Join(err, errors.New("not refused")))
	}
	if err := h.register(c, "1444-05-17"); !rejectedAs(err, http.StatusUnprocessableEntity, "VALIDATION_FAILED", "") {
		return fmt.Errorf("born in 1444, 543 taken off twice: %w", errors.Join(err, errors.New("not refused")))
	}
	service, err := h.clinic()
	if err != nil {
		return err
	}
	for _, date := range []string{"2569-12-01", "1483-12-01"} {
		err := c.Book(h.ctx,
			product.Booking{Key: "era " + date, PatientID: 10, ServiceID: service, Date: date, Start: "08:15"}, nil)
		var rejected *product.RejectedError
		if !errors.As(err, &rejected) ||
			rejected.Status != http.StatusConflict && rejected.Status != http.StatusUnprocessableEntity {
			return fmt.Errorf("a visit on %s: %w", date, errors.Join(err, errors.New("not refused")))
		}
	}
	// In imported files, years from 2400 on are of the Buddhist Era.
	file := filepath.Join(h.storage.Dir, "eras.csv")
	for date, want := range map[string]string{
		"29/02/2567": "2024-02-29", "29/02/2024": "2024-02-29", "29/02/2566": "", "16/11/2570": "",
	} {
		text := "คำนำหน้า,ชื่อ,นามสกุล,เพศ,วันเกิด\nนางสาว,ทดสอบ,ปี" + strings.ReplaceAll(date, "/", "") + ",หญิง," + date +
			"\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
		if err := h.nadmor(h.ctx, nil, "import", "patients", file); (err == nil) != (want != "") {
			return fmt.Errorf("a file with %s: %w", date, errors.Join(err, errors.New("not as it should be")))
		}
	}
	n, err := h.storage.Ints(h.ctx,
		`SELECT count(*) FROM patients WHERE birth_date = '2024-02-29' AND first_name = 'ทดสอบ'`)
	if err == nil && n[0] != 3 { // two of the files, and a registered one
		err = fmt.Errorf("%d were born on 29 February 2567, not 3", n[0])
	}
	return err
}
