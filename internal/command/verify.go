package command

import (
	"context"
	"errors"
	"fmt"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

type verifyCmd struct{}

// Run reads the whole audit log and every file of a result, and counts the seats
// of every slot, the appointments of every day, the patients, and the results of
// every appointment. It fails when the log or a file is not as it was written, or
// something counts what is not there.
func (verifyCmd) Run(ctx context.Context, a *app) (err error) {
	db, uploads, closeBoth, err := a.openBoth(ctx)
	if err != nil {
		return err
	}
	defer closeBoth(&err)
	faults, err := a.verify(ctx, db, uploads)
	return errors.Join(err, faults)
}

// verify looks for what is not as it was written. found tells what is wrong; an
// error, that it could not look.
func (a *app) verify(ctx context.Context, db *store.DB, uploads files.Store) (found, err error) {
	read, faults, err := db.VerifyAudit(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		fmt.Fprintf(a.Stdout, "audit lane %d, entry %d: %s\n", f.Lane, f.Seq, f.Fault)
	}
	fmt.Fprintf(a.Stdout, "%d audit entries read, %d faults\n", read, len(faults))
	wrong, err := db.VerifySlots(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range wrong {
		fmt.Fprintf(a.Stdout, "service %d, %s %s: counts %d seats, %d are held\n", f.ServiceID, f.Date, f.Start, f.Booked, f.Seats)
	}
	fmt.Fprintf(a.Stdout, "seats of every slot counted, %d faults\n", len(wrong))
	totals, err := db.VerifyTotals(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range totals {
		fmt.Fprintf(a.Stdout, "service %d, %s: counts %d appointments %s, there are %d\n", f.ServiceID, f.Date, f.Counted, f.Status, f.There)
	}
	fmt.Fprintf(a.Stdout, "appointments of every day counted, %d faults\n", len(totals))
	counted, there, err := db.VerifyPatientTotal(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.Stdout, "%d patients, counted as %d\n", there, counted)
	miscounted, err := db.VerifyResultCounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range miscounted {
		fmt.Fprintf(a.Stdout, "appointment %d: counts %d results, has %d\n", f.AppointmentID, f.Counted, f.Found)
	}
	fmt.Fprintf(a.Stdout, "results of every appointment counted, %d faults\n", len(miscounted))
	damaged, err := a.verifyFiles(ctx, db, uploads)
	if err != nil {
		return nil, err
	}
	var all []error
	if counted != there {
		all = append(all, errors.New("the count of patients is not their number"))
	}
	if len(miscounted) > 0 {
		all = append(all, errors.New("the count of an appointment is not the number of its results"))
	}
	if damaged > 0 {
		all = append(all, errors.New("the file of a result is missing or not as it was sent"))
	}
	if len(faults) > 0 {
		all = append(all, errors.New("the audit log is not as it was written (or NADMOR_SECRET is not the one it was written with)"))
	}
	if len(wrong) > 0 {
		all = append(all, errors.New("the count of a slot is not the number of seats held in it"))
	}
	if len(totals) > 0 {
		all = append(all, errors.New("the totals of a day are not the number of its appointments"))
	}
	return errors.Join(all...), nil
}

// verifyFiles reads the file of every result, those of deleted ones too, and
// compares it with the SHA-256 of when it was sent.
func (a *app) verifyFiles(ctx context.Context, db *store.DB, uploads files.Store) (damaged int, err error) {
	read := 0
	err = db.EachResultFile(ctx, func(id int64, f hospital.StoredFile) error {
		read++
		fault, err := files.Check(ctx, uploads, f.Key, files.Stored{Size: f.Size, SHA256: f.SHA256})
		if fault != "" {
			damaged++
			fmt.Fprintf(a.Stdout, "result %d, file %s: %s\n", id, f.Key, fault)
		}
		return err
	})
	if err == nil {
		fmt.Fprintf(a.Stdout, "%d files of results read, %d faults\n", read, damaged)
	}
	return damaged, err
}
