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
	Reason       string `help:"Why, and why the law allows it. It stays in the audit log: write no names into it."`
	CancelFuture bool   `help:"Cancel appointments that are still to come instead of refusing."`
	DryRun       bool   `help:"Only say what would go."`
	Yes          bool   `help:"Do not ask for the HN to be typed."`
	Again        string `help:"Erase everybody of this list (see nadmor pdpa erased) who has come back with an older backup." placeholder:"LIST"`
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
		return errors.New("say whose data is to be erased: a patient, or --again LIST")
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
	fmt.Fprintf(a.Stderr, "%s\n\nRecord id:%d, last visit %s. What goes: %s.\n", retention, p.ID, last, inWords(would))
	switch {
	case c.DryRun:
		fmt.Fprintln(a.Stderr, "Nothing was changed: this was a dry run.")
		return nil
	case would.Cancelled > 0 && !c.CancelFuture:
		return fmt.Errorf("the patient has %d appointments to come: cancel them first, or give --cancel-future",
			would.Cancelled)
	case !c.Yes:
		fmt.Fprint(a.Stderr, "Type the HN to erase it for good: ")
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
	words := []string{"who the patient is"}
	if e.Already {
		words = []string{"the patient was erased before; what came since"}
	}
	words = append(words,
		fmt.Sprintf("texts of %d appointments and %d entries of their history, %d results, %d files, %d app accounts, "+
			"personal values in %d entries of the audit log",
			e.Appointments, e.History, e.Results, len(e.Files), e.Accounts, e.Entries))
	if e.Cancelled > 0 {
		words = append(words, fmt.Sprintf("%d appointments to come are cancelled", e.Cancelled))
	}
	if len(e.SharedAccount) > 0 {
		words = append(words,
			fmt.Sprintf("the patient's own app account (customer %v) books for others, too, and stays: delete it on the "+
				"screen if it is to go", e.SharedAccount))
	}
	return strings.Join(words, "; ")
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
	return a.keepErasedList(ctx, db)
}

// erasedFile is the list of erased patients in the data folder.
const erasedFile = "erased.csv"

// keepErasedList writes the list of erased patients to the data folder, because a backup made before an
// erasure does not contain it.
func (a *app) keepErasedList(ctx context.Context, db *store.DB) error {
	if err := os.MkdirAll(a.Data, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
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
		return fmt.Errorf("keep the list of who was erased: %w", err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("keep the list of who was erased: %w", err)
	}
	return nil
}

type pdpaErasedCmd struct {
	File string `arg:"" default:"-" help:"The list to write (default: standard output). Keep it apart from the backups."`
}

// Run writes the list.
func (c *pdpaErasedCmd) Run(ctx context.Context, a *app) (err error) {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = a.writeWhole(c.File, func(w io.Writer) error {
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
		return nil, fmt.Errorf("read the list of who was erased: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], erasedColumns) {
		return nil, errors.Join(fmt.Errorf("%s is not a list that nadmor pdpa erased has written", path), err)
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
		here, err := privacy.ComesBack(ctx, db, r)
		if err == nil && here {
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
	fmt.Fprintf(a.Stderr, "%s: %d people, of whom %d have come back and %s.\n", filepath.Base(path), len(list), back, what)
	return errors.Join(faults...)
}
