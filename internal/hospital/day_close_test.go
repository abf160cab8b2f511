package hospital

import (
	"testing"
)

func TestClosesUntil(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		noShowTime, now string
		want            Moment
		closes          bool
	}{
		{"18:00", "17:59", Moment{"2026-11-15", 24 * 60}, true},
		{"18:00", "18:00", Moment{"2026-11-16", 18 * 60}, true},
		{"18:00", "19:30", Moment{"2026-11-16", 19*60 + 30}, true},
		{"00:00", "00:00", Moment{"2026-11-16", 0}, true},
	} {
		s := Setting{SettingFields: SettingFields{NoShowTime: c.noShowTime}}
		if got, ok := s.ClosesUntil(Moment{"2026-11-16", clockOf(c.now)}); got != c.want || ok != c.closes {
			t.Errorf("%s at %s: %v, %t", c.noShowTime, c.now, got, ok)
		}
	}
	if _, ok := (Setting{}).ClosesUntil(Moment{"2026-11-16", 20 * 60}); ok {
		t.Error("days are closed without a NoShowTime")
	}
}
