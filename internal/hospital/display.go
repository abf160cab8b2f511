package hospital

import "time"

// Display is a waiting-room screen for the queue of a service. Its link contains a token that gives access to
// the queue numbers only.
type Display struct {
	ID        int64      `json:"id"`
	ServiceID int64      `json:"serviceId"`
	Label     string     `json:"label" doc:"Location of the screen"`
	CreatedBy *int64     `json:"createdBy"`
	CreatedAt time.Time  `json:"createdAt"`
	SeenAt    *time.Time `json:"seenAt" doc:"Last request, to the minute; null before the first"`
}

// NewDisplay is a request to create a display.
type NewDisplay struct {
	ServiceID int64  `json:"serviceId" minimum:"1"`
	Label     string `json:"label"`
}

// Clean returns the fields normalized for storage.
func (n NewDisplay) Clean() NewDisplay {
	n.Label = CleanText(n.Label)
	return n
}

// Validate returns VALIDATION_FAILED with every invalid field.
func (n NewDisplay) Validate() error {
	var c Checker
	c.Text(CleanText(n.Label), "label", true, 80)
	return c.Err()
}

// QueueBoard is the queue of a service without patient data.
type QueueBoard struct {
	Service  BoardService `json:"service"`
	Date     string       `json:"date"`
	Serving  []int        `json:"serving" doc:"Numbers in service, the last called first"`
	Waiting  []int        `json:"waiting" doc:"Next numbers in order"`
	Total    int          `json:"total" doc:"Number of waiting patients"`
	Hospital Identity     `json:"hospital"`
	At       time.Time    `json:"at"`
}

// BoardService is the service of a queue board.
type BoardService struct {
	ID       int64  `json:"id"`
	Code     string `json:"code"`
	Name     string `json:"name"`
	NameEn   string `json:"nameEn"`
	Location string `json:"location"`
	Color    string `json:"color"`
	Active   bool   `json:"active" doc:"false if the service is inactive; its queue is empty"`
}

// BoardLength is the number of waiting queue numbers on a board.
const BoardLength = 12
