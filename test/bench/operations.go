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

// sample is what the calls are made of, read from the database before.
type sample struct {
	Patients  int64    // how many there are; ids run from 1
	IDs       []int64  // some of them
	Cards     []string // ID cards of some
	Fragments []string // from the middle of family names
	Services  []int64  // of the bench's own, with seats for everybody
	WalkIn    int64    // one that is open day and night
	FirstDay  time.Time
	Today     string
}

const (
	visits   = "/admin/api/v1/appointment"
	patients = "/admin/api/v1/patients"

	// The bench's services are open every day, 8 to 16 o'clock, half an hour and
	// many seats a slot.
	benchDays, slotsADay, slotMinutes = 60, 16, 30

	pageSize, monthDays = 50, 42
)

// The lines of the table.
const (
	book1, book16, book64 = "book, 1", "book, 16", "book, 64"
	listPage              = "list page of 50 + total, 16"
	monthLoad             = "month load per day, 16"
	fragment              = "name fragment, 16"
	idCard                = "ID card, 16"
	readOne               = "read one patient, 16"
	checkIn               = "check-in rush, 64"
)

func operations(s sample) []operation {
	return []operation{
		{book1, 1, s.book}, {book16, 16, s.book}, {book64, 64, s.book},
		{listPage, 16, s.list}, {monthLoad, 16, s.month}, {fragment, 16, s.fragment}, {idCard, 16, s.card}, {readOne, 16, s.read},
	}
}

func post(path string, body any, check func([]byte) error) request {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps and numbers
	}
	return request{method: http.MethodPost, path: path, body: text, check: check}
}

// book is a booking nobody made before: the k-th of a patient is k slots later
// than their first, so no patient is asked to be at two places.
func (s sample) book(_ int, n int64) request {
	patient, k := n%s.Patients, n/s.Patients
	slot := (patient + k) % (benchDays * slotsADay)
	start := 8*60 + int(slot%slotsADay)*slotMinutes
	r := post(visits+"/create", map[string]any{
		"patientId": patient + 1, "serviceId": s.Services[n%int64(len(s.Services))],
		"date":      s.FirstDay.AddDate(0, 0, int(slot/slotsADay)).Format(time.DateOnly),
		"startTime": fmt.Sprintf("%02d:%02d", start/60, start%60), "kind": "FOLLOW_UP", "reason": "ติดตามอาการ",
	}, has(`"status":"BOOKED"`, 1))
	r.key = "bench-" + strconv.FormatInt(n, 10)
	return r
}

// list is a page from the beginning of some month around today.
func (s sample) list(_ int, n int64) request {
	from := s.day(-30 + int(n%30))
	return post(visits+"/list", map[string]any{"dateFrom": from.Format(time.DateOnly), "dateTo": from.AddDate(0, 0, 30).Format(time.DateOnly), "page": 1 + n%3, "pageSize": pageSize}, func(answer []byte) error {
		if total := numberAfter(answer, `"total":`); total < pageSize {
			return fmt.Errorf("total %d", total)
		}
		return has(`"number":"`, pageSize)(answer)
	})
}

// month is what a calendar of six weeks shows of every day.
func (s sample) month(_ int, n int64) request {
	from := s.day(-40 + int(n%30))
	return post(visits+"/calendar-list", map[string]any{"dateFrom": from.Format(time.DateOnly), "dateTo": from.AddDate(0, 0, monthDays-1).Format(time.DateOnly)}, has(`"date":"`, monthDays))
}

func (s sample) fragment(_ int, n int64) request {
	return post(patients+"/search", map[string]any{"q": s.Fragments[n%int64(len(s.Fragments))], "limit": 20}, has(`"hn":"`, -1))
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
		panic(err) // written by ourselves
	}
	return today.AddDate(0, 0, n)
}

// rush is everybody marking who comes and who goes in, all on one service's
// day. The people are booked first, as walk-ins of this moment.
func (t *target) rush(ctx context.Context, s sample) (operation, error) {
	const clients, each = 64, 4
	ids := make([]int64, clients*each)
	var buf bytes.Buffer
	now := time.Now().In(bangkok)
	start := "00:00"
	if now.Hour() >= 12 {
		start = "12:00"
	}
	// Others every minute, for who runs this again. Who has to be somewhere else is
	// left out.
	next, refused := int64(now.Hour()*60+now.Minute())*int64(len(ids)), 0
	for i := 0; i < len(ids); {
		patient := next % s.Patients
		next++
		r := post(visits+"/create", map[string]any{
			"patientId": patient + 1, "serviceId": s.WalkIn, "date": now.Format(time.DateOnly), "startTime": start, "kind": "WALK_IN", "reason": "ตรวจทั่วไป",
		}, has(`"status":"BOOKED"`, 1))
		if err := t.call(ctx, r, &buf); err != nil {
			if refused++; refused > len(ids) {
				return operation{}, err
			}
			continue
		}
		ids[i] = numberAfter(buf.Bytes(), `"id":`)
		i++
	}
	marks := make([]atomic.Int64, len(ids))
	return operation{checkIn, clients, func(client int, n int64) request {
		i := client*each + int(n)%each
		status := "CHECKED_IN"
		if marks[i].Add(1)%2 == 0 {
			status = "IN_SERVICE"
		}
		return post(visits+"/mark-status", map[string]any{"id": ids[i], "status": status}, has(`"status":"`+status+`"`, 1))
	}}, nil
}

// signIn gets a token for the administrator of the sample hospital.
func (t *target) signIn(ctx context.Context) error {
	var buf bytes.Buffer
	if err := t.call(ctx, post("/admin/api/v1.0/auth/login", map[string]any{"username": "admin", "password": "nadmor-demo"}, nil), &buf); err != nil {
		return err
	}
	var answer struct{ Data struct{ AccessToken string } }
	if err := json.Unmarshal(buf.Bytes(), &answer); err != nil {
		return err
	}
	t.token = answer.Data.AccessToken
	return nil
}

// has wants a text so many times in the answer, or at least once for -1.
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

// numberAfter reads the number behind the first occurrence of a text; -1 where
// there is none.
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
