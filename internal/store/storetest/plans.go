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

// growingTables are the tables that grow with the use of the hospital.
var growingTables = []string{
	"patients", "patient_search", "appointments", "appointment_history", "audit_entries", "results", "slots",
	"day_totals", "sessions", "jobs", "idempotency", "login_attempts", "password_resets", "customers",
	"customer_patients", "queues", "counters",
}

// readsAll are the functions that are meant to read whole tables, with the reason.
var readsAll = map[string]string{
	"EachPatient":        "an export of all patients",
	"EachAppointment":    "an export of all appointments",
	"VerifyAudit":        "nadmor verify reads every entry",
	"VerifySlots":        "nadmor verify reads every slot",
	"VerifyTotals":       "nadmor verify counts all appointments",
	"VerifyPatientTotal": "nadmor verify counts all patients",
	"VerifyResultCounts": "nadmor verify counts all results",
	"EachResultFile":     "nadmor verify reads every file",
	"NoShows":            "a report, in the tests of a period that contains all data",
	"Utilization":        "a report",
	"WaitingTimes":       "a report",
	"Workload":           "a report",
	"FindSubject":        "nadmor pdpa: deleted patients have no index, and are searched only if no other is found",
	"FindAccessed":       "nadmor pdpa: all entries of a period, in the tests of one that contains all data",
	"load.Hospital":      "fills an empty database",
	"load.Appointments":  "sets the last visit of every patient",
}

// exception is a statement that may read a whole table, identified by a part of its text.
type exception struct{ method, text, reason string }

var exceptions = []exception{
	{"ListAppointments", "FROM day_totals",
		"without dates, sums all days: one row per day and service, some thousands a year"},
	{"ListAppointmentResults", "FROM day_totals", "like ListAppointments"},
	{"ListAppointments", "ORDER BY p.first_sort", "without dates, sorts all appointments by a column of the patient"},
	{"ListAppointments", "ORDER BY s.sort", "without dates, sorts all appointments by a column of the service"},
	{"ListAppointmentResults", "SELECT count(*)", "without dates, counts all appointments with or without results"},
	{"AppointmentsIn", "WHERE a.deleted_at IS NULL ORDER BY", "without dates; the API always has dates"},
	{"ListPatients", "SELECT count(*)",
		"counts the patients of a sex, a right or a province: a large part of all, with or without an index"},
	{"ListResults", "SELECT count(*)", "counts the results of all patients"},
	{"Anonymise", "DELETE FROM idempotency", "scans the stored responses of one day when a patient is erased"},
	{"ListCustomers", "SELECT count(*)", "counts customers, of whom there are far fewer than patients"},
	{"ListCustomers", "LIKE", "searches for a fragment of a customer's name"},
}

// isException reports whether one of the exceptions applies.
func (s statement) isException(query string) bool {
	return slices.ContainsFunc(exceptions, func(e exception) bool {
		return e.method == s.method && strings.Contains(query, e.text)
	})
}

// statement is a statement that the tests ran, with its first arguments.
type statement struct {
	engine, method, query string
	args                  []any
}

// observed are the statements of all tests of the program. The list is nil if plans are not checked.
var observed struct {
	mu   sync.Mutex
	list map[string]statement
}

var placeholderLists = regexp.MustCompile(`\$\d+(, \$\d+)+`)

// observe returns a function that adds statements to observed.
func observe(engine string) func(query string, args []any) {
	if observed.list == nil {
		return nil
	}
	return func(query string, args []any) {
		verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
		if !slices.Contains([]string{"SELECT", "WITH", "UPDATE", "DELETE", "INSERT"}, strings.ToUpper(verb)) {
			return
		}
		method := storeMethod()
		key := engine + " " + method + " " + placeholderLists.ReplaceAllString(query, "$$…")
		observed.mu.Lock()
		defer observed.mu.Unlock()
		if _, known := observed.list[key]; !known {
			observed.list[key] = statement{engine, method, query, slices.Clone(args)}
		}
	}
}

// callerPrefixes are the functions to which statements are attributed, with the prefix of their names.
var callerPrefixes = [][2]string{
	{"nadmor/internal/store.(*DB).", ""}, {"nadmor/internal/privacy.", ""}, {"nadmor/internal/demo/load.", "load."},
}

// storeMethod returns the outermost exported function of callerPrefixes that is running.
func storeMethod() (method string) {
	var pcs [40]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for {
		frame, more := frames.Next()
		for _, p := range callerPrefixes {
			if name, ok := strings.CutPrefix(frame.Function, p[0]); ok && name[0] >= 'A' && name[0] <= 'Z' {
				name, _, _ = strings.Cut(name, ".")
				method = p[1] + name
			}
		}
		if !more {
			return method
		}
	}
}

// generator returns n patients.
type generator = func(n int, seed uint64, now time.Time) iter.Seq[hospital.PatientFields]

