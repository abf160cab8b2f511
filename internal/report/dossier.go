package report

import (
	"archive/zip"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"nadmor/internal/hospital"
)

// Dossier is the data about a patient with the metadata of its export.
type Dossier struct {
	hospital.Dossier
	Hospital Letterhead
	MadeAt   time.Time
	Product  string // version
}

// OpenFile opens a file of the dossier. It returns fs.ErrNotExist if the file is missing.
type OpenFile func(ctx context.Context, key string) (io.ReadCloser, error)

// WriteDossier writes a ZIP archive with all data of a patient: an HTML document, JSON, the access log as a
// table, and the files. step is called for each copied file. It returns the number of missing files, which
// the archive also names.
func WriteDossier(ctx context.Context, w io.Writer, d Dossier, open OpenFile,
	step func(n, of int)) (missing int, err error) {
	z := zip.NewWriter(w)
	files := d.Files()
	for i, f := range files {
		f.Path = fmt.Sprintf("files/%03d-%s", i+1, fileName(f.Name))
		content, err := open(ctx, f.Key)
		if errors.Is(err, fs.ErrNotExist) {
			f.Path, f.Missing = "", true
			missing++
			continue
		}
		if err != nil {
			return missing, fmt.Errorf("read a file: %w", err)
		}
		err = d.add(z, f.Path, zip.Store, func(w io.Writer) error { _, err := io.Copy(w, content); return err })
		if err = errors.Join(err, content.Close()); err != nil {
			return missing, fmt.Errorf("copy a file: %w", err)
		}
		step(i+1, len(files))
	}
	return missing, errors.Join(
		d.add(z, "data.json", zip.Deflate, d.writeJSON),
		d.add(z, "access-log.csv", zip.Deflate, func(w io.Writer) error { return WriteAccessLog(w, d.Access, d.Together) }),
		d.add(z, "record.html", zip.Deflate, func(w io.Writer) error { return dossierPage.Execute(w, d) }),
		z.Close(),
	)
}

func (d Dossier) add(z *zip.Writer, name string, method uint16, write func(io.Writer) error) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: d.MadeAt})
	if err != nil {
		return err
	}
	return write(w)
}

// fileName returns a name that is valid on all systems, without folders and control characters.
func fileName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:*?"<>|`, r) || unicode.Is(unicode.Cf, r) {
			return '_'
		}
		return r
	}, path.Base(name))
	if strings.Trim(name, ". ") == "" {
		return "file"
	}
	return name
}

// writeJSON writes the data with descriptions of all fields.
func (d Dossier) writeJSON(w io.Writer) error {
	type text struct {
		TH string `json:"th"`
		EN string `json:"en"`
	}
	fields := map[string]text{}
	for name, t := range dossierFields {
		fields[name] = text{t.TH, t.EN}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Format   string          `json:"format"`
		MadeAt   time.Time       `json:"madeAt"`
		Product  string          `json:"product"`
		Hospital string          `json:"hospital"`
		Fields   map[string]text `json:"fields"`
		hospital.Dossier
	}{"nadmor patient dossier 1", d.MadeAt, d.Product, d.Hospital.Name, fields, d.Dossier})
}

var accessTable = Table{
	Name: "การเข้าถึงข้อมูล",
	Columns: []Column{
		{"เวลา", 18}, {"ผู้กระทำ", 24}, {"จากที่อยู่", 16}, {"การกระทำ", 32}, {"รหัส", 24}, {"ข้อมูล", 24},
		{"ช่องที่เปลี่ยน", 30}, {"เหตุผล", 30}, {"ผล", 8}, {"หลายคนพร้อมกัน", 10},
	},
}

