package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/privacy"
	"nadmor/internal/store"
)

type pdpaAnonymiseCmd struct {
	Patient      string `arg:"" optional:"" help:"HN, ID card, passport, or id:17."`
	Reason       string `help:"Reason and legal basis, recorded in the audit log. Must not contain names."`
	CancelFuture bool   `help:"Cancel future appointments instead of failing."`
	DryRun       bool   `help:"Show what would be erased."`
	Yes          bool   `help:"Do not ask for confirmation."`
	Again        string `help:"Erase the patients of this list who were restored from an older backup (see nadmor pdpa erased)." placeholder:"LIST"`
}

// retention is printed before an erasure.
const retention = `Medical records have to be kept: at least five years (Sanatorium Act B.E. 2541), ` +
	`and longer where a claim or
another law needs them. For those the person cannot demand erasure (PDPA section 33). Old backups still hold the
data until they are deleted, and restoring one brings it back.
เวชระเบียนต้องเก็บรักษาอย่างน้อย 5 ปี (พ.ร.บ. สถานพยาบาล พ.ศ. 2541) ข้อมูลที่กฎหมายให้เก็บรักษาไม่อยู่ในสิทธิขอลบ ` +
	`(PDPA มาตรา 33)
กรุณาให้ DPO พิจารณาก่อน ลบแล้วเรียกคืนไม่ได้`

// Run erases a patient's personal data.
func (c *pdpaAnonymiseCmd) Run(ctx context.Context, a *app) (err error) {
	if (c.Patient == "") == (c.Again == "") {
		return errors.New("give a patient, or --again LIST")
	}
	if strings.TrimSpace(c.Reason) == "" && c.Again == "" && !c.DryRun {
		return errors.New("--reason is needed: why the data is erased, and why the law allows it (it stays in the audit " +
			"log; no names)")
	}
	db, uploads, closeBoth, err := a.openBoth(ctx)
	if err != nil {
		return err
	}
	defer closeBoth(&err)
	ctx = hospital.WithActor(ctx, a.commandLine())
	if c.Again != "" {
		return a.eraseAgain(ctx, db, uploads, c.Again, c.DryRun)
	}
	p, err := subject(ctx, db, c.Patient)
	if err != nil {
		return err
	}
	in := hospital.Erasure{
		PatientID: p.ID, Reason: strings.TrimSpace(c.Reason), CancelFuture: c.CancelFuture, DryRun: true,
	}
	if in.Reason == "" {
		in.Reason = "dry run"
	}
	would, err := privacy.Anonymise(ctx, db, in)
	if err != nil {
		return err
	}
	last := "never"
	if p.LastVisit != nil {
		last = *p.LastVisit
	}
	fmt.Fprintf(a.Stderr, "%s\n\nRecord id:%d, last visit %s. To be erased: %s.\n", retention, p.ID, last, inWords(would))
	switch {
	case c.DryRun:
		fmt.Fprintln(a.Stderr, "Nothing was changed: this was a dry run.")
		return nil
	case would.Cancelled > 0 && !c.CancelFuture:
		return fmt.Errorf("the patient has %d future appointments: cancel them first, or use --cancel-future",
			would.Cancelled)
	case !c.Yes:
		fmt.Fprint(a.Stderr, "Type the HN to confirm: ")
		typed, _ := bufio.NewReader(a.Stdin).ReadString('\n')
		if key := hospital.HNKey(typed); key == "" || key != hospital.HNKey(p.HN) {
			return errors.New("that is not the HN: nothing was changed")
		}
	}
	in.DryRun = false
	return a.erase(ctx, db, uploads, in)
}

// inWords summarizes an erasure.
func inWords(e hospital.Erased) string {
	parts := []string{"the patient's identity"}
	if e.Already {
		parts = []string{"the patient was erased before; newer data"}
	}
	parts = append(parts,
		fmt.Sprintf("texts of %d appointments and %d history entries, %d results, %d files, %d app accounts, "+
			"personal data in %d audit entries",
			e.Appointments, e.History, e.Results, len(e.Files), e.Accounts, e.Entries))
	if e.Cancelled > 0 {
		parts = append(parts, fmt.Sprintf("%d future appointments are cancelled", e.Cancelled))
	}
	if len(e.SharedAccount) > 0 {
		parts = append(parts,
			fmt.Sprintf("the patient's own app account (customer %v) also books for others and is kept: delete it "+
				"in the app if necessary", e.SharedAccount))
	}
	return strings.Join(parts, "; ")
}

