// Command pocketbase implements the hospital of the benchmark on PocketBase in its idiomatic way: collections
// with indexes and rules, the records API, and two custom routes for a booking that never takes a seat twice
// and for the sums of a month. See docs/performance.md for the method and its bias.
//
// It is a module of its own, so that the product does not depend on PocketBase.
//
//	pocketbase fill FILE   creates the hospital in NADMOR_DATA from a database of the product
//	pocketbase serve       serves it on NADMOR_ADDR
package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
)

// The credentials of the load generator.
const email, password = "bench@example.org", "bench-password"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pocketbase:", err)
		os.Exit(1)
	}
}

func run() error {
	app := pocketbase.NewWithConfig(pocketbase.Config{HideStartBanner: true, DefaultDataDir: os.Getenv("NADMOR_DATA")})
	if len(os.Args) == 3 && os.Args[1] == "fill" {
		if err := app.Bootstrap(); err != nil {
			return err
		}
		return errors.Join(fill(app, os.Args[2]), app.ClearBootstrap())
	}
	app.RootCmd.SetArgs([]string{"serve", "--http=" + os.Getenv("NADMOR_ADDR")})
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.Router.GET("/readyz", func(e *core.RequestEvent) error { return e.NoContent(http.StatusOK) })
		e.Router.POST("/api/book", book).Bind(apis.RequireAuth())
		e.Router.GET("/api/month", month).Bind(apis.RequireAuth())
		return e.Next()
	})
	return app.Start()
}

var (
	patientTexts = strings.Fields(`hn id_type id_card passport_no prename first_name last_name first_name_en
		last_name_en birth_date birth_precision sex blood_group rh_factor
		nationality religion marital_status occupation phone phone2 email line_user_id addr_line addr_moo
		addr_subdistrict addr_district addr_province addr_postal_code
		right_code right_card_no right_hospital right_expires contact_name contact_relation contact_phone note last_visit`)
	visitTexts = strings.Fields(`number date start_time end_time kind channel priority reason note overbook_reason
		cancel_reason`)
	visitTimes = strings.Fields(`checked_in_at started_at completed_at`)
	statuses   = strings.Fields(`WAITLISTED PENDING BOOKED CONFIRMED CHECKED_IN IN_SERVICE COMPLETED NO_SHOW CANCELLED`)
)

// collections creates the collections, accessible to signed-in users.
func collections(app core.App) error {
	signedIn := `@request.auth.id != ""`
	services, patients, visits := core.NewBaseCollection("services"), core.NewBaseCollection("patients"),
		core.NewBaseCollection("appointments")
	for _, c := range []*core.Collection{services, patients, visits} {
		c.ListRule, c.ViewRule, c.UpdateRule = &signedIn, &signedIn, &signedIn
		c.Fields.Add(&core.AutodateField{Name: "created", OnCreate: true}, &core.AutodateField{
			Name: "updated", OnCreate: true, OnUpdate: true,
		})
	}
	for _, name := range []string{"code", "name", "color"} {
		services.Fields.Add(&core.TextField{Name: name, Required: true})
	}
	services.Fields.Add(&core.NumberField{Name: "slot_minutes"}, &core.NumberField{Name: "capacity"},
		&core.JSONField{Name: "schedule"})
	services.AddIndex("services_code", true, "code", "")

	for _, name := range patientTexts {
		patients.Fields.Add(&core.TextField{Name: name})
	}
	patients.Fields.Add(&core.JSONField{Name: "allergies"}, &core.JSONField{Name: "conditions"},
		&core.BoolField{Name: "no_known_allergy"}, &core.DateField{Name: "consent_at"})
	patients.AddIndex("patients_hn", true, "hn", "")
	patients.AddIndex("patients_id_card", false, "id_card", "")
	patients.AddIndex("patients_last_name", false, "last_name, first_name", "")
	patients.AddIndex("patients_first_name", false, "first_name", "")
	for _, c := range []*core.Collection{services, patients} {
		if err := app.Save(c); err != nil {
			return err
		}
	}

	for _, name := range visitTexts {
		visits.Fields.Add(&core.TextField{Name: name})
	}
	for _, name := range visitTimes {
		visits.Fields.Add(&core.DateField{Name: name})
	}
	visits.Fields.Add(
		&core.RelationField{Name: "patient", CollectionId: patients.Id, Required: true}, &core.RelationField{
			Name: "service", CollectionId: services.Id, Required: true,
		},
		&core.SelectField{Name: "status", Values: statuses, Required: true}, &core.BoolField{Name: "overbooked"},
		&core.NumberField{Name: "queue_no"}, &core.NumberField{Name: "result_count"},
	)
	visits.AddIndex("appointments_number", true, "number", "")
	visits.AddIndex("appointments_date", false, "date, start_time", "")
	visits.AddIndex("appointments_service", false, "service, date, start_time, status", "")
	visits.AddIndex("appointments_patient", false, "patient, date, start_time, end_time, status", "")
	visits.AddIndex("appointments_status", false, "status, date", "")
	visits.AddIndex("appointments_load", false, "date, status", "")
	return app.Save(visits)
}

