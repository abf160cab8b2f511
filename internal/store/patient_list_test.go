package store_test

import (
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

func TestSearchPatients(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		add := func(hn, first, last, firstEn, lastEn, phone string, card hospital.IDCard) {
			t.Helper()
			in := newPatient(first, last)
			in.HN, in.FirstNameEn, in.LastNameEn, in.Phone, in.IDCard = hn, firstEn, lastEn, phone, card
			must[hospital.Patient](t)(db.CreatePatient(ctx, in, true))
		}
		add("0000101", "สมชาย", "ใจดี", "Somchai", "Jaidee", "0812345678", "1111111111119")
		add("0000102", "สมหญิง", "สมชายสกุล", "Somying", "Somchaisakul", "0898765432", idCardNumber(2))
		add("0000103", "น้ำทิพย์", "แก้วใส", "Namthip", "Kaewsai", "053123456", idCardNumber(3))
		add("0000104", "วิสมชายา", "ทองดี", "", "", "", "")
		add("0001010", "ประเสริฐ", "เจริญกุล", "Prasert", "", "", "")
		add("0000105", "นายิกา", "ดีงาม", "", "", "", "")
		add("0009999", "นางฟ้า", "งามตา", "", "", "", "")
		for name, c := range map[string]struct {
			q    string
			want []string // HNs, best first
		}{
			"part of a Thai name":               {"ทิพย์", []string{"0000103"}},
			"beginning before middle":           {"สมชาย", []string{"0000101", "0000102", "0000104"}},
			"first and last name in one string": {"สมชาย ใจดี", []string{"0000101"}},
			"parts of both":                     {"สมช ใจ", []string{"0000101"}},
			"last name first":                   {"ใจดี สมชาย", []string{"0000101"}},
			"English, any case":                 {"SOMCHAI", []string{"0000101", "0000102"}},
			"English first and last":            {"somchai jai", []string{"0000101"}},
			"the wrong tone mark":               {"น่ำทิพย์", []string{"0000103"}},
			"no tone mark":                      {"นำทิพย์", []string{"0000103"}},
			"sara am in two pieces":             {"น\u0e49\u0e4d\u0e32ทิพย์", []string{"0000103"}},
			"a prename without a space":         {"นายสมชาย", []string{"0000101", "0000102", "0000104"}},
			"a name that begins like a prename": {"นายิกา", []string{"0000105"}},
			"another one":                       {"นางฟ้า", []string{"0009999"}},
			"a name followed by an HN":          {"ใจดี9999", nil},
			"HN":                                {"0000101", []string{"0000101", "0001010"}},
			"HN without zeros":                  {"101", []string{"0000101", "0001010"}},
			"HN in Thai digits":                 {"๑๐๓", []string{"0000103"}},
			"phone":                             {"0812345678", []string{"0000101"}},
			"phone with dashes":                 {"081-234-5678", []string{"0000101"}},
			"the end of a phone":                {"5432", []string{"0000102"}},
			"ID card":                           {"1111111111119", []string{"0000101"}},
			"ID card with dashes":               {"1-1111-11111-11-9", []string{"0000101"}},
			"the beginning of an ID card":       {"11111111", []string{"0000101"}},
			"the first two letters of a name":   {"สม", []string{"0000101", "0000102"}},
			"one letter":                        {"ป", []string{"0001010"}},
			"no match":                          {"ไม่มีใครชื่อนี้", nil},
			"wild cards":                        {"%%%", nil},
			"an underscore":                     {"ส_ชาย", []string{}},
			"nothing":                           {"   ", nil},
			"a quote":                           {"'; DROP TABLE patients; --", nil},
		} {
			found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, c.q, 10))
			var got []string
			for _, p := range found {
				got = append(got, p.HN)
			}
			if strings.Join(got, " ") != strings.Join(c.want, " ") {
				t.Errorf("%s (%q): %v, want %v", name, c.q, got, c.want)
			}
		}
		if found := must[[]hospital.Patient](t)(db.SearchPatients(ctx, "สม", 1)); len(found) != 1 {
			t.Errorf("%d patients with limit 1", len(found))
		}
	})
}

