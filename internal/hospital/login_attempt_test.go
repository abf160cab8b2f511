package hospital

import (
	"errors"
	"testing"
	"time"
)

func TestLockedOut(t *testing.T) {
	t.Parallel()
	last := time.Date(2026, 11, 16, 9, 0, 0, 0, Bangkok)
	for _, c := range []struct {
		since   time.Duration
		seconds int
		text    string
	}{
		{0, 900, "Too many attempts. Please wait 15 minutes and try again."},
		{time.Minute + time.Millisecond, 840, "Too many attempts. Please wait 14 minutes and try again."},
		{15*time.Minute - time.Millisecond, 1, "Too many attempts. Please wait 1 minutes and try again."},
	} {
		var e *Error
		if err := LockedOut(last, last.Add(c.since)); !errors.As(err, &e) || e.Code != TooManyAttempts ||
			e.Details["retryAfter"] != c.seconds || e.Message.EN != c.text {
			t.Errorf("after %v: %+v", c.since, err)
		}
	}
}
