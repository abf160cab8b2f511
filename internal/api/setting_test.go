package api_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nadmor/internal/api"
	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

const (
	settingPath = "/admin/api/v1/global-setting"
	mediaPath   = "/admin/api/v1/media-file/upload"
)

// picture returns a PNG of one colour.
func picture(t *testing.T, w, h int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = 200
	}
	m.Set(0, 0, color.Black)
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// send sends a form of name and content pairs. The part named "file" is a file.
func (n *node) send(path, token string, parts ...any) answer {
	n.t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		name := parts[i].(string)
		var part io.Writer
		var err error
		if name == "file" {
			part, err = w.CreateFormFile(name, "../../รูป.exe")
		} else {
			part, err = w.CreateFormField(name)
		}
		if err == nil {
			_, err = fmt.Fprintf(part, "%s", parts[i+1])
		}
		if err != nil {
			n.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		n.t.Fatal(err)
	}
	return n.call(http.MethodPost, path, token, b.String(), "Content-Type", w.FormDataContentType())
}

// storedMedia returns the public images on disk.
func (n *node) storedMedia() []string {
	n.t.Helper()
	list, err := filepath.Glob(filepath.Join(n.files, "media", "*"))
	if err != nil {
		n.t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(n.files, ".partial", "*"))
	if err != nil || len(left) > 0 {
		n.t.Errorf("left behind: %v %v", left, err)
	}
	return list
}

func (n *node) setting(token string) hospital.Setting {
	n.t.Helper()
	return decode[hospital.Setting](n.t, n.get(settingPath+"/read", token))
}

// with creates a role with the given permissions and signs in a user who has it.
func (n *node) with(admin, name string, permissions ...hospital.Permission) string {
	n.t.Helper()
	n.post(rolePath+"/create", admin,
		obj("name", strings.ToUpper(name), "label", name, "permissions", permissions)).want(n.t, "")
	storetest.AddUser(n.t, n.db, name, strings.ToUpper(name))
	return n.signIn(name).AccessToken
}

func TestSettingsOverHTTP(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		first := n.setting(admin)
		if first.Version != 0 || first.Name != "นัดหมอ" || first.BookingWindowDays != 180 ||
			first.Timezone != "Asia/Bangkok" || first.Banners == nil || first.Reminders == nil {
			t.Fatalf("the default is %+v", first)
		}
		changed := decode[hospital.Setting](t,
			n.post(settingPath+"/update", admin,
				obj("version", 0, "name", " โรงพยาบาล  ศรีนคร ", "maxActivePerPatient", 3, "noShowTime", "",
					"reminders", []any{obj("offsetHours", 24, "channel", "SMS", "template", "{patient} มีนัด {date}")})))
		if changed.Version != 1 || changed.Name != "โรงพยาบาล ศรีนคร" || changed.MaxActivePerPatient != 3 ||
			changed.NoShowTime != "" || len(changed.Reminders) != 1 || changed.SessionHours != 12 {
			t.Errorf("changed to %+v", changed)
		}
		if again := n.setting(admin); again.Name != changed.Name || again.UpdatedAt != changed.UpdatedAt {
			t.Errorf("read %+v", again)
		}
		stale := n.post(settingPath+"/update", admin, obj("version", 0, "name", "อื่น")).want(t, hospital.ConflictVersion)
		if current, _ := stale.err.Details["current"].(map[string]any); current["name"] != changed.Name ||
			current["version"] != 1.0 {
			t.Errorf("the conflict shows %v", stale.err.Details)
		}
		// A list is replaced as a whole.
		less := decode[hospital.Setting](t, n.post(settingPath+"/update", admin, obj("version", 1, "reminders", []any{})))
		if len(less.Reminders) != 0 || less.Name != changed.Name {
			t.Errorf("without reminders: %+v", less)
		}
		wrong := n.post(settingPath+"/update", admin,
			obj("version", 2, "timezone", "Asia/Tokyo", "hnFormat", "x",
				"reminders", []any{obj("offsetHours", 1, "channel", "SMS", "template", "{x}")})).
			want(t, hospital.ValidationFailed)
		for _, field := range []string{"timezone", "hnFormat", "reminders[0].template"} {
			if wrong.field(field) == "" {
				t.Errorf("nothing about %s in %s", field, wrong.raw)
			}
		}
		for _, body := range []any{
			obj("version", 2, "nosuch", 1), obj("name", "x"), obj("version", 2, "sessionHours", "12"),
			obj("version", 2, "reminders", []any{obj("offsetHours", 1, "channel", "FAX", "template", "x")}),
		} {
			n.post(settingPath+"/update", admin, body).want(t, hospital.ValidationFailed)
		}
		log := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", admin, obj("entity", "setting")))
		if log.Total != 2 || log.Items[1].Changes["name"].After != changed.Name ||
			log.Items[1].Changes["maxActivePerPatient"].After != 3.0 || len(log.Items[0].Changes) != 1 {
			t.Errorf("the log says %+v", log.Items)
		}
		if id := decode[hospital.Identity](t, n.get("/admin/api/v1/hospital", "")); id.Name != changed.Name ||
			id.Banners == nil {
			t.Errorf("to the public it is %+v", id)
		}
	})
}

