package hospital

// EventKind is what kind of thing changed.
type EventKind string

// The kinds of events. EventProgress reports how far moving the appointments of a closure is; nothing has
// changed yet. EventRefetch says that something may have been missed,
// so that everything on a screen should be fetched again.
const (
	EventAppointment EventKind = "appointment"
	EventSlot        EventKind = "slot"
	EventClosure     EventKind = "closure"
	EventService     EventKind = "service"
	EventSetting     EventKind = "setting"
	EventProgress    EventKind = "progress"
	EventRefetch     EventKind = "refetch"
)

// EventAccess says that what a person may do has changed, of everybody where no
// person is named: nodes tell each other, and look again at whom they talk to. No
// listener is told.
const EventAccess EventKind = "access"

// EventKinds lists them for documents.
var EventKinds = []EventKind{
	EventAppointment, EventSlot, EventClosure, EventService, EventSetting, EventProgress, EventRefetch,
}

// Event tells open screens that something changed, and where. It holds no
// patient's data: whoever may see the record fetches it.
type Event struct {
	Kind      EventKind `json:"kind"`
	ID        int64     `json:"id,omitempty"`
	ServiceID int64     `json:"serviceId,omitempty"`
	Date      string    `json:"date,omitempty"`
	Version   int64     `json:"version,omitempty"`
	Done      int       `json:"done,omitempty" doc:"With progress: how many appointments of the closure are moved"`
	Total     int       `json:"total,omitempty" doc:"With progress: how many are to be moved"`
}

// eventAudience is who is told of which kind: anybody who holds one of these.
var eventAudience = map[EventKind]Access{
	EventAppointment: Needs(AppointmentShow, DashboardShow),
	EventSlot:        Needs(SlotShow, ServiceScheduleShow, AppointmentShow, DashboardShow),
	EventClosure:     Needs(SlotShow, ServiceScheduleShow, AppointmentShow, DashboardShow),
	EventService:     Needs(ServiceConfigShow, ServiceScheduleShow, SlotShow, AppointmentShow, DashboardShow),
	EventSetting:     SignedIn,
	EventProgress:    NeedsAll(ServiceScheduleUpdate, AppointmentUpdate),
	EventRefetch:     SignedIn,
}

// VisibleTo tells whether somebody who holds the permissions is told.
func (e Event) VisibleTo(held PermissionSet) bool { return eventAudience[e.Kind].Allows(held) }
