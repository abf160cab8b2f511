package hospital

import "testing"

func TestAppointmentNames(t *testing.T) {
	t.Parallel()
	names := map[string]Text{"right UCS": RightName("UCS")}
	for _, k := range AppointmentKinds {
		names["kind "+string(k)] = k.Name()
	}
	for _, c := range Channels {
		names["channel "+string(c)] = c.Name()
	}
	for _, p := range Priorities {
		names["priority "+string(p)] = p.Name()
	}
	for _, s := range AppointmentStatuses {
		names["status "+string(s)] = s.Name()
	}
	for what, name := range names {
		if name.TH == "" || name.EN == "" {
			t.Errorf("%s is called %+v", what, name)
		}
	}
	if got := RightName("XYZ"); got.TH != "XYZ" || got.EN != "XYZ" {
		t.Errorf("a right nobody knows is called %+v", got)
	}
}

func TestMonthOf(t *testing.T) {
	t.Parallel()
	for date, want := range map[string][2]string{
		"2026-11-16": {"2026-11-01", "2026-11-30"},
		"2026-12-31": {"2026-12-01", "2026-12-31"},
		"2028-02-01": {"2028-02-01", "2028-02-29"},
		"2027-02-28": {"2027-02-01", "2027-02-28"},
	} {
		if first, last := MonthOf(date); first != want[0] || last != want[1] {
			t.Errorf("%s: %s to %s", date, first, last)
		}
	}
}
