package command

import (
	"errors"
	"fmt"
	"io"
	"os"

	"nadmor/internal/report"
)

// shownFaults is the number of problems printed without a report.
const shownFaults = 20

// report calls fn with the report file, or io.Discard if none was requested.
func (c *importPatientsCmd) report(fn func(io.Writer) error) (err error) {
	if c.Report == "" {
		return fn(io.Discard)
	}
	if from, err := os.Stat(c.File); err == nil {
		if to, err := os.Stat(c.Report); err == nil && os.SameFile(from, to) {
			return errors.New("the report would overwrite the file that is read")
		}
	}
	f, err := os.OpenFile(c.Report, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // the requested file
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return fn(f)
}

var faultTable = report.Table{
	Name:    "ข้อผิดพลาด",
	Columns: []report.Column{{Title: "แถว", Width: 8}, {Title: "คอลัมน์", Width: 24}, {Title: "ข้อผิดพลาด", Width: 60}},
}

// print prints the first problems if there is no report. It names the cell but not its content.
func (c *patientCheck) print(row int, f fault) {
	if !c.show || c.shown > shownFaults {
		return
	}
	if c.shown++; c.shown > shownFaults {
		fmt.Fprintln(c.out, "… --report FILE writes all of them")
		return
	}
	fmt.Fprintf(c.out, "row %d, %s: %s\n", row, f.column, f.message)
}
