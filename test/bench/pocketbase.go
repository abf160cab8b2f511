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

// pocketBase is measured beside product and floor, on this machine: the program
// of the folder of that name, on the same hospital. It has its own database, so
// its name stands where the engine's does.
const pocketBase = "PocketBase"

// pocketBase is a filled hospital of PocketBase that nothing may be written to,
// made from a copy of the product's when there is none yet, or when that was
// booked in since.
func (c cache) pocketBase(ctx context.Context, program string, filled, copied database, s size) (database, error) {
	whole, err := c.at(pocketBase, s.name())
	if err != nil {
		return whole, err
	}
	source, err := os.Stat(filepath.Join(filled.dir, "nadmor.db"))
	if err != nil {
		return whole, err
	}
	if made, err := os.Stat(filepath.Join(whole.dir, "data.db")); err == nil && made.ModTime().After(source.ModTime()) {
		return whole, nil
	}
	part, err := c.at(pocketBase, s.name()+"_part")
	if err != nil {
		return part, err
	}
	if err := errors.Join(c.drop(ctx, part), c.drop(ctx, whole)); err != nil {
		return part, err
	}
	fmt.Fprintf(os.Stderr, "%s: filling the same hospital …\n", pocketBase)
	cmd := exec.CommandContext(ctx, program, "fill", filepath.Join(copied.dir, "nadmor.db")) //nolint:gosec // built by us
	cmd.Env = append(os.Environ(), part.env()...)
	if told, err := cmd.CombinedOutput(); err != nil {
		return part, fmt.Errorf("fill PocketBase: %w: %s", err, told)
	}
	return whole, os.Rename(part.dir, whole.dir)
}

// records are the calls of PocketBase for the same sample.
type records struct{ sample }

// The collections of its records API. Ids are the product's with zeros before
// them.
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

// create is a route of its own: the records API does not count seats.
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

// list shows whose appointment it is. The services a browser would have loaded
// before; choosing fields would only cost PocketBase more time than it saves.
func (r records) list(_ int, n int64) request {
	from, to, page := r.period(n)
	return get(visitsOf, url.Values{
		"filter": {fmt.Sprintf("date >= '%s' && date <= '%s'", from, to)}, "sort": {"date,start_time,@rowid"},
		"expand": {"patient"},
		"page":   {fmt.Sprint(page)}, "perPage": {fmt.Sprint(pageSize)},
	}, all(total("totalItems"), has(`"number":"`, pageSize), has(`"hn":"`, pageSize)))
}

// month is the other route of its own: the records API does not add up.
func (r records) month(_ int, n int64) request {
	from, to := r.calendar(n)
	return get("/api/month", url.Values{"from": {from}, "to": {to}}, has(`"date":"`, monthDays))
}

// fragment asks for no total, so that PocketBase, too, stops at as many as are
// shown.
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

// all wants every check to hold.
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

// visits counts the appointments that PocketBase has.
func (t *target) visits(ctx context.Context) (int64, error) {
	var buf bytes.Buffer
	err := t.call(ctx, get(visitsOf, url.Values{"perPage": {"1"}}, nil), &buf)
	return numberAfter(buf.Bytes(), `"totalItems":`), err
}

// rival is PocketBase on a copy of its hospital, signed in to. When it is
// stopped, all that it acknowledged has to be there.
type rival struct {
	under
	print  footprint
	before int64
	drop   func() error
}

func (o options) rival(ctx context.Context, c cache, filled, copied database) (r rival, err error) {
	whole, err := c.pocketBase(ctx, o.pocketBase, filled, copied, o.size)
	if err != nil {
		return r, err
	}
	d, err := c.copy(ctx, whole, o.size, "peer")
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

func (r rival) stop(ctx context.Context) error {
	n, err := r.visits(ctx)
	if want := r.before + r.booked.Load(); err == nil && n != want {
		err = fmt.Errorf("PocketBase has %d appointments, %d were acknowledged", n, want)
	}
	return errors.Join(err, r.process.Stop(), r.drop())
}
