package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
)

const serviceSelect = `SELECT s.id, s.code, s.name, s.name_en, s.department, s.location, s.color, s.description, s.instructions, s.slot_minutes, s.default_capacity,
	s.overbook_limit, s.booking_window_days, s.lead_minutes, s.cancel_cutoff_minutes, s.requires_approval, s.staff_ids, s.active, s.sort, s.schedule,
	s.version, s.created_at, s.updated_at FROM services s `

func scanService(scan func(...any) error) (hospital.Service, error) {
	var s hospital.Service
	var staff, schedule string
	var created, updated int64
	err := scan(&s.ID, &s.Code, &s.Name, &s.NameEn, &s.Department, &s.Location, &s.Color, &s.Description, &s.Instructions, &s.SlotMinutes, &s.DefaultCapacity,
		&s.OverbookLimit, &s.BookingWindowDays, &s.LeadMinutes, &s.CancelCutoffMinutes, &s.RequiresApproval, &staff, &s.Active, &s.Sort, &schedule,
		&s.Version, &created, &updated)
	if err != nil {
		return s, err
	}
	s.CreatedAt, s.UpdatedAt = at(created), at(updated)
	var inStaff, inSchedule error
	s.StaffIDs, inStaff = staffTexts.of(staff)
	s.Schedule, inSchedule = scheduleTexts.of(schedule)
	return s, errors.Join(inStaff, inSchedule)
}

var (
	staffTexts    = parsed[[]int64]{copy: slices.Clone[[]int64]}
	scheduleTexts = parsed[[]hospital.ScheduleRow]{copy: hospital.CopySchedule}
)

func readService(ctx context.Context, q querier, id int64) (hospital.Service, error) {
	s, err := scanService(q.QueryRowContext(ctx, serviceSelect+`WHERE s.id = $1 AND s.deleted_at IS NULL`, id).Scan)
	return s, orNotFound(err)
}

// Service returns one service with its weekly rows: NOT_FOUND.
func (db *DB) Service(ctx context.Context, id int64) (hospital.Service, error) {
	s, err := readService(ctx, db.read, id)
	return s, mapError(err)
}

// ListServices returns the services that take bookings, or all of them, in the
// order the hospital gave them.
func (db *DB) ListServices(ctx context.Context, all bool) ([]hospital.Service, error) {
	list, err := db.listServices(ctx, db.read, all)
	return list, mapError(err)
}

// listServices returns the services as q sees them. Their weeks of hours are
// asked for by every calendar and changed a few times a year, so they are kept;
// the versions tell whether they still are what they were. The list is the
// caller's, what its services hold is shared.
func (db *DB) listServices(ctx context.Context, q querier, all bool) ([]hospital.Service, error) {
	var state serviceState
	// Every change adds to a version. A few dozen rows.
	err := q.QueryRowContext(ctx, `SELECT CAST(coalesce(sum(version), 0) AS BIGINT), coalesce(max(updated_at), 0) FROM services`).Scan(&state.versions, &state.changed)
	if err != nil {
		return nil, err
	}
	kept := db.services.Load()
	if kept == nil || kept.serviceState != state {
		rows, err := q.QueryContext(ctx, serviceSelect+`WHERE s.deleted_at IS NULL ORDER BY s.sort, s.name_sort, s.id`)
		list, err := collect(rows, err, func(rows *sql.Rows) (hospital.Service, error) { return scanService(rows.Scan) })
		if err != nil {
			return nil, err
		}
		// Where one was changed between the two statements, nobody finds this
		// state again.
		kept = &keptServices{state, list}
		db.services.Store(kept)
	}
	list := make([]hospital.Service, 0, len(kept.list))
	for i := range kept.list {
		if s := &kept.list[i]; s.Active || all {
			list = append(list, *s)
		}
	}
	return list, nil
}

// serviceState tells one state of the services from another.
type serviceState struct{ versions, changed int64 }

// keptServices are the services of a state, which nobody writes to.
type keptServices struct {
	serviceState
	list []hospital.Service
}

// serviceColumns are the columns people fill, in one order.
func serviceColumns(f hospital.ServiceFields) []any {
	return []any{
		f.Code, f.Name, f.NameEn, sortKey(f.Name), f.Department, f.Location, f.Color, f.Description, f.Instructions, f.SlotMinutes, f.DefaultCapacity,
		f.OverbookLimit, f.BookingWindowDays, f.LeadMinutes, f.CancelCutoffMinutes, f.RequiresApproval, toJSON(f.StaffIDs), f.Active, f.Sort, toJSON(f.Schedule),
	}
}