// RunAndCheckPlans runs the tests of a program. After that it checks the query plans of all statements that
// the tests ran, on both engines and with a large database: none may read the whole of a growing table,
// except for those in readsAll and exceptions. If only some of the tests are run, plans are not checked.
func RunAndCheckPlans(m *testing.M, patients generator) int {
	flag.Parse()
	for _, part := range []string{"test.run", "test.skip", "test.bench", "test.list", "test.fuzz"} {
		if flag.Lookup(part).Value.String() != "" {
			return m.Run()
		}
	}
	observed.list = map[string]statement{}
	if code := m.Run(); code != 0 {
		return code
	}
	faults := 0
	for _, engine := range []string{"sqlite", "postgres"} {
		found, err := checkPlans(engine, patients)
		if err != nil {
			fmt.Fprintln(os.Stderr, "cannot check the plans of", engine+":", err)
			return 1
		}
		for _, f := range found {
			fmt.Fprintln(os.Stderr, f)
		}
		faults += len(found)
	}
	if faults > 0 {
		fmt.Fprintf(os.Stderr, "FAIL: %d statements read the whole of a growing table\n", faults)
		return 1
	}
	return 0
}

// planTest is a testing.TB for the time after the tests. It panics if it fails.
type planTest struct {
	testing.TB
	cleanups []func()
}

func (t *planTest) Helper()                      {}
func (t *planTest) Cleanup(f func())             { t.cleanups = append(t.cleanups, f) }
func (t *planTest) Context() context.Context     { return context.Background() }
func (t *planTest) Errorf(f string, args ...any) { panic(fmt.Errorf(f, args...)) }
func (t *planTest) Fatalf(f string, args ...any) { panic(fmt.Errorf(f, args...)) }
func (t *planTest) Fatal(args ...any)            { panic(errors.New(fmt.Sprint(args...))) }
func (t *planTest) TempDir() string {
	dir, err := os.MkdirTemp("", "nadmor-plans")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// checkPlans returns a description of every statement on an engine that reads a whole table.
func checkPlans(engine string, patients generator) (faults []string, err error) {
	t := &planTest{}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		for _, f := range slices.Backward(t.cleanups) {
			f()
		}
	}()
	observed.mu.Lock()
	list := slices.SortedFunc(maps.Values(observed.list), func(a, b statement) int {
		return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.query, b.query))
	})
	observed.mu.Unlock()
	fresh, check := SQLite, sqlitePlan
	if engine == "postgres" {
		fresh, check = Postgres, postgresPlan
	}
	database := fresh(t)
	raw := database.SQL(t)
	db := database.Open(t)
	Fill(SetUp(t, db), t, db, 10_000, 40_000, patients(10_000, 1, db.Now()))
	if err := multiply(t, db, raw); err != nil {
		return nil, err
	}
	if engine == "postgres" { // SQLite is used without statistics
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
		if s.isException(query) {
			continue
		}
		wrong, err := check(ctx, raw, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w in %s", s.method, err, s.query)
		}
		if wrong != "" {
			faults = append(faults, fmt.Sprintf("%s, %s: %s\n\t%s", engine, s.method, query, wrong))
		}
	}
	return faults, nil
}

// sqlitePlan returns the plan of a statement if it reads the whole of a growing table.
func sqlitePlan(ctx context.Context, raw *sql.DB, s statement) (string, error) {
	type step struct {
		id, parent, unused int
		text               string
	}
	rows, err := raw.QueryContext(ctx, `EXPLAIN QUERY PLAN `+s.query, s.args...)
	if err != nil {
		return "", err
	}
	defer rows.Close() // rows.Err is checked below
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
		if !strings.HasPrefix(l.text, "SCAN ") || !names[name] ||
			strings.HasPrefix(how, "VIRTUAL TABLE INDEX") && !strings.HasSuffix(how, ":") {
			continue
		}
		// An index that is read in the order of the result ends at the limit.
		sorts := slices.ContainsFunc(steps[i:], func(o step) bool {
			return o.parent == l.parent && strings.HasPrefix(o.text, "USE TEMP B-TREE")
		})
		if strings.Contains(how, "INDEX") && strings.Contains(s.query, "LIMIT") && !sorts {
			continue
		}
		return strings.Join(plan, "\n\t"), rows.Err()
	}
	return "", rows.Err()
}

var aliased = regexp.MustCompile(`\b(` + strings.Join(growingTables, "|") + `)\b(?: (?:AS )?([a-z]\w*))?`)

// aliases returns the names and aliases of the growing tables in a statement.
func aliases(query string) map[string]bool {
	names := map[string]bool{}
	for _, m := range aliased.FindAllStringSubmatch(strings.Join(strings.Fields(query), " "), -1) {
		names[m[1]], names[m[2]] = true, true
	}
	return names
}

// node is a node of a PostgreSQL plan.
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

