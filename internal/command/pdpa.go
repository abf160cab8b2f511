package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/privacy"
	"nadmor/internal/report"
	"nadmor/internal/store"
)

type pdpaCmd struct {
	Export    pdpaExportCmd    `cmd:"" help:"Export all data of a patient to a zip archive."`
	Anonymise pdpaAnonymiseCmd `cmd:"" help:"Erase a patient's personal and medical data. Visit statistics are kept."`
	Erased    pdpaErasedCmd    `cmd:"" help:"List erased patients without personal data, to erase them again after a restore."`
	Access    pdpaAccessCmd    `cmd:"" help:"Export who read or changed a patient's data as CSV."`
	Breach    pdpaBreachCmd    `cmd:"" help:"Export whose data was accessed in a period as CSV, for a breach notification."`
}

// subject finds the patient by HN, ID card, passport or id.
func subject(ctx context.Context, db *store.DB, whom string) (hospital.Patient, error) {
	p, err := privacy.FindSubject(ctx, db, whom)
	if hospital.CodeOf(err) == hospital.NotFound {
		return p,
			errors.New("no patient has this number: give the HN, the ID card, the passport, or the id of the record as id:17")
	}
	return p, err
}

type pdpaExportCmd struct {
	Patient string `arg:"" help:"HN, ID card, passport, or id:17."`
	File    string `arg:"" help:"Archive to write; must not exist."`
}

