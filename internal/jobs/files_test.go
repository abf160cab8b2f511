package jobs

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
	"nadmor/internal/store/storetest"
)

// Pictures that nothing shows go with the daily clean-up; those that are shown,
// those of today and files of other kinds stay.
func TestPicturesThatNothingShowsAreRemoved(t *testing.T) {
	t.Parallel()
	storetest.EachPlace(t, func(t *testing.T, p storetest.Place) {
		p.Clock.Advance(time.Since(p.Clock.Now())) // files have the time of the machine
		db := p.Open(t)
		ctx := storetest.SetUp(t, db)
		r, _ := newRunner(t, db, nil)
		keep := func(kind files.Kind) string {
			key := files.NewKey(kind, ".png")
			if _, err := r.Files.Put(ctx, key, strings.NewReader("picture"), 100); err != nil {
				t.Fatal(err)
			}
			return key
		}
		logo, banner, gone, result := keep(files.Media), keep(files.Media), keep(files.Media), keep("results")
		show := func(change func(f *hospital.SettingFields)) {
			t.Helper()
			if _, err := db.UpdateSetting(ctx, -1, func(f *hospital.SettingFields) error { change(f); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		show(func(f *hospital.SettingFields) {
			f.Logo, f.Banners = "/"+logo, []hospital.Banner{{ID: "a", Image: "/" + banner}} // one that is not active is still one
		})
		there := func(when string, want map[string]bool) {
			t.Helper()
			drain(t, r)
			for key, want := range want {
				f, err := r.Files.Open(ctx, key)
				if (err == nil) != want || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s: %s: %v", when, key, err)
				}
				if err == nil {
					_ = f.Close()
				}
			}
		}
		there("on the same day", map[string]bool{logo: true, banner: true, gone: true, result: true})
		p.Clock.Advance(25 * time.Hour)
		there("a day later", map[string]bool{logo: true, banner: true, gone: false, result: true})
		show(func(f *hospital.SettingFields) { f.Logo = "" })
		there("before the next clean-up", map[string]bool{logo: true, banner: true})
		p.Clock.Advance(24 * time.Hour)
		there("after it", map[string]bool{logo: false, banner: true, result: true})
	})
}
