package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
	"nadmor/internal/store"
)

type importCmd struct {
	Patients importPatientsCmd `cmd:"" help:"Import patients from a CSV file. Nothing is written if a row is invalid."`
}

type importPatientsCmd struct {
	File     string `arg:"" help:"The CSV file." type:"path"`
	DryRun   bool   `help:"Check the file without writing."`
	SkipBad  bool   `help:"Import the valid rows even if others are invalid."`
	Report   string `help:"Write every problem to this CSV file." type:"path"`
	Encoding string `help:"Encoding of the file: auto, utf8 or tis620." default:"auto" enum:"auto,utf8,tis620"`
}

// maxImportBytes is the maximum file size, some millions of patients. The file is read into memory.
const maxImportBytes = 1 << 30

// Run checks the whole file first, and then writes all rows in one transaction.
func (c *importPatientsCmd) Run(ctx context.Context, a *app) (err error) {
	if info, err := os.Stat(c.File); err == nil && info.Size() > maxImportBytes {
		return fmt.Errorf("read the file: it has more than %d MB; split it, each part with the header row",
			maxImportBytes>>20)
	}
	raw, err := os.ReadFile(c.File) // the requested file
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	text, err := decode(raw, c.Encoding)
	if err != nil {
		return err
	}
	file, err := openPatientFile(text)
	if err != nil {
		return err
	}
	if len(file.unread) > 0 {
		fmt.Fprintf(a.Stdout, "Ignored columns: %s\n", strings.Join(file.unread, ", "))
	}
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	check := &patientCheck{
		file: file, db: db, progress: newProgress(a, "checking"), seen: map[sameAs]int{}, hns: map[string]bool{},
		out: a.Stdout, show: c.Report == "",
	}
	if err := c.report(func(w io.Writer) error {
		return report.Write(w, report.CSV, faultTable, func(add report.Add) error { return check.run(ctx, add) })
	}); err != nil {
		return interrupted(ctx, err)
	}
	check.progress.end()
	fmt.Fprintf(a.Stdout, "%s: %d new, %d already there, %d wrong\n", filepath.Base(c.File), check.fresh, check.known,
		check.wrong)
	switch {
	case check.wrong > 0 && !c.SkipBad:
		return fmt.Errorf("nothing was written: %d rows are wrong (--skip-bad writes the others)", check.wrong)
	case c.DryRun:
		fmt.Fprintln(a.Stdout, "Nothing was written: this was a dry run.")
		return nil
	}
	return c.write(ctx, a, db, check)
}

// write writes the new rows.
func (c *importPatientsCmd) write(ctx context.Context, a *app, db *store.DB, look *patientCheck) error {
	writing := newProgress(a, "writing")
	written, known, err := db.ImportPatients(hospital.WithActor(ctx, a.commandLine()), store.PatientImport{
		File: filepath.Base(c.File), Rows: look.freshRows(), HNs: maps.Keys(look.hns), Known: look.known, Wrong: look.wrong,
		Progress: func(n int) { writing.show(n, float64(n)/float64(max(look.fresh, 1))) },
	})
	switch {
	case hospital.CodeOf(err) == hospital.Duplicate:
		return fmt.Errorf("nothing was written: another user registered one of the patients, or used one of their HNs, "+
			"at the same time; run it again: %w", err)
	case err != nil:
		return interrupted(ctx, err)
	}
	writing.end()
	fmt.Fprintf(a.Stdout, "Done: %d patients were written, %d were there already, %d rows were left out.\n", written,
		known, look.wrong)
	return nil
}

// interrupted returns a readable error if a signal ended the import.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: nothing was written: %w", err)
	}
	return err
}

// patientCheck checks the file and records which rows to write.
type patientCheck struct {
	file     *patientFile
	db       *store.DB
	progress *progress
	out      io.Writer
	show     bool // print problems, because there is no report
	shown    int

	seen                map[sameAs]int  // first row with it
	hns                 map[string]bool // all HNs of the file
	new                 []bool          // by position in the file
	fresh, known, wrong int
}

// sameAs identifies a patient within a file: by HN, by ID card, or by name and birth date as one text.
type sameAs struct{ kind, value string }

