package auth

import (
	"testing"
	"time"
)

// BenchmarkParse checks a repeated token and a new one each time.
func BenchmarkParse(b *testing.B) {
	now := time.Date(2026, 11, 16, 3, 0, 0, 0, time.UTC)
	tokens := NewTokens("a secret of the benchmarks", func() time.Time { return now })
	token, err := tokens.Sign(Claims{
		UserID: 7, Name: "สมหญิง ใจดี", Role: "NURSE", SessionID: NewSecret(), IssuedAt: now, ExpiresAt: now.Add(time.Hour),
	}, AudienceAdmin)
	if err != nil {
		b.Fatal(err)
	}
	for name, parse := range map[string]func(string, string) (Claims, error){"known": tokens.Parse, "new": tokens.check} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c, err := parse(token, AudienceAdmin); err != nil || c.UserID != 7 {
					b.Fatal(err)
				}
			}
		})
	}
}
