package store

import (
	"context"
	"database/sql"
	"fmt"

	"nadmor/internal/hospital"
)

const customerSelect = `SELECT c.id, c.name, c.phone, c.email, c.line_user_id, c.status, c.consent_at, c.note, c.version, c.created_at, c.updated_at FROM customers c `

func scanCustomer(scan func(...any) error) (hospital.Customer, error) {
	var c hospital.Customer
	var consent sql.NullInt64
	var created, updated int64
	err := scan(&c.ID, &c.Name, &c.Phone, &c.Email, &c.LineUserID, &c.Status, &consent, &c.Note, &c.Version, &created, &updated)
	c.ConsentAt, c.CreatedAt, c.UpdatedAt = atOrNil(consent), at(created), at(updated)
	c.Patients = []hospital.CustomerPatient{}
	return c, err
}

// customersWhere reads customers with the patients they book for, in two
// statements however many there are.
func customersWhere(ctx context.Context, q querier, where string, args ...any) ([]hospital.Customer, error) {
	rows, err := q.QueryContext(ctx, customerSelect+where, args...)
	list, err := collect(rows, err, func(rows *sql.Rows) (hospital.Customer, error) { return scanCustomer(rows.Scan) })
	if err != nil || len(list) == 0 {
		return list, err
	}
	var f filter
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	f.in("l.customer_id", numbers(ids))
	type link struct {
		customer int64
		hospital.CustomerPatient
	}
	rows, err = q.QueryContext(ctx, `SELECT l.customer_id, l.patient_id, l.relation, p.hn, p.prename, p.first_name, p.last_name
		FROM customer_patients l JOIN patients p ON p.id = l.patient_id `+f.where()+` ORDER BY l.customer_id, l.patient_id`, f.args...)
	links, err := collect(rows, err, func(rows *sql.Rows) (l link, err error) {
		var p hospital.PatientFields
		err = rows.Scan(&l.customer, &l.PatientID, &l.Relation, &l.HN, &p.Prename, &p.FirstName, &p.LastName)
		l.Name = p.FullName()
		return l, err
	})
	for _, l := range links {
		for i := range list {
			if list[i].ID == l.customer {
				list[i].Patients = append(list[i].Patients, l.CustomerPatient)
			}
		}
	}
	return list, err
}

func readCustomer(ctx context.Context, q querier, id int64) (hospital.Customer, error) {
	return only(customersWhere(ctx, q, `WHERE c.id = $1 AND c.deleted_at IS NULL`, id))
}

// Customer returns one app account with its patients: NOT_FOUND.
func (db *DB) Customer(ctx context.Context, id int64) (hospital.Customer, error) {
	c, err := readCustomer(ctx, db.read, id)
	return c.SeenWith(callerPermissions(ctx)), mapError(err)
}

// callerPermissions returns the permissions of the caller.
func callerPermissions(ctx context.Context) hospital.PermissionSet {
	return hospital.ActorFrom(ctx).Permissions
}

// ListCustomers returns a page of app accounts.
func (db *DB) ListCustomers(ctx context.Context, in hospital.CustomerFilter) (page hospital.Paged[hospital.Customer], err error) {
	order, err := orderBy(in.Page, map[string]string{"name": "c.name_sort", "phone": "c.phone", "status": "c.status", "createdAt": "c.created_at"}, "c.id", "name")
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
		f.add("(c.name_search LIKE %s OR lower(c.email) LIKE %s)", "%"+key+"%", "%"+withoutWildCards(hospital.NameKey(in.Q))+"%")
	}
	var total int64
	if err := db.read.QueryRowContext(ctx, `SELECT count(*) FROM customers c `+f.where(), f.args...).Scan(&total); err != nil {
		return page, mapError(err)
	}
	where, limit := f.where(), f.page(in.Page)
	list, err := customersWhere(ctx, db.read, where+" "+order+" "+limit, f.args...)
	for i := range list {
		list[i] = list[i].SeenWith(callerPermissions(ctx))
	}
	return hospital.Of(in.Page, list, total), mapError(err)
}

