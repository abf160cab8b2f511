package api_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"nadmor/internal/api"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

func TestRequestErrorsUseEnvelope(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		login, list := authPath+"/login", userPath+"/list"
		for name, c := range map[string]struct {
			path, token string
			body        any
			headers     []string
			status      int
			code        hospital.Code
			fields      []string
		}{
			"no body":                 {login, "", nil, nil, 400, hospital.BadRequest, nil},
			"a body that is not JSON": {login, "", `{"username`, nil, 400, hospital.BadRequest, nil},
			"a form": {
				login, "", `username=a`, []string{"Content-Type", "application/x-www-form-urlencoded"}, 400, hospital.BadRequest,
				nil,
			},
			"plain text": {
				login, "", `{"username":"a","password":"b"}`, []string{"Content-Type", "text/plain"}, 400, hospital.BadRequest, nil,
			},
			"a list instead of an object": {login, "", `[1]`, nil, 422, hospital.ValidationFailed, nil},
			"null":                        {login, "", `null`, nil, 422, hospital.ValidationFailed, nil},
			"an empty object": {
				login, "", `{}`, nil, 422, hospital.ValidationFailed, []string{"password", "username"},
			},
			"wrong types": {
				login, "", `{"username":1,"password":[]}`, nil, 422, hospital.ValidationFailed, []string{"password", "username"},
			},
			"an unknown field": {
				list, admin, `{"pagesize":5}`, nil, 422, hospital.ValidationFailed, []string{"pagesize"},
			},
			"an unknown sort": {
				list, admin, `{"sort":"password_hash"}`, nil, 422, hospital.ValidationFailed, []string{"sort"},
			},
			"a page too large": {
				list, admin, `{"pageSize":201}`, nil, 422, hospital.ValidationFailed, []string{"pageSize"},
			},
			"a page of nothing": {
				list, admin, `{"pageSize":-1}`, nil, 422, hospital.ValidationFailed, []string{"pageSize"},
			},
			"page zero is the first one": {
				list, admin, `{"page":0}`, nil, 422, hospital.ValidationFailed, []string{"page"},
			},
			"a status that does not exist": {
				list, admin, `{"status":"SLEEPING"}`, nil, 422, hospital.ValidationFailed, []string{"status"},
			},
			"a NUL in a text":                  {list, admin, `{"q":"a\u0000b"}`, nil, 400, hospital.BadRequest, nil},
			"six characters that look like it": {list, admin, `{"q":"a\\u0000b"}`, nil, 200, "", nil},
			"a number no integer can hold": {
				userPath + "/delete", admin, `{"id":1e30}`, nil, 422, hospital.ValidationFailed, nil,
			},
			"a body of two megabytes": {
				login, "", `{"username":"` + strings.Repeat("a", 2<<20) + `"}`, nil, 413, hospital.TooLarge, nil,
			},
			"more than a stranger may send": {
				login, "", `{"username":"` + strings.Repeat("a", 65<<10) + `"}`, nil, 413, hospital.TooLarge, nil,
			},
			"values without end": {
				list, admin, `{"q":[` + strings.Repeat("1,", 10_000) + `1]}`, nil, 400, hospital.BadRequest, nil,
			},
			"fields without end": {
				list, admin, `{` + strings.Repeat(`"a":1,`, 10_000) + `"b":1}`, nil, 400, hospital.BadRequest, nil,
			},
			"commas and quotes in a text": {list, admin, `{"q":"` + strings.Repeat(`,\"`, 30) + `"}`, nil, 200, "", nil},
			"many commas in a text": {
				list, admin, `{"q":"` + strings.Repeat(`,[`, 10_000) + `"}`, nil, 422, hospital.ValidationFailed, []string{"q"},
			},
			"deeper than anything": {
				list, admin, `{"q":` + strings.Repeat(`[`, 33) + strings.Repeat(`]`, 33) + `}`, nil, 400, hospital.BadRequest, nil,
			},
			"nesting without end": {list, admin, strings.Repeat(`[`, 100000), nil, 400, hospital.BadRequest, nil},
			"broken UTF-8":        {list, admin, "{\"q\":\"\xff\xfe\"}", nil, 200, "", nil},
			"every wrong field of a user at once": {userPath + "/create", admin,
				`{"username":"a b","email":"x","name":"","roleId":0,"phone":"12"}`, nil, 422, hospital.ValidationFailed,
				[]string{"email", "name", "password", "phone", "roleId", "username"}},
			"a missing field beside wrong ones": {userPath + "/create", admin, `{"username":"a b","email":5}`, nil, 422,
				hospital.ValidationFailed,
				[]string{"email", "name", "password", "roleId", "username"}},
			"an unknown permission": {
				rolePath + "/create", admin, `{"name":"X_Y","label":"x","permissions":["PATIENT.SHOW","ROOT"]}`, nil, 422,
				hospital.ValidationFailed, []string{"permissions[1]"},
			},
			"an operation that is not there": {"/admin/api/v1/nothing", admin, `{}`, nil, 404, hospital.NotFound, nil},
		} {
			a := n.post(c.path, c.token, c.body, c.headers...)
			if a.status != c.status || a.err.Code != string(c.code) {
				t.Errorf("%s: %d %s, want %d %s: %s", name, a.status, a.err.Code, c.status, c.code, a.raw)
			}
			var fields []string
			for _, f := range a.err.Fields {
				fields = append(fields, f.Field)
				if f.Message == "" {
					t.Errorf("%s: %s has no message", name, f.Field)
				}
			}
			if c.fields != nil && strings.Join(fields, " ") != strings.Join(c.fields, " ") {
				t.Errorf("%s: fields %v, want %v", name, fields, c.fields)
			}
		}
		if a := n.get(userPath+"/list?nonsense=1", admin); a.status != 422 {
			t.Errorf("an unknown query parameter: %s", a.raw)
		}
		if a := n.get(userPath+"/not-a-number", admin); a.status != 422 && a.status != 404 {
			t.Errorf("an id that is no number: %s", a.raw)
		}
		if a := n.get(userPath+"/list?q=%00", admin); a.status != 400 {
			t.Errorf("a NUL in the address: %s", a.raw)
		}
		if a := n.get(authPath+"/login", ""); a.status != 404 {
			t.Errorf("GET of a POST: %s", a.raw)
		}
	})
}

