package hospital

import "time"

// Session is a user's login in one browser. Ending it invalidates its tokens on every node at once.
type Session struct {
	ID         string    `json:"id"`
	UserID     int64     `json:"userId"`
	CreatedAt  time.Time `json:"createdAt"`
	LastSeenAt time.Time `json:"lastSeenAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	Addr       string    `json:"addr"`
	UserAgent  string    `json:"userAgent"`
	Current    bool      `json:"current" doc:"The session of this request"`
}
