package hospital

// LoadState classifies how full a service is on a day.
type LoadState string

// The load states. NONE has no seats: outside the schedule, closed, or not bookable. FULL has no free seats
// in slots that have not started, even if past slots have some.
const (
	LoadNone LoadState = "NONE"
	LoadOpen LoadState = "OPEN"
	LoadBusy LoadState = "BUSY"
	LoadFull LoadState = "FULL"
)

// LoadStates lists all values for the OpenAPI document.
var LoadStates = []LoadState{LoadNone, LoadOpen, LoadBusy, LoadFull}

// busyPercent is the percentage of booked seats from which a day is BUSY.
const busyPercent = 80

// Load is the number of booked and offered seats of a service on a day.
type Load struct {
	Booked    int       `json:"booked" doc:"Booked seats"`
	Capacity  int       `json:"capacity" doc:"Capacity of the open slots"`
	Available int       `json:"available" doc:"Seats that can be booked now, except by walk-ins"`
	State     LoadState `json:"state"`
}

// Load sums up the slots of a day.
func (s Service) Load(d DaySlots) Load {
	l := Load{State: LoadOpen}
	coming, left := false, 0 // coming: a slot has not started yet; left: the free seats of such slots
	for _, slot := range d.Slots {
		l.Booked += slot.Booked
		l.Available += slot.Available
		if !slot.Closed {
			l.Capacity += slot.Capacity
			if !slot.Past {
				coming = true
				left += slot.Left()
			}
		}
	}
	switch {
	case l.Capacity == 0 || !s.Active:
		l.State = LoadNone
	case coming && left == 0 || !coming && l.Booked >= l.Capacity:
		l.State = LoadFull
	case l.Booked*100 >= l.Capacity*busyPercent:
		l.State = LoadBusy
	}
	return l
}

// Attendance counts arrived patients and no-shows of a period. Days that have not ended are excluded.
type Attendance struct {
	DateFrom string `json:"dateFrom"`
	DateTo   string `json:"dateTo"`
	Expected int    `json:"expected" doc:"Arrived patients and no-shows, without cancellations"`
	NoShow   int    `json:"noShow"`
}
