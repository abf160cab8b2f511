package hospital

// ClosesUntil returns the moment up to which ended slots are closed: now if NoShowTime has passed today, otherwise the
// end of yesterday. ok is false if the hospital has no NoShowTime.
func (s Setting) ClosesUntil(now Moment) (until Moment, ok bool) {
	at, ok := ParseClock(s.NoShowTime)
	if !ok || now.Clock >= at {
		return now, ok
	}
	return EndOf(AddDays(now.Date, -1)), true
}
