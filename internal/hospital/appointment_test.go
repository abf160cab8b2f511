package hospital

import (
	"slices"
	"testing"
)

// The expected status table: allowed transitions, and those that need APPOINTMENT.REVERT_STATUS.
var statusTable = map[AppointmentStatus][2][]AppointmentStatus{
	"WAITLISTED": {{"BOOKED", "CANCELLED"}, nil},
	"PENDING":    {{"BOOKED", "CANCELLED"}, nil},
	"BOOKED":     {{"CONFIRMED", "CHECKED_IN", "CANCELLED", "NO_SHOW"}, nil},
	"CONFIRMED":  {{"CHECKED_IN", "CANCELLED", "NO_SHOW"}, nil},
	"CHECKED_IN": {{"IN_SERVICE", "COMPLETED", "CANCELLED"}, nil},
	"IN_SERVICE": {{"COMPLETED", "CHECKED_IN"}, nil},
	"COMPLETED":  {nil, {"IN_SERVICE"}},
	"NO_SHOW":    {{"CHECKED_IN"}, nil},
	"CANCELLED":  {nil, {"BOOKED"}},
}

// at returns an appointment at 10:00 on a date with a status.
func at(status AppointmentStatus, date string) Appointment {
	fields := AppointmentFields{ServiceID: 1, Date: date, StartTime: "10:00"}
	return Appointment{Status: status, AppointmentFields: fields}
}

func TestStatusTransitions(t *testing.T) {
	t.Parallel()
	const yesterday, today, tomorrow = "2026-11-15", "2026-11-16", "2026-11-17"
	all := NewPermissionSet(AppointmentMarkStatus, AppointmentRevert)
	mark := NewPermissionSet(AppointmentMarkStatus)
	for _, from := range AppointmentStatuses {
		for _, to := range AppointmentStatuses {
			next, back := slices.Contains(statusTable[from][0], to), slices.Contains(statusTable[from][1], to)
			arrives := to == CheckedIn && from != InService
			for _, c := range []struct {
				name, date, clock, reason string
				may                       PermissionSet
				want                      Code
			}{
				{"with all rights", today, "10:00", "เหตุผล", all, code(next || back, InvalidTransition)},
				{"without the right to go back", today, "10:00", "เหตุผล", mark,
					map[bool]Code{true: Forbidden, false: code(next, InvalidTransition)}[back]},
				{"without any", today, "10:00", "เหตุผล", NewPermissionSet(), Forbidden},
				{"without a reason", today, "10:00", " ", all, reasonless(next, back, to)},
				{"before its time", today, "09:59", "เหตุผล", all,
					code((next || back) && to != NoShow, InvalidTransition)},
				{"the day before", tomorrow, "10:00", "เหตุผล", all,
					code((next || back) && !arrives && to != NoShow, InvalidTransition)},
				{"the day after", yesterday, "08:00", "เหตุผล", all,
					code((next || back) && !arrives, InvalidTransition)},
			} {
				now := Moment{today, clockOf(c.clock)}
				a := at(from, c.date)
				err := a.CheckTransition(to, c.reason, c.may, now)
				if got := codeOrNone(err); got != c.want {
					t.Errorf("%s → %s %s: %q, want %q", from, to, c.name, got, c.want)
				}
				// The offered statuses are those that CheckTransition accepts.
				a.SetActions(c.may, now)
				offered, reasons := slices.Contains(a.AllowedStatuses, to), slices.Contains(a.ReasonStatuses, to)
				if accepted := c.want == "" || c.want == ValidationFailed; offered != accepted ||
					reasons != (offered && reasonless(next, back, to) == ValidationFailed) {
					t.Errorf("%s → %s %s: offered %t, needs a reason %t", from, to, c.name, offered, reasons)
				}
			}
		}
	}
}

// The lists are never null, and Movable requires APPOINTMENT.UPDATE.
func TestAppointmentActions(t *testing.T) {
	t.Parallel()
	now := Moment{"2026-11-16", clockOf("10:00")}
	for _, status := range AppointmentStatuses {
		a := at(status, now.Date)
		a.SetActions(NewPermissionSet(), now)
		if a.AllowedStatuses == nil || len(a.AllowedStatuses) > 0 || a.ReasonStatuses == nil || a.Movable ||
			a.HoldsSeat != status.HoldsSeat() {
			t.Errorf("%s without permissions: %+v", status, a.AppointmentActions)
		}
		a.SetActions(NewPermissionSet(AppointmentUpdate), now)
		fixed := []AppointmentStatus{CheckedIn, InService, Completed, Cancelled}
		if want := !slices.Contains(fixed, status); a.Movable != want {
			t.Errorf("%s: Movable is %t", status, a.Movable)
		}
	}
}

