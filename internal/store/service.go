package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const serviceSelect = `SELECT s.id, s.code, s.name, s.name_en, s.department, s.location, s.color, s.description,
	s.instructions, s.slot_minutes, s.default_capacity, s.overbook_limit, s.booking_window_days, s.lead_minutes,
	s.cancel_cutoff_minutes, s.requires_approval, s.staff_ids, s.active, s.sort, s.schedule,
	s.version, s.created_at, s.updated_at FROM services s `

func scanService(scan sqldb.Scan) (hospital.Service, error) {
	var s hospital.Service
	var staff, schedule string
	var created, updated int64
	err := scan(&s.ID, &s.Code, &s.Name, &s.NameEn, &s.Department, &s.Location, &s.Color, &s.Description,
		&s.Instructions, &s.SlotMinutes, &s.DefaultCapacity, &s.OverbookLimit, &s.BookingWindowDays, &s.LeadMinutes,
		&s.CancelCutoffMinutes, &s.RequiresApproval, &staff, &s.Active, &s.Sort, &schedule,
		&s.Version, &created, &updated)
	if err != nil {
		return s, err
	}
	s.CreatedAt, s.UpdatedAt = at(created), at(updated)
	var inStaff, inSchedule error
	s.StaffIDs, inStaff = idLists.of(staff)
	s.Schedule, inSchedule = schedules.of(schedule)
	return s, errors.Join(inStaff, inSchedule)
}

var (
	idLists   = jsonCache[[]int64]{copy: slices.Clone[[]int64]}
	schedules = jsonCache[[]hospital.ScheduleRow]{copy: hospital.CopySchedule}
)

func (tx *Tx) readService(id int64) (hospital.Service, error) {
	s, err := scanService(tx.Get(serviceSelect+`WHERE s.id = $1 AND s.deleted_at IS NULL`, id).Scan)
	return s, orNotFound(err)
}

// Service returns a service with its weekly rows. It returns NOT_FOUND if there is none.
func (db *DB) Service(ctx context.Context, id int64) (s hospital.Service, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		s, err = tx.readService(id)
		return err
	})
	return s, err
}

// ListServices returns the services that take bookings, or all of them, in the order that the
// hospital chose.
func (db *DB) ListServices(ctx context.Context, all bool) (list []hospital.Service, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		list, err = tx.listServices(all)
		return err
	})
	return list, err
}

// queryServices queries what ListServices returns. The function it returns reads the services, whose
// lists must not be changed.
func (tx *Tx) queryServices(all bool) func() ([]hospital.Service, error) {
	row := tx.Get(`SELECT coalesce(sum(version), 0), coalesce(max(updated_at), 0) FROM services`)
	return func() ([]hospital.Service, error) {
		var state serviceState
		if err := row.Scan(&state.versions, &state.changed); err != nil {
			return nil, err
		}
		cached := tx.db.services.Load()
		if cached == nil || cached.serviceState != state || !tx.readOnly {
			list, err := sqldb.Collect(tx.All(serviceSelect+`WHERE s.deleted_at IS NULL
				ORDER BY s.sort, s.name_sort, s.id`), scanService)
			if err != nil {
				return nil, err
			}
			cached = &serviceCache{state, list}
			if tx.readOnly { // on the same snapshot, and of committed changes only
				tx.db.services.Store(cached)
			}
		}
		list := make([]hospital.Service, 0, len(cached.list))
		for _, s := range cached.list {
			if s.Active || all {
				list = append(list, s)
			}
		}
		return list, nil
	}
}

// serviceState identifies a state of the services: every change increases a version.
type serviceState struct{ versions, changed int64 }

// serviceCache holds the services in a state. It is invalid for a transaction that reads another state,
// on any node.
type serviceCache struct {
	serviceState
	list []hospital.Service
}

// listServices returns what ListServices returns.
func (tx *Tx) listServices(all bool) ([]hospital.Service, error) { return tx.queryServices(all)() }

// serviceColumns returns the values of the columns that users fill in, in the order of both statements.
func serviceColumns(f hospital.ServiceFields) []any {
	return []any{
		f.Code, f.Name, f.NameEn, sortKey(f.Name), f.Department, f.Location, f.Color, f.Description, f.Instructions,
		f.SlotMinutes, f.DefaultCapacity, f.OverbookLimit, f.BookingWindowDays, f.LeadMinutes, f.CancelCutoffMinutes,
		f.RequiresApproval, toJSON(f.StaffIDs), f.Active, f.Sort, toJSON(f.Schedule),
	}
}