func TestErrorLanguageAndNoEcho(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		const private = "1-1111-11111-11-9"
		body := obj("username", private, "email", private, "name", strings.Repeat(private, 100), "roleId", private, "phone",
			private, private, private)
		th := n.post(userPath+"/create", admin, body)
		en := n.post(userPath+"/create", admin, body, "Accept-Language", "en-GB,en;q=0.9,th;q=0.8")
		if th.err.Message != "ข้อมูลไม่ถูกต้อง กรุณาตรวจสอบช่องที่ระบุ" || th.field("email") != "รูปแบบอีเมลไม่ถูกต้อง" {
			t.Errorf("Thai: %s", th.raw)
		}
		if en.err.Message != "Some fields are not correct. Please check them." ||
			en.field("email") != "This is not an email address." {
			t.Errorf("English: %s", en.raw)
		}
		if a := n.post(userPath+"/create", admin, body, "Accept-Language",
			"th-TH,th;q=0.9,en;q=0.8"); a.err.Message != th.err.Message {
			t.Errorf("Thai first: %s", a.raw)
		}
		// The error names the unknown field but not its value.
		for _, a := range []answer{th, en} {
			if strings.Count(a.raw, private) > 1 {
				t.Errorf("what was sent came back: %s", a.raw)
			}
		}
		if strings.Contains(n.log.String(), private) || strings.Contains(n.log.String(), storetest.Password) ||
			strings.Contains(n.log.String(), admin) {
			t.Error("the log holds what was sent")
		}
	})
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	for _, path := range []string{
		"/", "/login", "/docs", "/openapi.json", "/healthz", "/admin/api/v1/hospital", "/admin/api/v1/nope",
	} {
		a := n.get(path, "")
		h := a.header
		if !strings.Contains(h.Get("Content-Security-Policy"), "script-src 'self';") ||
			!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" ||
			h.Get("Strict-Transport-Security") != "" || h.Get("Referrer-Policy") == "" || len(h.Get("X-Request-Id")) < 8 {
			t.Errorf("%s: %v", path, h)
		}
		if strings.HasPrefix(path, "/admin/") != (h.Get("Cache-Control") == "no-store") {
			t.Errorf("%s: Cache-Control %q", path, h.Get("Cache-Control"))
		}
	}
	encrypted := start(t, storetest.SQLite(t), func(o *api.Options) { o.PublicURL = "https://nadmor.example" })
	if h := encrypted.get("/", "").header; h.Get("Strict-Transport-Security") == "" {
		t.Error("a browser may come back without encryption")
	}
	if a := n.get("/any/path/of/the/app", ""); a.raw != "the app" {
		t.Errorf("a path of the app: %q", a.raw)
	}
	if a := n.call(http.MethodGet, "/healthz", "", nil, "X-Request-Id",
		"from-the-proxy-1"); a.header.Get("X-Request-Id") != "from-the-proxy-1" {
		t.Error("a good request id is not kept")
	}
	if a := n.call(http.MethodGet, "/healthz", "", nil, "X-Request-Id",
		"x\" onload=1"); strings.Contains(a.header.Get("X-Request-Id"), "onload") {
		t.Error("a bad request id is kept")
	}
	docs := n.get("/docs", "")
	if !strings.Contains(docs.raw, "/admin/api/v1.0/auth/login") || strings.Contains(docs.raw, "<script") ||
		strings.Contains(docs.raw, "http://") || strings.Contains(docs.raw, "https://") {
		t.Error("/docs is not a page that works offline")
	}
}

