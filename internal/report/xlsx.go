package report

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"nadmor/internal/hospital"
)

const (
	// rowsPerSheet is the maximum number of rows of a sheet. Further rows go to another sheet.
	rowsPerSheet = 1_048_576
	// unitsPerCell is the maximum length of a cell in UTF-16 units.
	unitsPerCell = 32_767
)

// Cell styles, as numbered in stylesXML.
const (
	plainStyle = iota
	headerStyle
	dayStyle
	monthStyle
	yearStyle
	instantStyle
	quotedStyle // stays a text when edited: Excel shows the apostrophe
)

// Date formats: 07 is the Buddhist calendar and 041E Thai with Arabic digits (D07041E has Thai digits).
// Programs that do not know the calendar show the Common Era.
const stylesXML = xml.Header + `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
	`<numFmts count="4"><numFmt numFmtId="164" formatCode="[$-107041E]d mmm yyyy"/>` +
	`<numFmt numFmtId="165" formatCode="[$-107041E]mmm yyyy"/>` +
	`<numFmt numFmtId="166" formatCode="[$-107041E]yyyy"/>` +
	`<numFmt numFmtId="167" formatCode="[$-107041E]d mmm yyyy hh:mm"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/>` +
	`</font></fonts>` +
	`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
	`<fill><patternFill patternType="solid"><fgColor rgb="FFE8EEF4"/><bgColor indexed="64"/></patternFill></fill>` +
	`</fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">` +
	`<alignment horizontal="left"/></xf>` +
	`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">` +
	`<alignment horizontal="left"/></xf>` +
	`<xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">` +
	`<alignment horizontal="left"/></xf>` +
	`<xf numFmtId="167" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1">` +
	`<alignment horizontal="left"/></xf>` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>` +
	`</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

