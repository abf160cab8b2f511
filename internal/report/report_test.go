package report_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

var table = report.Table{
	Name: "ผู้ป่วย",
	Columns: []report.Column{
		{Title: "ชื่อ", Width: 20}, {Title: "อายุ", Width: 6}, {Title: "วันเกิด", Width: 14},
		{Title: "สร้างเมื่อ", Width: 18},
	},
}

func write(t *testing.T, format report.Format, rows ...[]any) []byte {
	t.Helper()
	var b bytes.Buffer
	err := report.Write(&b, format, table, func(add report.Add) error {
		for _, r := range rows {
			if err := add(r...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func records(t *testing.T, file []byte) [][]string {
	t.Helper()
	text, ok := strings.CutPrefix(string(file), "\ufeff")
	if !ok {
		t.Errorf("no byte order mark: %q", file[:min(len(file), 10)])
	}
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func open(t *testing.T, file []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func TestTextIsNotAFormula(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, csv string }{
		"equals":                  {`=HYPERLINK("http://x","y")`, `'=HYPERLINK("http://x","y")`},
		"plus":                    {"+66812345678", "'+66812345678"},
		"minus":                   {"-2+3", "'-2+3"},
		"at":                      {"@SUM(1)", "'@SUM(1)"},
		"tab":                     {"\t=1", "'\t=1"},
		"carriage return":         {"\r=1", "'\r=1"},
		"line feed":               {"\n=1", "'\n=1"},
		"a dash inside stays":     {"บ้าน-นา", "บ้าน-นา"},
		"an apostrophe stays":     {"'สมชาย", "'สมชาย"},
		"an ordinary name stays":  {"สมชาย", "สมชาย"},
		"nothing stays nothing":   {"", ""},
		"a character by number":   {"_x0041_ และ _x0041", "_x0041_ และ _x0041"},
		"what XML is made of":     {"<b>&amp;</b> \"x\"", "<b>&amp;</b> \"x\""},
		"quotes and a comma stay": {`ส้ม "หวาน", ใจดี`, `ส้ม "หวาน", ใจดี`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := []any{c.text, 1, report.Day{}, time.UnixMilli(0)}
			if got := string(write(t, report.CSV, row)); !strings.Contains(got, strings.ReplaceAll(c.csv, `"`, `""`)) {
				t.Errorf("csv has no %q: %q", c.csv, got)
			} else if first := records(t, []byte(got))[1][0]; strings.ContainsAny(first[:min(len(first), 1)], "=+-@\t\r\n") {
				t.Errorf("csv cell %q would be calculated", first)
			}
			if got := report.UnescapeFormula(report.EscapeFormula(c.text)); got != c.text {
				t.Errorf("read back as %q", got)
			}
			f := open(t, write(t, report.XLSX, row))
			if formula, err := f.GetCellFormula(table.Name, "A2"); err != nil || formula != "" {
				t.Errorf("formula %q, %v", formula, err)
			}
			if got, err := f.GetCellValue(table.Name, "A2"); err != nil || strings.TrimSpace(got) != strings.TrimSpace(c.text) {
				t.Errorf("cell %q, %v, want %q", got, err, c.text)
			}
			if kind, err := f.GetCellType(table.Name, "A2"); err != nil ||
				c.text != "" && kind != excelize.CellTypeInlineString {
				t.Errorf("cell of type %v, %v", kind, err)
			}
		})
	}
}

func TestSpreadsheetDates(t *testing.T) {
	t.Parallel()
	instant := time.Date(2026, 11, 15, 17, 45, 59, 0, time.UTC) // 16 November in Bangkok
	for name, c := range map[string]struct {
		cell            any
		csv, raw, shown string
	}{
		"a whole date": {
			report.Day{Date: "2026-11-15", Precision: hospital.BirthDay}, "15/11/2569", "46341", "[$-107041E]d mmm yyyy",
		},
		"a month": {
			report.Day{Date: "1947-11-01", Precision: hospital.BirthMonth}, "11/2490", "17472", "[$-107041E]mmm yyyy",
		},
		"a year": {
			report.Day{Date: "1947-01-01", Precision: hospital.BirthYear}, "2490", "17168", "[$-107041E]yyyy",
		},
		"the first number": {
			report.Day{Date: "1900-03-01", Precision: hospital.BirthDay}, "01/03/2443", "61", "[$-107041E]d mmm yyyy",
		},
		"a day before numbers": {
			report.Day{Date: "1900-02-28", Precision: hospital.BirthDay}, "28/02/2443", "28/02/2443", "",
		},
		"a year before numbers":  {report.Day{Date: "1896-01-01", Precision: hospital.BirthYear}, "2439", "2439", ""},
		"no date":                {report.Day{}, "", "", ""},
		"an instant, in Bangkok": {instant, "16/11/2569 00:45", "46342.03125", "[$-107041E]d mmm yyyy hh:mm"},
		"a leap day of both eras": {
			report.Day{Date: "2000-02-29", Precision: hospital.BirthDay}, "29/02/2543", "36585", "[$-107041E]d mmm yyyy",
		},
		"half past nine, not :29": {
			time.Date(2026, 11, 15, 2, 30, 0, 0, time.UTC), "15/11/2569 09:30", "46341.395833333336",
			"[$-107041E]d mmm yyyy hh:mm",
		},
		"no precision is a whole": {report.Day{Date: "2026-11-15"}, "15/11/2569", "46341", "[$-107041E]d mmm yyyy"},
		"the last day of the month": {
			report.Day{Date: "2026-12-31", Precision: hospital.BirthDay}, "31/12/2569", "46387", "[$-107041E]d mmm yyyy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row := []any{"x", 1, c.cell}
			if got := records(t, write(t, report.CSV, row))[1][2]; got != c.csv {
				t.Errorf("csv %q, want %q", got, c.csv)
			}
			f := open(t, write(t, report.XLSX, row))
			raw, err := f.GetCellValue(table.Name, "C2", excelize.Options{RawCellValue: true})
			if err != nil || raw != c.raw {
				t.Errorf("xlsx %q, %v, want %q", raw, err, c.raw)
			}
			id, err := f.GetCellStyle(table.Name, "C2")
			if err != nil {
				t.Fatal(err)
			}
			style, err := f.GetStyle(id)
			if err != nil {
				t.Fatal(err)
			}
			shown := ""
			if style.CustomNumFmt != nil {
				shown = *style.CustomNumFmt
			}
			if shown != c.shown {
				t.Errorf("shown with %q, want %q", shown, c.shown)
			}
		})
	}
}

func TestHeaderAndColumnWidths(t *testing.T) {
	t.Parallel()
	f := open(t, write(t, report.XLSX, []any{"สมชาย", 30}))
	panes, err := f.GetPanes(table.Name)
	if err != nil || !panes.Freeze || panes.YSplit != 1 || panes.TopLeftCell != "A2" {
		t.Errorf("panes %+v, %v", panes, err)
	}
	if width, err := f.GetColWidth(table.Name, "A"); err != nil || math.Abs(width-20) > 1 {
		t.Errorf("width %v, %v", width, err)
	}
	rows, err := f.GetRows(table.Name)
	if diff := cmp.Diff([][]string{{"ชื่อ", "อายุ", "วันเกิด", "สร้างเมื่อ"}, {"สมชาย", "30"}}, rows); err != nil ||
		diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if kind, err := f.GetCellType(table.Name, "B2"); err != nil || kind == excelize.CellTypeInlineString {
		t.Errorf("an age is a text: %v %v", kind, err)
	}
}

func TestSpreadsheetFractions(t *testing.T) {
	t.Parallel()
	row := []any{"x", 83.3, -0.5, 100.0}
	if diff := cmp.Diff([]string{"x", "83.3", "-0.5", "100"}, records(t, write(t, report.CSV, row))[1]); diff != "" {
		t.Error(diff)
	}
	f := open(t, write(t, report.XLSX, row))
	for cell, want := range map[string]string{"B2": "83.3", "C2": "-0.5", "D2": "100"} {
		raw, err := f.GetCellValue(table.Name, cell, excelize.Options{RawCellValue: true})
		kind, typeErr := f.GetCellType(table.Name, cell)
		if raw != want || kind == excelize.CellTypeInlineString || err != nil || typeErr != nil {
			t.Errorf("%s is %q of type %v, want %q: %v %v", cell, raw, kind, want, err, typeErr)
		}
	}
}

func TestCSVCells(t *testing.T) {
	t.Parallel()
	row := []any{
		"บรรทัดหนึ่ง\nบรรทัดสอง; \"ใน\", คำพูด", 7, report.Day{}, time.Date(2026, 1, 1, 0, 0, 0, 0, hospital.Bangkok),
	}
	want := [][]string{{"ชื่อ", "อายุ", "วันเกิด", "สร้างเมื่อ"}, {row[0].(string), "7", "", "01/01/2569 00:00"}}
	if diff := cmp.Diff(want, records(t, write(t, report.CSV, row))); diff != "" {
		t.Error(diff)
	}
}

func TestWriteError(t *testing.T) {
	t.Parallel()
	boom := errors.New("the database went away")
	for _, format := range report.Formats {
		var b bytes.Buffer
		if err := report.Write(&b, format, table, func(report.Add) error { return boom }); !errors.Is(err, boom) {
			t.Errorf("%s: %v", format, err)
		}
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes were sent before the first row was there", format, b.Len())
		}
		for name, cell := range map[string]any{
			"a cell of an unknown type": true, "a date that is none": report.Day{Date: "2026-13-01"},
		} {
			if err := report.Write(&b, format, table, func(add report.Add) error { return add(cell) }); err == nil {
				t.Errorf("%s: %s was written", format, name)
			}
		}
		full := writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe })
		if err := report.Write(full, format, table, func(add report.Add) error { return add("x") }); !errors.Is(err,
			io.ErrClosedPipe) {
			t.Errorf("%s to a disconnected client: %v", format, err)
		}
	}
	if err := report.Write(io.Discard, "pdf", table, func(report.Add) error { return nil }); err == nil {
		t.Error("a pdf was written")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// A long file uses as much memory as a short one and is sent while it is written.
func TestSpreadsheetMemory(t *testing.T) { // not parallel: it measures the whole process
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for _, format := range report.Formats {
		grown, size := measure(t, format, 200_000)
		t.Logf("%s: 200,000 rows, %d MB, heap grew by at most %.1f MB", format, size>>20, float64(grown)/(1<<20))
		if grown > 8<<20 {
			t.Errorf("%s: heap grew by %d MB", format, grown>>20)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// measure writes a table as wide as the list of appointments. It returns the growth of the heap and the size.
func measure(t testing.TB, format report.Format, rows int) (grown, size int64) {
	t.Helper()
	wide := report.Table{Name: "ผู้ป่วย"}
	for i := range 22 {
		wide.Columns = append(wide.Columns, report.Column{Title: fmt.Sprint("คอลัมน์ ", i), Width: 15})
	}
	before, most := heap(), int64(0)
	look := func() { most = max(most, heap()-before) }
	next := int64(16 << 20)
	out := writerFunc(func(p []byte) (int, error) {
		if size += int64(len(p)); size >= next {
			next += 16 << 20
			look()
		}
		return len(p), nil
	})
	var texts [997]string
	for i := range texts {
		texts[i] = fmt.Sprintf("ข้อความ %d", i)
	}
	cells := make([]any, len(wide.Columns))
	err := report.Write(out, format, wide, func(add report.Add) error {
		for i := range rows {
			for j := range cells {
				cells[j] = texts[(i*31+j)%len(texts)]
			}
			cells[20], cells[21] = report.Day{Date: "1947-11-15"}, i
			if err := add(cells...); err != nil {
				return err
			}
			if i%20_000 == 0 {
				look()
			}
			if i == rows/2 && size == 0 {
				t.Errorf("%s: nothing was sent after half of the rows", format)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	look()
	return most, size
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkTwoHundredThousandRows(b *testing.B) {
	for _, format := range report.Formats {
		b.Run(string(format), func(b *testing.B) {
			var most int64
			for b.Loop() {
				grown, _ := measure(b, format, 200_000)
				most = max(most, grown)
			}
			b.ReportMetric(float64(most)/(1<<20), "MB-heap-growth")
		})
	}
}
