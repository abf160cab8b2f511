package hospital

import "fmt"

// Replacements of erased personal data.
const (
	ErasedPatient  = "ผู้ป่วยที่ลบข้อมูลแล้ว"
	ErasedCustomer = "ผู้ใช้บริการที่ลบข้อมูลแล้ว"
	ErasedText     = "ลบข้อมูลตามคำขอของเจ้าของข้อมูล"
)

// Erased returns the fields that are kept of an erased patient for statistics: year of birth, sex and payer.
func (p Patient) Erased() PatientFields {
	return PatientFields{
		HN: fmt.Sprintf("ERASED-%d", p.ID), IDType: IDNone, FirstName: ErasedPatient, Sex: p.Sex, RightCode: p.RightCode,
		BirthDate: p.BirthDate[:4] + "-01-01", BirthPrecision: BirthYear, Allergies: []Allergy{}, Conditions: []string{},
	}
}

// keptAfterErasure are the fields in change logs, by entity, that identify nobody.
var keptAfterErasure = map[string]map[string]bool{
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

// KeptAfterErasure reports whether a field of an entity stays in change logs when its patient is erased.
func KeptAfterErasure(entity, field string) bool { return keptAfterErasure[entity][field] }

// Erasure is a request to erase a patient's personal data.
type Erasure struct {
	PatientID    int64
	Reason       string // including the legal basis; stored in the audit log
	CancelFuture bool   // cancel future appointments instead of returning an error
	DryRun       bool   // report only
}

// Erased reports what was erased, or with DryRun would be.
type Erased struct {
	Already       bool // erased before; only newer data is erased
	Appointments  int
	Cancelled     int // of the future appointments
	Results       int
	Files         []string // keys, deleted after the commit
	History       int
	Entries       int     // audit entries
	Accounts      int     // app accounts of the patient
	SharedAccount []int64 // the patient's app accounts that also book for others; only unlinked
}

// Validate returns VALIDATION_FAILED with every invalid field.
func (e Erasure) Validate() error {
	var c Checker
	c.Lines(e.Reason, "reason", true, 300)
	return c.Err()
}
