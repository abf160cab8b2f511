package hospital

import (
	"strconv"
)

// StaffLoad is the workload of a staff member. Assigned counts appointments that hold a seat. Arrived
// patients and the days with any arrivals give the daily average.
type StaffLoad struct {
	Assigned     int      `json:"assigned" doc:"Without cancelled and waitlisted ones"`
	Came         int      `json:"came"`
	Completed    int      `json:"completed"`
	NoShow       int      `json:"noShow"`
	Patients     int      `json:"patients" doc:"Distinct patients who arrived"`
	VisitSeconds int      `json:"visitSeconds" doc:"Total duration of completed visits"`
	WorkingDays  int      `json:"workingDays" doc:"Days with arrivals"`
	PerDay       *float64 `json:"perDay" doc:"came / workingDays; null if workingDays is 0"`
}

// WorkloadRow is the workload of a staff member; the key is empty for unassigned visits.
type WorkloadRow struct {
	ReportGroup
	StaffLoad
}

// WorkloadReport is the workload report.
type WorkloadReport struct {
	ReportFrame
	Rows  []WorkloadRow `json:"rows"`
	Total StaffLoad     `json:"total" doc:"Patients and days are counted once, so less than the sum of the rows"`
}

// Workload computes the workload report, ordered by name with unassigned visits last.
func Workload(q ReportQuery, staff []StaffRef, loads map[int64]StaffLoad, total StaffLoad) WorkloadReport {
	names := make([]ReportGroup, 0, len(staff)+1)
	for _, s := range staff {
		names = append(names, ReportGroup{strconv.FormatInt(s.ID, 10), s.Name})
	}
	names = append(names, ReportGroup{})
	found := map[string]StaffLoad{}
	for id, load := range loads {
		key := ""
		if id != 0 {
			key = strconv.FormatInt(id, 10)
		}
		load.PerDay = Rate(load.Came, load.WorkingDays)
		found[key] = load
	}
	total.PerDay = Rate(total.Came, total.WorkingDays)
	r := WorkloadReport{ReportFrame: q.Frame(ByStaff), Total: total}
	r.Rows = inOrder(ByStaff, found, names, func(g ReportGroup, l StaffLoad) WorkloadRow { return WorkloadRow{g, l} })
	return r
}