// Of several concurrent updates of the same version one succeeds, and the others change nothing.
func TestSettingsVersionConflict(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		n.post(settingPath+"/update", admin, obj("version", 0, "phone", "045000000")).want(t, "")
		var mu sync.Mutex
		var all sync.WaitGroup
		codes := map[string]int{}
		for i := range 12 {
			all.Go(func() {
				var a answer
				if i%2 == 0 { // appends to the current value
					a = n.send(mediaPath+"/banner", admin, "file", picture(t, 20+i, 10), "alt", fmt.Sprint(i))
				} else {
					a = n.post(settingPath+"/update", admin, obj("version", 1, "name", fmt.Sprint("โรงพยาบาล ", i)))
				}
				mu.Lock()
				defer mu.Unlock()
				codes[a.err.Code]++
			})
		}
		all.Wait()
		s := n.setting(admin)
		if len(s.Banners) != 6 || codes[""]+codes["CONFLICT_VERSION"] != 12 || codes["CONFLICT_VERSION"] < 5 ||
			s.Phone != "045000000" || s.Version != int64(codes[""]+1) {
			t.Errorf("%v, and in the end %+v", codes, s)
		}
	})
}

func TestSettingFieldPermissions(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		painter := n.with(admin, "painter", hospital.BannerShow, hospital.BannerUpdate)
		clerk := n.with(admin, "clerk", hospital.GlobalSettingShow, hospital.GlobalSettingUpdate)
		b := decode[hospital.Banner](t, n.send(mediaPath+"/banner", painter, "file", picture(t, 30, 10)))
		n.send(mediaPath+"/logo", painter, "file", picture(t, 30, 10)).want(t, hospital.Forbidden)
		n.send(mediaPath+"/banner", clerk, "file", picture(t, 30, 10)).want(t, hospital.Forbidden)
		logo := decode[struct{ Logo string }](t, n.send(mediaPath+"/logo", clerk, "file", picture(t, 30, 10))).Logo
		for name, c := range map[string]struct {
			token, permission string
			change            []any
		}{
			"a painter the name":              {painter, "GLOBAL_SETTING.UPDATE", []any{"name", "x"}},
			"a painter the logo":              {painter, "GLOBAL_SETTING.UPDATE", []any{"logo", ""}},
			"a painter both":                  {painter, "GLOBAL_SETTING.UPDATE", []any{"banners", []any{}, "logo", ""}},
			"a clerk the banners":             {clerk, "BANNER.UPDATE", []any{"banners", []any{}}},
			"a clerk a banner among the rest": {clerk, "BANNER.UPDATE", []any{"name", "x", "banners", []any{}}},
		} {
			a := n.post(settingPath+"/update", c.token, obj(append(c.change, "version", 2)...)).want(t, hospital.Forbidden)
			if a.err.Details["permission"] != c.permission {
				t.Errorf("%s: %s", name, a.raw)
			}
		}
		rejected := decode[hospital.Paged[hospital.AuditEntry]](t,
			n.post("/admin/api/v1/audit/list", admin, obj("action", "access.refused", "entityId", "post-global-setting-update")))
		if rejected.Total != 5 {
			t.Errorf("%d refusals in the log", rejected.Total)
		}
		if s := n.setting(painter); s.Version != 2 || s.Logo != logo || len(s.Banners) != 1 {
			t.Errorf("after refusals %+v", s)
		}
		// Sending the current values is no change.
		n.post(settingPath+"/update", painter,
			obj("version", 2, "name", "นัดหมอ", "banners", []any{obj("id", b.ID, "image", b.Image, "active", false)})).want(t,
			"")
		n.post(settingPath+"/update", clerk,
			obj("version", 3, "name", "ใหม่", "banners", []any{obj("id", b.ID, "image", b.Image, "active", false)})).want(t, "")
	})
}

