package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"nadmor/test/product"
)

// anonymousClients attack without credentials: they guess passwords concurrently, from one address, and compare
// response times.
type anonymousClients struct {
	base    string
	guesses int // concurrent, for one account
	samples int // of each compared response time; 0 for none
	say     func(string)
	from    uint32 // last used address
	mu      sync.Mutex
}

// attempts is the number of attempts before a username is locked for an address.
const attempts = 5

// newAddress returns an address that was not used before.
func (s *anonymousClients) newAddress() product.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from++
	return product.Header{
		Name: "X-Forwarded-For", Value: fmt.Sprintf("10.%d.%d.%d", s.from>>16&255, s.from>>8&255, s.from&255),
	}
}

func (s *anonymousClients) run(ctx context.Context) error {
	if err := s.guess(ctx); err != nil {
		return err
	}
	var report strings.Builder
	if s.samples > 0 {
		for _, pair := range []struct {
			what, path     string
			known, unknown map[string]string
		}{
			{"sign-in", "/login", map[string]string{"username": "nurse", "password": "not the password"}, map[string]string{
				"username": "nobody", "password": "not the password",
			}},
			{"sign-in by address", "/login",
				map[string]string{"username": "nurse@sinakhon.example", "password": "not the password"}, map[string]string{
					"username": "nobody@sinakhon.example", "password": "not the password",
				}},
			{"forgotten password", "/forgot-password", map[string]string{"email": "doctor@sinakhon.example"}, map[string]string{
				"email": "nobody@sinakhon.example",
			}},
		} {
			known, unknown, err := s.compare(ctx, pair.path, pair.known, pair.unknown)
			if err != nil {
				return fmt.Errorf("%s: %w", pair.what, err)
			}
			right := guessed(known, unknown)
			fmt.Fprintf(&report, "; %s: %.1f ms for a known name, %.1f ms for an unknown one, distinguished in %.0f of 100",
				pair.what, ms(median(known)), ms(median(unknown)), 100*right)
			if right > 0.6 {
				return fmt.Errorf("response times reveal who has an account (%d of each)%s", s.samples, report.String())
			}
		}
	}
	s.say(fmt.Sprintf("%d guesses at once from one address: %d were checked, the right password among the rest was not; "+
		"from elsewhere its owner signed in%s", s.guesses, attempts, report.String()))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// guess tries many passwords of an account concurrently, including the right one: only the allowed number may
// be checked.
func (s *anonymousClients) guess(ctx context.Context) error {
	address := s.newAddress()
	sign := func(username, password string, from product.Header) (int, error) {
		var rejected *product.RejectedError
		c := product.NewClient(s.base, maxResponseTime)
		err := c.Call(ctx, http.MethodPost, "/admin/api/v1.0/auth/login",
			map[string]string{"username": username, "password": password}, nil, from)
		if err == nil {
			return http.StatusOK, nil
		}
		if errors.As(err, &rejected) {
			return rejected.Status, nil
		}
		return 0, err
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen, failures := map[int]int{}, []error{}
	next := make(chan int)
	for range 16 {
		wg.Go(func() {
			for i := range next {
				password := fmt.Sprint("guess number ", i)
				if i == s.guesses/2 {
					password = "nadmor-demo"
				}
				status, err := sign("registrar", password, address)
				mu.Lock()
				seen[status]++
				if err != nil {
					failures = append(failures, err)
				}
				mu.Unlock()
			}
		})
	}
	for i := range s.guesses {
		next <- i
	}
	close(next)
	wg.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	if seen[http.StatusUnauthorized] != attempts || seen[http.StatusTooManyRequests] != s.guesses-attempts {
		return fmt.Errorf("of %d guesses: %v by status; only %d may be checked", s.guesses, seen, attempts)
	}
	if status, err := sign("registrar", "nadmor-demo", s.newAddress()); err != nil || status != http.StatusOK {
		return fmt.Errorf("the owner is locked out everywhere: %d %w", status, err)
	}
	return nil
}

// compare measures two requests alternately in random order.
func (s *anonymousClients) compare(ctx context.Context, path string,
	a, b map[string]string) (first, second []time.Duration, err error) {
	c := product.NewClient(s.base, maxResponseTime)
	bodies, times := []map[string]string{a, b}, [2][]time.Duration{}
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same turns every time
	for range s.samples {
		for _, i := range random.Perm(2) {
			from, began := s.newAddress(), time.Now()
			err := c.Call(ctx, http.MethodPost, "/admin/api/v1.0/auth"+path, bodies[i], nil, from)
			took := time.Since(began)
			var rejected *product.RejectedError
			if err != nil && (!errors.As(err, &rejected) || rejected.Code != "INVALID_CREDENTIALS") {
				return nil, nil, err
			}
			times[i] = append(times[i], took)
		}
	}
	return times[0], times[1], nil
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// guessed returns how often the slower response identifies the known or the unknown username, whichever is
// more often: 0.5 if the time reveals nothing.
func guessed(known, unknown []time.Duration) float64 {
	slower := 0.0
	for _, k := range known {
		for _, u := range unknown {
			if k > u {
				slower++
			} else if k == u {
				slower += 0.5
			}
		}
	}
	slower /= float64(len(known) * len(unknown))
	return max(slower, 1-slower)
}
