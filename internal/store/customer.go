package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"nadmor/internal/hospital"
	"nadmor/internal/sqldb"
)

const customerSelect = `SELECT c.id, c.name, c.phone, c.email, c.line_user_id, c.status, c.consent_at, c.note,
	c.version, c.created_at, c.updated_at FROM customers c `

func scanCustomer(scan sqldb.Scan) (hospital.Customer, error) {
	var c hospital.Customer
	var consent sql.NullInt64
	var created, updated int64
	err := scan(&c.ID, &c.Name, &c.Phone, &c.Email, &c.LineUserID, &c.Status, &consent, &c.Note, &c.Version,
		&created, &updated)
	c.ConsentAt, c.CreatedAt, c.UpdatedAt = atOrNil(consent), at(created), at(updated)
	c.Patients = []hospital.CustomerPatient{}
	return c, err
}

// customersWhere returns customers with the patients they book for.
func (tx *Tx) customersWhere(where string, args ...any) ([]hospital.Customer, error) {
	list, err := sqldb.Collect(tx.All(customerSelect+where, args...), scanCustomer)
	if err != nil {
		return nil, err
	}
	ids, byID := make([]int64, len(list)), make(map[int64]*hospital.Customer, len(list))
	for i := range list {
		ids[i], byID[list[i].ID] = list[i].ID, &list[i]
	}
	for batch := range slices.Chunk(ids, maxIDsPerStatement) {
		var f filter
		f.in("l.customer_id", numbers(batch))
		err := tx.All(`SELECT l.customer_id, l.patient_id, l.relation, p.hn, p.prename, p.first_name, p.last_name
			FROM customer_patients l JOIN patients p ON p.id = l.patient_id `+f.where()+`
			ORDER BY l.customer_id, l.patient_id`, f.args...).Each(func(scan sqldb.Scan) error {
			var customer int64
			var l hospital.CustomerPatient
			var p hospital.PatientFields
			err := scan(&customer, &l.PatientID, &l.Relation, &l.HN, &p.Prename, &p.FirstName, &p.LastName)
			if err != nil {
				return err
			}
			l.Name = p.FullName()
			byID[customer].Patients = append(byID[customer].Patients, l)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// CustomersByID returns the customers with the ids and the patients they book for, deleted ones included.
func (tx *Tx) CustomersByID(ids ...int64) ([]hospital.Customer, error) {
	return byID("c.id", ids, tx.customersWhere)
}

// EraseCustomer erases and deletes an app account. It reports whether there was anything to erase.
func (tx *Tx) EraseCustomer(id int64) (erased bool, err error) {
	n, err := tx.Exec(`UPDATE customers SET name = $2, name_search = $3, name_sort = $4, phone = '', email = '',
			line_user_id = '', consent_at = NULL, note = '', deleted_at = coalesce(deleted_at, $5),
			version = version + 1, updated_at = $5
		WHERE id = $1 AND name <> $2`,
		id, hospital.ErasedCustomer, hospital.SearchKey(hospital.ErasedCustomer), sortKey(hospital.ErasedCustomer),
		ms(tx.now)).Affected()
	return n > 0, err
}

func (tx *Tx) readCustomer(id int64) (hospital.Customer, error) {
	return only(tx.customersWhere(`WHERE c.id = $1 AND c.deleted_at IS NULL`, id))
}

// Customer returns an app account with its patients. It returns NOT_FOUND if there is none.
func (db *DB) Customer(ctx context.Context, id int64) (c hospital.Customer, err error) {
	err = db.Read(ctx, func(tx *Tx) error {
		c, err = tx.readCustomer(id)
		c = c.RedactedFor(tx.actor.Permissions)
		return err
	})
	return c, err
}

// ListCustomers returns a page of app accounts.
func (db *DB) ListCustomers(
	ctx context.Context, in hospital.CustomerFilter,
) (page hospital.Paged[hospital.Customer], err error) {
	order, err := orderBy(in.Page, map[string]string{
		"name": "c.name_sort", "phone": "c.phone", "status": "c.status", "createdAt": "c.created_at",
	}, "c.id", "name")
	if err != nil {
		return page, err
	}
	var f filter
	f.add("c.deleted_at IS NULL")
	if in.Status != "" {
		f.add("c.status = %s", string(in.Status))
	}
	if digits := numberOf(in.Q); digits != "" {
		f.add("c.phone LIKE %s", "%"+digits+"%")
	} else if key := hospital.SearchKey(in.Q); key != "" {
		f.add("(c.name_search LIKE %s OR lower(c.email) LIKE %s)",
			"%"+key+"%", "%"+withoutWildCards(hospital.NameKey(in.Q))+"%")
	}
	where, args := f.where(), f.args
	limit := f.page(in.Page)
	err = db.Read(ctx, func(tx *Tx) error {
		count := tx.Get(`SELECT count(*) FROM customers c `+where, args...)
		list, err := tx.customersWhere(where+" "+order+" "+limit, f.args...)
		if err != nil {
			return err
		}
		for i := range list {
			list[i] = list[i].RedactedFor(tx.actor.Permissions)
		}
		var total int64
		err = count.Scan(&total)
		page = hospital.NewPaged(in.Page, list, total)
		return err
	})
	return page, err
}

// CreateCustomer adds an app account. It returns DUPLICATE for a phone number in use,
// VALIDATION_FAILED for a patient that does not exist, and FORBIDDEN for any patient if the
// caller lacks PATIENT.SHOW.
func (db *DB) CreateCustomer(ctx context.Context, in hospital.CustomerFields) (c hospital.Customer, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return c, err
	}
	if err := in.CheckLinks(nil, hospital.ActorFrom(ctx).Permissions); err != nil {
		return c, err
	}
	err = db.changeOnce(ctx, valueOf(&c), func(tx *Tx) error {
		var id int64
		err := tx.Get(`INSERT INTO customers
			(name, name_search, name_sort, phone, email, line_user_id, status, consent_at, note, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) RETURNING id`,
			in.Name, hospital.SearchKey(in.Name), sortKey(in.Name), in.Phone, in.Email, in.LineUserID,
			string(in.Status), msOrNil(in.ConsentAt), in.Note, ms(tx.now)).Scan(&id)
		if err != nil {
			return err
		}
		if err := tx.linkPatients(id, in.Patients); err != nil {
			return err
		}
		if c, err = tx.readCustomer(id); err != nil {
			return err
		}
		tx.Note("customer.create", "customer", id, c.Name, diff(nil, c))
		c = c.RedactedFor(tx.actor.Permissions)
		return nil
	})
	return c, err
}

// linkPatients replaces the patients a customer books for. It returns VALIDATION_FAILED for a patient
// that does not exist.
func (tx *Tx) linkPatients(customerID int64, patients []hospital.CustomerPatient) error {
	tx.Exec(`DELETE FROM customer_patients WHERE customer_id = $1`, customerID)
	links := make([]sqldb.Result, len(patients))
	for i, p := range patients {
		links[i] = tx.Exec(`INSERT INTO customer_patients (customer_id, patient_id, relation)
			SELECT $1, id, $3 FROM patients WHERE id = $2 AND deleted_at IS NULL`,
			customerID, p.PatientID, string(p.Relation))
	}
	for i, link := range links {
		n, err := link.Affected()
		if err != nil {
			return err
		}
		if n == 0 {
			return hospital.Reject(hospital.ValidationFailed).
				On(fmt.Sprintf("patients[%d].patientId", i), "ไม่พบผู้ป่วยรายนี้", "There is no such patient.")
		}
	}
	return nil
}

// UpdateCustomer lets apply change the fields of an account. It returns NOT_FOUND, CONFLICT_VERSION with
// the current account for a stale version, VALIDATION_FAILED for invalid fields, DUPLICATE for a phone
// number in use, and FORBIDDEN for a new patient if the caller lacks PATIENT.SHOW.
func (db *DB) UpdateCustomer(
	ctx context.Context, id, version int64, apply func(*hospital.CustomerFields) error,
) (c hospital.Customer, err error) {
	err = db.changeOnce(ctx, valueOf(&c), func(tx *Tx) error {
		before, err := tx.readCustomer(id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Reject(hospital.ConflictVersion).With("current", before.RedactedFor(tx.actor.Permissions))
		}
		after := before.CustomerFields
		if err := apply(&after); err != nil {
			return err
		}
		after = after.Clean()
		if err := after.Validate(); err != nil {
			return err
		}
		if err := after.CheckLinks(before.Patients, tx.actor.Permissions); err != nil {
			return err
		}
		n, err := tx.Exec(`UPDATE customers SET name = $2, name_search = $3, name_sort = $4, phone = $5, email = $6,
			line_user_id = $7, status = $8, consent_at = $9, note = $10, version = version + 1, updated_at = $11
			WHERE id = $1 AND version = $12`,
			id, after.Name, hospital.SearchKey(after.Name), sortKey(after.Name), after.Phone, after.Email,
			after.LineUserID, string(after.Status), msOrNil(after.ConsentAt), after.Note, ms(tx.now), version).Affected()
		if err != nil {
			return err
		}
		if n == 0 { // changed by another transaction after it was read
			if before, err = tx.readCustomer(id); err != nil {
				return err
			}
			return hospital.Reject(hospital.ConflictVersion).With("current", before.RedactedFor(tx.actor.Permissions))
		}
		if err := tx.linkPatients(id, after.Patients); err != nil {
			return err
		}
		if c, err = tx.readCustomer(id); err != nil {
			return err
		}
		tx.Note("customer.update", "customer", id, c.Name, diff(before, c))
		c = c.RedactedFor(tx.actor.Permissions)
		return nil
	})
	return c, err
}

// DeleteCustomer deletes an account. It returns NOT_FOUND if there is none.
func (db *DB) DeleteCustomer(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		c, err := tx.readCustomer(id)
		if err != nil {
			return err
		}
		tx.Exec(`UPDATE customers SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`,
			id, ms(tx.now))
		tx.Exec(`DELETE FROM customer_patients WHERE customer_id = $1`, id)
		tx.Note("customer.delete", "customer", id, c.Name, diff(c, nil))
		return nil
	})
}