func TestBannerLifecycle(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		b := decode[hospital.Banner](t,
			n.send(mediaPath+"/banner", admin, "alt", " ฉีดวัคซีน  ไข้หวัดใหญ่ ", "file",
				append(picture(t, 3000, 30), "<script>"...), "link", "https://hospital.example/flu"))
		if b.ID == "" || !strings.HasPrefix(b.Image, "/media/") || b.Alt != "ฉีดวัคซีน ไข้หวัดใหญ่" ||
			b.Link != "https://hospital.example/flu" || !b.Active {
			t.Fatalf("the banner is %+v", b)
		}
		id := decode[hospital.Identity](t, n.get("/admin/api/v1/hospital", ""))
		if len(id.Banners) != 1 || id.Banners[0].Image != b.Image {
			t.Errorf("to the public it is %+v", id)
		}
		a := n.get(b.Image, "")
		m, err := png.Decode(strings.NewReader(a.raw))
		if err != nil || m.Bounds().Dx() != 2400 || strings.Contains(a.raw, "script") {
			t.Fatalf("%d %v %d bytes", a.status, err, len(a.raw))
		}
		for header, want := range map[string]string{
			"Content-Type": "image/png", "Cache-Control": "public, max-age=31536000, immutable",
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
			"Content-Length": fmt.Sprint(len(a.raw)), "ETag": `"` + strings.TrimPrefix(b.Image, "/media/") + `"`,
		} {
			if got := a.header.Get(header); got != want {
				t.Errorf("%s: %q, want %q", header, got, want)
			}
		}
		if again := n.call(http.MethodGet, b.Image, "", nil, "If-None-Match",
			a.header.Get("ETag")); again.status != http.StatusNotModified || again.raw != "" {
			t.Errorf("known already: %d", again.status)
		}
		if head := n.call(http.MethodHead, b.Image, "", nil); head.status != http.StatusOK || head.raw != "" ||
			head.header.Get("Content-Length") != fmt.Sprint(len(a.raw)) {
			t.Errorf("only the header: %d %v", head.status, head.header)
		}
		if part := n.call(http.MethodGet, b.Image, "", nil, "Range", "bytes=1-3"); part.status != http.StatusPartialContent ||
			part.raw != "PNG" {
			t.Errorf("a part: %d %q", part.status, part.raw)
		}

		second := decode[hospital.Banner](t, n.send(mediaPath+"/banner", admin, "file", picture(t, 30, 30)))
		s := n.setting(admin)
		if len(s.Banners) != 2 || s.Banners[1].ID != second.ID {
			t.Fatalf("in order: %+v", s.Banners)
		}
		starts := n.db.Now().Add(time.Hour)
		s = decode[hospital.Setting](t, n.post(settingPath+"/update", admin, obj("version", s.Version, "banners", []any{
			obj("id", second.ID, "image", second.Image, "active", true, "startsAt", starts),
			obj("id", b.ID, "image", b.Image, "active", false, "startsAt", nil),
		})))
		if s.Banners[0].ID != second.ID || !s.Banners[0].StartsAt.Equal(starts) || s.Banners[1].StartsAt != nil ||
			s.Banners[1].Alt != "" {
			t.Errorf("turned around: %+v", s.Banners)
		}
		if id := decode[hospital.Identity](t, n.get("/admin/api/v1/hospital", "")); len(id.Banners) != 0 {
			t.Errorf("neither is to be seen yet: %+v", id)
		}
		s = decode[hospital.Setting](t, n.post(settingPath+"/update", admin, obj("version", s.Version, "banners", []any{})))
		// A removed banner can be put back, because its image is still stored.
		n.post(settingPath+"/update", admin,
			obj("version", s.Version, "banners", []any{obj("image", b.Image, "active", true)})).want(t, "")
		if got := n.setting(admin).Banners; len(got) != 1 || got[0].ID == "" {
			t.Errorf("put back as %+v", got)
		}
	})
}

