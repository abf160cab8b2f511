package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"nadmor/internal/report"
)

// shownFaults is how many problems are shown when there is no report.
const shownFaults = 20

// report gives fn the file that was asked for, or nowhere to write to.
func (c *importPatientsCmd) report(fn func(io.Writer) error) (err error) {
	if c.Report == "" {
		return fn(io.Discard)
	}
	if from, err := os.Stat(c.File); err == nil {
		if to, err := os.Stat(c.Report); err == nil && os.SameFile(from, to) {
			return errors.New("the report would overwrite the file that is read")
		}
	}
	f, err := os.OpenFile(c.Report, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // the file that was asked for
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return fn(f)
}

var faultTable = report.Table{Name: "ข้อผิดพลาด", Columns: []report.Column{{Title: "แถว", Width: 8}, {Title: "คอลัมน์", Width: 24}, {Title: "ข้อผิดพลาด", Width: 60}}}

// tell shows the first problems where there is no report. It says which cell,
// never what is in it.
func (c *patientCheck) tell(row int, f fault) {
	if !c.show || c.shown > shownFaults {
		return
	}
	if c.shown++; c.shown > shownFaults {
		fmt.Fprintln(c.out, "… --report FILE writes all of them")
		return
	}
	fmt.Fprintf(c.out, "row %d, %s: %s\n", row, f.column, f.message)
}

// progress tells on stderr how far the work is: often on a terminal, every few
// seconds elsewhere.
type progress struct {
	app         *app
	what        string
	of          int // how many there will be; 0 is not known
	rows        int
	start, last time.Time
	every       time.Duration
	terminal    bool
}

func newProgress(a *app, what string) *progress {
	p := &progress{app: a, what: what, every: 5 * time.Second}
	if f, ok := a.Stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.terminal, p.every = true, 200*time.Millisecond
		}
	}
	p.start = a.Now()
	p.last = p.start
	return p
}

// show tells how many rows are done, and which part that is of all there is to
// do.
func (p *progress) show(rows int, done float64) {
	p.rows = rows
	now := p.app.Now()
	if now.Sub(p.last) < p.every {
		return
	}
	p.last = now
	before, after := "", "\n"
	if p.terminal {
		before, after = "\r", "   "
	}
	took := now.Sub(p.start)
	count, left := fmt.Sprintf("%d rows, %.0f rows/s", rows, float64(rows)/took.Seconds()), ""
	if p.of > 0 {
		count = fmt.Sprintf("%d of %d, %.0f/s", rows, p.of, float64(rows)/took.Seconds())
	}
	if done > 0 {
		left = fmt.Sprintf(", %v left", time.Duration(float64(took)*(1-done)/done).Round(time.Second))
	}
	fmt.Fprintf(p.app.Stderr, "%s%s: %.0f %%, %s%s%s", before, p.what, done*100, count, left, after)
}

// end tells how long it took, if that was long enough to be told of before.
func (p *progress) end() {
	if p.last.Equal(p.start) {
		return
	}
	before := ""
	if p.terminal {
		before = "\r\x1b[K" // over the line that is there
	}
	fmt.Fprintf(p.app.Stderr, "%s%s: %d in %v\n", before, p.what, p.rows, p.app.Now().Sub(p.start).Round(time.Second))
}
