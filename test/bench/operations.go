package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// sample is the data that requests are made of.
type sample struct {
	Patients  int64    // number of patients; ids start at 1
	IDs       []int64  // ids of some patients
	Cards     []string // ID cards of some patients
	Fragments []string // parts of surnames
	Services  []int64  // services of the benchmark with enough capacity
	WalkIn    int64    // a service that is open day and night
	Days      []string // without bookings and closures
	Today     string
}

const (
	visits   = "/admin/api/v1/appointment"
	patients = "/admin/api/v1/patients"

	// The services of the benchmark are open every day from 8 to 16, with slots of half an hour and a large
	// capacity.
	benchDays, slotsADay, slotMinutes = 60, 16, 30

	pageSize, monthDays, mostFound = 50, 42, 20
)

// The rows of the table.
const (
	book1, book16, book64 = "book, 1", "book, 16", "book, 64"
	listPage              = "list page of 50 + total, 16"
	monthLoad             = "month load per day, 16"
	fragment              = "name fragment, 16"
	idCard                = "ID card, 16"
	readOne               = "read one patient, 16"
	checkIn               = "check-in rush, 64"
	readWhole             = "name fragment, read whole, 16"
)

// calls generates the requests of a server.
type calls interface {
	signIn() request
	token(answer []byte) (string, error)
	create(seat) request
	mark(booked []byte) func(status string) request // for the appointment in the response of a booking
	list(client int, n int64) request
	month(client int, n int64) request
	fragment(client int, n int64) request
	card(client int, n int64) request
	read(client int, n int64) request
}

func operations(s sample, c calls) []operation {
	book := func(_ int, n int64) request {
		r := c.create(s.seat(n))
		r.key = "bench-" + strconv.FormatInt(n, 10)
		return r
	}
	return []operation{
		{book1, 1, book}, {book16, 16, book}, {book64, 64, book},
		{listPage, 16, c.list}, {monthLoad, 16, c.month}, {fragment, 16, c.fragment}, {idCard, 16, c.card},
		{readOne, 16, c.read},
	}
}

// fullSearch is a search on the floor that reads and sorts all matches before it returns the first ones. The time
// increases with the number of matches.
func (s sample) fullSearch(client int, n int64) request {
	r := s.fragment(client, n)
	r.path += "/whole"
	return r
}

func post(path string, body any, check func([]byte) error) request {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps and numbers can be encoded
	}
	return request{method: http.MethodPost, path: path, body: text, check: check}
}

// seat is a booking.
type seat struct {
	patient, service          int64
	date, start, kind, reason string
}

// seat returns a booking of a free seat: the k-th of a patient is k slots after the first, so that no patient
// is double-booked.
func (s sample) seat(n int64) seat {
	patient, k := n%s.Patients, n/s.Patients
	slot := (patient + k) % (benchDays * slotsADay)
	start := 8*60 + int(slot%slotsADay)*slotMinutes
	return seat{
		patient + 1, s.Services[n%int64(len(s.Services))],
		s.Days[slot/slotsADay], fmt.Sprintf("%02d:%02d", start/60, start%60), "FOLLOW_UP", "ติดตามอาการ",
	}
}

func (sample) create(b seat) request {
	r := post(visits+"/create", map[string]any{
		"patientId": b.patient, "serviceId": b.service, "date": b.date, "startTime": b.start, "kind": b.kind,
		"reason": b.reason,
	}, has(`"status":"BOOKED"`, 1))
	r.books = true
	return r
}

func (sample) mark(booked []byte) func(status string) request {
	id := numberAfter(booked, `"id":`)
	return func(status string) request {
		return post(visits+"/mark-status", map[string]any{"id": id, "status": status}, has(`"status":"`+status+`"`, 1))
	}
}

// period returns a month around today and one of its first pages.
func (s sample) period(n int64) (from, to string, page int64) {
	day := s.day(-30 + int(n%30))
	return day.Format(time.DateOnly), day.AddDate(0, 0, 30).Format(time.DateOnly), 1 + n%3
}

func (s sample) list(_ int, n int64) request {
	from, to, page := s.period(n)
	return post(visits+"/list", map[string]any{"dateFrom": from, "dateTo": to, "page": page, "pageSize": pageSize},
		all(total("total"), has(`"number":"`, pageSize)))
}