func TestReplaceLogo(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		first := decode[struct{ Logo string }](t, n.send(mediaPath+"/logo", admin, "file", picture(t, 2000, 1000))).Logo
		m, err := png.DecodeConfig(strings.NewReader(n.get(first, "").raw))
		if err != nil || m.Width != 512 || m.Height != 256 {
			t.Errorf("the logo is %d × %d: %v", m.Width, m.Height, err)
		}
		second := decode[struct{ Logo string }](t, n.send(mediaPath+"/logo", admin, "file", picture(t, 20, 20))).Logo
		if id := decode[hospital.Identity](t, n.get("/admin/api/v1/hospital", "")); id.Logo != second || second == first {
			t.Errorf("the logo is %q", id.Logo)
		}
		// a logo has no texts
		n.send(mediaPath+"/logo", admin, "file", picture(t, 20, 20), "alt", "x").want(t, hospital.ValidationFailed)
		s := n.setting(admin)
		for _, address := range []string{
			"/media/" + strings.Repeat("a", 26) + ".png", "https://elsewhere.example/logo.png", "/media/../secret",
			"data:image/png;base64,xx", "/favicon.ico", "media/x", second + "x",
		} {
			a := n.post(settingPath+"/update", admin, obj("version", s.Version, "logo", address)).want(t,
				hospital.ValidationFailed)
			if a.field("logo") == "" {
				t.Errorf("%s: %s", address, a.raw)
			}
			a = n.post(settingPath+"/update", admin,
				obj("version", s.Version, "banners", []any{obj("image", address, "active", true)})).want(t,
				hospital.ValidationFailed)
			if a.field("banners[0].image") == "" {
				t.Errorf("%s: %s", address, a.raw)
			}
		}
		if s = decode[hospital.Setting](t,
			n.post(settingPath+"/update", admin, obj("version", s.Version, "logo", ""))); s.Logo != "" {
			t.Errorf("taken off: %q", s.Logo)
		}
	})
}