func TestListPatients(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		for i, name := range []string{"เกศินี", "กมล", "แก้วตา", "ขวัญใจ", "โกวิท", "ไกรสร", "กานดา"} {
			in := newPatient(name, "ใจดี")
			in.BirthDate, in.RightCode = fmt.Sprintf("%d-11-16", 2026-10*i), "UCS"
			if i%2 == 0 {
				in.Sex, in.Address.Province = hospital.Female, "เชียงใหม่"
			}
			must[hospital.Patient](t)(db.CreatePatient(ctx, in, false))
		}
		list := func(f hospital.PatientFilter) (names []string) {
			t.Helper()
			if f.PageSize == 0 {
				f.Page.Page, f.PageSize = 1, 50
			}
			page := must[hospital.Paged[hospital.Patient]](t)(db.ListPatients(ctx, f))
			for _, p := range page.Items {
				names = append(names, p.FirstName)
			}
			if f.Page.Page == 1 && f.PageSize == 50 && int(page.Total) != len(names) {
				t.Errorf("total %d of %d", page.Total, len(names))
			}
			return names
		}
		page := func(page, size int, sort string) hospital.PatientFilter {
			return hospital.PatientFilter{Page: hospital.Page{Page: page, PageSize: size, Sort: sort}}
		}
		for name, c := range map[string]struct {
			f    hospital.PatientFilter
			want string
		}{
			"Thai order":                     {hospital.PatientFilter{}, "กมล กานดา เกศินี แก้วตา โกวิท ไกรสร ขวัญใจ"},
			"descending":                     {page(1, 50, "-firstName"), "ขวัญใจ ไกรสร โกวิท แก้วตา เกศินี กานดา กมล"},
			"by HN":                          {page(1, 50, "hn"), "เกศินี กมล แก้วตา ขวัญใจ โกวิท ไกรสร กานดา"},
			"by birth date":                  {page(1, 50, "birthDate"), "กานดา ไกรสร โกวิท ขวัญใจ แก้วตา กมล เกศินี"},
			"women":                          {hospital.PatientFilter{Sex: hospital.Female}, "กานดา เกศินี แก้วตา โกวิท"},
			"a province":                     {hospital.PatientFilter{Province: " เชียงใหม่ "}, "กานดา เกศินี แก้วตา โกวิท"},
			"a right":                        {hospital.PatientFilter{RightCode: "SSS"}, ""},
			"twenty on their birthday":       {hospital.PatientFilter{AgeFrom: new(20), AgeTo: new(20)}, "แก้วตา"},
			"from forty":                     {hospital.PatientFilter{AgeFrom: new(40)}, "กานดา โกวิท ไกรสร"},
			"to nineteen":                    {hospital.PatientFilter{AgeTo: new(19)}, "กมล เกศินี"},
			"by text":                        {hospital.PatientFilter{Q: "แก้ว"}, "แก้วตา"},
			"by text and sex":                {hospital.PatientFilter{Q: "ใจดี", Sex: hospital.Male}, "กมล ไกรสร ขวัญใจ"},
			"the second page":                {page(2, 3, ""), "แก้วตา โกวิท ไกรสร"},
			"a page beyond the end":          {page(9, 3, ""), ""},
			"equal keys, one of three pages": {page(2, 3, "createdAt"), "ขวัญใจ โกวิท ไกรสร"},
		} {
			if got := strings.Join(list(c.f), " "); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
		}
		_, err := db.ListPatients(ctx, page(1, 5, "id_card"))
		wantCode(t, err, hospital.ValidationFailed)
	})
}

