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
	"nadmor/internal/report"
	"nadmor/internal/store"
)

type pdpaCmd struct {
	Export    pdpaExportCmd    `cmd:"" help:"Write everything that is kept about a patient into one archive (zip), to be handed to them."`
	Anonymise pdpaAnonymiseCmd `cmd:"" help:"Erase who a patient is and what ailed them, on request. What counts visits stays."`
	Erased    pdpaErasedCmd    `cmd:"" help:"List who was erased, without personal data: to erase them again after an older backup was restored."`
	Access    pdpaAccessCmd    `cmd:"" help:"Write who read or changed a patient's data, as CSV."`
	Breach    pdpaBreachCmd    `cmd:"" help:"Write whose data was touched in a period, as CSV: for the report within 72 hours."`
}

// subject finds whose data is meant.
func subject(ctx context.Context, db *store.DB, whom string) (hospital.Patient, error) {
	p, err := db.FindSubject(ctx, whom)
	if hospital.CodeOf(err) == hospital.NotFound {
		return p, errors.New("nobody has this number: give the HN, the ID card, the passport, or the id of the record as id:17")
	}
	return p, err
}

type pdpaExportCmd struct {
	Patient string `arg:"" help:"HN, ID card, passport, or id:17."`
	File    string `arg:"" help:"The archive to write; it must not exist yet."`
}