// CreateService adds a service: a code that another has is DUPLICATE, staff
// that do not exist VALIDATION_FAILED.
func (db *DB) CreateService(ctx context.Context, in hospital.ServiceFields) (s hospital.Service, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return s, err
	}
	err = db.changeOnce(ctx, valueOf(&s), func(tx *Tx) error {
		if err := tx.refuseUnknownStaff(in.StaffIDs); err != nil {
			return err
		}
		var id int64
		err := tx.queryRow(`INSERT INTO services (created_at, updated_at, code, name, name_en, name_sort, department, location, color, description, instructions, slot_minutes,
			default_capacity, overbook_limit, booking_window_days, lead_minutes, cancel_cutoff_minutes, requires_approval, staff_ids, active, sort, schedule)
			VALUES ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21) RETURNING id`,
			append([]any{ms(tx.now)}, serviceColumns(in)...)...).Scan(&id)
		if err != nil {
			return fmt.Errorf("insert service: %w", err)
		}
		if s, err = readService(ctx, tx.tx, id); err != nil {
			return err
		}
		tx.publish(hospital.Event{Kind: hospital.EventService, ID: id, ServiceID: id, Version: s.Version})
		tx.note("service.create", "service", id, s.Name, diff(nil, s))
		return nil
	})
	return s, err
}

// refuseUnknownStaff tells when somebody who should serve does not exist.
func (tx *Tx) refuseUnknownStaff(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var f filter
	f.in("id", numbers(ids))
	f.add("deleted_at IS NULL")
	var n int
	if err := tx.queryRow(`SELECT count(*) FROM users `+f.where(), f.args...).Scan(&n); err != nil {
		return fmt.Errorf("look for staff: %w", err)
	}
	if n < len(ids) {
		return hospital.Refuse(hospital.ValidationFailed).On("staffIds", "ไม่พบเจ้าหน้าที่บางคน", "Some of these people do not exist.")
	}
	return nil
}

// UpdateService lets apply change the fields of a service. Refused: a stale
// version (CONFLICT_VERSION with the current one), wrong fields, a code that
// another has (DUPLICATE).
func (db *DB) UpdateService(ctx context.Context, id, version int64, apply func(*hospital.ServiceFields) error) (s hospital.Service, err error) {
	err = db.changeOnce(ctx, valueOf(&s), func(tx *Tx) error {
		before, err := readService(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Refuse(hospital.ConflictVersion).With("current", before)
		}
		after := before.Clean()
		if err := apply(&after); err != nil {
			return err
		}
		after = after.Clean()
		if err := errors.Join(after.Validate(), tx.refuseUnknownStaff(after.StaffIDs)); err != nil {
			return err
		}
		n, err := tx.exec(`UPDATE services SET version = version + 1, updated_at = $3, code = $4, name = $5, name_en = $6, name_sort = $7, department = $8, location = $9, color = $10,
			description = $11, instructions = $12, slot_minutes = $13, default_capacity = $14, overbook_limit = $15, booking_window_days = $16, lead_minutes = $17,
			cancel_cutoff_minutes = $18, requires_approval = $19, staff_ids = $20, active = $21, sort = $22, schedule = $23 WHERE id = $1 AND version = $2`,
			append([]any{id, version, ms(tx.now)}, serviceColumns(after)...)...)
		if err != nil {
			return fmt.Errorf("update service: %w", err)
		}
		if s, err = readService(ctx, tx.tx, id); err != nil {
			return err
		}
		if n == 0 { // somebody was faster between our look and our write
			return hospital.Refuse(hospital.ConflictVersion).With("current", s)
		}
		tx.publish(hospital.Event{Kind: hospital.EventService, ID: id, ServiceID: id, Version: s.Version})
		tx.note("service.update", "service", id, s.Name, diff(before, s))
		return nil
	})
	return s, err
}

// DeleteService takes a service away: NOT_FOUND, IN_USE with how many are still
// to come while it is booked. Past appointments keep it readable.
func (db *DB) DeleteService(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		// Lock before counting: a concurrent booking is either counted or finds the service deleted.
		if _, err := tx.exec(`SELECT s.id FROM services s WHERE s.id = $1`+db.dialect.forUpdate("s"), id); err != nil {
			return fmt.Errorf("lock service: %w", err)
		}
		s, err := readService(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE services SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(tx.now)); err != nil {
			return fmt.Errorf("delete service: %w", err)
		}
		count, err := tx.countUpcoming("service_id", id)
		if err != nil {
			return err
		}
		if count > 0 {
			return hospital.Refuse(hospital.InUse).With("count", count).
				Because(fmt.Sprintf("ยังมีนัดที่จะถึงหรือยังไม่เสร็จ %d รายการ กรุณาเลื่อนหรือยกเลิกก่อน หรือปิดรับนัดแทนการลบ", count), fmt.Sprintf("%d appointments are still to come. Move or cancel them first, or stop taking bookings instead.", count))
		}
		tx.publish(hospital.Event{Kind: hospital.EventService, ID: id, ServiceID: id, Version: s.Version})
		tx.note("service.delete", "service", id, s.Name, diff(s, nil))
		return nil
	})
}
