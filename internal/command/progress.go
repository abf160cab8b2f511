package command

import (
	"fmt"
	"os"
	"time"
)

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

// meter tells on stderr what is worked on: a line for each thing, and how far it
// is in between.
type meter struct {
	*progress
	on       string // what is worked on
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

// end shows the last line.
func (m *meter) end() {
	if m.on != "" {
		m.line("\n")
	}
	m.on = ""
}

// inMB writes a size for people.
func inMB(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", (bytes+1023)>>10)
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
}
