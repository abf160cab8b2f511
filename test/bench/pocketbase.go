package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pocketBase is the name of PocketBase in the column of the engine. It runs the program in the folder of that
// name on the same hospital, with its own database.
const pocketBase = "PocketBase"

// pocketBase returns a filled, read-only database of PocketBase. It is created from a copy of the product's
// if there is none or that has changed.
func (c cache) pocketBase(ctx context.Context, program string, filled, copied database, s size) (database, error) {
	built, err := c.at(pocketBase, s.name())
	if err != nil {
		return built, err
	}
	source, err := os.Stat(filepath.Join(filled.dir, "nadmor.db"))
	if err != nil {
		return built, err
	}
	if made, err := os.Stat(filepath.Join(built.dir, "data.db")); err == nil && made.ModTime().After(source.ModTime()) {
		return built, nil
	}
	part, err := c.at(pocketBase, s.name()+"_part")
	if err != nil {
		return part, err
	}
	if err := errors.Join(c.drop(ctx, part), c.drop(ctx, built)); err != nil {
		return part, err
	}
	fmt.Fprintf(os.Stderr, "%s: filling the same hospital …\n", pocketBase)
	cmd := exec.CommandContext(ctx, program, "fill", filepath.Join(copied.dir, "nadmor.db")) //nolint:gosec // built by us
	cmd.Env = append(os.Environ(), part.env()...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return part, fmt.Errorf("fill PocketBase: %w: %s", err, output)
	}
	return built, os.Rename(part.dir, built.dir)
}

// records generates the requests of PocketBase.
type records struct{ sample }

// The collections of the records API. Ids are the product's, padded with zeros.
const (
	recordsAPI = "/api/collections/"
	visitsOf   = recordsAPI + "appointments/records"
	peopleOf   = recordsAPI + "patients/records"
)

func (records) signIn() request {
	return post(recordsAPI+"users/auth-with-password",
		map[string]any{"identity": "bench@example.org", "password": "bench-password"}, nil)
}

func (records) token(answer []byte) (string, error) {
	var in struct{ Token string }
	err := json.Unmarshal(answer, &in)
	return in.Token, err
}

// create uses a custom route, because the records API does not count seats.
func (records) create(b seat) request {
	r := post("/api/book", map[string]any{
		"patient": recordID('p', b.patient), "service": recordID('s', b.service), "date": b.date, "start_time": b.start,
		"kind": b.kind, "reason": b.reason,
	}, all(has(`"status":"BOOKED"`, 1), has(`"patient":"`+recordID('p', b.patient)+`"`, 1), has(`"date":"`+b.date+`"`, 1)))
	r.books = true
	return r
}

func (records) mark(booked []byte) func(status string) request {
	_, id, _ := strings.Cut(string(booked), `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	return func(status string) request {
		r := post(visitsOf+"/"+id, map[string]any{"status": status},
			all(has(`"status":"`+status+`"`, 1), has(`"id":"`+id+`"`, 1)))
		r.method = http.MethodPatch
		return r
	}
}

// list expands the patients. A browser would have loaded the services before; selecting fields costs
// PocketBase more time than it saves.
func (r records) list(_ int, n int64) request {
	from, to, page := r.period(n)
	return get(visitsOf, url.Values{
		"filter": {fmt.Sprintf("date >= '%s' && date <= '%s'", from, to)}, "sort": {"date,start_time,@rowid"},
		"expand": {"patient"},
		"page":   {fmt.Sprint(page)}, "perPage": {fmt.Sprint(pageSize)},
	}, all(total("totalItems"), has(`"number":"`, pageSize), has(`"hn":"`, pageSize)))
}

// month uses a custom route, because the records API has no aggregates.
func (r records) month(_ int, n int64) request {
	from, to := r.calendar(n)
	return get("/api/month", url.Values{"from": {from}, "to": {to}}, has(`"date":"`, monthDays))
}

// fragment requests no total, so that PocketBase can stop after a page as well.
func (r records) fragment(_ int, n int64) request {
	text := r.Fragments[n%int64(len(r.Fragments))]
	return get(peopleOf,
		url.Values{
			"filter": {fmt.Sprintf("last_name ~ '%s' || first_name ~ '%s'", text, text)}, "perPage": {fmt.Sprint(mostFound)},
			"skipTotal": {"1"},
		}, all(has(`"hn":"`, -1), has(text, -1)))
}

func (r records) card(_ int, n int64) request {
	card := r.Cards[n%int64(len(r.Cards))]
	return get(peopleOf, url.Values{"filter": {fmt.Sprintf("id_card = '%s'", card)}, "perPage": {"1"}, "skipTotal": {"1"}},
		all(has(`"hn":"`, 1), has(`"id_card":"`+card+`"`, 1)))
}

func (r records) read(_ int, n int64) request {
	id := recordID('p', r.IDs[n%int64(len(r.IDs))])
	return get(peopleOf+"/"+id, nil, has(`"id":"`+id+`"`, 1))
}

func recordID(letter rune, id int64) string { return fmt.Sprintf("%c%014d", letter, id) }

func get(path string, query url.Values, check func([]byte) error) request {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return request{method: http.MethodGet, path: path, check: check}
}

// all combines checks.
func all(checks ...func([]byte) error) func([]byte) error {
	return func(answer []byte) error {
		for _, check := range checks {
			if err := check(answer); err != nil {
				return err
			}
		}
		return nil
	}
}

// visits returns the number of appointments in PocketBase.
func (t *target) visits(ctx context.Context) (int64, error) {
	var buf bytes.Buffer
	err := t.call(ctx, get(visitsOf, url.Values{"perPage": {"1"}}, nil), &buf)
	return numberAfter(buf.Bytes(), `"totalItems":`), err
}

// pocketBaseServer is PocketBase on a copy of its hospital with a session. All acknowledged writes are checked after it
// is stopped.
type pocketBaseServer struct {
	under
	print  footprint
	before int64
	drop   func() error
}

func (o options) startPocketBase(
	ctx context.Context, c cache, filled, copied database,
) (r pocketBaseServer, err error) {
	built, err := c.pocketBase(ctx, o.pocketBase, filled, copied, o.size)
	if err != nil {
		return r, err
	}
	d, err := c.copy(ctx, built, o.size, "peer")
	if err != nil {
		return r, err
	}
	r.drop = func() error { return c.drop(ctx, d) }
	if r.under, err = serve(ctx, d, o.pocketBase, "serve"); err != nil {
		return r, errors.Join(err, r.drop())
	}
	r.print = r.started(pocketBase)
	err = r.signIn(ctx, records{})
	if err == nil {
		r.before, err = r.visits(ctx)
	}
	if err != nil {
		return r, errors.Join(err, r.process.Stop(), r.drop())
	}
	return r, nil
}

func (r pocketBaseServer) stop(ctx context.Context) error {
	n, err := r.visits(ctx)
	if want := r.before + r.booked.Load(); err == nil && n != want {
		err = fmt.Errorf("PocketBase has %d appointments, %d were acknowledged", n, want)
	}
	return errors.Join(err, r.process.Stop(), r.drop())
}
