// Package report writes tables as xlsx and csv, row by row in constant memory, and printed pages as PDF.
package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"nadmor/internal/hospital"
)

// Format is a file format of a table.
type Format string

// The file formats.
const (
	XLSX Format = "xlsx"
	CSV  Format = "csv"
)

// Formats lists the valid values.
var Formats = []Format{XLSX, CSV}

// ContentType returns the content type of the format.
func (f Format) ContentType() string {
	if f == CSV {
		return "text/csv; charset=utf-8"
	}
	return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

// Column is a column with its title and its width in characters.
type Column struct {
	Title string
	Width float64
}

// Table is the sheet name and the columns of a table.
type Table struct {
	Name    string
	Columns []Column
}

// Day is a date cell, YYYY-MM-DD, shown in the Buddhist Era up to its precision. An empty date is an empty
// cell.
type Day struct {
	Date      string
	Precision hospital.BirthPrecision
}

// Add appends a row. A cell is a string, an int, a float64, a Day, or a time.Time, which is shown in Bangkok
// time and the Buddhist Era.
type Add func(cells ...any) error

// Write writes the header and the rows that rows adds. It returns the error of rows; the file is incomplete
// then.
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

// isFormula reports whether a spreadsheet may interpret a text in a csv file as a formula.
func isFormula(s string) bool { return s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) }

// EscapeFormula prefixes a text that a spreadsheet may interpret as a formula with an apostrophe.
func EscapeFormula(s string) string {
	if isFormula(s) {
		return "'" + s
	}
	return s
}

// UnescapeFormula removes the apostrophe of EscapeFormula.
func UnescapeFormula(s string) string {
	if rest, ok := strings.CutPrefix(s, "'"); ok && isFormula(rest) {
		return rest
	}
	return s
}

// thai formats a date up to its precision: 15/11/2569, 11/2569, 2569.
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