// erase erases a patient, deletes their files, and adds them to the list that restore reads. Files that
// cannot be deleted now are deleted by a job of the server.
func (a *app) erase(ctx context.Context, db *store.DB, uploads files.Store, in hospital.Erasure) error {
	done, err := privacy.Anonymise(ctx, db, in)
	if err != nil {
		return err
	}
	for _, key := range done.Files {
		if err := uploads.Delete(ctx, key); err != nil {
			fmt.Fprintln(a.Stderr, "a file could not be deleted now; the server will:", err)
		}
	}
	fmt.Fprintf(a.Stderr, "id:%d is erased: %s.\n", in.PatientID, inWords(done))
	return a.storeErasedList(ctx, db)
}

// erasedFile is the list of erased patients in the data folder.
const erasedFile = "erased.csv"

// storeErasedList writes the list of erased patients to the data folder, because a backup made before an
// erasure does not contain it.
func (a *app) storeErasedList(ctx context.Context, db *store.DB) error {
	if err := os.MkdirAll(a.Data, 0o700); err != nil {
		return fmt.Errorf("create data folder: %w", err)
	}
	list, err := privacy.ErasedRefs(ctx, db)
	if err != nil {
		return err
	}
	path := filepath.Join(a.Data, erasedFile)
	if known, err := readErased(path); err == nil { // from before a restore
		for _, r := range known {
			if !slices.ContainsFunc(list, func(o privacy.ErasedRef) bool { return o.PatientID == r.PatientID }) {
				list = append(list, r)
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var text bytes.Buffer
	if err := writeErased(&text, list); err != nil {
		return err
	}
	temporary := path + ".partial"
	if err := os.WriteFile(temporary, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("store the list of erased patients: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("store the list of erased patients: %w", err)
	}
	return nil
}

type pdpaErasedCmd struct {
	File string `arg:"" default:"-" help:"File to write (default: standard output). Store it apart from the backups."`
}

// Run writes the list.
func (c *pdpaErasedCmd) Run(ctx context.Context, a *app) (err error) {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = a.writeAtomic(c.File, func(w io.Writer) error {
		list, err := privacy.ErasedRefs(ctx, db)
		if err != nil {
			return err
		}
		return writeErased(w, list)
	})
	return err
}

var erasedColumns = []string{"patient_id", "erased_at", "mark"}

func writeErased(w io.Writer, list []privacy.ErasedRef) error {
	out := csv.NewWriter(w)
	_ = out.Write(erasedColumns) // checked with Error below
	for _, r := range list {
		_ = out.Write([]string{strconv.FormatInt(r.PatientID, 10), r.At.UTC().Format(time.RFC3339), r.Mark})
	}
	out.Flush()
	return out.Error()
}

func readErased(path string) ([]privacy.ErasedRef, error) {
	f, err := os.Open(path) //nolint:gosec // the file that was asked for
	if err != nil {
		return nil, fmt.Errorf("read the list of erased patients: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], erasedColumns) {
		return nil, errors.Join(fmt.Errorf("%s was not written by nadmor pdpa erased", path), err)
	}
	var list []privacy.ErasedRef
	for _, row := range rows[1:] {
		id, badID := strconv.ParseInt(row[0], 10, 64)
		when, badTime := time.Parse(time.RFC3339, row[1])
		if err := errors.Join(badID, badTime); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, privacy.ErasedRef{PatientID: id, At: when, Mark: row[2]})
	}
	return list, nil
}

// eraseAgain erases the patients of a list who were restored from an older backup. Their future appointments
// are cancelled.
func (a *app) eraseAgain(ctx context.Context, db *store.DB, uploads files.Store, path string, dryRun bool) error {
	list, err := readErased(path)
	if err != nil {
		return err
	}
	back := 0
	var faults []error
	for _, r := range list {
		restored, err := privacy.IsRestored(ctx, db, r)
		if err == nil && restored {
			back++
			if !dryRun {
				reason := "erased before, on " + hospital.MomentOf(r.At).Date + "; came back with an older backup"
				erasure := hospital.Erasure{PatientID: r.PatientID, CancelFuture: true, Reason: reason}
				err = a.erase(ctx, db, uploads, erasure)
			}
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("id:%d: %w", r.PatientID, err))
		}
	}
	what := "were erased again"
	if dryRun {
		what = "would be erased again"
	}
	fmt.Fprintf(a.Stderr, "%s: %d patients, of whom %d were restored and %s.\n", filepath.Base(path), len(list), back,
		what)
	return errors.Join(faults...)
}
