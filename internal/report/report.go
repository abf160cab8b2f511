// Package report writes what people take along: tables to open in a spreadsheet
// (xlsx and csv, whose rows are written as they come, so that a file of any
// length takes no more memory than a short one), and papers to print (PDF).
package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

// Format is the kind of file.
type Format string

// The kinds of files a table can be written as.
const (
	XLSX Format = "xlsx"
	CSV  Format = "csv"
)

// Formats lists the valid values.
var Formats = []Format{XLSX, CSV}

// ContentType is what a browser is told the file is.
func (f Format) ContentType() string {
	if f == CSV {
		return "text/csv; charset=utf-8"
	}
	return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

// Column is one column: what stands over it and how wide it is, in characters.
type Column struct {
	Title string
	Width float64
}

// Table is what a file is about: the name of its sheet and its columns.
type Table struct {
	Name    string
	Columns []Column
}

// Day is a date in a cell, YYYY-MM-DD, of which only the known part is shown,
// in the Buddhist Era. An empty date is an empty cell.
type Day struct {
	Date      string
	Precision hospital.BirthPrecision
}

// Add appends one row. A cell is a string, an int, a float64, a Day, or a
// time.Time, which is shown as date and time in Bangkok, in the Buddhist Era.
type Add func(cells ...any) error

// Write writes the table's header and what rows adds, row by row. An error of
// rows ends the file and is returned; the file is not complete then.
func Write(w io.Writer, format Format, t Table, rows func(Add) error) error {
	switch format {
	case CSV:
		return writeCSV(w, t, rows)
	case XLSX:
		return writeXLSX(w, t, rows)
	default:
		return fmt.Errorf("no such format: %q", format)
	}
}

// isFormula reports whether a spreadsheet that reads the text from a csv file
// might take it for a formula and calculate it.
func isFormula(s string) bool { return s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) }

// Guard puts an apostrophe before a text that a spreadsheet would calculate.
func Guard(s string) string {
	if isFormula(s) {
		return "'" + s
	}
	return s
}

// Unguard takes off the apostrophe that Guard put there.
func Unguard(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && isFormula(rest) {
		return rest
	}
	return s
}

// thai is the date as people write it, the Buddhist year last and only as much
// as is known: 15/11/2569, 11/2569, 2569.
func (d Day) thai(t time.Time) string {
	year := t.Year() + hospital.BuddhistEra
	switch d.Precision {
	case hospital.BirthYear:
		return fmt.Sprintf("%04d", year)
	case hospital.BirthMonth:
		return fmt.Sprintf("%02d/%04d", t.Month(), year)
	default:
		return fmt.Sprintf("%02d/%02d/%04d", t.Day(), t.Month(), year)
	}
}
