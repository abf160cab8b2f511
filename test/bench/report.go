package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// peers are other products, measured on the same kind of machine with the same sizes, in requests per second.
// See docs/performance.md.
var peers = []struct {
	name string
	rate map[string]float64
}{
	{"Easy!Appointments", map[string]float64{
		book1: 123, book16: 243, book64: 223, listPage: 45, fragment: 29, readOne: 531,
	}},
	{"Medplum", map[string]float64{
		book1: 94, book16: 119, book64: 172, listPage: 44, monthLoad: 14, fragment: 236, idCard: 507, readOne: 542,
	}},
	{"Directus", map[string]float64{
		book1: 75, book16: 98, book64: 105, listPage: 92, monthLoad: 80, fragment: 172, idCard: 196, readOne: 199,
	}},
}

type results struct {
	Size       size        `json:"size"`
	Processors int         `json:"processors"`
	Go         string      `json:"go"`
	Rounds     int         `json:"rounds"`
	Seconds    float64     `json:"roundSeconds"`
	Lines      []line      `json:"lines"`
	Footprints []footprint `json:"footprints"`
}

func (o options) report(lines []line, prints []footprint) error {
	fmt.Print(tables(lines, prints))
	if o.out == "" || o.only != "" || len(o.engines) < 2 {
		return nil // partial results are not stored
	}
	if err := o.keep("results.json",
		toJSON(results{
			o.size, runtime.NumCPU(), runtime.Version(), o.rounds, o.round.Seconds(), lines, prints,
		})); err != nil {
		return err
	}
	return o.keep("results.svg", bars(lines))
}

// tables returns the tables of docs/performance.md.
func tables(lines []line, prints []footprint) string {
	others := map[string]round{} // PocketBase, by operation
	for _, l := range lines {
		if l.PocketBase.Requests > 0 {
			others[l.Operation] = l.PocketBase
		}
	}
	var b strings.Builder
	b.WriteString("| operation, clients | database | product/s | p50 | p95 | p99 ms | CPU µs | floor/s | p95 ms | CPU " +
		"µs | share | × PocketBase |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, l := range lines {
		against := "–"
		if other, measured := others[l.Operation]; measured {
			against = fmt.Sprintf("%.1f", l.Product.Rate/other.Rate)
		}
		fmt.Fprintf(&b, "| %s | %s | %.0f | %.2f | %.2f | %.2f | %.0f | %.0f | %.2f | %.0f | %.2f | %s |\n", l.Operation,
			l.Engine,
			l.Product.Rate, l.Product.P50, l.Product.P95, l.Product.P99, l.Product.CPU, l.Floor.Rate, l.Floor.P95, l.Floor.CPU,
			l.Share, against)
	}
	if len(others) > 0 {
		b.WriteString("\n| operation, clients | PocketBase/s | p50 | p95 | p99 ms | CPU µs |\n|---|--:|--:|--:|--:|--:|\n")
		for _, l := range lines {
			if r := l.PocketBase; r.Requests > 0 {
				fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f | %.2f | %.0f |\n", l.Operation, r.Rate, r.P50, r.P95, r.P99, r.CPU)
			}
		}
	}
	b.WriteString("\n| database | ready after, s | idle, MB (own) | after the run, MB (own) |\n|---|--:|--:|--:|\n")
	for _, f := range prints {
		fmt.Fprintf(&b, "| %s | %.2f | %.0f (%.0f) | %.0f (%.0f) |\n", f.Engine, f.Ready, f.Idle, f.IdleOwn, f.AfterAll,
			f.AfterAllOwn)
	}
	return b.String()
}

func (o options) reportGrowth(points []point) error {
	fmt.Print(growthTable(points))
	if o.out == "" || o.only != "" || len(o.engines) < 2 {
		return nil // partial results are not stored
	}
	if err := o.keep("growth.json", toJSON(points)); err != nil {
		return err
	}
	return o.keep("growth.svg", curves(points))
}

// growthTable returns the table of docs/performance.md with a row for each operation and database: the 95th
// percentile at every size, and the last as a multiple of the first.
func growthTable(points []point) string {
	var sizes []int
	var names [][2]string // operation and database
	p95 := map[[2]string][]float64{}
	for _, p := range points {
		name := [2]string{p.Name, p.Engine}
		if !slices.Contains(sizes, p.Size.Appointments) {
			sizes = append(sizes, p.Size.Appointments)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		p95[name] = append(p95[name], p.P95)
	}
	var b strings.Builder
	b.WriteString("| operation, clients | database |")
	for i, n := range sizes {
		word := "at"
		if i == 0 {
			word = "p95 ms at"
		}
		fmt.Fprintf(&b, " %s %s |", word, thousands(n))
	}
	b.WriteString(" growth |\n|---|---|" + strings.Repeat("--:|", len(sizes)+1) + "\n")
	for _, name := range names {
		fmt.Fprintf(&b, "| %s | %s |", name[0], name[1])
		for _, ms := range p95[name] {
			fmt.Fprintf(&b, " %.1f |", ms)
		}
		fmt.Fprintf(&b, " %.1f |\n", p95[name][len(p95[name])-1]/p95[name][0])
	}
	return b.String()
}

// thousands formats a number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func toJSON(v any) string {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // numbers and strings can be encoded
	}
	return string(text) + "\n"
}

func (o options) keep(name, text string) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil { //nolint:gosec // documentation
		return err
	}
	return os.WriteFile(filepath.Join(o.out, name), []byte(text), 0o644) //nolint:gosec // documentation
}