func TestStatusAfterMove(t *testing.T) {
	t.Parallel()
	const before, day, later = "2026-11-15", "2026-11-16", "2026-11-17"
	same, other := Service{ID: 1}, Service{ID: 2}
	approving, another := same, other
	approving.RequiresApproval, another.RequiresApproval = true, true
	for _, c := range []struct {
		from    AppointmentStatus
		service Service
		date    string
		want    AppointmentStatus // empty for INVALID_TRANSITION
	}{
		{Waitlisted, same, later, Waitlisted},
		{Waitlisted, another, later, Waitlisted},
		{Pending, approving, later, Pending},
		{Pending, same, later, Pending},
		{Pending, other, later, Booked},
		{Pending, another, later, Pending},
		{Booked, same, day, Booked},
		{Booked, approving, day, Booked}, // already approved
		{Booked, other, day, Booked},
		{Booked, another, day, Pending},
		{Confirmed, same, day, Booked},
		{Confirmed, approving, before, Booked},
		{Confirmed, other, day, Booked},
		{Confirmed, another, day, Pending},
		{NoShow, same, later, Booked},
		{NoShow, approving, later, Pending},
		{NoShow, other, later, Booked},
		{NoShow, another, later, Pending},
		{NoShow, same, day, ""},
		{NoShow, other, day, ""},
		{NoShow, same, before, ""},
		{CheckedIn, same, later, ""},
		{InService, same, later, ""},
		{Completed, same, later, ""},
		{Cancelled, same, later, ""},
	} {
		got, err := at(c.from, day).StatusAfterMove(c.service, c.date)
		if got != c.want || codeOrNone(err) != code(c.want != "", InvalidTransition) {
			t.Errorf("%s moved to service %d (approval %t) on %s: %q, %v; want %q", c.from, c.service.ID,
				c.service.RequiresApproval, c.date, got, err, c.want)
		}
	}
}

func code(allowed bool, otherwise Code) Code {
	if allowed {
		return ""
	}
	return otherwise
}

func reasonless(next, back bool, to AppointmentStatus) Code {
	switch {
	case !next && !back:
		return InvalidTransition
	case back || to == Cancelled:
		return ValidationFailed
	default:
		return ""
	}
}

func codeOrNone(err error) Code {
	if err == nil {
		return ""
	}
	return CodeOf(err)
}

func TestHoldsSeat(t *testing.T) {
	t.Parallel()
	for _, s := range AppointmentStatuses {
		if want := s != Waitlisted && s != Cancelled; s.HoldsSeat() != want {
			t.Errorf("%s holds a seat: %v", s, s.HoldsSeat())
		}
		if s.Name().TH == "" || s.Name().EN == "" {
			t.Errorf("%s has no name", s)
		}
	}
}

func TestNearestSlot(t *testing.T) {
	t.Parallel()
	d := DaySlots{Slots: []Slot{
		{StartTime: "09:00", State: StateFree}, {StartTime: "09:30", State: StateFull},
		{StartTime: "10:00", State: StateFree}, {StartTime: "10:30", State: StateFree},
	}}
	var got []string
	for _, s := range d.Nearest("09:30") {
		got = append(got, s.StartTime)
	}
	if !slices.Equal(got, []string{"09:00", "10:00", "10:30"}) {
		t.Errorf("nearest %v", got)
	}
}

func TestExpandGroup(t *testing.T) {
	t.Parallel()
	for group, want := range map[StatusGroup][]AppointmentStatus{
		"":            {Completed},
		GroupSeated:   {Pending, Booked, Confirmed, CheckedIn, InService, Completed, NoShow},
		GroupExpected: {Booked, Confirmed},
		GroupToCome:   {Waitlisted, Pending, Booked, Confirmed},
		GroupOpen:     {Waitlisted, Pending, Booked, Confirmed, CheckedIn, InService},
	} {
		got := AppointmentFilter{Statuses: []AppointmentStatus{Completed}, StatusGroup: group}.ExpandGroup()
		if !slices.Equal(got.Statuses, want) || got.StatusGroup != "" {
			t.Errorf("%q: %v %q", group, got.Statuses, got.StatusGroup)
		}
	}
	both := AppointmentFilter{Statuses: []AppointmentStatus{Booked}, StatusGroup: GroupOpen}
	if CodeOf(both.Validate()) != ValidationFailed {
		t.Error("statuses and a status group at once are accepted")
	}
}
