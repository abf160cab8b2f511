package store_test

import (
	"reflect"
	"testing"

	"nadmor/internal/hospital"
	"nadmor/internal/store"
	"nadmor/internal/store/storetest"
)

// Callers that change a cached value do not affect others.
func TestJSONCacheCopies(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := storetest.SetUp(t, db)
		from := monday
		f := hospital.NewService
		f.Code, f.Name, f.Schedule, f.StaffIDs = "GP", "คลินิก", weekdays(30, 1), []int64{1}
		f.Schedule[0].ValidFrom = &from
		s := must[hospital.Service](t)(db.CreateService(ctx, f))
		setting := must[hospital.Setting](t)(db.AmendSetting(ctx, func(f *hospital.SettingFields) error {
			at := db.Now()
			f.Banners = []hospital.Banner{{ID: "b", Image: "/media/a.png", Alt: "ภาพ", StartsAt: &at}}
			f.Reminders = []hospital.Reminder{{OffsetHours: 24, Channel: hospital.RemindBySMS, Template: "{date}"}}
			return nil
		}))
		for range 2 {
			read := must[hospital.Service](t)(db.Service(ctx, s.ID))
			if !reflect.DeepEqual(read, s) {
				t.Errorf("read %+v, written %+v", read, s)
			}
			read.StaffIDs[0], read.Schedule[1].Capacity, *read.Schedule[0].ValidFrom = 99, 99, "changed"
			got := must[hospital.Setting](t)(db.Setting(ctx))
			if !reflect.DeepEqual(got, setting) {
				t.Errorf("read %+v, written %+v", got, setting)
			}
			got.Reminders[0].Template, got.Banners[0].Alt = "changed", "changed"
			*got.Banners[0].StartsAt = got.UpdatedAt.AddDate(1, 0, 0)
		}
	})
}