// calendar returns six weeks around today.
func (s sample) calendar(n int64) (from, to string) {
	day := s.day(-40 + int(n%30))
	return day.Format(time.DateOnly), day.AddDate(0, 0, monthDays-1).Format(time.DateOnly)
}

// month requests the calendar of six weeks.
func (s sample) month(_ int, n int64) request {
	from, to := s.calendar(n)
	return post(visits+"/calendar-list", map[string]any{"dateFrom": from, "dateTo": to}, has(`"date":"`, monthDays))
}

func (s sample) fragment(_ int, n int64) request {
	return post(patients+"/search", map[string]any{"q": s.Fragments[n%int64(len(s.Fragments))], "limit": mostFound},
		has(`"hn":"`, -1))
}

func (s sample) card(_ int, n int64) request {
	return post(patients+"/list-id-card", map[string]any{"idCard": s.Cards[n%int64(len(s.Cards))]}, has(`"hn":"`, 1))
}

func (s sample) read(_ int, n int64) request {
	id := strconv.FormatInt(s.IDs[n%int64(len(s.IDs))], 10)
	return request{method: http.MethodGet, path: patients + "/" + id, check: has(`"id":`+id+`,`, 1)}
}

func (s sample) day(n int) time.Time {
	today, err := time.Parse(time.DateOnly, s.Today)
	if err != nil {
		panic(err) // our own URL
	}
	return today.AddDate(0, 0, n)
}

// rush changes the status of appointments of one service and day from all clients. The patients are booked as
// walk-ins first.
func (t *target) rush(ctx context.Context, s sample, c calls) (operation, error) {
	const clients, each = 64, 4
	people := make([]func(status string) request, clients*each)
	var buf bytes.Buffer
	now := time.Now().In(bangkok)
	start := "00:00"
	if now.Hour() >= 12 {
		start = "12:00"
	}
	// Starts with other patients every minute, for repeated runs. Double-booked patients are skipped.
	next, rejected := int64(now.Hour()*60+now.Minute())*int64(len(people)), 0
	for i := 0; i < len(people); {
		patient := next % s.Patients
		next++
		if err := t.call(ctx,
			c.create(seat{patient + 1, s.WalkIn, now.Format(time.DateOnly), start, "WALK_IN", "ตรวจทั่วไป"}), &buf); err != nil {
			if rejected++; rejected > len(people) {
				return operation{}, err
			}
			continue
		}
		people[i] = c.mark(buf.Bytes())
		i++
	}
	marks := make([]atomic.Int64, len(people))
	return operation{checkIn, clients, func(client int, n int64) request {
		i := client*each + int(n)%each
		status := "CHECKED_IN"
		if marks[i].Add(1)%2 == 0 {
			status = "IN_SERVICE"
		}
		return people[i](status)
	}}, nil
}

// signIn sets the token.
func (t *target) signIn(ctx context.Context, c calls) error {
	var buf bytes.Buffer
	if err := t.call(ctx, c.signIn(), &buf); err != nil {
		return err
	}
	var err error
	t.token, err = c.token(buf.Bytes())
	return err
}

// signIn signs in as the administrator of the sample hospital.
func (sample) signIn() request {
	return post("/admin/api/v1.0/auth/login", map[string]any{"username": "admin", "password": "nadmor-demo"}, nil)
}

func (sample) token(answer []byte) (string, error) {
	var in struct{ Data struct{ AccessToken string } }
	err := json.Unmarshal(answer, &in)
	return in.Data.AccessToken, err
}

// total checks that a number is at least a page.
func total(name string) func([]byte) error {
	return func(answer []byte) error {
		if n := numberAfter(answer, `"`+name+`":`); n < pageSize {
			return fmt.Errorf("%s %d", name, n)
		}
		return nil
	}
}

// has checks that a text occurs a number of times, or at least once for -1.
func has(text string, times int) func([]byte) error {
	return func(answer []byte) error {
		n := bytes.Count(answer, []byte(text))
		if times < 0 && n == 0 {
			return errors.New("nothing found")
		}
		if times >= 0 && n != times {
			return fmt.Errorf("%s %d times, not %d", text, n, times)
		}
		return nil
	}
}

// numberAfter returns the number after the first occurrence of a text, or -1.
func numberAfter(answer []byte, text string) int64 {
	_, rest, found := bytes.Cut(answer, []byte(text))
	if !found {
		return -1
	}
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	if err != nil {
		return -1
	}
	return n
}
