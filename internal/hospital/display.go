package hospital

import "time"

// Display is a screen in a waiting room that shows the queue of a service. It is
// opened with a link of its own, which shows numbers and nothing else.
type Display struct {
	ID        int64      `json:"id"`
	ServiceID int64      `json:"serviceId"`
	Label     string     `json:"label" doc:"Where it hangs"`
	CreatedBy *int64     `json:"createdBy"`
	CreatedAt time.Time  `json:"createdAt"`
	SeenAt    *time.Time `json:"seenAt" doc:"When it asked last, to the minute; null before it was opened"`
}

// NewDisplay is a screen as it is asked for.
type NewDisplay struct {
	ServiceID int64  `json:"serviceId" minimum:"1"`
	Label     string `json:"label"`
}

// Clean writes the fields as they are kept.
func (n NewDisplay) Clean() NewDisplay {
	n.Label = CleanText(n.Label)
	return n
}

// Validate tells every field that is wrong.
func (n NewDisplay) Validate() error {
	var c Checker
	c.Text(CleanText(n.Label), "label", true, 80)
	return c.Err()
}

// QueueBoard is what a waiting room may know of a service's queue: numbers, no
// names.
type QueueBoard struct {
	Service  BoardService `json:"service"`
	Date     string       `json:"date"`
	Serving  []int        `json:"serving" doc:"The numbers that are seen now, the one called last first"`
	Waiting  []int        `json:"waiting" doc:"The next numbers, in their order"`
	Total    int          `json:"total" doc:"How many wait"`
	Hospital Identity     `json:"hospital"`
	At       time.Time    `json:"at"`
}

// BoardService is what the board says of its service.
type BoardService struct {
	ID       int64  `json:"id"`
	Code     string `json:"code"`
	Name     string `json:"name"`
	NameEn   string `json:"nameEn"`
	Location string `json:"location"`
	Color    string `json:"color"`
	Active   bool   `json:"active" doc:"false: the service is closed down, and its queue empty"`
}

// BoardLength is how many of the next numbers a board shows.
const BoardLength = 12
