package hospital

import (
	"fmt"
	"math"
	"time"
)

// Attempts are counted per name and client address. The limit within LockoutPeriod locks out the name from that
// address for LockoutPeriod after the last attempt, whether the account exists or not.
const (
	// MaxLoginAttempts is the limit of failed sign-ins, and of requests for a password link.
	MaxLoginAttempts = 5
	// MaxRegistrations is the limit of registrations per address. It lets a whole department register behind one
	// address on the first day.
	MaxRegistrations = 30
	LockoutPeriod    = 15 * time.Minute
)

// LockedOut returns TOO_MANY_ATTEMPTS with the seconds to wait, for a name whose last attempt was at lastAt.
func LockedOut(lastAt, now time.Time) error {
	wait := lastAt.Add(LockoutPeriod).Sub(now)
	minutes := int(math.Ceil(wait.Minutes()))
	return Reject(TooManyAttempts).
		Because(fmt.Sprintf("ลองผิดหลายครั้งเกินไป กรุณารอ %d นาทีแล้วลองอีกครั้ง", minutes),
			fmt.Sprintf("Too many attempts. Please wait %d minutes and try again.", minutes)).
		With("retryAfter", int(math.Ceil(wait.Seconds())))
}
