package storetest

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
)

// growing are the tables that grow with every day the hospital is open.
var growing = []string{
	"patients", "patient_search", "appointments", "appointment_history", "audit_entries", "results", "slots", "day_totals", "sessions", "jobs", "idempotency", "login_attempts",
	"password_resets", "customers", "customer_patients", "queues", "counters",
}

// readsAll are the methods of the store and the functions of privacy that are meant to read whole tables.
var readsAll = map[string]string{
	"EachPatient":        "an export of everybody",
	"EachAppointment":    "an export of everything",
	"VerifyAudit":        "nadmor verify looks at every entry",
	"VerifySlots":        "nadmor verify looks at every slot",
	"VerifyTotals":       "nadmor verify counts everything again",
	"VerifyPatientTotal": "nadmor verify counts everything again",
	"VerifyResultCounts": "nadmor verify counts everything again",
	"EachResultFile":     "nadmor verify looks at every file",
	"NoShows":            "a report, here of a period longer than the hospital is old",
	"Utilization":        "a report",
	"WaitingTimes":       "a report",
	"Workload":           "a report",
	"FindSubject":        "of nadmor pdpa: those who were deleted have no index, and are looked for only when nobody else is found",
	"FindAccessed":       "of nadmor pdpa: everything in a period, here longer than the hospital is old",
	"load.Hospital":      "fills an empty database",
	"load.Appointments":  "sets the last visit of every patient",
}

// excused are statements of other methods that read much, by a part of their text.
var excused = []struct{ method, text, why string }{
	{"ListAppointments", "FROM day_totals", "without dates all days are added up: one row a day and service, some thousands a year"},
	{"ListAppointmentResults", "FROM day_totals", "the same"},
	{"ListAppointments", "ORDER BY p.first_sort", "without dates all appointments ever are sorted by somebody else's name"},
	{"ListAppointments", "ORDER BY s.sort", "without dates all appointments ever are sorted by their service"},
	{"ListAppointmentResults", "SELECT count(*)", "without dates all appointments with, or without, results are counted"},
	{"AppointmentsIn", "WHERE a.deleted_at IS NULL ORDER BY", "without dates everything is asked for; operations always have dates"},
	{"ListPatients", "SELECT count(*)", "how many are of a sex, a right or a province is counted: a large part of all, with or without an index"},
	{"ListResults", "SELECT count(*)", "results of all patients together are counted"},
	{"Anonymise", "DELETE FROM idempotency", "the stored responses of one day are scanned when a patient is erased"},
	{"ListCustomers", "SELECT count(*)", "customers are counted; there are far fewer than patients"},
	{"ListCustomers", "LIKE", "a piece of a customer's name is looked for in all of them"},
}

// statement is one that the tests ran, with the arguments it had first.
type statement struct {
	engine, method, query string
	args                  []any
}

// seen are the statements of all tests of the program; the list is nil where
// nobody wants to know.
var seen struct {
	mu   sync.Mutex
	list map[string]statement
}

var marks = regexp.MustCompile(`\$\d+(, \$\d+)+`)

// observe notes the statements of a place.
func observe(engine string) func(query string, args []any) {
	if seen.list == nil {
		return nil
	}
	return func(query string, args []any) {
		verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
		if !slices.Contains([]string{"SELECT", "WITH", "UPDATE", "DELETE", "INSERT"}, strings.ToUpper(verb)) {
			return
		}
		method := storeMethod()
		key := engine + " " + method + " " + marks.ReplaceAllString(query, "$$…")
		seen.mu.Lock()
		defer seen.mu.Unlock()
		if _, known := seen.list[key]; !known {
			seen.list[key] = statement{engine, method, query, slices.Clone(args)}
		}
	}
}

// storeMethod returns the exported method of the store, or function of privacy or the loader, that is running.
func storeMethod() (method string) {
	var pcs [40]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		for _, prefix := range []string{"nadmor/internal/store.(*DB).", "nadmor/internal/privacy."} {
			if name, ok := strings.CutPrefix(frame.Function, prefix); ok && name[0] >= 'A' && name[0] <= 'Z' {
				method, _, _ = strings.Cut(name, ".") // the outermost
			}
		}
		if name, ok := strings.CutPrefix(frame.Function, "nadmor/internal/demo/load."); ok && name[0] >= 'A' && name[0] <= 'Z' {
			name, _, _ = strings.Cut(name, ".")
			method = "load." + name
		}
		if !more {
			return method
		}
	}
}

