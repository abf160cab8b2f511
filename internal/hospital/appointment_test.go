package hospital

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
)

// The status table of the specification, written a second time: what may become
// what, and what needs the right to go back.
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

func TestEveryPairOfStatuses(t *testing.T) {
	t.Parallel()
	const today = "2026-11-16"
	all := NewPermissionSet(AppointmentMarkStatus, AppointmentRevert)
	mark := NewPermissionSet(AppointmentMarkStatus)
	for _, from := range AppointmentStatuses {
		for _, to := range AppointmentStatuses {
			next, back := slices.Contains(statusTable[from][0], to), slices.Contains(statusTable[from][1], to)
			for _, c := range []struct {
				name, date, reason string
				may                PermissionSet
				want               Code
			}{
				{"with all rights", today, "เหตุผล", all, code(next || back, InvalidTransition)},
				{"without the right to go back", today, "เหตุผล", mark, map[bool]Code{true: Forbidden, false: code(next, InvalidTransition)}[back]},
				{"without any", today, "เหตุผล", NewPermissionSet(), Forbidden},
				{"without a reason", today, " ", all, reasonless(next, back, to)},
				{"on another day", "2026-11-17", "เหตุผล", all, code((next || back) && (to != CheckedIn || from == InService), InvalidTransition)},
			} {
				err := CheckTransition(from, to, c.date, today, c.reason, c.may)
				if got := codeOrNone(err); got != c.want {
					t.Errorf("%s → %s %s: %q, want %q", from, to, c.name, got, c.want)
				}
			}
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

func TestWhichStatusesHoldASeat(t *testing.T) {
	t.Parallel()
	for _, s := range AppointmentStatuses {
		if want := s != Waitlisted && s != Cancelled; s.HoldsSeat() != want {
			t.Errorf("%s holds a seat: %v", s, s.HoldsSeat())
		}
		if want := slices.Contains([]AppointmentStatus{Waitlisted, Pending, Booked, Confirmed}, s); s.Movable() != want {
			t.Errorf("%s can be moved: %v", s, s.Movable())
		}
		if s.Name().TH == "" || s.Name().EN == "" {
			t.Errorf("%s has no name", s)
		}
	}
}

func TestTheNearestSlot(t *testing.T) {
	t.Parallel()
	d := DaySlots{Slots: []Slot{{StartTime: "09:00", Available: 1}, {StartTime: "09:30", Available: 0}, {StartTime: "10:00", Available: 1}, {StartTime: "10:30", Available: 2}}}
	var got []string
	for _, s := range d.Nearest("09:30") {
		got = append(got, s.StartTime)
	}
	if !slices.Equal(got, []string{"09:00", "10:00", "10:30"}) {
		t.Errorf("nearest %v", got)
	}
}

// The browser reads the status table from a file, so that it can offer what is
// allowed without asking; the file is this table.
func TestTheBrowserKnowsTheStatusTable(t *testing.T) {
	t.Parallel()
	type rule struct {
		Seat  bool                `json:"seat"`
		Moves bool                `json:"moves"`
		Next  []AppointmentStatus `json:"next"`
		Back  []AppointmentStatus `json:"back"`
	}
	want := map[AppointmentStatus]rule{}
	for s, r := range statusRules {
		want[s] = rule{r.seat, r.moves, append([]AppointmentStatus{}, r.next...), append([]AppointmentStatus{}, r.back...)}
	}
	const file = "../../web/src/data/appointment-statuses.json"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var known map[AppointmentStatus]rule
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(known, want) {
		right, err := json.MarshalIndent(want, "", "  ")
		t.Errorf("%s should be\n%s\n%v", file, right, err)
	}
}