// The patient who has a number comes before those whose other numbers contain its digits.
func TestListPatientsNumberOwnersFirst(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		add := func(hn, first, phone string, card hospital.IDCard, passport string) {
			t.Helper()
			in := newPatient(first, "ใจดี")
			in.HN, in.Phone, in.IDCard, in.PassportNo = hn, phone, card, passport
			must[hospital.Patient](t)(db.CreatePatient(ctx, in, true))
		}
		add("0005064", "อรุณ", "0811111111", "", "")
		add("69-00123", "ฮาน่า", "", "", "AB1234567")
		for i, first := range []string{"กมล", "ขวัญ", "คมสัน", "จันทร์"} {
			add(fmt.Sprintf("900%d", i), first, fmt.Sprintf("085506400%d", i), "", "")
		}
		add("9010", "ชัย", "0811111111", "", "")    // the same phone as another patient
		add("9011", "ดาว", "", "1111111111119", "") // an ID card that contains digits of that phone
		search := func(q string, page, size int, sort string) hospital.PatientFilter {
			return hospital.PatientFilter{Q: q, Page: hospital.Page{Page: page, PageSize: size, Sort: sort}}
		}
		tooYoung := search("5064", 1, 50, "")
		tooYoung.AgeFrom = new(120)
		for name, c := range map[string]struct {
			f    hospital.PatientFilter
			want string
		}{
			"an HN":                         {search("5064", 1, 50, ""), "อรุณ กมล ขวัญ คมสัน จันทร์"},
			"an HN with zeros":              {search("0005064", 1, 50, ""), "อรุณ"},
			"an HN with too many zeros":     {search("00000005064", 1, 50, ""), "อรุณ"},
			"an HN in Thai digits":          {search("๕๐๖๔", 1, 50, ""), "อรุณ กมล ขวัญ คมสัน จันทร์"},
			"digits of several numbers":     {search("064", 1, 50, ""), "กมล ขวัญ คมสัน จันทร์ อรุณ"},
			"an HN with its dash":           {search("69-00123", 1, 50, ""), "ฮาน่า"},
			"an HN without its dash":        {search("6900123", 1, 50, ""), "ฮาน่า"},
			"the same, sorted":              {search("6900123", 1, 50, "hn"), "ฮาน่า"},
			"a phone of two patients":       {search("081-111-1111", 1, 50, ""), "ชัย อรุณ"},
			"an ID card":                    {search("1-1111-11111-11-9", 1, 50, ""), "ดาว"},
			"a passport":                    {search("ab1234567", 1, 50, ""), "ฮาน่า"},
			"an explicit sort":              {search("5064", 1, 50, "-firstName"), "อรุณ จันทร์ คมสัน ขวัญ กมล"},
			"the default sort, explicit":    {search("5064", 1, 50, "firstName"), "กมล ขวัญ คมสัน จันทร์ อรุณ"},
			"an HN that is filtered out":    {tooYoung, ""},
			"the first page":                {search("5064", 1, 2, ""), "อรุณ กมล"},
			"the second page":               {search("5064", 2, 2, ""), "ขวัญ คมสัน"},
			"the last page":                 {search("5064", 3, 2, ""), "จันทร์"},
			"the second of pages of size 1": {search("0811111111", 2, 1, ""), "อรุณ"},
		} {
			page := must[hospital.Paged[hospital.Patient]](t)(db.ListPatients(ctx, c.f))
			if got := names(page.Items); got != c.want {
				t.Errorf("%s: %s, want %s", name, got, c.want)
			}
			var exported []hospital.Patient
			add := func(p hospital.Patient) error { exported = append(exported, p); return nil }
			if err := db.EachPatient(ctx, hospital.PatientExportQuery{PatientFilter: c.f}, "csv", add); err != nil {
				t.Fatal(err)
			}
			from := min(c.f.Offset(), len(exported))
			got := names(exported[from:min(from+c.f.PageSize, len(exported))])
			if got != c.want || int(page.Total) != len(exported) {
				t.Errorf("%s: exported %s, want %s; total %d, exported %d", name, got, c.want, page.Total, len(exported))
			}
		}
	})
}

// names returns the first names of a list in its order.
func names(list []hospital.Patient) string {
	var names []string
	for _, p := range list {
		names = append(names, p.FirstName)
	}
	return strings.Join(names, " ")
}