// WriteAccessLog writes the access log as a table.
func WriteAccessLog(w io.Writer, own, together []hospital.AuditEntry) error {
	return Write(w, CSV, accessTable, func(add Add) error {
		for i, list := range [][]hospital.AuditEntry{own, together} {
			many := []string{"", "ใช่"}[i]
			for _, e := range list {
				if err := add(e.At, e.ActorName, e.Addr, ActionName(e.Action), e.Action, entityNames[e.Entity]+" "+e.EntityID,
					changedFields(e), e.Reason, string(e.Outcome), many); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// changedFields returns the names of the changed fields of an entry.
func changedFields(e hospital.AuditEntry) string {
	var names []string
	for field := range e.Changes {
		names = append(names, fieldName(e.Entity, field))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// fieldName returns the display name of a field of an entity.
func fieldName(entity, field string) string {
	for _, prefix := range []string{
		map[string]string{
			"patient": "patient.", "appointment": "appointments.", "result": "appointments.results.", "customer": "customers.",
		}[entity],
		"appointments.", "patient.",
	} {
		if t, ok := dossierFields[prefix+field]; ok {
			return t.TH
		}
	}
	return field
}

//go:embed dossier.html
var dossierFiles embed.FS

// dossierPage is the HTML document.
var dossierPage = template.Must(template.New("dossier.html").Funcs(template.FuncMap{
	"when": func(t any) string {
		switch t := t.(type) {
		case time.Time:
			return hospital.ThaiDateTime(t)
		case *time.Time:
			if t != nil {
				return hospital.ThaiDateTime(*t)
			}
		}
		return ""
	},
	"date": dossierDate,
	"born": func(p hospital.DossierPatient) string {
		t, err := time.Parse(time.DateOnly, p.BirthDate)
		if err != nil {
			return p.BirthDate
		}
		return Day{Date: p.BirthDate, Precision: p.BirthPrecision}.thai(t)
	},
	"label": func(field string) string {
		if t, ok := dossierFields[field]; ok {
			return t.TH
		}
		return field
	},
	// The font is embedded, because the reader's system may have no Thai font.
	"letters": func() template.CSS {
		face := `@font-face { font-family: Sarabun; font-weight: %s; src: url(data:font/ttf;base64,%s); }`
		regular, bold := base64.StdEncoding.EncodeToString(sarabunRegular), base64.StdEncoding.EncodeToString(sarabunBold)
		return template.CSS(fmt.Sprintf(face+"\n"+face, "400", regular, "600 700", bold)) //nolint:gosec // our own files
	},
	"action":  ActionName,
	"history": func(a hospital.HistoryAction) string { return historyNames[a] },
	"entity":  func(e hospital.AuditEntry) string { return strings.TrimSpace(entityNames[e.Entity] + " " + e.EntityID) },
	"fields":  changedFields,
	"changes": historyLines,
	"join":    func(list []string) string { return strings.Join(list, ", ") },
	"pairs": func(p hospital.DossierPatient) [][2]string {
		sex := map[hospital.Sex]string{hospital.Male: "ชาย", hospital.Female: "หญิง", hospital.UnknownSex: "ไม่ระบุ"}[p.Sex]
		list := [][2]string{
			{"idType", string(p.IDType)}, {"idCard", p.IDCard}, {"passportNo", p.PassportNo}, {"firstNameEn", p.FirstNameEn},
			{"lastNameEn", p.LastNameEn}, {"sex", sex},
			{"bloodGroup", strings.TrimSpace(p.BloodGroup + " " + p.RhFactor)}, {"nationality", p.Nationality},
			{"religion", p.Religion}, {"maritalStatus", p.MaritalStatus}, {"occupation", p.Occupation},
			{"phone", p.Phone}, {"phone2", p.Phone2}, {"email", p.Email}, {"lineUserId", p.LineUserID},
			{"address.line", p.Address.Line}, {"address.moo", p.Address.Moo}, {"address.subdistrict", p.Address.Subdistrict}, {
				"address.district", p.Address.District,
			},
			{"address.province", p.Address.Province}, {"address.postalCode", p.Address.PostalCode},
			{"rightCode", strings.TrimSpace(p.RightCode + " " + hospital.RightName(p.RightCode).TH)},
			{"rightCardNo", p.RightCardNo}, {"rightHospital", p.RightHospital}, {"rightExpires", dossierDate(p.RightExpires)},
			{"contactName", p.ContactName}, {"contactRelation", p.ContactRelation}, {"contactPhone", p.ContactPhone},
			{"note", p.Note},
		}
		return slices.DeleteFunc(list, func(pair [2]string) bool { return pair[1] == "" })
	},
}).ParseFS(dossierFiles, "dossier.html"))

// dossierDate formats a date, or returns an empty string if there is none.
func dossierDate(date string) string {
	if date == "" {
		return ""
	}
	return hospital.ThaiDate(date)
}

// historyLines returns the changed fields with their values before and after.
func historyLines(h hospital.HistoryEntry) []string {
	named := func(field string, v any) any {
		text, _ := v.(string)
		switch {
		case v == nil || v == "":
			return "–"
		case field == "status":
			return hospital.AppointmentStatus(text).Name().TH
		case field == "kind":
			return hospital.AppointmentKind(text).Name().TH
		case field == "channel":
			return hospital.Channel(text).Name().TH
		case field == "priority":
			return hospital.Priority(text).Name().TH
		case field == "date":
			return hospital.ThaiDate(text)
		}
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return hospital.ThaiDateTime(t)
		}
		return v
	}
	fields := map[string]bool{}
	for _, m := range []map[string]any{h.From, h.To} {
		for field := range m {
			fields[field] = true
		}
	}
	var lines []string
	for field := range fields {
		lines = append(lines,
			fmt.Sprintf("%s: %v → %v", fieldName("appointment", field), named(field, h.From[field]), named(field, h.To[field])))
	}
	slices.Sort(lines)
	return lines
}
