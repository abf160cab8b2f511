package hospital

import "fmt"

// What stands where personal data was erased on request.
const (
	ErasedPatient  = "ผู้ป่วยที่ลบข้อมูลแล้ว"
	ErasedCustomer = "ผู้ใช้บริการที่ลบข้อมูลแล้ว"
	ErasedText     = "ลบข้อมูลตามคำขอของเจ้าของข้อมูล"
)

// Erased is what is left of a patient for statistics: the year of birth, the sex
// and who paid. The rest is nobody's any more.
func (p Patient) Erased() PatientFields {
	return PatientFields{
		HN: fmt.Sprintf("ERASED-%d", p.ID), IDType: IDNone, FirstName: ErasedPatient, Sex: p.Sex, RightCode: p.RightCode,
		BirthDate: p.BirthDate[:4] + "-01-01", BirthPrecision: BirthYear, Allergies: []Allergy{}, Conditions: []string{},
	}
}

// erasedKeeps are the fields of changes that say nothing of a person: what
// happened to a seat, and which record it was.
var erasedKeeps = map[string]map[string]bool{
	"appointment": set("serviceId", "date", "startTime", "endTime", "staffId", "kind", "channel", "priority", "status",
		"overbooked", "seriesId", "followUpOfId", "queueNo",
		"checkedInAt", "startedAt", "completedAt", "patientId", "resultType"),
	"result": set("type", "appointmentId", "patientId", "createdBy"),
}

func set(words ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}

// ErasedKeeps tells whether a field of a kind of record may stay in a log when
// its patient is erased.
func ErasedKeeps(entity, field string) bool { return erasedKeeps[entity][field] }

// Erasure asks for a patient's personal data to be erased.
type Erasure struct {
	PatientID    int64
	Reason       string // why, and why the law allows it: it stays in the log
	CancelFuture bool   // cancel what is still to come instead of refusing
	DryRun       bool   // only tell what would go
}

// Erased tells what was erased, or would be.
type Erased struct {
	Already       bool // was erased before; only what came since is
	Appointments  int
	Cancelled     int // of those that were to come
	Results       int
	Files         []string // keys: they are deleted after the commit
	History       int
	Entries       int     // of the audit log
	Accounts      int     // own app accounts
	SharedAccount []int64 // own app accounts that book for others, too: they stay, without the link
}

// Validate tells what is wrong with it.
func (e Erasure) Validate() error {
	var c Checker
	c.Lines(e.Reason, "reason", true, 300)
	return c.Err()
}
