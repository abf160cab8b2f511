package command

import (
	"fmt"
	"os"
	"time"
)

// progress prints the progress of a command to stderr: often on a terminal, every few seconds otherwise.
type progress struct {
	app         *app
	what        string
	of          int // total, 0 if unknown
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

// show prints the number of rows done and the fraction of the work.
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

// end prints the total time if progress was printed before.
func (p *progress) end() {
	if p.last.Equal(p.start) {
		return
	}
	before := ""
	if p.terminal {
		before = "\r\x1b[K" // overwrite the current line
	}
	fmt.Fprintf(p.app.Stderr, "%s%s: %d in %v\n", before, p.what, p.rows, p.app.Now().Sub(p.start).Round(time.Second))
}

// meter prints a line to stderr for each item that is worked on, with its progress.
type meter struct {
	*progress
	on       string // current item
	n, bytes int64
}

func newMeter(a *app, what string) *meter { return &meter{progress: newProgress(a, what)} }

func (m *meter) show(what string, n, bytes int64) {
	if m.on != "" && m.on != what {
		m.line("\n")
	}
	m.on, m.n, m.bytes = what, n, bytes
	if now := m.app.Now(); now.Sub(m.last) >= m.every {
		m.last = now
		if m.terminal {
			m.line("   ")
		} else {
			m.line(" …\n")
		}
	}
}

func (m *meter) line(end string) {
	before := ""
	if m.terminal {
		before = "\r"
	}
	fmt.Fprintf(m.app.Stderr, "%s%s: %s %d", before, m.what, m.on, m.n)
	if m.bytes > 0 {
		fmt.Fprintf(m.app.Stderr, ", %s", inMB(m.bytes))
	}
	fmt.Fprint(m.app.Stderr, end)
}

// end prints the last line.
func (m *meter) end() {
	if m.on != "" {
		m.line("\n")
	}
	m.on = ""
}

// inMB formats a size.
func inMB(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}