// CreateService adds a service. It returns DUPLICATE for a code in use and VALIDATION_FAILED for
// invalid fields and for staff that do not exist.
func (db *DB) CreateService(ctx context.Context, in hospital.ServiceFields) (s hospital.Service, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return s, err
	}
	err = db.changeOnce(ctx, valueOf(&s), func(tx *Tx) error {
		if err := tx.rejectUnknownStaff(in.StaffIDs); err != nil {
			return err
		}
		var id int64
		err := tx.Get(`INSERT INTO services (created_at, updated_at, code, name, name_en, name_sort, department, location,
			color, description, instructions, slot_minutes, default_capacity, overbook_limit, booking_window_days,
			lead_minutes, cancel_cutoff_minutes, requires_approval, staff_ids, active, sort, schedule)
			VALUES ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
			RETURNING id`,
			append([]any{ms(tx.now)}, serviceColumns(in)...)...).Scan(&id)
		if err != nil {
			return err
		}
		if s, err = tx.readService(id); err != nil {
			return err
		}
		tx.Publish(hospital.Event{Kind: hospital.EventService, ID: id, ServiceID: id, Version: s.Version})
		tx.Note("service.create", "service", id, s.Name, diff(nil, s))
		return nil
	})
	return s, err
}

// rejectUnknownStaff returns VALIDATION_FAILED if one of the users does not exist.
func (tx *Tx) rejectUnknownStaff(ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	var f filter
	f.in("id", numbers(ids))
	f.add("deleted_at IS NULL")
	var n int
	if err := tx.Get(`SELECT count(*) FROM users `+f.where(), f.args...).Scan(&n); err != nil {
		return err
	}
	if n < len(ids) {
		return hospital.Reject(hospital.ValidationFailed).
			On("staffIds", "ไม่พบเจ้าหน้าที่บางคน", "Some of these people do not exist.")
	}
	return nil
}

// UpdateService lets apply change the fields of a service. It returns NOT_FOUND, CONFLICT_VERSION with
// the current service for a stale version, VALIDATION_FAILED for invalid fields, and DUPLICATE for a
// code in use.
func (db *DB) UpdateService(
	ctx context.Context, id, version int64, apply func(*hospital.ServiceFields) error,
) (s hospital.Service, err error) {
	err = db.changeOnce(ctx, valueOf(&s), func(tx *Tx) error {
		before, err := tx.readService(id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Reject(hospital.ConflictVersion).With("current", before)
		}
		after := before.Clean()
		if err := apply(&after); err != nil {
			return err
		}
		after = after.Clean()
		if err := after.Validate(); err != nil {
			return err
		}
		if err := tx.rejectUnknownStaff(after.StaffIDs); err != nil {
			return err
		}
		n, err := tx.Exec(`UPDATE services SET version = version + 1, updated_at = $3, code = $4, name = $5, name_en = $6,
			name_sort = $7, department = $8, location = $9, color = $10, description = $11, instructions = $12,
			slot_minutes = $13, default_capacity = $14, overbook_limit = $15, booking_window_days = $16,
			lead_minutes = $17, cancel_cutoff_minutes = $18, requires_approval = $19, staff_ids = $20, active = $21,
			sort = $22, schedule = $23 WHERE id = $1 AND version = $2`,
			append([]any{id, version, ms(tx.now)}, serviceColumns(after)...)...).Affected()
		if err != nil {
			return err
		}
		if s, err = tx.readService(id); err != nil {
			return err
		}
		if n == 0 { // changed by another transaction after it was read
			return hospital.Reject(hospital.ConflictVersion).With("current", s)
		}
		tx.Publish(hospital.Event{Kind: hospital.EventService, ID: id, ServiceID: id, Version: s.Version})
		tx.Note("service.update", "service", id, s.Name, diff(before, s))
		return nil
	})
	return s, err
}

// DeleteService deletes a service. It returns NOT_FOUND, and IN_USE with the number of upcoming
// appointments. Past appointments still show it.
func (db *DB) DeleteService(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		// Lock before counting: a concurrent booking is either counted or finds the service deleted.
		tx.Exec(`SELECT s.id FROM services s WHERE s.id = $1`+db.dialect.forUpdate("s"), id)
		s, err := tx.readService(id)
		if err != nil {
			return err
		}
		tx.Exec(`UPDATE services SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`,
			id, ms(tx.now))
		count, err := tx.countUpcoming("service_id", id)
		if err != nil {
			return err
		}
		if count > 0 {
			return hospital.Reject(hospital.InUse).With("count", count).
				Because(fmt.Sprintf("ยังมีนัดที่จะถึงหรือยังไม่เสร็จ %d รายการ "+
					"กรุณาเลื่อนหรือยกเลิกก่อน หรือปิดรับนัดแทนการลบ", count),
					fmt.Sprintf("%d appointments are still to come. "+
						"Move or cancel them first, or stop taking bookings instead.", count))
		}
		tx.Publish(hospital.Event{Kind: hospital.EventService, ID: id, ServiceID: id, Version: s.Version})
		tx.Note("service.delete", "service", id, s.Name, diff(s, nil))
		return nil
	})
}
