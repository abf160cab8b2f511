package demo

import "time"

// storeClock is the clock of the store that Fill opens. It is set back while the hospital's past is written.
type storeClock struct {
	actual func() time.Time
	past   time.Time // zero for the real time
}

// Now returns the time that the clock shows.
func (c *storeClock) Now() time.Time {
	if !c.past.IsZero() {
		return c.past
	}
	return c.actual()
}

// set stops the clock at a time in the past, reset makes it show the real time.
func (c *storeClock) set(past time.Time) { c.past = past }
func (c *storeClock) reset()             { c.past = time.Time{} }