// fill creates the hospital from the rows of the product's. Ids are the product's, padded with zeros, so that
// both get the same requests.
func fill(app core.App, file string) error {
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := collections(app); err != nil {
		return err
	}
	// Without an administrator PocketBase opens a browser to create one.
	for _, name := range []string{core.CollectionNameSuperusers, "users"} {
		c, err := app.FindCollectionByNameOrId(name)
		if err != nil {
			return err
		}
		who := core.NewRecord(c)
		who.SetEmail(email)
		who.SetPassword(password)
		if err := app.Save(who); err != nil {
			return err
		}
	}
	// The product's request log is off during the benchmark as well.
	settings := app.Settings()
	settings.Logs.MaxDays = 0
	if err := app.Save(settings); err != nil {
		return err
	}
	// A single connection, to which the other database is attached.
	db := app.NonconcurrentDB()
	if _, err := db.NewQuery("ATTACH {:file} AS hospital").Bind(dbx.Params{"file": file}).Execute(); err != nil {
		return err
	}
	const created = "coalesce(strftime('%Y-%m-%d %H:%M:%fZ', created_at / 1000.0, 'unixepoch'), ''), " +
		"coalesce(strftime('%Y-%m-%d %H:%M:%fZ', updated_at / 1000.0, 'unixepoch'), '')"
	for _, statement := range []string{
		"INSERT INTO main.services (id, code, name, color, slot_minutes, capacity, schedule, created, updated)" +
			" SELECT printf('s%014d', id), code, name, color, slot_minutes, default_capacity, schedule, " + created +
			" FROM hospital.services WHERE deleted_at IS NULL",
		"INSERT INTO main.patients (id, " + strings.Join(patientTexts, ", ") +
			", allergies, conditions, no_known_allergy, consent_at, created, updated)" +
			" SELECT printf('p%014d', id), " + texts(patientTexts) + ", allergies, conditions, no_known_allergy, " +
			times([]string{"consent_at"}) + ", " + created + " FROM hospital.patients WHERE deleted_at IS NULL ORDER BY id",
		"INSERT INTO main.appointments (id, " + strings.Join(visitTexts, ", ") + ", " + strings.Join(visitTimes, ", ") +
			", patient, service, status, overbooked, queue_no, result_count, created, updated)" +
			" SELECT printf('a%014d', id), " + texts(visitTexts) + ", " + times(visitTimes) +
			", printf('p%014d', patient_id), printf('s%014d', service_id), status, overbooked, coalesce(queue_no, 0), " +
			"result_count, " + created +
			" FROM hospital.appointments WHERE deleted_at IS NULL ORDER BY id",
		"DETACH hospital", "ANALYZE",
	} {
		if _, err := db.NewQuery(statement).Execute(); err != nil {
			return fmt.Errorf("%.40s: %w", statement, err)
		}
	}
	return nil
}

func texts(names []string) string {
	return "coalesce(" + strings.Join(names, ", ''), coalesce(") + ", '')"
}

func times(names []string) string {
	const before, after = "coalesce(strftime('%Y-%m-%d %H:%M:%fZ', ", " / 1000.0, 'unixepoch'), '')"
	return before + strings.Join(names, after+", "+before) + after
}

// booking is a booking request.
type booking struct {
	Patient string `json:"patient"`
	Service string `json:"service"`
	Date    string `json:"date"`
	Start   string `json:"start_time"`
	Kind    string `json:"kind"`
	Reason  string `json:"reason"`
}

