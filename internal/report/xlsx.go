package report

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/xuri/excelize/v2"

	"nadmor/internal/hospital"
)

// rowsPerSheet is how many rows a sheet can have; what is more goes on to a
// second sheet.
const rowsPerSheet = excelize.TotalRows

// Formats of dates in cells: 07 is the Buddhist calendar and 041E Thai, with
// Arabic digits (D07041E would show Thai ones). A program that does not know
// the calendar shows the year of the Common Era.
const (
	thaiDay      = "[$-107041E]d mmm yyyy"
	thaiMonth    = "[$-107041E]mmm yyyy"
	thaiYear     = "[$-107041E]yyyy"
	thaiDateTime = "[$-107041E]d mmm yyyy hh:mm"
)

// workbook is an xlsx file that is being written. Rows wait in a temporary file
// of excelize's, readable by us alone and removed by close, because the package
// can be put together only when all of them are known.
type workbook struct {
	file   *excelize.File
	table  Table
	limit  int
	sheets int
	stream *excelize.StreamWriter
	row    int // the last one written on the sheet
	cells  []any

	header, day, month, year, instant int // styles
}

func writeXLSX(w io.Writer, t Table, rows func(Add) error) error {
	return writeWorkbook(w, t, rowsPerSheet, rows)
}

func writeWorkbook(w io.Writer, t Table, limit int, rows func(Add) error) (err error) {
	b := &workbook{file: excelize.NewFile(), table: t, limit: limit, cells: make([]any, len(t.Columns))}
	defer func() { err = errors.Join(err, b.file.Close()) }()
	if err := b.styles(); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	if err := b.addSheet(); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	if err := rows(b.add); err != nil {
		return err
	}
	if err := b.stream.Flush(); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	// excelize would put the whole package together in memory; given its own
	// way to zip, it sends each part as it is compressed.
	out := bufio.NewWriterSize(w, chunk)
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(out) })
	if err := b.file.Write(io.Discard); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	return out.Flush()
}

func (b *workbook) styles() error {
	for format, id := range map[string]*int{thaiDay: &b.day, thaiMonth: &b.month, thaiYear: &b.year, thaiDateTime: &b.instant} {
		var err error
		if *id, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &format, Alignment: &excelize.Alignment{Horizontal: "left"}}); err != nil {
			return err
		}
	}
	var err error
	b.header, err = b.file.NewStyle(&excelize.Style{
		Font: &excelize.Font{Bold: true}, Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"E8EEF4"}},
	})
	return err
}

// addSheet begins a sheet: widths, the header, which stays in sight.
func (b *workbook) addSheet() error {
	b.sheets++
	name := b.table.Name
	if b.sheets == 1 {
		if err := b.file.SetSheetName("Sheet1", name); err != nil {
			return err
		}
	} else {
		name = fmt.Sprintf("%s %d", name, b.sheets)
		if _, err := b.file.NewSheet(name); err != nil {
			return err
		}
	}
	var err error
	if b.stream, err = b.file.NewStreamWriter(name); err != nil {
		return err
	}
	header := make([]any, len(b.table.Columns))
	for i, c := range b.table.Columns {
		header[i] = excelize.Cell{StyleID: b.header, Value: c.Title}
		if err := b.stream.SetColWidth(i+1, i+1, c.Width); err != nil {
			return err
		}
	}
	if err := b.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	b.row = 1
	return b.stream.SetRow("A1", header)
}

func (b *workbook) add(cells ...any) error {
	if b.row == b.limit {
		if err := b.stream.Flush(); err != nil {
			return fmt.Errorf("write xlsx: %w", err)
		}
		if err := b.addSheet(); err != nil {
			return fmt.Errorf("write xlsx: %w", err)
		}
	}
	b.row++
	for i := range b.cells {
		b.cells[i] = nil
		if i < len(cells) {
			var err error
			if b.cells[i], err = b.cell(cells[i]); err != nil {
				return err
			}
		}
	}
	if err := b.stream.SetRow(fmt.Sprintf("A%d", b.row), b.cells); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	return nil
}

// firstSerial is the first day whose number all spreadsheets agree on: Excel
// believes that there was a 29 February 1900. Older days are written as text.
var firstSerial = time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC)

// serial is a time as spreadsheets count it: days since 30 December 1899. It is
// written with all its digits, or 09:30 would be shown as 09:29.
func serial(t time.Time) float64 {
	return t.Sub(time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)).Minutes() / (24 * 60)
}

// cell is the value for excelize. A text is only ever a text: a formula would
// need excelize.Cell.Formula, which nothing here sets.
func (b *workbook) cell(cell any) (any, error) {
	switch v := cell.(type) {
	case string:
		if v == "" {
			return nil, nil
		}
		return v, nil
	case int:
		return v, nil
	case Day:
		if v.Date == "" {
			return nil, nil
		}
		t, err := time.Parse(time.DateOnly, v.Date)
		if err != nil {
			return nil, fmt.Errorf("write date: %w", err)
		}
		if t.Before(firstSerial) {
			return v.thai(t), nil
		}
		style := map[hospital.BirthPrecision]int{hospital.BirthYear: b.year, hospital.BirthMonth: b.month}[v.Precision]
		if style == 0 {
			style = b.day
		}
		return excelize.Cell{StyleID: style, Value: serial(t)}, nil
	case time.Time:
		// A cell has no zone: the clock of the hospital, as if it were UTC.
		v = v.In(hospital.Bangkok)
		return excelize.Cell{StyleID: b.instant, Value: serial(time.Date(v.Year(), v.Month(), v.Day(), v.Hour(), v.Minute(), 0, 0, time.UTC))}, nil
	default:
		return nil, fmt.Errorf("a cell cannot be a %T", cell)
	}
}
