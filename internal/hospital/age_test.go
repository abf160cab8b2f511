package hospital

import "testing"

func TestAges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		birth, day string
		precision  BirthPrecision
		want       string
	}{
		"an adult":                             {"1988-02-09", "2026-11-15", BirthDay, "38 ปี 9 เดือน 6 วัน"},
		"on the birthday":                      {"1988-11-15", "2026-11-15", BirthDay, "38 ปี 0 เดือน 0 วัน"},
		"the day before the birthday":          {"1988-11-16", "2026-11-15", BirthDay, "37 ปี 11 เดือน 30 วัน"},
		"a baby of some days":                  {"2026-11-10", "2026-11-15", BirthDay, "5 วัน"},
		"born today":                           {"2026-11-15", "2026-11-15", BirthDay, "0 วัน"},
		"a baby of some months":                {"2026-08-31", "2026-11-15", BirthDay, "2 เดือน 15 วัน"},
		"born on the 31st, a short month":      {"2026-01-31", "2026-02-28", BirthDay, "28 วัน"},
		"born on the 31st, the day after":      {"2026-01-31", "2026-03-01", BirthDay, "1 เดือน 1 วัน"},
		"born on 29 February, not a leap year": {"2024-02-29", "2025-02-28", BirthDay, "11 เดือน 30 วัน"},
		"born on 29 February, 1 March":         {"2024-02-29", "2025-03-01", BirthDay, "1 ปี 0 เดือน 1 วัน"},
		"born on 29 February, a leap year":     {"2024-02-29", "2028-02-29", BirthDay, "4 ปี 0 เดือน 0 วัน"},
		"only the year is known":               {"1957-01-01", "2026-11-15", BirthYear, "ประมาณ 69 ปี"},
		"only the month is known":              {"1957-05-01", "2026-11-15", BirthMonth, "ประมาณ 69 ปี 6 เดือน"},
		"not born yet":                         {"2026-11-16", "2026-11-15", BirthDay, "0 วัน"},
	} {
		age, err := AgeOn(c.birth, c.day)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := age.Text(c.precision); got.TH != c.want || got.EN == "" {
			t.Errorf("%s: %q, want %q", name, got.TH, c.want)
		}
	}
	if _, err := AgeOn("2569-13-01", "2026-11-15"); err == nil {
		t.Error("an impossible birth date has an age")
	}
}