func book(e *core.RequestEvent) error {
	var in booking
	if err := e.BindBody(&in); err != nil {
		return e.BadRequestError("not a booking", err)
	}
	var visit *core.Record
	if err := e.App.RunInTransaction(func(tx core.App) (err error) {
		visit, err = reserve(tx, in)
		return err
	}); err != nil {
		return e.BadRequestError("not booked: "+err.Error(), err)
	}
	return e.JSON(http.StatusOK, visit)
}

var number atomic.Int64

func init() { number.Store(time.Now().UnixMilli()) }

// reserve books an appointment if there is a free seat and the patient is not double-booked. All transactions
// share PocketBase's single write connection, so nothing happens between the count and the insert.
func reserve(tx core.App, in booking) (*core.Record, error) {
	service, err := tx.FindRecordById("services", in.Service)
	if err != nil {
		return nil, err
	}
	start, err := time.Parse("15:04", in.Start)
	if err != nil {
		return nil, err
	}
	end := start.Add(time.Duration(service.GetInt("slot_minutes")) * time.Minute).Format("15:04")
	var taken, elsewhere int
	if err := tx.DB().NewQuery(`SELECT
		(SELECT count(*) FROM appointments WHERE service = {:service} AND date = {:date} AND start_time = {:start}
		AND status NOT IN ('WAITLISTED', 'CANCELLED')),
		EXISTS (SELECT 1 FROM appointments WHERE patient = {:patient} AND date = {:date} AND start_time < {:end}
		AND end_time > {:start} AND status NOT IN ('WAITLISTED', 'CANCELLED'))`).
		Bind(dbx.Params{
			"service": in.Service, "patient": in.Patient, "date": in.Date, "start": in.Start, "end": end,
		}).Row(&taken, &elsewhere); err != nil {
		return nil, err
	}
	switch {
	case taken >= service.GetInt("capacity"):
		return nil, errFull
	case elsewhere > 0:
		return nil, errors.New("the patient is elsewhere")
	}
	visits, err := tx.FindCachedCollectionByNameOrId("appointments")
	if err != nil {
		return nil, err
	}
	visit := core.NewRecord(visits)
	visit.Load(map[string]any{
		"number": "P" + strconv.FormatInt(number.Add(1), 10), "patient": in.Patient, "service": in.Service, "date": in.Date,
		"start_time": in.Start, "end_time": end,
		"kind": in.Kind, "channel": "COUNTER", "priority": "NORMAL", "status": "BOOKED", "reason": in.Reason,
	})
	return visit, tx.Save(visit)
}

var errFull = errors.New("no seat left")

// day is a day of the calendar.
type day struct {
	Date     string         `json:"date"`
	ByStatus map[string]int `json:"by_status"`
}

// month sums up in the database, because the records API has no aggregates, and fetching all records of six
// weeks takes hundreds of times as long.
func month(e *core.RequestEvent) error {
	from, err := time.Parse(time.DateOnly, e.Request.URL.Query().Get("from"))
	if err != nil {
		return e.BadRequestError("from", err)
	}
	to, err := time.Parse(time.DateOnly, e.Request.URL.Query().Get("to"))
	if err != nil {
		return e.BadRequestError("to", err)
	}
	var sums []struct {
		Date   string `db:"date"`
		Status string `db:"status"`
		N      int    `db:"n"`
	}
	if err := e.App.DB().NewQuery("SELECT date, status, count(*) AS n FROM appointments WHERE date >= {:from} AND date " +
		"<= {:to} GROUP BY date, status").
		Bind(dbx.Params{"from": from.Format(time.DateOnly), "to": to.Format(time.DateOnly)}).All(&sums); err != nil {
		return err
	}
	var days []day
	at := map[string]int{}
	for d := from; !d.After(to); d = d.AddDate(0, 0, 1) {
		date := d.Format(time.DateOnly)
		at[date] = len(days)
		days = append(days, day{date, map[string]int{}})
	}
	for _, s := range sums {
		days[at[s.Date]].ByStatus[s.Status] = s.N
	}
	return e.JSON(http.StatusOK, map[string]any{"days": days})
}