// A rejected upload leaves neither a file nor a banner.
func TestUploadErrors(t *testing.T) {
	t.Parallel()
	eachNode(t, func(t *testing.T, n *node) {
		admin := n.signIn("admin").AccessToken
		n.post(settingPath+"/update", admin, obj("version", 0, "uploadMaxMb", 1)).want(t, "")
		good := picture(t, 20, 20)
		for name, c := range map[string]struct {
			parts  []any
			code   hospital.Code
			status int
			field  string
		}{
			"no file":             {[]any{"alt", "x"}, hospital.ValidationFailed, 422, "file"},
			"an empty file":       {[]any{"file", ""}, hospital.FileTypeNotAllowed, 415, ""},
			"two files":           {[]any{"file", good, "file", good}, hospital.ValidationFailed, 422, "file"},
			"an unknown field":    {[]any{"file", good, "x", "y"}, hospital.ValidationFailed, 422, "form"},
			"a page":              {[]any{"file", "<html></html>"}, hospital.FileTypeNotAllowed, 415, ""},
			"half a picture":      {[]any{"file", good[:len(good)/2]}, hospital.FileTypeNotAllowed, 415, ""},
			"a script for a link": {[]any{"file", good, "link", "javascript:alert(1)"}, hospital.ValidationFailed, 422, "link"},
			"a long description":  {[]any{"alt", strings.Repeat("ก", 201), "file", good}, hospital.ValidationFailed, 422, "alt"},
			"endless description": {
				[]any{"alt", strings.Repeat("ก", 20_000), "file", good}, hospital.ValidationFailed, 422, "alt",
			},
			"one byte too many": {[]any{"file", append(picture(t, 20, 20), make([]byte, 1<<20)...)}, hospital.TooLarge, 413, ""},
			"far too large":     {[]any{"file", make([]byte, 3<<20)}, hospital.TooLarge, 413, ""},
		} {
			a := n.send(mediaPath+"/banner", admin, c.parts...)
			if a.status != c.status || a.err.Code != string(c.code) || c.field != "" && a.field(c.field) == "" {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
			if c.code == hospital.TooLarge && a.err.Details["maxBytes"] != float64(1<<20) {
				t.Errorf("%s: details %v", name, a.err.Details)
			}
		}
		for name, header := range map[string]string{
			"JSON": "application/json", "no boundary": "multipart/form-data", "another kind": "multipart/mixed; boundary=x",
			"nothing": "",
		} {
			if a := n.call(http.MethodPost, mediaPath+"/banner", admin, "{}", "Content-Type",
				header); a.status != http.StatusBadRequest || a.err.Code != "BAD_REQUEST" {
				t.Errorf("%s: %d %s", name, a.status, a.raw)
			}
		}
		if s := n.setting(admin); len(s.Banners) != 0 || s.Version != 1 {
			t.Errorf("after refusals %+v", s)
		}
		if list := n.storedMedia(); len(list) != 0 {
			t.Errorf("files were kept: %v", list)
		}
		// The thirty-first banner is rejected after its file was stored.
		many := make([]any, 30)
		address := decode[hospital.Banner](t, n.send(mediaPath+"/banner", admin, "file", good)).Image
		for i := range many {
			many[i] = obj("image", address, "active", true)
		}
		n.post(settingPath+"/update", admin, obj("version", 2, "banners", many)).want(t, "")
		n.send(mediaPath+"/banner", admin, "file", good).want(t, hospital.ValidationFailed)
		if list := n.storedMedia(); len(list) != 1 {
			t.Errorf("a file of a refused change is left: %v", list)
		}
	})
}

// Only public images are accessible, however the URL is written.
func TestOnlyMediaIsPublic(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t))
	storetest.SetUp(t, n.db)
	store, err := files.OpenDisk(n.files)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	result, odd := files.NewKey("results", ".png"), files.NewKey(files.Media, ".html")
	for _, key := range []string{result, odd} {
		if _, err := store.Put(t.Context(), key, strings.NewReader("<script>"), 100); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(n.files, "media", "secret"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(result, "results/")
	for _, path := range []string{
		"/media/", "/media/" + name, "/media/secret", "/media/../results/" + name, "/media/..%2fresults%2f" + name,
		"/media/%2e%2e/results/" + name, "/media/results/" + name, "/media//" + name,
		"/media/..%5cresults%5c" + name, "/media/" + name + "%00", "/media/" + name + "/",
		"/media/" + strings.TrimPrefix(odd, "media/"), "/media/.partial", "/media/nosuch.png",
	} {
		a := n.get(path, "")
		if a.status != http.StatusNotFound && a.status != http.StatusBadRequest || strings.Contains(a.raw, "secret") ||
			strings.Contains(a.raw, "<script>") || a.header.Get("Cache-Control") != "" {
			// the client resolves the path itself
			if !strings.HasPrefix(path, "/media/../") && !strings.HasPrefix(path, "/media/%2e") || a.raw != "the app" {
				t.Errorf("%s: %d %q %v", path, a.status, a.raw, a.header)
			}
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
		if a := n.call(method, "/media/"+name, "", nil); a.status != http.StatusNotFound {
			t.Errorf("%s: %d", method, a.status)
		}
	}
}

// Errors of the file store are reported, and nothing is changed.
func TestUploadsWithoutFileStore(t *testing.T) {
	t.Parallel()
	n := start(t, storetest.SQLite(t), func(o *api.Options) {
		closed, err := files.OpenDisk(filepath.Join(t.TempDir(), "gone"))
		if err != nil {
			t.Fatal(err)
		}
		_ = closed.Close()
		o.Files = closed
	})
	storetest.SetUp(t, n.db)
	admin := n.signIn("admin").AccessToken
	if a := n.send(mediaPath+"/banner", admin, "file", picture(t, 20, 20)); a.status != http.StatusServiceUnavailable ||
		a.err.Code != "UNAVAILABLE" {
		t.Errorf("%d %s", a.status, a.raw)
	}
	if s := n.setting(admin); s.Version != 0 {
		t.Errorf("changed to %+v", s)
	}
}