// CreateCustomer adds an app account. It returns DUPLICATE for a phone number in use,
// VALIDATION_FAILED for a patient that does not exist, and FORBIDDEN for any patient if the
// caller lacks PATIENT.SHOW.
func (db *DB) CreateCustomer(ctx context.Context, in hospital.CustomerFields) (c hospital.Customer, err error) {
	in = in.Clean()
	if err := in.Validate(); err != nil {
		return c, err
	}
	if err := in.CheckLinks(nil, callerPermissions(ctx)); err != nil {
		return c, err
	}
	err = db.changeOnce(ctx, valueOf(&c), func(tx *Tx) error {
		var id int64
		err := tx.queryRow(`INSERT INTO customers (name, name_search, name_sort, phone, email, line_user_id, status, consent_at, note, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) RETURNING id`,
			in.Name, hospital.SearchKey(in.Name), sortKey(in.Name), in.Phone, in.Email, in.LineUserID, string(in.Status), msOrNil(in.ConsentAt), in.Note, ms(tx.now)).Scan(&id)
		if err != nil {
			return fmt.Errorf("insert customer: %w", err)
		}
		if err := tx.linkPatients(id, in.Patients); err != nil {
			return err
		}
		if c, err = readCustomer(ctx, tx.tx, id); err != nil {
			return err
		}
		tx.note("customer.create", "customer", id, c.Name, diff(nil, c))
		c = c.SeenWith(callerPermissions(ctx))
		return nil
	})
	return c, err
}

// linkPatients replaces the patients a customer books for.
func (tx *Tx) linkPatients(customerID int64, patients []hospital.CustomerPatient) error {
	if _, err := tx.exec(`DELETE FROM customer_patients WHERE customer_id = $1`, customerID); err != nil {
		return fmt.Errorf("unlink patients: %w", err)
	}
	for i, p := range patients {
		n, err := tx.exec(`INSERT INTO customer_patients (customer_id, patient_id, relation) SELECT $1, id, $3 FROM patients WHERE id = $2 AND deleted_at IS NULL`,
			customerID, p.PatientID, string(p.Relation))
		if err != nil {
			return fmt.Errorf("link patient %d: %w", p.PatientID, err)
		}
		if n == 0 {
			return hospital.Refuse(hospital.ValidationFailed).On(fmt.Sprintf("patients[%d].patientId", i), "ไม่พบผู้ป่วยรายนี้", "There is no such patient.")
		}
	}
	return nil
}

// UpdateCustomer lets apply change the fields of an account. Refused: a stale
// version (CONFLICT_VERSION with the current one), wrong fields, a phone that
// another has (DUPLICATE), a new link by a caller without PATIENT.SHOW (FORBIDDEN).
func (db *DB) UpdateCustomer(ctx context.Context, id, version int64, apply func(*hospital.CustomerFields) error) (c hospital.Customer, err error) {
	err = db.changeOnce(ctx, valueOf(&c), func(tx *Tx) error {
		before, err := readCustomer(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if before.Version != version {
			return hospital.Refuse(hospital.ConflictVersion).With("current", before.SeenWith(callerPermissions(ctx)))
		}
		after := before.CustomerFields
		if err := apply(&after); err != nil {
			return err
		}
		after = after.Clean()
		if err := after.Validate(); err != nil {
			return err
		}
		if err := after.CheckLinks(before.Patients, callerPermissions(ctx)); err != nil {
			return err
		}
		n, err := tx.exec(`UPDATE customers SET name = $2, name_search = $3, name_sort = $4, phone = $5, email = $6, line_user_id = $7, status = $8, consent_at = $9, note = $10,
			version = version + 1, updated_at = $11 WHERE id = $1 AND version = $12`,
			id, after.Name, hospital.SearchKey(after.Name), sortKey(after.Name), after.Phone, after.Email, after.LineUserID, string(after.Status), msOrNil(after.ConsentAt), after.Note, ms(tx.now), version)
		if err != nil {
			return fmt.Errorf("update customer: %w", err)
		}
		if n == 0 { // somebody was faster between our look and our write
			if before, err = readCustomer(ctx, tx.tx, id); err != nil {
				return err
			}
			return hospital.Refuse(hospital.ConflictVersion).With("current", before.SeenWith(callerPermissions(ctx)))
		}
		if err := tx.linkPatients(id, after.Patients); err != nil {
			return err
		}
		if c, err = readCustomer(ctx, tx.tx, id); err != nil {
			return err
		}
		tx.note("customer.update", "customer", id, c.Name, diff(before, c))
		c = c.SeenWith(callerPermissions(ctx))
		return nil
	})
	return c, err
}

// DeleteCustomer takes an account away: NOT_FOUND.
func (db *DB) DeleteCustomer(ctx context.Context, id int64) error {
	return db.changeOnce(ctx, noAnswer, func(tx *Tx) error {
		c, err := readCustomer(ctx, tx.tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.exec(`UPDATE customers SET deleted_at = $2, version = version + 1, updated_at = $2 WHERE id = $1`, id, ms(tx.now)); err != nil {
			return fmt.Errorf("delete customer: %w", err)
		}
		if _, err := tx.exec(`DELETE FROM customer_patients WHERE customer_id = $1`, id); err != nil {
			return fmt.Errorf("unlink patients: %w", err)
		}
		tx.note("customer.delete", "customer", id, c.Name, diff(c, nil))
		return nil
	})
}
