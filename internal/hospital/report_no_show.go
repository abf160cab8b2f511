package hospital

import (
	"slices"
	"strconv"
)

// VisitCount is the number of appointments with the same attributes.
type VisitCount struct {
	ServiceID int64
	Date      string
	BookedOn  string // booking date; set only when grouping by lead time
	Status    AppointmentStatus
	Count     int
}

// Turnout counts appointments whose attendance is known, and no-shows among them.
type Turnout struct {
	Due    int      `json:"due" doc:"Arrived patients and no-shows, without cancelled and upcoming ones"`
	NoShow int      `json:"noShow"`
	Rate   *float64 `json:"rate" doc:"noShow / due; null if due is 0"`
}

func (a Turnout) plus(o Turnout) Turnout {
	return Turnout{Due: a.Due + o.Due, NoShow: a.NoShow + o.NoShow}
}

func (a Turnout) rated() Turnout {
	a.Rate = Rate(a.NoShow, a.Due)
	return a
}

// NoShowRow is a row of the no-show report.
type NoShowRow struct {
	ReportGroup
	Turnout
}

// NoShowReport is the no-show report.
type NoShowReport struct {
	ReportFrame
	Rows  []NoShowRow `json:"rows"`
	Total Turnout     `json:"total"`
}

// NoShows computes the no-show report. Counts with a status that is not in Due are ignored.
func NoShows(q ReportQuery, by GroupBy, services []Service, counts []VisitCount) NoShowReport {
	var total Turnout
	found := map[string]Turnout{}
	for _, c := range counts {
		if !slices.Contains(Due, c.Status) {
			continue
		}
		a := Turnout{Due: c.Count}
		if c.Status == NoShow {
			a.NoShow = c.Count
		}
		var key string
		switch by {
		case ByService:
			key = strconv.FormatInt(c.ServiceID, 10)
		case ByLeadTime:
			key = LeadTime(DaysBetween(c.BookedOn, c.Date))
		default:
			key = by.ofDate(c.Date)
		}
		found[key], total = found[key].plus(a), total.plus(a)
	}
	r := NoShowReport{ReportFrame: q.Frame(by), Total: total.rated()}
	r.Rows = inOrder(by, found, serviceGroups(services), func(g ReportGroup, a Turnout) NoShowRow {
		return NoShowRow{g, a.rated()}
	})
	return r
}