// Run writes the archive.
func (c *pdpaExportCmd) Run(ctx context.Context, a *app) (err error) {
	db, uploads, closeBoth, err := a.openBoth(ctx)
	if err != nil {
		return err
	}
	defer closeBoth(&err)
	ctx = hospital.WithActor(ctx, a.commandLine())
	p, err := subject(ctx, db, c.Patient)
	if err != nil {
		return err
	}
	setting, err := db.Setting(ctx)
	if err != nil {
		return err
	}
	var d hospital.Dossier
	var missing int
	size, err := a.writeWhole(c.File, func(w io.Writer) (err error) {
		if d, err = db.Dossier(ctx, p.ID); err != nil {
			return err
		}
		copying := newProgress(a, "files")
		missing, err = report.WriteDossier(ctx, w, report.Dossier{
			Dossier: d, Hospital: report.Letterhead{Name: setting.Name, Address: setting.Address, Phone: setting.Phone}, MadeAt: db.Now(), Product: a.Version,
		}, func(ctx context.Context, key string) (io.ReadCloser, error) { return uploads.Open(ctx, key) }, func(n, of int) {
			copying.of = of
			copying.show(n, float64(n)/float64(of))
		})
		copying.end()
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "%s: %d appointments, %d files, %d entries of the access log; %s. It is health data: hand it over only to the person, and delete it then.\n",
		c.File, len(d.Appointments), len(d.Files())-missing, len(d.Access), inMB(size))
	if missing > 0 {
		return fmt.Errorf("the archive is written, but %d files were missing; it says which (nadmor verify names them, too)", missing)
	}
	return nil
}

type pdpaAccessCmd struct {
	Patient string `arg:"" help:"HN, ID card, passport, or id:17."`
	File    string `arg:"" default:"-" help:"The CSV file to write (default: standard output)."`
}

// Run writes the table.
func (c *pdpaAccessCmd) Run(ctx context.Context, a *app) (err error) {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx = hospital.WithActor(ctx, a.commandLine())
	p, err := subject(ctx, db, c.Patient)
	if err != nil {
		return err
	}
	_, err = a.writeWhole(c.File, func(w io.Writer) error {
		own, together, err := db.AccessLog(ctx, p.ID)
		if err != nil {
			return err
		}
		return report.WriteAccessLog(w, own, together)
	})
	return err
}

type pdpaBreachCmd struct {
	From string `required:"" help:"Since when, in the hospital's time: 2026-11-15 or 2026-11-15T09:30 (a year of the Buddhist Era is understood)."`
	To   string `required:"" help:"Until when; a date includes that day."`
	User string `help:"Only what this account did."`
	Addr string `help:"Only what came from this address."`
	File string `arg:"" default:"-" help:"The CSV file to write (default: standard output)."`
}

var breachTable = report.Table{Name: "ผู้ได้รับผลกระทบ", Columns: []report.Column{
	{Title: "ประเภท", Width: 14}, {Title: "เลขที่ระเบียน", Width: 10}, {Title: "HN", Width: 12}, {Title: "ชื่อ", Width: 28}, {Title: "โทรศัพท์", Width: 14}, {Title: "อีเมล", Width: 24},
	{Title: "ครั้งแรก", Width: 18}, {Title: "ครั้งล่าสุด", Width: 18}, {Title: "จำนวนครั้ง", Width: 10}, {Title: "การกระทำ", Width: 40}, {Title: "บัญชีที่ใช้", Width: 24}, {Title: "จากที่อยู่", Width: 20}, {Title: "ขอบเขต", Width: 40},
}}

// Run writes the table. What went through many people at once (an export, a
// backup) names nobody: it is a line of its own, with what was asked for.
func (c *pdpaBreachCmd) Run(ctx context.Context, a *app) (err error) {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx = hospital.WithActor(ctx, a.commandLine())
	in := store.Breach{Username: c.User, Addr: c.Addr}
	if in.From, err = moment(c.From, db.Zone(), false); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if in.To, err = moment(c.To, db.Zone(), true); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	var people, together int
	_, err = a.writeWhole(c.File, func(w io.Writer) error {
		list, err := db.TouchedIn(ctx, in)
		if err != nil {
			return err
		}
		return report.Write(w, report.CSV, breachTable, func(add report.Add) error {
			for _, t := range list {
				kind, id, scope := map[string]string{"patient": "ผู้ป่วย", "customer": "ผู้ใช้บริการ", "": "หลายคนพร้อมกัน"}[t.Entity], "", ""
				if t.Together != nil {
					together++
					scope = strings.TrimSpace(t.Together.Subject + " " + criteria(t.Together.Changes))
				} else {
					people++
					id = strconv.FormatInt(t.ID, 10)
				}
				actions := make([]string, len(t.Actions))
				for i, action := range t.Actions {
					actions[i] = report.ActionName(action)
				}
				if err := add(kind, id, t.HN, t.Subject, t.Phone, t.Email, t.First, t.Last, t.Times, strings.Join(actions, "; "), strings.Join(t.By, "; "), strings.Join(t.Addrs, "; "), scope); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr, "%d people by name; %d exports, prints, imports or backups of many at once, whose lines say what was asked for.\n", people, together)
	fmt.Fprintln(a.Stderr, "Lists on the screen are not written down: whoever was only seen in a list or found by a search is not in the table.")
	return nil
}

// criteria writes what an export was narrowed by.
func criteria(changes map[string]hospital.Change) string {
	var list []string
	for field, c := range changes {
		list = append(list, fmt.Sprintf("%s=%v", field, c.After))
	}
	return strings.Join(slices.Sorted(slices.Values(list)), ", ")
}

// moment reads a date, or a date and a time. The end of a date is the beginning
// of the next.
func moment(s string, zone *time.Location, end bool) (time.Time, error) {
	if year, rest, ok := strings.Cut(hospital.ArabicDigits(s), "-"); ok && len(year) == 4 && year >= "2400" {
		if n, err := strconv.Atoi(year); err == nil {
			s = fmt.Sprintf("%04d-%s", n-543, rest)
		}
	}
	if t, err := time.ParseInLocation("2006-01-02T15:04", strings.Replace(s, " ", "T", 1), zone); err == nil {
		return t, nil
	}
	t, err := time.ParseInLocation(time.DateOnly, s, zone)
	if err != nil {
		return t, errors.New("write it as 2026-11-15 or 2026-11-15T09:30")
	}
	if end {
		t = t.AddDate(0, 0, 1)
	}
	return t, nil
}

type pdpaAnonymiseCmd struct {
	Patient      string `arg:"" optional:"" help:"HN, ID card, passport, or id:17."`
	Reason       string `help:"Why, and why the law allows it. It stays in the audit log: write no names into it."`
	CancelFuture bool   `help:"Cancel appointments that are still to come instead of refusing."`
	DryRun       bool   `help:"Only say what would go."`
	Yes          bool   `help:"Do not ask for the HN to be typed."`
	Again        string `help:"Erase everybody of this list (see nadmor pdpa erased) who has come back with an older backup." placeholder:"LIST"`
}

// retention is what whoever erases has to have thought of.
const retention = `Medical records have to be kept: at least five years (Sanatorium Act B.E. 2541), and longer where a claim or
another law needs them. For those the person cannot demand erasure (PDPA section 33). Old backups still hold the
data until they are deleted, and restoring one brings it back.
เวชระเบียนต้องเก็บรักษาอย่างน้อย 5 ปี (พ.ร.บ. สถานพยาบาล พ.ศ. 2541) ข้อมูลที่กฎหมายให้เก็บรักษาไม่อยู่ในสิทธิขอลบ (PDPA มาตรา 33)
โปรดให้ DPO พิจารณาก่อน เมื่อลบแล้วเรียกคืนไม่ได้`

// Run erases somebody.
func (c *pdpaAnonymiseCmd) Run(ctx context.Context, a *app) (err error) {
	if (c.Patient == "") == (c.Again == "") {
		return errors.New("say whose data is to be erased: a patient, or --again LIST")
	}
	if strings.TrimSpace(c.Reason) == "" && c.Again == "" && !c.DryRun {
		return errors.New("--reason is needed: why the data is erased, and why the law allows it (it stays in the audit log; no names)")
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
	in := hospital.Erasure{PatientID: p.ID, Reason: strings.TrimSpace(c.Reason), CancelFuture: c.CancelFuture, DryRun: true}
	if in.Reason == "" {
		in.Reason = "dry run"
	}
	would, err := db.Anonymise(ctx, in)
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
		return fmt.Errorf("the patient has %d appointments to come: cancel them first, or give --cancel-future", would.Cancelled)
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

// inWords says what an erasure takes.
func inWords(e hospital.Erased) string {
	words := []string{"who the patient is"}
	if e.Already {
		words = []string{"the patient was erased before; what came since"}
	}
	words = append(words, fmt.Sprintf("texts of %d appointments and %d entries of their history, %d results, %d files, %d app accounts, personal values in %d entries of the audit log",
		e.Appointments, e.History, e.Results, len(e.Files), e.Accounts, e.Entries))
	if e.Cancelled > 0 {
		words = append(words, fmt.Sprintf("%d appointments to come are cancelled", e.Cancelled))
	}
	if len(e.SharedAccount) > 0 {
		words = append(words, fmt.Sprintf("the patient's own app account (customer %v) books for others, too, and stays: delete it on the screen if it is to go", e.SharedAccount))
	}
	return strings.Join(words, "; ")
}

// erase erases somebody, deletes their files, and adds them to the list that
// restore reads. A file that cannot be deleted now is deleted by the server.
func (a *app) erase(ctx context.Context, db *store.DB, uploads files.Store, in hospital.Erasure) error {
	done, err := db.Anonymise(ctx, in)
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

// erasedFile is the list in the data folder that restore reads.
const erasedFile = "erased.csv"

// keepErasedList writes who was erased into the data folder, beside the database
// or instead of it: a backup that is older than an erasure does not know of it.
func (a *app) keepErasedList(ctx context.Context, db *store.DB) error {
	if err := os.MkdirAll(a.Data, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	list, err := db.ErasedRefs(ctx)
	if err != nil {
		return err
	}
	path := filepath.Join(a.Data, erasedFile)
	if known, err := readErased(path); err == nil { // of before a restoration
		for _, r := range known {
			if !slices.ContainsFunc(list, func(o store.ErasedRef) bool { return o.PatientID == r.PatientID }) {
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
		list, err := db.ErasedRefs(ctx)
		if err != nil {
			return err
		}
		return writeErased(w, list)
	})
	return err
}

var erasedColumns = []string{"patient_id", "erased_at", "mark"}

func writeErased(w io.Writer, list []store.ErasedRef) error {
	out := csv.NewWriter(w)
	_ = out.Write(erasedColumns) // Error below tells
	for _, r := range list {
		_ = out.Write([]string{strconv.FormatInt(r.PatientID, 10), r.At.UTC().Format(time.RFC3339), r.Mark})
	}
	out.Flush()
	return out.Error()
}

func readErased(path string) ([]store.ErasedRef, error) {
	f, err := os.Open(path) //nolint:gosec // the file that was asked for
	if err != nil {
		return nil, fmt.Errorf("read the list of who was erased: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 || !slices.Equal(rows[0], erasedColumns) {
		return nil, errors.Join(fmt.Errorf("%s is not a list that nadmor pdpa erased has written", path), err)
	}
	var list []store.ErasedRef
	for _, row := range rows[1:] {
		id, badID := strconv.ParseInt(row[0], 10, 64)
		when, badTime := time.Parse(time.RFC3339, row[1])
		if err := errors.Join(badID, badTime); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, store.ErasedRef{PatientID: id, At: when, Mark: row[2]})
	}
	return list, nil
}

// eraseAgain erases those of a list who have come back with an older backup. What
// is still to come for them in it is cancelled: they were erased since.
func (a *app) eraseAgain(ctx context.Context, db *store.DB, uploads files.Store, path string, dryRun bool) error {
	list, err := readErased(path)
	if err != nil {
		return err
	}
	back := 0
	var faults []error
	for _, r := range list {
		here, err := db.ComesBack(ctx, r)
		if err == nil && here {
			back++
			if !dryRun {
				err = a.erase(ctx, db, uploads, hospital.Erasure{PatientID: r.PatientID, CancelFuture: true, Reason: "erased before, on " + r.At.Format(time.DateOnly) + "; came back with an older backup"})
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
