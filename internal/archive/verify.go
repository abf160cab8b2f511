package archive

import (
	"context"
	"errors"
	"fmt"
	"io"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// Verify checks that the audit log and the files of results are unchanged, and that the stored counts and
// totals are correct. It writes every fault and a summary to out. found describes the faults; err means that
// the check itself failed.
func Verify(ctx context.Context, db *store.DB, uploads files.Store, out io.Writer) (found, err error) {
	read, faults, err := db.VerifyAudit(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		fmt.Fprintf(out, "audit chain %d, entry %d: %s\n", f.Chain, f.Seq, f.Fault)
	}
	fmt.Fprintf(out, "%d audit entries read, %d faults\n", read, len(faults))
	wrong, err := db.VerifySlots(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range wrong {
		fmt.Fprintf(out, "service %d, %s %s: counts %d seats, %d are held\n",
			f.ServiceID, f.Date, f.Start, f.Booked, f.Seats)
	}
	fmt.Fprintf(out, "seats of every slot counted, %d faults\n", len(wrong))
	totals, err := db.VerifyTotals(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range totals {
		fmt.Fprintf(out, "service %d, %s: counts %d appointments %s, there are %d\n",
			f.ServiceID, f.Date, f.Counted, f.Status, f.Found)
	}
	fmt.Fprintf(out, "appointments of every day counted, %d faults\n", len(totals))
	counted, stored, err := db.VerifyPatientTotal(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%d patients, counted as %d\n", stored, counted)
	miscounted, err := db.VerifyResultCounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range miscounted {
		fmt.Fprintf(out, "appointment %d: counts %d results, has %d\n", f.AppointmentID, f.Counted, f.Found)
	}
	fmt.Fprintf(out, "results of every appointment counted, %d faults\n", len(miscounted))
	damaged, err := verifyFiles(ctx, db, uploads, out)
	if err != nil {
		return nil, err
	}
	var all []error
	if counted != stored {
		all = append(all, errors.New("the count of patients is not their number"))
	}
	if len(miscounted) > 0 {
		all = append(all, errors.New("the count of an appointment is not the number of its results"))
	}
	if damaged > 0 {
		all = append(all, errors.New("the file of a result is missing or not as it was sent"))
	}
	if len(faults) > 0 {
		all = append(all, errors.New("the audit log is not as it was written "+
			"(or NADMOR_SECRET is not the one it was written with)"))
	}
	if len(wrong) > 0 {
		all = append(all, errors.New("the count of a slot is not the number of seats held in it"))
	}
	if len(totals) > 0 {
		all = append(all, errors.New("the totals of a day are not the number of its appointments"))
	}
	return errors.Join(all...), nil
}

// verifyFiles reads the file of every result, deleted results included, and compares it with the SHA-256
// from its upload.
func verifyFiles(ctx context.Context, db *store.DB, uploads files.Store, out io.Writer) (damaged int, err error) {
	read := 0
	err = db.EachResultFile(ctx, func(id int64, f hospital.StoredFile) error {
		read++
		fault, err := files.Check(ctx, uploads, f.Key, files.Stored{Size: f.Size, SHA256: f.SHA256})
		if fault != "" {
			damaged++
			fmt.Fprintf(out, "result %d, file %s: %s\n", id, f.Key, fault)
		}
		return err
	})
	if err == nil {
		fmt.Fprintf(out, "%d files of results read, %d faults\n", read, damaged)
	}
	return damaged, err
}