// RunAndCheckPlans runs the tests of a program, and then asks both engines how
// they would go about every statement that the tests ran, in a hospital that has
// been open for a while: none may read a table from end to end that grows, but
// for those that are meant to. So whoever adds a statement has nothing to do but
// to test it. patients makes so many people. A run of some tests only looks at no
// plans.
func RunAndCheckPlans(m *testing.M, patients func(n int, seed uint64, now time.Time) iter.Seq[hospital.PatientFields]) int {
	flag.Parse()
	for _, part := range []string{"test.run", "test.skip", "test.bench", "test.list", "test.fuzz"} {
		if flag.Lookup(part).Value.String() != "" {
			return m.Run()
		}
	}
	seen.list = map[string]statement{}
	if code := m.Run(); code != 0 {
		return code
	}
	faults := 0
	for _, engine := range []string{"sqlite", "postgres"} {
		found, err := checkPlans(engine, patients)
		if err != nil {
			fmt.Fprintln(os.Stderr, "plans of", engine, "cannot be looked at:", err)
			return 1
		}
		for _, f := range found {
			fmt.Fprintln(os.Stderr, f)
		}
		faults += len(found)
	}
	if faults > 0 {
		fmt.Fprintf(os.Stderr, "FAIL: %d statements read a growing table from end to end\n", faults)
		return 1
	}
	return 0
}

// afterwards is a test after all tests.
type afterwards struct {
	testing.TB
	cleanups []func()
}

func (t *afterwards) Helper()                      {}
func (t *afterwards) Cleanup(f func())             { t.cleanups = append(t.cleanups, f) }
func (t *afterwards) Context() context.Context     { return context.Background() }
func (t *afterwards) Errorf(f string, args ...any) { panic(fmt.Errorf(f, args...)) }
func (t *afterwards) Fatalf(f string, args ...any) { panic(fmt.Errorf(f, args...)) }
func (t *afterwards) Fatal(args ...any)            { panic(errors.New(fmt.Sprint(args...))) }
func (t *afterwards) TempDir() string {
	dir, err := os.MkdirTemp("", "nadmor-plans")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func checkPlans(engine string, patients func(int, uint64, time.Time) iter.Seq[hospital.PatientFields]) (faults []string, err error) {
	t := &afterwards{}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		for _, f := range slices.Backward(t.cleanups) {
			f()
		}
	}()
	seen.mu.Lock()
	list := slices.SortedFunc(maps.Values(seen.list), func(a, b statement) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.query, b.query))
	})
	seen.mu.Unlock()
	place := map[string]func(testing.TB) Place{"sqlite": SQLite, "postgres": Postgres}[engine](t)
	raw := place.SQL(t)
	db := place.Open(t)
	Fill(SetUp(t, db), t, db, 10_000, 40_000, patients(10_000, 1, db.Now()))
	if err := multiply(t, db, raw); err != nil {
		return nil, err
	}
	if engine == "postgres" { // SQLite is run without statistics
		if _, err := raw.ExecContext(context.Background(), `VACUUM ANALYZE`); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	for _, s := range list {
		if s.engine != engine || readsAll[s.method] != "" {
			continue
		}
		query := strings.Join(strings.Fields(s.query), " ")
		if slices.ContainsFunc(excused, func(e struct{ method, text, why string }) bool {
			return e.method == s.method && strings.Contains(query, e.text)
		}) {
			continue
		}
		wrong, err := map[string]func(context.Context, *sql.DB, statement) (string, error){"sqlite": sqlitePlan, "postgres": postgresPlan}[engine](ctx, raw, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w in %s", s.method, err, s.query)
		}
		if wrong != "" {
			faults = append(faults, fmt.Sprintf("%s, %s: %s\n\t%s", engine, s.method, query, wrong))
		}
	}
	return faults, nil
}