const rootRelsXML = xml.Header +
	`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
	`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ` +
	`Target="xl/workbook.xml"/></Relationships>`

// workbook is an xlsx file being written: a ZIP archive whose sheets are streamed. The parts that list the
// sheets come last, so that nothing is buffered.
type workbook struct {
	archive *zip.Writer
	table   Table
	limit   int
	sheets  int
	out     *bufio.Writer // current sheet
	row     int           // last row of the sheet
	columns []string      // A, B, …
}

func writeXLSX(w io.Writer, t Table, rows func(Add) error) error {
	return writeWorkbook(w, t, rowsPerSheet, rows)
}

func writeWorkbook(w io.Writer, t Table, limit int, rows func(Add) error) error {
	sent := bufio.NewWriterSize(w, chunk)
	b := &workbook{archive: zip.NewWriter(sent), table: t, limit: limit, out: bufio.NewWriter(nil)}
	// Takes half the time of the default level for slightly larger files.
	b.archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for i := range t.Columns {
		b.columns = append(b.columns, columnName(i))
	}
	if err := b.part("_rels/.rels", rootRelsXML); err != nil {
		return err
	}
	if err := b.part("xl/styles.xml", stylesXML); err != nil {
		return err
	}
	if err := b.beginSheet(); err != nil {
		return err
	}
	if err := rows(b.add); err != nil {
		return err
	}
	if err := b.endSheet(); err != nil {
		return err
	}
	if err := b.index(); err != nil {
		return err
	}
	if err := b.archive.Close(); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	return sent.Flush()
}

// columnName returns A for 0 and AA for 26.
func columnName(i int) string {
	name := ""
	for ; i >= 0; i = i/26 - 1 {
		name = string(rune('A'+i%26)) + name
	}
	return name
}

// part writes a part of the package.
func (b *workbook) part(name, content string) error {
	w, err := b.archive.Create(name)
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	if err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	return nil
}

// beginSheet starts a sheet with a frozen header row and column widths.
func (b *workbook) beginSheet() error {
	b.sheets++
	w, err := b.archive.Create(fmt.Sprintf("xl/worksheets/sheet%d.xml", b.sheets))
	if err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	b.out.Reset(w)
	b.write(xml.Header,
		`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetViews>`+
			`<sheetView workbookViewId="0">`,
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	for i, c := range b.table.Columns {
		fmt.Fprintf(b.out, `<col min="%d" max="%[1]d" width="%g" customWidth="1"/>`, i+1, c.Width)
	}
	b.write(`</cols><sheetData><row r="1">`)
	b.row = 1
	for i, c := range b.table.Columns {
		b.text(i, headerStyle, c.Title)
	}
	b.write(`</row>`)
	return nil
}

func (b *workbook) endSheet() error {
	b.write(`</sheetData></worksheet>`)
	if err := b.out.Flush(); err != nil {
		return fmt.Errorf("write xlsx: %w", err)
	}
	return nil
}

// index writes the parts that list the sheets.
func (b *workbook) index() error {
	types, sheets, rels := &strings.Builder{}, &strings.Builder{}, &strings.Builder{}
	for i := 1; i <= b.sheets; i++ {
		name := &strings.Builder{}
		_ = xml.EscapeText(name, []byte(b.table.Name)) // cannot fail
		if i > 1 {
			fmt.Fprintf(name, " %d", i)
		}
		fmt.Fprintf(types,
			`<Override PartName="/xl/worksheets/sheet%d.xml" `+
				`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`, i)
		fmt.Fprintf(sheets, `<sheet name="%s" sheetId="%d" r:id="rId%[2]d"/>`, name, i)
		fmt.Fprintf(rels,
			`<Relationship Id="rId%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" `+
				`Target="worksheets/sheet%[1]d.xml"/>`, i)
	}
	for _, p := range [][2]string{
		{"xl/workbook.xml",
			`<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
				`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
				`<sheets>` + sheets.String() + `</sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels",
			`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels.String() +
				`<Relationship Id="rIdStyles" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" ` +
				`Target="styles.xml"/></Relationships>`},
		{"[Content_Types].xml",
			`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
				`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
				`<Default Extension="xml" ContentType="application/xml"/>` +
				`<Override PartName="/xl/workbook.xml" ` +
				`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
				`<Override PartName="/xl/styles.xml" ` +
				`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>` +
				types.String() + `</Types>`},
	} {
		if err := b.part(p[0], xml.Header+p[1]); err != nil {
			return err
		}
	}
	return nil
}

// write appends to the sheet. An error is returned by the next Flush.
func (b *workbook) write(parts ...string) {
	for _, p := range parts {
		_, _ = b.out.WriteString(p)
	}
}

func (b *workbook) add(cells ...any) error {
	if b.row == b.limit {
		if err := b.endSheet(); err != nil {
			return err
		}
		if err := b.beginSheet(); err != nil {
			return err
		}
	}
	b.row++
	b.write(`<row r="`, strconv.Itoa(b.row), `">`)
	for i, c := range cells[:min(len(cells), len(b.columns))] {
		if err := b.cell(i, c); err != nil {
			return err
		}
	}
	b.write(`</row>`)
	if _, err := b.out.Write(nil); err != nil { // the client disconnected
		return fmt.Errorf("write xlsx: %w", err)
	}
	return nil
}

// firstSerial is the first day whose serial number is the same in all spreadsheets, because Excel has a 29
// February 1900. Older days are written as text.
var firstSerial = time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC)

// serial returns the serial number of a time: days since 30 December 1899. It is written with all digits,
// otherwise 09:30 would become 09:29.
func serial(t time.Time) float64 {
	return t.Sub(time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)).Minutes() / (24 * 60)
}

// cell writes a cell. Texts are never formulas, which need an <f> element.
func (b *workbook) cell(column int, cell any) error {
	switch v := cell.(type) {
	case string:
		style := plainStyle
		if isFormula(v) {
			style = quotedStyle
		}
		b.text(column, style, v)
	case int:
		b.number(column, plainStyle, float64(v))
	case float64:
		b.number(column, plainStyle, v)
	case Day:
		if v.Date == "" {
			return nil
		}
		t, err := time.Parse(time.DateOnly, v.Date)
		if err != nil {
			return fmt.Errorf("write date: %w", err)
		}
		if t.Before(firstSerial) {
			b.text(column, plainStyle, v.thai(t))
			return nil
		}
		style := map[hospital.BirthPrecision]int{hospital.BirthYear: yearStyle, hospital.BirthMonth: monthStyle}[v.Precision]
		if style == 0 {
			style = dayStyle
		}
		b.number(column, style, serial(t))
	case time.Time:
		// Cells have no time zone, so Bangkok time is written as if it were UTC.
		v = v.In(hospital.Bangkok)
		b.number(column, instantStyle, serial(time.Date(v.Year(), v.Month(), v.Day(), v.Hour(), v.Minute(), 0, 0, time.UTC)))
	default:
		return fmt.Errorf("a cell cannot be a %T", cell)
	}
	return nil
}

func (b *workbook) open(column, style int) {
	b.write(`<c r="`, b.columns[column], strconv.Itoa(b.row), `"`)
	if style != plainStyle {
		b.write(` s="`, strconv.Itoa(style), `"`)
	}
}

func (b *workbook) number(column, style int, v float64) {
	b.open(column, style)
	b.write(`><v>`, strconv.FormatFloat(v, 'f', -1, 64), `</v></c>`)
}

// escaped matches texts that spreadsheets read as an escaped character.
var escaped = regexp.MustCompile(`_(x[0-9A-Fa-f]{4}_)`)

func (b *workbook) text(column, style int, s string) {
	if s == "" {
		return
	}
	if strings.Contains(s, "_x") {
		s = escaped.ReplaceAllString(s, "_x005F_$1")
	}
	if len(s) > unitsPerCell {
		if units := utf16.Encode([]rune(s)); len(units) > unitsPerCell {
			s = string(utf16.Decode(units[:unitsPerCell]))
		}
	}
	b.open(column, style)
	b.write(` t="inlineStr"><is><t xml:space="preserve">`)
	_ = xml.EscapeText(b.out, []byte(s)) // returned by Flush
	b.write(`</t></is></c>`)
}