func TestPanicIsInternal(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t), func(o *api.Options) {
		o.App = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("สมชาย ใจดี is in this message") })
	})
	a := n.get("/boom", "")
	if a.status != 500 || strings.Contains(a.raw, "สมชาย") || !strings.Contains(a.raw, `"INTERNAL"`) {
		t.Errorf("%d %s", a.status, a.raw)
	}
	if !strings.Contains(n.log.String(), "panic") {
		t.Error("the log does not report the panic")
	}
}

func TestDatabaseUnavailable(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.Postgres(t))
	storetest.SetUp(t, n.db)
	token := n.signIn("admin").AccessToken
	expect := func(when string, ready, me int) {
		t.Helper()
		if a := n.get("/readyz", ""); a.status != ready {
			t.Errorf("%s: /readyz answers %d, want %d", when, a.status, ready)
		}
		if a := n.get(authPath+"/me", token); a.status != me || me == 503 && a.err.Code != "UNAVAILABLE" {
			t.Errorf("%s: /me answers %d %s, want %d", when, a.status, a.raw, me)
		}
		if a := n.get("/healthz", ""); a.status != 200 {
			t.Errorf("%s: /healthz answers %d", when, a.status)
		}
	}
	expect("before", 200, 200)
	server, err := sql.Open("pgx", os.Getenv("NADMOR_TEST_POSTGRES"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	var name string
	if err := n.database.SQL(t).QueryRow(`SELECT current_database()`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	allow := func(yes bool) {
		t.Helper()
		if _, err := server.Exec(fmt.Sprintf(`ALTER DATABASE %s ALLOW_CONNECTIONS %v`, name, yes)); err != nil {
			t.Fatal(err)
		}
	}
	allow(false)
	if _, err := server.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`,
		name); err != nil {
		t.Fatal(err)
	}
	expect("while it is gone", 503, 503)
	allow(true)
	expect("when it is back", 200, 200)
}

func TestForwardedAddress(t *testing.T) {
	t.Parallel()
	trusting := func(o *api.Options) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	}
	for name, c := range map[string]struct {
		options   []func(*api.Options)
		forwarded string // one header per line
		want      string
	}{
		"a line of the caller's own": {
			[]func(*api.Options){trusting}, "198.51.100.1\n203.0.113.7", "203.0.113.7",
		},
		"several lines, and a trusted proxy": {
			[]func(*api.Options){trusting}, "198.51.100.1, 198.51.100.2\n203.0.113.7\n10.1.2.3", "203.0.113.7",
		},
		"IPv6": {
			[]func(*api.Options){trusting}, "198.51.100.1, 2001:db8::7", "2001:db8::7",
		},
		"IPv6 with a port": {[]func(*api.Options){trusting}, "[2001:db8::7]:4711", "2001:db8::7"},
		"a port":           {[]func(*api.Options){trusting}, "203.0.113.7:4711", "203.0.113.7"},
		"IPv4 written as IPv6": {
			[]func(*api.Options){trusting}, "::ffff:203.0.113.7, ::ffff:10.1.2.3", "203.0.113.7",
		},
		"nonsense in front": {
			[]func(*api.Options){trusting}, "nonsense\n203.0.113.7", "203.0.113.7",
		},
		"nonsense before a proxy": {
			[]func(*api.Options){trusting}, "203.0.113.7, nonsense, 10.1.2.3", "10.1.2.3",
		},
		"an empty line":                        {[]func(*api.Options){trusting}, "198.51.100.1\n", "127.0.0.1"},
		"nobody is trusted":                    {nil, "203.0.113.7", "127.0.0.1"},
		"a trusted proxy":                      {[]func(*api.Options){trusting}, "203.0.113.7", "203.0.113.7"},
		"the caller wrote an address in front": {[]func(*api.Options){trusting}, "198.51.100.1, 203.0.113.7", "203.0.113.7"},
		"two trusted proxies":                  {[]func(*api.Options){trusting}, "203.0.113.7, 10.1.2.3", "203.0.113.7"},
		"nonsense":                             {[]func(*api.Options){trusting}, "nonsense", "127.0.0.1"},
		"no header":                            {[]func(*api.Options){trusting}, "", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, storetest.SQLite(t), c.options...)
			storetest.SetUp(t, n.db)
			var headers []string
			for line := range strings.SplitSeq(c.forwarded, "\n") {
				headers = append(headers, "X-Forwarded-For", line)
			}
			n.post(authPath+"/login", "", obj("username", "admin", "password", "wrong"), headers...).
				want(t, hospital.InvalidCredentials)
			log, err := n.db.ListAudit(t.Context(), hospital.AuditFilter{
				Page: hospital.Page{Page: 1, PageSize: 1}, Outcome: hospital.OutcomeFailed,
			})
			if err != nil || len(log.Items) != 1 || log.Items[0].Addr != c.want {
				t.Errorf("address %+v, want %s", log.Items, c.want)
			}
		})
	}
}

// A node that cannot store files must not receive uploads.
func TestReadyChecksFiles(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	if a := n.get("/readyz", ""); a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.raw)
	}
	if err := os.RemoveAll(n.files); err != nil {
		t.Fatal(err)
	}
	if a := n.get("/readyz", ""); a.status != http.StatusServiceUnavailable || a.raw != "files: not reachable\n" {
		t.Errorf("without its folder: %d %q", a.status, a.raw)
	}
}

// Headers, URLs and forms can contain any bytes, but PostgreSQL accepts only valid text. Invalid text is a
// client error.
func TestInvalidTextIsRejected(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		const broken = "\xff\xfe"
		d := newBookingClient(t, n)
		doctor := n.signIn("doctor").AccessToken
		a := d.visit()
		for name, agent := range map[string]string{"no text": broken, "cut within a letter": strings.Repeat("a", 199) + "ก"} {
			in := decode[login](t,
				n.post(authPath+"/login", "", obj("username", "nurse", "password", storetest.Password), "User-Agent", agent))
			if in.AccessToken == "" {
				t.Errorf("a browser whose name is %s does not get in", name)
			}
		}
		form := visitPath + "/result/create/" + itoa(a.ID)
		for name, got := range map[string]answer{
			"a reason":          n.call(http.MethodDelete, resultPath+"/delete/1?reason=%ff", doctor, nil),
			"half a character":  n.call(http.MethodDelete, resultPath+"/delete/1?reason=%f", doctor, nil),
			"a role":            n.get(visitPath+"/listAllByRole/%ff", d.token),
			"a field of a form": n.sendNamed(form, doctor, "x.pdf", aPDF(100), map[string]string{"diagnosis": broken}),
		} {
			if got.status != http.StatusBadRequest || got.err.Code != string(hospital.BadRequest) {
				t.Errorf("%s: %d %s", name, got.status, got.raw)
			}
		}
		named := decode[hospital.Result](t, n.sendNamed(form, doctor, broken+".pdf", aPDF(100), nil))
		if !utf8.ValidString(named.File.Name) || !strings.HasSuffix(named.File.Name, ".pdf") {
			t.Errorf("the file is called %q", named.File.Name)
		}
	})
}
