package hospital

import (
	"maps"
	"slices"
)

// Times maps durations in whole seconds to how often they occurred.
type Times map[int]int

// Spread is the number of measurements with their median and 90th percentile.
type Spread struct {
	Count  int  `json:"count"`
	Median *int `json:"median" doc:"Seconds; null without measurements"`
	P90    *int `json:"p90" doc:"Seconds; null without measurements"`
}

// Spread computes the percentiles by nearest rank, so each is a measured value.
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

// TimeCount is how often a duration occurred in a group. Fiscal years are summed up from months.
type TimeCount struct {
	Key     string
	Seconds int
	Count   int
}

// Waiting holds waiting and visit times.
type Waiting struct {
	Wait  Spread `json:"wait" doc:"From check-in to start"`
	Visit Spread `json:"visit" doc:"From start to end"`
}

// WaitingRow is a row of the waiting time report.
type WaitingRow struct {
	ReportGroup
	Waiting
}

// WaitingReport is the waiting time report.
type WaitingReport struct {
	ReportFrame
	Rows  []WaitingRow `json:"rows"`
	Total Waiting      `json:"total"`
}

// WaitingTimes computes the waiting time report from visits whose times were recorded. A visit that was
// completed without being started has no waiting time.
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
