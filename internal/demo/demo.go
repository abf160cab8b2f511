// Package demo fills an empty database with a realistic Thai hospital, the same one every time.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nadmor/internal/auth"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Password is the password of all accounts of the sample hospital. It is public, so the sample hospital must
// not be used for real data.
const Password = "nadmor-demo"

const hospitalName = "โรงพยาบาลศรีนคร"

// Size is the size of the sample hospital.
type Size struct {
	Patients     int
	Appointments int // 0 for those of a year
	Seed         uint64
}

// DefaultSize is the default size.
var DefaultSize = Size{Patients: 5000, Seed: 2569}

// Progress is called with the number of written appointments, patients or indexes, and their total, 0 if
// unknown.
type Progress func(kind string, n, of int)

// Fill writes the sample hospital to the database of the options, which it opens with its own clock, because
// the hospital has a past. It does nothing if the database was set up before. adminPassword is the
// administrator's, Password if empty. progress may be nil.
func Fill(
	ctx context.Context, o store.Options, uploads files.Store, hasher *auth.Hasher, adminPassword string, size Size,
	progress Progress,
) (err error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}
	c := &storeClock{actual: o.Now}
	if c.actual == nil {
		c.actual = time.Now
	}
	o.Now = c.Now
	db, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fill(ctx, db, c, uploads, hasher, adminPassword, size, progress)
}

func fill(
	ctx context.Context, db *store.DB, c *storeClock, uploads files.Store, hasher *auth.Hasher, adminPassword string,
	size Size, progress Progress,
) error {
	now := db.Now()
	ctx = hospital.WithActor(ctx, hospital.System)
	if adminPassword == "" {
		adminPassword = Password
	}
	hash, err := hasher.Hash(ctx, adminPassword)
	if err != nil {
		return err
	}
	c.set(opened(now))
	if done, err := db.SetUp(ctx, hash, false); err != nil || !done {
		return err
	}
	first, err := db.UserRefs(ctx)
	if err != nil {
		return err
	}
	admin := Accounts[0]
	ctx = as(ctx, first[0].ID, admin.Username, admin.Name, admin.Role)
	if err := configure(ctx, db, uploads, now); err != nil {
		return fmt.Errorf("sample setting: %w", err)
	}
	users, err := addStaff(ctx, db, c, hasher, now)
	if err != nil {
		return err
	}
	c.set(daysAgo(now, 0, "08:05"))
	if err := signIn(ctx, db, admin.Username, len(staff)); err != nil {
		return fmt.Errorf("sample sign-in: %w", err)
	}
	registrar := as(ctx, users[staff[0].username], staff[0].username, staff[0].name, staff[0].role)
	nurse := as(ctx, users[staff[1].username], staff[1].username, staff[1].name, staff[1].role)
	c.set(opened(now))
	services, err := addServices(ctx, db, size, users, now)
	if err != nil {
		return err
	}
	c.reset()
	if err := closeDays(nurse, db, services); err != nil {
		return err
	}
	p, err := newPlanner(ctx, db, size, services, users)
	if err != nil {
		return err
	}
	found, err := addPeople(ctx, db, size, p, progress)
	if err != nil {
		return err
	}
	if err := addCustomers(registrar, db, size); err != nil {
		return err
	}
	if err := rearrange(nurse, db, services); err != nil {
		return err
	}
	return addResults(ctx, db, uploads, found)
}

// configure writes the settings.
func configure(ctx context.Context, db *store.DB, uploads files.Store, now time.Time) error {
	s := hospital.DefaultSetting
	s.Name, s.NameEn, s.Hospcode = hospitalName, "Si Nakhon Hospital", "10999"
	s.Address, s.Phone = "99 ถนนพยาบาล ตำบลช้างเผือก อำเภอเมืองเชียงใหม่ จังหวัดเชียงใหม่ 50300", "053 999 999"
	s.NoShowTime = "23:30" // wounds are dressed until midnight
	s.CancelCutoffMinutes = 24 * 60
	s.SlipFooter = "กรุณามาก่อนเวลานัด 30 นาที พร้อมบัตรประชาชนและใบนัด\nเลื่อนหรือยกเลิกนัด โทร 053 999 999 ในเวลาราชการ"
	const text = "เรียน {patient} ท่านมีนัด {service} ({place}) วันที่ {date} เวลา {time} น. เลขที่นัด {number} สอบถาม " +
		"{hospital} โทร {phone}"
	s.Reminders = []hospital.Reminder{
		{OffsetHours: 72, Channel: hospital.RemindByEmail, Template: text + "\n\nกรุณามาก่อนเวลานัด 30 นาที"},
		{OffsetHours: 24, Channel: hospital.RemindByLine, Template: text},
		{OffsetHours: 24, Channel: hospital.RemindBySMS, Template: "นัด {service} {date} {time} น. {hospital} โทร {phone}"},
	}
	if err := decorate(ctx, uploads, &s.SettingFields); err != nil {
		return err
	}
	today := now.In(hospital.Bangkok)
	ends := time.Date(today.Year(), today.Month()+2, 1, 0, 0, 0, 0, hospital.Bangkok)
	s.Banners[0].EndsAt = &ends
	_, err := db.SaveSetting(ctx, s)
	return err
}