// sqlitePlan tells what reads a growing table from end to end; empty for nothing.
func sqlitePlan(ctx context.Context, raw *sql.DB, s statement) (string, error) {
	type step struct {
		id, parent, unused int
		text               string
	}
	rows, err := raw.QueryContext(ctx, `EXPLAIN QUERY PLAN `+s.query, s.args...)
	if err != nil {
		return "", err
	}
	defer rows.Close() // Err below tells what matters
	var steps []step
	var plan []string
	for rows.Next() {
		var l step
		if err := rows.Scan(&l.id, &l.parent, &l.unused, &l.text); err != nil {
			return "", err
		}
		steps, plan = append(steps, l), append(plan, l.text)
	}
	names := aliases(s.query)
	for i, l := range steps {
		name, how, _ := strings.Cut(strings.TrimPrefix(l.text, "SCAN "), " ")
		if !strings.HasPrefix(l.text, "SCAN ") || !names[name] || strings.HasPrefix(how, "VIRTUAL TABLE INDEX") && !strings.HasSuffix(how, ":") {
			continue
		}
		// An index that is read in the order wanted, until there are enough.
		sorts := slices.ContainsFunc(steps[i:], func(o step) bool { return o.parent == l.parent && strings.HasPrefix(o.text, "USE TEMP B-TREE") })
		if strings.Contains(how, "INDEX") && strings.Contains(s.query, "LIMIT") && !sorts {
			continue
		}
		return strings.Join(plan, "\n\t"), rows.Err()
	}
	return "", rows.Err()
}

var aliased = regexp.MustCompile(`\b(` + strings.Join(growing, "|") + `)\b(?: (?:AS )?([a-z]\w*))?`)

// aliases are the names under which a statement knows growing tables.
func aliases(query string) map[string]bool {
	names := map[string]bool{}
	for _, m := range aliased.FindAllStringSubmatch(strings.Join(strings.Fields(query), " "), -1) {
		names[m[1]], names[m[2]] = true, true
	}
	return names
}

// node is a step of PostgreSQL's plan.
type node struct {
	Type     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Index    string `json:"Index Name"`
	Cond     string `json:"Index Cond"`
	Recheck  string `json:"Recheck Cond"`
	TID      string `json:"TID Cond"`
	Filter   string
	Plans    []node
}

// postgresPlan tells what reads a growing table from end to end; empty for
// nothing. Reading all is right where little is left out, or where nothing is
// expected to be found; so it is only a fault where the planner knows no other way.
func postgresPlan(ctx context.Context, raw *sql.DB, s statement) (wrong string, err error) {
	conn, err := raw.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close() // goes back to the pool
	for _, without := range [][]string{{}, {"enable_seqscan"}, {"enable_seqscan", "enable_bitmapscan", "enable_sort"}} {
		if _, err := conn.ExecContext(ctx, `RESET ALL`); err != nil {
			return "", err
		}
		for _, way := range without {
			if _, err := conn.ExecContext(ctx, `SET `+way+` = off`); err != nil {
				return "", err
			}
		}
		var text string
		if err := conn.QueryRowContext(ctx, `EXPLAIN (FORMAT JSON) `+s.query, s.args...).Scan(&text); err != nil {
			return "", err
		}
		var plan []struct{ Plan node }
		if err := json.Unmarshal([]byte(text), &plan); err != nil {
			return "", err
		}
		if wrong = plan[0].Plan.whole(false); wrong == "" {
			break
		}
	}
	return wrong, nil
}

// whole tells the step that reads a growing table from end to end. bounded is
// whether the step above takes only so many rows.
func (n node) whole(bounded bool) string {
	switch n.Type {
	case "Limit":
		bounded = true
	case "Sort", "Incremental Sort", "Aggregate", "Hash", "WindowAgg", "Materialize":
		bounded = n.Type == "Incremental Sort" && bounded
	case "Seq Scan":
		if slices.Contains(growing, n.Relation) && (!bounded || n.Filter != "") {
			return fmt.Sprintf("Seq Scan on %s, filter %s", n.Relation, n.Filter)
		}
	case "Index Scan", "Index Only Scan", "Bitmap Index Scan":
		grows := func(table string) bool {
			return n.Relation == table || n.Relation == "" && strings.HasPrefix(n.Index, table)
		}
		if n.Cond == "" && !bounded && slices.ContainsFunc(growing, grows) {
			return fmt.Sprintf("%s of the whole of %s", n.Type, cmp.Or(n.Relation, n.Index))
		}
	}
	for _, p := range n.Plans {
		if wrong := p.whole(bounded); wrong != "" {
			return wrong
		}
	}
	return ""
}

