package hospital

// EventKind is the kind of an event.
type EventKind string

// The event kinds. EventProgress reports the progress of moving a closure's appointments; nothing has changed
// yet. EventRefetch tells clients that events may be missing and everything should be fetched again.
const (
	EventAppointment EventKind = "appointment"
	EventSlot        EventKind = "slot"
	EventClosure     EventKind = "closure"
	EventService     EventKind = "service"
	EventSetting     EventKind = "setting"
	EventProgress    EventKind = "progress"
	EventRefetch     EventKind = "refetch"
)

// EventAccess reports that the permissions of a user, or of all users if none is named, have changed. It is
// exchanged between nodes, which then check their open connections again, and never sent to clients.
const EventAccess EventKind = "access"

// EventKinds lists all values for the OpenAPI document.
var EventKinds = []EventKind{
	EventAppointment, EventSlot, EventClosure, EventService, EventSetting, EventProgress, EventRefetch,
}

// Event notifies clients of a change. It contains no patient data; clients fetch the record if they may.
type Event struct {
	Kind      EventKind `json:"kind"`
	ID        int64     `json:"id,omitempty"`
	ServiceID int64     `json:"serviceId,omitempty"`
	Date      string    `json:"date,omitempty"`
	Version   int64     `json:"version,omitempty"`
	Done      int       `json:"done,omitempty" doc:"With progress: number of appointments moved so far"`
	Total     int       `json:"total,omitempty" doc:"With progress: number of appointments to move"`
}

// eventAudience is the access required to receive each kind.
var eventAudience = map[EventKind]Access{
	EventAppointment: Needs(AppointmentShow, DashboardShow),
	EventSlot:        Needs(SlotShow, ServiceScheduleShow, AppointmentShow, DashboardShow),
	EventClosure:     Needs(SlotShow, ServiceScheduleShow, AppointmentShow, DashboardShow),
	EventService:     Needs(ServiceConfigShow, ServiceScheduleShow, SlotShow, AppointmentShow, DashboardShow),
	EventSetting:     SignedIn,
	EventProgress:    NeedsAll(ServiceScheduleUpdate, AppointmentUpdate),
	EventRefetch:     SignedIn,
}

// VisibleTo reports whether a caller with the given permissions receives the event.
func (e Event) VisibleTo(held PermissionSet) bool { return eventAudience[e.Kind].Allows(held) }
