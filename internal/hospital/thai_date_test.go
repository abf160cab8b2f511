package hospital

import (
	"testing"
	"time"
)

func TestThaiDateTime(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		at   time.Time
		want string
	}{
		"a year is written in the Buddhist Era": {
			time.Date(2026, 11, 15, 9, 30, 0, 0, Bangkok), "15 พ.ย. 2569 09:30 น.",
		},
		"an instant is read in Bangkok": {
			time.Date(2026, 11, 15, 2, 30, 59, 0, time.UTC), "15 พ.ย. 2569 09:30 น.",
		},
		"wherever it was written": {
			time.Date(2026, 11, 14, 18, 30, 0, 0, time.FixedZone("", -8*3600)), "15 พ.ย. 2569 09:30 น.",
		},
		"the year ends at 17:00 UTC": {
			time.Date(2026, 12, 31, 17, 0, 0, 0, time.UTC), "1 ม.ค. 2570 00:00 น.",
		},
		"and not a moment before": {
			time.Date(2026, 12, 31, 16, 59, 59, 999999999, time.UTC), "31 ธ.ค. 2569 23:59 น.",
		},
		"a leap day is a leap day of the Christian Era's year": {
			time.Date(2028, 2, 29, 12, 5, 0, 0, Bangkok), "29 ก.พ. 2571 12:05 น.",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := ThaiDateTime(c.at); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	for i, month := range []string{
		"ม.ค.", "ก.พ.", "มี.ค.", "เม.ย.", "พ.ค.", "มิ.ย.", "ก.ค.", "ส.ค.", "ก.ย.", "ต.ค.", "พ.ย.", "ธ.ค.",
	} {
		want := "2 " + month + " 2569 00:00 น."
		if got := ThaiDateTime(time.Date(2026, time.Month(i+1), 2, 0, 0, 0, 0, Bangkok)); got != want {
			t.Errorf("month %d: got %q, want %q", i+1, got, want)
		}
	}
}

func TestThaiLongDate(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]string{
		"2026-11-16": "วันจันทร์ที่ 16 พฤศจิกายน 2569",
		"2027-01-01": "วันศุกร์ที่ 1 มกราคม 2570",
		"2028-02-29": "วันอังคารที่ 29 กุมภาพันธ์ 2571",
		"2026-12-06": "วันอาทิตย์ที่ 6 ธันวาคม 2569",
	} {
		if got := ThaiLongDate(date); got != want {
			t.Errorf("%s is %s, want %s", date, got, want)
		}
	}
}
