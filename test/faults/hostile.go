package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"time"

	"nadmor/test/product"
)

// hostile are the faults of the environment: a full disk, a jumping clock, malicious clients, and servers
// that do not answer.
var hostile = map[string]func(ctx context.Context, out printer, dir, binary string, short bool) error{
	"disk": disk, "clock": clock, "clients": clients, "outside": outside,
}

// runHostile runs one of them.
func runHostile(ctx context.Context, name string, args []string) error {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	short := flags.Bool("short", false, "the form that runs with the tests")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return product.Built(ctx, func(dir, binary string) error {
		return hostile[name](ctx, func(line string) { fmt.Println(line) }, dir, binary, *short)
	})
}

// request is a named request.
type request struct {
	name, method, path string
	body               any
}

// Requests that read, without and with an audit entry.
var (
	plainReads = []request{
		{"who am I", http.MethodGet, "/admin/api/v1.0/auth/me", nil},
		{"permissions", http.MethodGet, "/admin/api/v1.0/auth/permissions", nil},
		{"appointments", http.MethodPost, "/admin/api/v1/appointment/list", map[string]any{"page": 1, "pageSize": 20}},
		{"patients", http.MethodPost, "/admin/api/v1/patients/list", map[string]any{"page": 1, "pageSize": 20}},
		{"services", http.MethodGet, "/admin/api/v1/service-config/list", nil},
		{"dashboard", http.MethodGet, "/admin/api/v1/dashboard/summary", nil},
		{"settings", http.MethodGet, "/admin/api/v1/global-setting/read", nil},
	}
	patientRead = request{"a patient's record", http.MethodGet, "/admin/api/v1/patients/1", nil}
	allReads    = slices.Concat(plainReads, []request{patientRead})
)

// mustAnswer sends the requests and returns their number. It is an error if one fails or exceeds the time
// limit.
func mustAnswer(ctx context.Context, c *product.Client, limit time.Duration, list ...request) (int, error) {
	for _, r := range list {
		began := time.Now()
		if err := c.Call(ctx, r.method, r.path, r.body, nil); err != nil {
			return 0, fmt.Errorf("%s: %w", r.name, err)
		}
		if took := time.Since(began); took > limit {
			return 0, fmt.Errorf("%s took %.1f s", r.name, took.Seconds())
		}
	}
	return len(list), nil
}

// rejectedAs reports whether err is an error response with the status, the code, and a message that contains
// the word.
func rejectedAs(err error, status int, code, word string) bool {
	var rejected *product.RejectedError
	return errors.As(err, &rejected) && rejected.Status == status && rejected.Code == code &&
		strings.Contains(rejected.Text, word)
}

// p99 sorts the times and returns the 99th percentile.
func p99(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)-1, len(times)*99/100)]
}

// picture returns a PNG of one colour.
func picture(width, height int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		panic(err) // in memory
	}
	return b.Bytes()
}
