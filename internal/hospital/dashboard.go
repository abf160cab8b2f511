package hospital

// LoadState is how full a service is on a day, in a word.
type LoadState string

// The states of a load. NONE offers no seat: no hours that day, closed, or no
// bookings taken. FULL has no seats left in slots that have not started, even if
// past slots have free seats.
const (
	LoadNone LoadState = "NONE"
	LoadOpen LoadState = "OPEN"
	LoadBusy LoadState = "BUSY"
	LoadFull LoadState = "FULL"
)

// LoadStates lists them for documents.
var LoadStates = []LoadState{LoadNone, LoadOpen, LoadBusy, LoadFull}

// busyPercent is from where on a day counts as busy.
const busyPercent = 80

// Load is how full a service is on a day.
type Load struct {
	Booked    int       `json:"booked" doc:"Seats that are held"`
	Capacity  int       `json:"capacity" doc:"Seats of the slots that are open"`
	Available int       `json:"available" doc:"Seats that can be booked now, except by walk-ins"`
	State     LoadState `json:"state"`
}

// Load adds up one of the service's days.
func (s Service) Load(d DaySlots) Load {
	l := Load{State: LoadOpen}
	coming, left := false, 0 // whether a slot has not started yet, and the free seats of those slots
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

// Attendance is who came in a period and who did not. Days that are not over
// are not in it.
type Attendance struct {
	DateFrom string `json:"dateFrom"`
	DateTo   string `json:"dateTo"`
	Expected int    `json:"expected" doc:"Those who came and those who did not; not who cancelled"`
	NoShow   int    `json:"noShow"`
}