// Run writes the archive.
func (c *pdpaExportCmd) Run(ctx context.Context, a *app) (err error) {
	db, uploads, closeBoth, err := a.openBoth(ctx)
	if err != nil {
		return err
	}
	defer closeBoth(&err)
	ctx = hospital.WithActor(ctx, a.commandLine())
	p, err := subject(ctx, db, c.Patient)
	if err != nil {
		return err
	}
	setting, err := db.Setting(ctx)
	if err != nil {
		return err
	}
	var d hospital.Dossier
	var missing int
	size, err := a.writeAtomic(c.File, func(w io.Writer) (err error) {
		if d, err = privacy.Dossier(ctx, db, p.ID); err != nil {
			return err
		}
		copying := newProgress(a, "files")
		missing, err = report.WriteDossier(ctx, w, report.Dossier{
			Dossier: d, Hospital: report.Letterhead{Name: setting.Name, Address: setting.Address, Phone: setting.Phone},
			MadeAt: db.Now(), Product: a.Version,
		}, func(ctx context.Context, key string) (io.ReadCloser, error) { return uploads.Open(ctx, key) }, func(n, of int) {
			copying.of = of
			copying.show(n, float64(n)/float64(of))
		})
		copying.end()
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr,
		"%s: %d appointments, %d files, %d entries of the access log; %s. It contains health data: hand it over to the "+
			"patient only, then delete it.\n",
		c.File, len(d.Appointments), len(d.Files())-missing, len(d.Access), inMB(size))
	if missing > 0 {
		return fmt.Errorf("the archive is written, but %d files were missing; it lists them (as does nadmor verify)",
			missing)
	}
	return nil
}

type pdpaAccessCmd struct {
	Patient string `arg:"" help:"HN, ID card, passport, or id:17."`
	File    string `arg:"" default:"-" help:"The CSV file to write (default: standard output)."`
}

// Run writes the table.
func (c *pdpaAccessCmd) Run(ctx context.Context, a *app) (err error) {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx = hospital.WithActor(ctx, a.commandLine())
	p, err := subject(ctx, db, c.Patient)
	if err != nil {
		return err
	}
	_, err = a.writeAtomic(c.File, func(w io.Writer) error {
		own, together, err := privacy.AccessLog(ctx, db, p.ID)
		if err != nil {
			return err
		}
		return report.WriteAccessLog(w, own, together)
	})
	return err
}

type pdpaBreachCmd struct {
	From string `required:"" help:"Start in Bangkok time: 2026-11-15 or 2026-11-15T09:30 (Buddhist years are accepted)."`
	To   string `required:"" help:"End; a date includes that day."`
	User string `help:"Only accesses by this account."`
	Addr string `help:"Only accesses from this address."`
	File string `arg:"" default:"-" help:"The CSV file to write (default: standard output)."`
}

var breachTable = report.Table{Name: "ผู้ได้รับผลกระทบ", Columns: []report.Column{
	{Title: "ประเภท", Width: 14}, {Title: "เลขที่ระเบียน", Width: 10}, {Title: "HN", Width: 12},
	{Title: "ชื่อ", Width: 28}, {Title: "โทรศัพท์", Width: 14}, {Title: "อีเมล", Width: 24},
	{Title: "ครั้งแรก", Width: 18}, {Title: "ครั้งล่าสุด", Width: 18}, {Title: "จำนวนครั้ง", Width: 10},
	{Title: "การกระทำ", Width: 40}, {Title: "บัญชีที่ใช้", Width: 24}, {Title: "จากที่อยู่", Width: 20}, {
		Title: "ขอบเขต", Width: 40,
	},
}}

// Run writes the table. Bulk operations such as exports and backups have a row of their own with their
// criteria, without patients.
func (c *pdpaBreachCmd) Run(ctx context.Context, a *app) (err error) {
	db, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx = hospital.WithActor(ctx, a.commandLine())
	in := privacy.Breach{Username: c.User, Addr: c.Addr}
	if in.From, err = moment(c.From, false); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if in.To, err = moment(c.To, true); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	var people, together int
	_, err = a.writeAtomic(c.File, func(w io.Writer) error {
		list, err := privacy.FindAccessed(ctx, db, in)
		if err != nil {
			return err
		}
		return report.Write(w, report.CSV, breachTable, func(add report.Add) error {
			for _, t := range list {
				kind, id, scope := map[string]string{
					"patient": "ผู้ป่วย", "customer": "ผู้ใช้บริการ", "": "หลายคนพร้อมกัน",
				}[t.Entity], "", ""
				if t.Together != nil {
					together++
					scope = strings.TrimSpace(t.Together.Subject + " " + criteria(t.Together.Changes))
				} else {
					people++
					id = strconv.FormatInt(t.ID, 10)
				}
				actions := make([]string, len(t.Actions))
				for i, action := range t.Actions {
					actions[i] = report.ActionName(action)
				}
				if err := add(kind, id, t.HN, t.Subject, t.Phone, t.Email, t.First, t.Last, t.Times, strings.Join(actions, "; "),
					strings.Join(t.By, "; "), strings.Join(t.Addrs, "; "), scope); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stderr,
		"%d people by name; %d exports, prints, imports or backups of many people, with their criteria.\n",
		people, together)
	fmt.Fprintln(a.Stderr,
		"Lists and searches are not recorded: patients who were only shown in a list are not in the table.")
	return nil
}

// criteria formats the filter of an export.
func criteria(changes map[string]hospital.Change) string {
	var list []string
	for field, c := range changes {
		list = append(list, fmt.Sprintf("%s=%v", field, c.After))
	}
	return strings.Join(slices.Sorted(slices.Values(list)), ", ")
}

// moment parses a date, or a date and time, in the hospital's time zone. With end, a date means the start of
// the next day.
func moment(s string, end bool) (time.Time, error) {
	s = hospital.ArabicDigits(s)
	if year, rest, ok := strings.Cut(s, "-"); ok && len(year) == 4 && year >= "2400" {
		if n, err := strconv.Atoi(year); err == nil {
			s = fmt.Sprintf("%04d-%s", n-hospital.BuddhistEra, rest)
		}
	}
	t, err := time.ParseInLocation("2006-01-02T15:04", strings.Replace(s, " ", "T", 1), hospital.Bangkok)
	if err == nil {
		return t, nil
	}
	t, err = time.ParseInLocation(time.DateOnly, s, hospital.Bangkok)
	if err != nil {
		return t, errors.New("write it as 2026-11-15 or 2026-11-15T09:30")
	}
	if end {
		t = t.AddDate(0, 0, 1)
	}
	return t, nil
}
