package hospital

import (
	"maps"
	"slices"
)

// Times is how often each length of time occurred, in whole seconds.
type Times map[int]int

// Spread is how long something took: how often it was measured, and the lengths
// that half, and nine in ten, did not exceed.
type Spread struct {
	Count  int  `json:"count"`
	Median *int `json:"median" doc:"Seconds; null when nothing was measured"`
	P90    *int `json:"p90" doc:"Seconds; null when nothing was measured"`
}

// Spread finds the percentiles by nearest rank: each is a length that occurred.
func (t Times) Spread() Spread {
	var s Spread
	for _, n := range t {
		s.Count += n
	}
	if s.Count == 0 {
		return s
	}
	lengths := slices.Sorted(maps.Keys(t))
	at := func(percent int) *int {
		rank, passed := (percent*s.Count+99)/100, 0
		for _, l := range lengths {
			if passed += t[l]; passed >= rank {
				return &l
			}
		}
		return nil
	}
	s.Median, s.P90 = at(50), at(90)
	return s
}

// TimeCount is how often a length of time occurred in a group. Of months the
// fiscal year is made, where rows are about that.
type TimeCount struct {
	Key     string
	Seconds int
	Count   int
}

// Waiting is how long people waited and how long they were seen.
type Waiting struct {
	Wait  Spread `json:"wait" doc:"From check-in to the start"`
	Visit Spread `json:"visit" doc:"From the start to the end"`
}

// WaitingRow is how long a group waited.
type WaitingRow struct {
	ReportGroup
	Waiting
}

// WaitingReport tells how long people wait.
type WaitingReport struct {
	ReportFrame
	Rows  []WaitingRow `json:"rows"`
	Total Waiting      `json:"total"`
}

// WaitingTimes finds how long people waited, and were seen, of those who came
// and whose times were marked. A visit that was completed without a start has
// no waiting time.
func WaitingTimes(q ReportQuery, by GroupBy, services []Service, waits, visits []TimeCount) WaitingReport {
	type both struct{ waits, visits Times }
	total := both{Times{}, Times{}}
	found := map[string]both{}
	collect := func(counts []TimeCount, of func(both) Times) {
		for _, c := range counts {
			key := c.Key
			if by == ByFiscalYear {
				key = by.ofDate(c.Key + "-01")
			}
			if found[key].waits == nil {
				found[key] = both{Times{}, Times{}}
			}
			of(found[key])[c.Seconds] += c.Count
			of(total)[c.Seconds] += c.Count
		}
	}
	collect(waits, func(b both) Times { return b.waits })
	collect(visits, func(b both) Times { return b.visits })
	spread := func(b both) Waiting { return Waiting{b.waits.Spread(), b.visits.Spread()} }
	r := WaitingReport{ReportFrame: q.Frame(by), Total: spread(total)}
	r.Rows = inOrder(by, found, serviceGroups(services), func(g ReportGroup, b both) WaitingRow {
		return WaitingRow{g, spread(b)}
	})
	return r
}