// postgresPlan returns the node of the plan that reads the whole of a growing table, or an empty text. If the
// planner expects most rows, or none, it may prefer to read the whole table. So it is a fault only if
// there is no other plan.
func postgresPlan(ctx context.Context, raw *sql.DB, s statement) (wrong string, err error) {
	conn, err := raw.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close() // goes back to the pool
	for _, disabled := range [][]string{
		{}, {"enable_seqscan"}, {"enable_seqscan", "enable_bitmapscan", "enable_sort"},
	} {
		if _, err := conn.ExecContext(ctx, `RESET ALL`); err != nil {
			return "", err
		}
		for _, setting := range disabled {
			if _, err := conn.ExecContext(ctx, `SET `+setting+` = off`); err != nil {
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
		if wrong = plan[0].Plan.fullScan(false); wrong == "" {
			break
		}
	}
	return wrong, nil
}

// fullScan describes the node that reads the whole of a growing table. bounded means that the parent node reads a
// limited number of rows.
func (n node) fullScan(bounded bool) string {
	switch n.Type {
	case "Limit":
		bounded = true
	case "Sort", "Incremental Sort", "Aggregate", "Hash", "WindowAgg", "Materialize":
		bounded = n.Type == "Incremental Sort" && bounded
	case "Seq Scan":
		if slices.Contains(growingTables, n.Relation) && (!bounded || n.Filter != "") {
			return fmt.Sprintf("Seq Scan on %s, filter %s", n.Relation, n.Filter)
		}
	case "Index Scan", "Index Only Scan", "Bitmap Index Scan":
		grows := func(table string) bool {
			return n.Relation == table || n.Relation == "" && strings.HasPrefix(n.Index, table)
		}
		if n.Cond == "" && !bounded && slices.ContainsFunc(growingTables, grows) {
			return fmt.Sprintf("%s of the whole of %s", n.Type, cmp.Or(n.Relation, n.Index))
		}
	}
	for _, p := range n.Plans {
		if wrong := p.fullScan(bounded); wrong != "" {
			return wrong
		}
	}
	return ""
}

// multiply fills the tables that Fill does not: it copies rows that the store has written, with raw SQL.
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
	customer := hospital.CustomerFields{
		Name: "ต้นแบบ", Phone: "0899999999",
		Patients: []hospital.CustomerPatient{{PatientID: p.ID, Relation: hospital.RelationSelf}},
	}
	if _, err := db.CreateCustomer(ctx, customer); err != nil {
		return err
	}
	if err := db.Enqueue(ctx, "many", nil, "many"); err != nil {
		return err
	}
	user := AddUser(t, db, "many", "QUEUE")
	if _, _, err := db.NewResetLink(ctx, user.ID); err != nil {
		return err
	}
	_, err = db.BeginLogin(context.Background(), "unknown", "192.0.2.7")
	if err != nil && hospital.CodeOf(err) != hospital.InvalidCredentials {
		return err
	}
	for _, of := range []struct {
		table, last string
		own         map[string]string
	}{
		{"users", "200", map[string]string{"username_key": "'many ' || n", "email_key": "'many ' || n"}},
		{"sessions", many, map[string]string{
			"id": "'many ' || n", "user_id": "1 + n % 200", "expires_at": "expires_at + n",
		}},
		{"audit_entries", many, map[string]string{
			"seq": "100000 + n", "at": "at + n", "actor_id": "1 + n % 200",
			"entity_id": "CAST(n AS TEXT)", "action": "'many.' || (n % 100)",
		}},
		{"results", many, map[string]string{
			"appointment_id": "n", "patient_id": "n / 10 + 1", "created_at": "created_at + n",
		}},
		{"appointment_history", many, map[string]string{"appointment_id": "n"}},
		{"jobs", many, map[string]string{
			"unique_key": "'many ' || n", "run_at": "run_at + n", "done_at": "run_at + n",
		}},
		{"idempotency", many, map[string]string{
			"actor_id": "1 + n % 200", "key": "'many ' || n", "created_at": "created_at + n",
		}},
		{"login_attempts", many, map[string]string{"login_hash": "'many ' || n", "last_at": "last_at + n"}},
		{"password_resets", many, map[string]string{"token_hash": "'many ' || n", "user_id": "1 + n % 200"}},
		{"customers", many, map[string]string{
			"phone": "'many ' || n", "name_search": "'many ' || n", "created_at": "created_at + n",
		}},
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

// columnsOf returns the names of the columns of a table.
func columnsOf(ctx context.Context, raw *sql.DB, table string) ([]string, error) {
	row, err := raw.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 1`) //nolint:gosec // the names are ours
	if err != nil {
		return nil, err
	}
	defer row.Close() // nothing is read
	names, err := row.Columns()
	return names, errors.Join(err, row.Err())
}

// copies inserts copies of a row of a table. own are expressions for columns that differ, in which n is a
// number between 1 and last.
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