// copies inserts copies of a record with raw SQL. own are expressions for columns that differ, in which n
// is a number between from and to.
func copies(t *testing.T, raw *sql.DB, id int64, from, to string, own map[string]string) {
	t.Helper()
	columns, err := raw.Query(`SELECT * FROM patients WHERE id = 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer columns.Close() // nothing is read
	if err := columns.Err(); err != nil {
		t.Fatal(err)
	}
	var names, values []string
	for _, name := range must[[]string](t)(columns.Columns()) {
		value, ok := own[name]
		if !ok {
			value = "p." + name
		}
		if name != "id" {
			names, values = append(names, name), append(values, value)
		}
	}
	must[sql.Result](t)(raw.Exec(`INSERT INTO patients (`+strings.Join(names, ", ")+`)
		WITH RECURSIVE number (n) AS (SELECT `+from+` UNION ALL SELECT n + 1 FROM number WHERE n < `+to+`)
		SELECT `+strings.Join(values, ", ")+` FROM number, patients p WHERE p.id = $1`, id))
}

// planOf returns the plan of a statement.
func planOf(t *testing.T, p storetest.Database, query string, args []any) string {
	t.Helper()
	explain := "EXPLAIN "
	if p.Engine == "sqlite" {
		explain = "EXPLAIN QUERY PLAN "
	}
	rows, err := p.SQL(t).Query(explain+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns := must[[]string](t)(rows.Columns())
	var lines []string
	for rows.Next() {
		var line string // the last column is the text on both engines
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		values[len(values)-1] = &line
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// No statement of a search reads a whole table: each uses an index.
func TestSearchUsesIndexes(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		var ran []string
		arguments := map[string][]any{}
		p.Options.Observe = func(query string, args []any) { // of one goroutine
			if strings.Contains(query, "WHERE") {
				ran, arguments[query] = append(ran, query), args
			}
		}
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		// Enough patients for the planner to prefer an index.
		one, raw := must[hospital.Patient](t)(db.CreatePatient(ctx, newPatient("สมชาย", "ใจดี"), false)), p.SQL(t)
		copies(t, raw, one.ID, "1000002", "1020000", map[string]string{
			"hn": "CAST(n AS TEXT)", "hn_key": "CAST(n AS TEXT)", "id_card": "'123456' || n",
			"passport_no": "'AB' || n", "phone": "'081' || n", "phone2": "'082' || n",
			"first_search": "'ชื่อ' || n", "last_search": "'สกุล' || n",
			"first_search_en": "'first' || n", "last_search_en": "'last' || n",
		})
		must[sql.Result](t)(raw.Exec(`INSERT INTO patient_search (rowid, doc)
			SELECT id, first_search || ' ' || last_search || ' ' || phone FROM patients WHERE id <> $1`, one.ID))
		must[sql.Result](t)(raw.Exec(`ANALYZE`))
		whole := regexp.MustCompile(`Seq Scan|SCAN (p|patients)\b|VIRTUAL TABLE INDEX \d+:($|\n)`)
		index := regexp.MustCompile(`Index (Only )?Scan|Bitmap Index Scan|` +
			`USING (COVERING )?INDEX|USING INTEGER PRIMARY KEY|VIRTUAL TABLE INDEX`)
		few := regexp.MustCompile(`Limit [^\n]*\n +->  Index Scan using patient_search_pkey[^\n]*`)
		statements := map[string]bool{}
		for _, q := range []string{
			"ท", "ทอ", "ทองดี", "องด", "ทอง ดี", "ทองดี มีสุข", "ดี ทองดี มีสุข", "ก่อง", // Thai names and fragments
			"s", "so", "somch", "omch", "som cha", // English names and fragments
			"9", "99", "999", "99999", "0000099", "AB123456", "HN69-000123", // HNs and passports
			"081", "0812345678", "081-234-5678", "5678", "053123456", // phones
			"1111", "111111111", "1111111111119", "1-1111-11111-11-9", // ID cards
		} {
			ran = nil
			must[[]hospital.Patient](t)(db.SearchPatients(ctx, q, 20))
			for _, query := range ran {
				if strings.HasPrefix(query, "INSERT") || strings.Contains(query, "audit_lanes") {
					continue // the audit entry
				}
				plan := planOf(t, p, query, arguments[query])
				_, where, _ := strings.Cut(query, "WHERE")
				statements[where] = true
				// A limited scan of the primary key reads the first few thousand patients only.
				plan = strings.ReplaceAll(few.ReplaceAllString(plan, ""), "Seq Scan on patient_total", "") // one row
				// An index scan without a condition reads the whole index.
				unbounded := strings.Contains(plan, "cost=") &&
					len(index.FindAllString(plan, -1)) != strings.Count(plan, "Index Cond:")
				if whole.MatchString(plan) || !index.MatchString(plan) || unbounded {
					t.Errorf("%q reads a whole table in\n%s\n%s", q, where, plan)
				}
			}
		}
		if len(statements) < 10 {
			t.Errorf("only %d statements were checked: %v", len(statements), slices.Collect(maps.Keys(statements)))
		}
	})
}

// In a large hospital a fragment of a common name is searched among the first patients, a rare one among all
// patients.
func TestSearchCommonFragment(t *testing.T) {
	t.Parallel()
	storetest.EachDatabase(t, func(t *testing.T, p storetest.Database) {
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		for i := range 60 {
			name := []string{"สมทองใบ", "วิทองใบ", "มานะ"}[i%3]
			if i == 59 {
				name = "ปิยะพงษ์"
			}
			must[hospital.Patient](t)(db.CreatePatient(ctx, newPatient(name, fmt.Sprintf("นามสกุล%d", i)), true))
		}
		for _, large := range []bool{false, true} {
			if large {
				must[sql.Result](t)(p.SQL(t).Exec(`UPDATE patient_total SET n = 70000000`))
			}
			for q, want := range map[string]int{"องใบ": 20, "ิยะพ": 1, "องใบ นามสกุล4": 8, "ไม่มีใคร": 0} {
				list := must[[]hospital.Patient](t)(db.SearchPatients(ctx, q, 20))
				found := map[int64]bool{}
				for _, p := range list {
					found[p.ID] = true
					if first, _, _ := strings.Cut(q, " "); !strings.Contains(p.FirstName, first) {
						t.Errorf("%q found %s", q, p.FirstName)
					}
				}
				if len(list) != want || len(found) != want {
					t.Errorf("large %v: %q found %d, want %d", large, q, len(list), want)
				}
			}
		}
	})
}
