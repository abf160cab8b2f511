package hospital

import "time"

// Session is one sign-in of one person on one browser. Ending it makes its
// tokens useless at once, on every node.
type Session struct {
	ID         string    `json:"id"`
	UserID     int64     `json:"userId"`
	CreatedAt  time.Time `json:"createdAt"`
	LastSeenAt time.Time `json:"lastSeenAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	Addr       string    `json:"addr"`
	UserAgent  string    `json:"userAgent"`
	Current    bool      `json:"current" doc:"The session that asks"`
}
