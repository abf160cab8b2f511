package command

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"nadmor/internal/hospital"
	"nadmor/internal/report"
)

// decode converts the bytes of a file to text.
func decode(raw []byte, encoding string) (string, error) {
	switch {
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")):
		return "", errors.New("this is a spreadsheet, not a CSV file: save it as “CSV UTF-8” first")
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return "", errors.New("this file is UTF-16 (“Unicode text”): save it as “CSV UTF-8” instead")
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if utf8.Valid(raw) && encoding != "tis620" {
		return string(raw), nil
	}
	if encoding == "utf8" || encoding == "auto" && mostlyUTF8(raw) {
		return "", fmt.Errorf("line %d is not UTF-8: the file is damaged, or --encoding is wrong",
			1+bytes.Count(raw[:firstInvalid(raw)], []byte("\n")))
	}
	text, err := charmap.Windows874.NewDecoder().Bytes(raw)
	if err != nil {
		return "", fmt.Errorf("read TIS-620: %w", err)
	}
	return string(text), nil
}

// mostlyUTF8 reports whether a file with invalid bytes is UTF-8 nevertheless. Decoded as TIS-620 it would
// become meaningless Thai letters.
func mostlyUTF8(raw []byte) bool {
	right, wrong := 0, 0
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		switch {
		case r == utf8.RuneError && size == 1:
			wrong++
		case size > 1:
			right += size
		}
		raw = raw[size:]
	}
	return right > wrong
}

func firstInvalid(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(raw)
}

// patientFile is a CSV file with a known header.
type patientFile struct {
	text    string // from the header on
	comma   rune
	columns []*importColumn // nil for an ignored column
	titles  []string
	column  map[string]string // field to title
	unread  []string
	skipped int // lines before the header
}

// fault is an invalid cell.
type fault struct{ column, message string }

// patientRow is a row of the file with its number in a spreadsheet, its values and its faults.
type patientRow struct {
	number  int
	done    float64 // fraction of the file that is read
	patient hospital.PatientFields
	faults  []fault
}

// openPatientFile reads the header.
func openPatientFile(text string) (*patientFile, error) {
	f := &patientFile{text: text, column: map[string]string{}}
	if hint, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(strings.ToLower(hint), "sep=") { // Excel
		f.text, f.skipped = rest, 1
	}
	f.comma = separatorOf(f.text)
	header, err := f.reader().Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("the header cannot be read: %w", err)
	}
	f.titles = slices.Clone(header)
	f.columns = make([]*importColumn, len(header))
	for i, title := range f.titles {
		title = strings.TrimSpace(report.UnescapeFormula(title))
		f.titles[i] = title
		c := importColumnOf[headerKey(title)]
		switch {
		case c == nil && title != "":
			f.unread = append(f.unread, title)
		case c == nil:
		case f.column[c.field] != "":
			return nil, fmt.Errorf("the columns %q and %q both say %s", f.column[c.field], title, c.field)
		default:
			f.columns[i], f.column[c.field] = c, title
		}
	}
	if err := f.complete(); err != nil {
		return nil, err
	}
	return f, nil
}

// complete returns an error naming the missing required columns.
func (f *patientFile) complete() error {
	var missing []string
	needed := []string{"firstName", "lastName", "sex", "birthDate"}
	if column := f.column[fullName]; column != "" {
		if f.column["firstName"] != "" || f.column["lastName"] != "" {
			return fmt.Errorf("the name is there twice: in %q and in parts", column)
		}
		f.column["firstName"], f.column["lastName"] = column, column
	}
	for _, field := range needed {
		if f.column[field] == "" {
			missing = append(missing, field+" ("+importColumnOf[headerKey(field)].names[0]+")")
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("columns are missing: %s", strings.Join(missing, ", "))
	}
	return nil
}

// separatorOf detects the separator of the header.
func separatorOf(text string) rune {
	best, most := ',', 0
	for _, comma := range []rune{',', ';', '\t'} {
		n, quoted := 0, false
		for _, r := range text {
			if !quoted && r == '\n' {
				break
			}
			if r == '"' {
				quoted = !quoted
			}
			if !quoted && r == comma {
				n++
			}
		}
		if n > most {
			best, most = comma, n
		}
	}
	return best
}

func (f *patientFile) reader() *csv.Reader {
	r := csv.NewReader(strings.NewReader(f.text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = f.comma, -1, true
	return r
}

// rows yields all rows except empty ones. It can be called again.
func (f *patientFile) rows() iter.Seq[patientRow] {
	return func(yield func(patientRow) bool) {
		r := f.reader()
		inside := 0 // line breaks within cells, which spreadsheets do not count
		for first := true; ; first = false {
			record, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			row := patientRow{done: float64(r.InputOffset()) / float64(max(len(f.text), 1))}
			var broken *csv.ParseError
			if errors.As(err, &broken) {
				row.number = broken.StartLine + f.skipped - inside
				row.faults = []fault{{"", "เครื่องหมายคำพูด (\") ไม่ครบคู่"}}
			} else {
				line, _ := r.FieldPos(0)
				row.number = line + f.skipped - inside
				for _, cell := range record {
					inside += strings.Count(cell, "\n")
				}
				if first || !slices.ContainsFunc(record, func(s string) bool { return strings.TrimSpace(s) != "" }) {
					continue
				}
				f.read(&row, record)
			}
			if !yield(row) {
				return
			}
		}
	}
}

// read parses the cells of a row.
func (f *patientFile) read(row *patientRow, record []string) {
	if len(record) != len(f.columns) {
		row.faults = append(row.faults, fault{
			"", fmt.Sprintf("มี %d ช่อง แต่หัวตารางมี %d ช่อง", len(record), len(f.columns)),
		})
		return
	}
	for i, c := range f.columns {
		text := strings.TrimSpace(report.UnescapeFormula(record[i]))
		if c == nil || text == "" || text == "-" && c.field != "rhFactor" || text == "NULL" || text == `\N` {
			continue
		}
		if strings.ContainsRune(text, 0) {
			f.fault(row, c.field, "มีอักขระที่ใช้ไม่ได้")
			continue
		}
		if wrong := c.set(&row.patient, text); wrong != "" {
			f.fault(row, c.field, wrong)
		}
	}
	if row.patient.RhFactor == "-" && row.patient.BloodGroup == "" {
		// "-" means empty as in other columns: without a blood group the Rh factor is not known either
		row.patient.RhFactor = ""
	}
	if row.patient.Prename == "" && f.column["prename"] == "" { // the prename is part of the name
		row.patient.Prename, row.patient.FirstName, _ = hospital.SplitPrename(row.patient.FirstName)
	}
	row.patient = row.patient.Clean()
}

// validate adds the errors of PatientFields.Validate to the row.
func (f *patientFile) validate(row *patientRow, today string) {
	var e *hospital.Error
	if errors.As(row.patient.Validate(today), &e) {
		for _, fe := range e.Fields {
			f.fault(row, fe.Field, fe.Message.TH)
		}
	}
}

// fault adds a fault under the title of the field's column, or the field name if there is no such column.
func (f *patientFile) fault(row *patientRow, field, message string) {
	name, _, _ := strings.Cut(field, "[")
	column := f.column[name]
	if column == "" && name == "prename" && f.column[fullName] != "" {
		column = f.column[fullName]
	}
	if column == "" {
		column = name
	}
	row.faults = append(row.faults, fault{column, message})
}