const (
	byHN       = "hn"
	byCard     = "idCard"
	byName     = "name"      // of all rows
	byNameOnly = "name only" // of rows without HN and ID card
)

// checkBatch is the number of rows looked up in the database at a time.
const checkBatch = 250

func (c *patientCheck) run(ctx context.Context, add report.Add) error {
	batch := make([]patientRow, 0, checkBatch)
	flush := func() error {
		err := c.batch(ctx, batch, add)
		if len(batch) > 0 {
			c.progress.show(len(c.new), batch[len(batch)-1].done)
		}
		batch = batch[:0]
		return errors.Join(err, ctx.Err())
	}
	for row := range c.file.rows() {
		if batch = append(batch, row); len(batch) == checkBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (c *patientCheck) batch(ctx context.Context, batch []patientRow, add report.Add) error {
	var right []hospital.PatientFields
	var at []int
	for i := range batch {
		row := &batch[i]
		if len(row.faults) == 0 {
			c.file.validate(row, c.db.Today())
		}
		if len(row.faults) == 0 {
			c.duplicates(row)
		}
		if len(row.faults) == 0 {
			right, at = append(right, row.patient), append(at, i)
		}
	}
	standings, err := c.db.PatientStandings(ctx, right)
	if err != nil {
		return err
	}
	begin := len(c.new)
	c.new = append(c.new, make([]bool, len(batch))...)
	for k, i := range at {
		switch standings[k] {
		case store.StandingNew:
			c.new[begin+i] = true
			c.fresh++
		case store.StandingKnown:
			c.known++
		case store.StandingOtherPerson:
			c.file.fault(&batch[i], "hn", "HN นี้เป็นของผู้ป่วยคนอื่นในระบบ กรุณาตรวจสอบ")
		case store.StandingDeleted:
			c.file.fault(&batch[i], "hn", "HN นี้เป็นของผู้ป่วยที่ถูกลบไปแล้ว จึงใช้ซ้ำไม่ได้")
		}
	}
	for _, row := range batch {
		if len(row.faults) > 0 {
			c.wrong++
		}
		for _, f := range row.faults {
			if err := add(row.number, f.column, f.message); err != nil {
				return fmt.Errorf("write the report: %w", err)
			}
			c.print(row.number, f)
		}
	}
	return nil
}

// duplicates reports rows about the patient of an earlier row: the same HN, the same ID card, or the same
// name and birth date if one of the two has neither number.
func (c *patientCheck) duplicates(row *patientRow) {
	p := row.patient
	name := strings.Join([]string{hospital.SearchKey(p.FirstName), hospital.SearchKey(p.LastName), p.BirthDate}, "\n")
	hn, numbered := hospital.HNKey(p.HN), p.HN != "" || p.IDCard != ""
	reject := func(key sameAs, field, message string) {
		if first, seen := c.seen[key]; seen && key.value != "" {
			c.file.fault(row, field, fmt.Sprintf(message, first))
		}
	}
	reject(sameAs{byHN, hn}, "hn", "HN ซ้ำกับแถวที่ %d")
	reject(sameAs{byCard, string(p.IDCard)}, "idCard", "เลขประจำตัวประชาชนซ้ำกับแถวที่ %d")
	if numbered {
		reject(sameAs{byNameOnly, name}, "firstName", "ชื่อและวันเกิดซ้ำกับแถวที่ %d")
	} else {
		reject(sameAs{byName, name}, "firstName", "ชื่อและวันเกิดซ้ำกับแถวที่ %d")
	}
	if len(row.faults) > 0 {
		return
	}
	keys := []sameAs{{byHN, hn}, {byCard, string(p.IDCard)}, {byName, name}}
	if !numbered {
		keys = append(keys, sameAs{byNameOnly, name})
	}
	for _, k := range keys {
		if _, seen := c.seen[k]; !seen {
			c.seen[k] = row.number
		}
	}
	if hn != "" {
		c.hns[hn] = true
	}
}

// freshRows reads the file again and yields the new rows.
func (c *patientCheck) freshRows() iter.Seq2[hospital.PatientFields, error] {
	return func(yield func(hospital.PatientFields, error) bool) {
		i := 0
		for row := range c.file.rows() {
			if c.new[i] && !yield(row.patient, nil) {
				return
			}
			i++
		}
	}
}