// multiply fills the tables that no import fills: rows that the store has
// written are written many times over, behind its back.
func multiply(t testing.TB, db *store.DB, raw *sql.DB) error {
	const many = "20000"
	ctx := ActAs(t, db, "admin")
	p, s := AddPatient(t, db, "ต้นแบบ"), AddService(t, db, "MANY", 10)
	a, err := db.Book(Keyed(ctx, "many", ""), hospital.NewAppointment{
		PatientID:         p.ID,
		AppointmentFields: hospital.AppointmentFields{ServiceID: s.ID, Date: db.Today(), StartTime: "15:30"},
	})
	if err != nil {
		return err
	}
	if _, err := db.MarkStatus(ctx, a.ID, 0, hospital.CheckedIn, ""); err != nil {
		return err
	}
	result := hospital.NewResult{AppointmentID: a.ID, ResultFields: hospital.ResultFields{Diagnosis: "หวัด"}}
	if _, err := db.AddResult(ctx, result); err != nil {
		return err
	}
	if _, err := db.CreateCustomer(ctx, hospital.CustomerFields{Name: "ต้นแบบ", Phone: "0899999999", Patients: []hospital.CustomerPatient{{PatientID: p.ID, Relation: "SELF"}}}); err != nil {
		return err
	}
	if err := db.Enqueue(ctx, "many", nil, "many"); err != nil {
		return err
	}
	somebody := AddUser(t, db, "many", "QUEUE")
	if _, _, err := db.NewResetLink(ctx, somebody.ID); err != nil {
		return err
	}
	if _, err := db.BeginLogin(context.Background(), "nobody", "192.0.2.7"); err != nil && hospital.CodeOf(err) != hospital.InvalidCredentials {
		return err
	}
	for _, of := range []struct {
		table, last string
		own         map[string]string
	}{
		{"users", "200", map[string]string{"username_key": "'many ' || n", "email_key": "'many ' || n"}},
		{"sessions", many, map[string]string{"id": "'many ' || n", "user_id": "1 + n % 200", "expires_at": "expires_at + n"}},
		{"audit_entries", many, map[string]string{"seq": "100000 + n", "at": "at + n", "actor_id": "1 + n % 200", "entity_id": "CAST(n AS TEXT)", "action": "'many.' || (n % 100)"}},
		{"results", many, map[string]string{"appointment_id": "n", "patient_id": "n / 10 + 1", "created_at": "created_at + n"}},
		{"appointment_history", many, map[string]string{"appointment_id": "n"}},
		{"jobs", many, map[string]string{"unique_key": "'many ' || n", "run_at": "run_at + n", "done_at": "run_at + n"}},
		{"idempotency", many, map[string]string{"actor_id": "1 + n % 200", "key": "'many ' || n", "created_at": "created_at + n"}},
		{"login_attempts", many, map[string]string{"login_hash": "'many ' || n", "last_at": "last_at + n"}},
		{"password_resets", many, map[string]string{"token_hash": "'many ' || n", "user_id": "1 + n % 200"}},
		{"customers", many, map[string]string{"phone": "'many ' || n", "name_search": "'many ' || n", "created_at": "created_at + n"}},
		{"customer_patients", many, map[string]string{"customer_id": "n % 1000 + 1", "patient_id": "n / 10 + 1"}},
		{"queues", many, map[string]string{"date": "'many ' || n"}},
		{"counters", many, map[string]string{"series": "'many ' || n"}},
	} {
		if err := copies(ctx, raw, of.table, of.last, of.own); err != nil {
			return fmt.Errorf("multiply %s: %w", of.table, err)
		}
	}
	return nil
}

// columnsOf are the names of a table's columns.
func columnsOf(ctx context.Context, raw *sql.DB, table string) ([]string, error) {
	row, err := raw.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 1`) //nolint:gosec // the names are ours
	if err != nil {
		return nil, err
	}
	defer row.Close() // nothing is read
	names, err := row.Columns()
	return names, errors.Join(err, row.Err())
}

// copies writes some row of a table many times over, with numbers from 1 to last
// in place of n in the columns that are to be their own.
func copies(ctx context.Context, raw *sql.DB, table, last string, own map[string]string) error {
	columns, err := columnsOf(ctx, raw, table)
	if err != nil {
		return err
	}
	var names, values []string
	for _, name := range columns {
		if value, ok := own[name]; ok {
			names, values = append(names, name), append(values, value)
		} else if name != "id" {
			names, values = append(names, name), append(values, name)
		}
	}
	//nolint:gosec // the names are ours
	done, err := raw.ExecContext(ctx, `INSERT INTO `+table+` (`+strings.Join(names, ", ")+`)
		WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < `+last+`)
		SELECT `+strings.Join(values, ", ")+` FROM number, (SELECT * FROM `+table+` LIMIT 1) one`)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return fmt.Errorf("there is no row to copy: %w", err)
	}
	return nil
}
