package hospital

import "time"

// Dossier holds all data about a patient, for a request under sections 30 and 31 of the Personal Data
// Protection Act.
type Dossier struct {
	Patient      DossierPatient    `json:"patient"`
	DeletedAt    *time.Time        `json:"deletedAt"` // set if the record was deleted
	Consents     []DossierConsent  `json:"consents"`
	Customers    []DossierCustomer `json:"customers"`
	Appointments []DossierVisit    `json:"appointments"`
	// Access are the audit entries about the patient. Together are those of bulk operations that may have
	// included the patient.
	Access   []AuditEntry `json:"access"`
	Together []AuditEntry `json:"together"`
}

// DossierPatient is the record with the full ID card number, which the data subject may see.
type DossierPatient struct {
	Patient
	IDCard string `json:"idCard"`
}

// DossierConsent is a recorded consent.
type DossierConsent struct {
	Of string    `json:"of"` // patient or customer
	At time.Time `json:"at"`
}

// DossierCustomer is an app account that books for the patient. If the account belongs to another person,
// only its name is included.
type DossierCustomer struct {
	ID         int64          `json:"id"`
	Relation   Relation       `json:"relation"`
	Name       string         `json:"name"`
	Phone      string         `json:"phone,omitempty"`
	Email      string         `json:"email,omitempty"`
	LineUserID string         `json:"lineUserId,omitempty"`
	Status     CustomerStatus `json:"status,omitempty"`
	ConsentAt  *time.Time     `json:"consentAt,omitempty"`
	Note       string         `json:"note,omitempty"`
	CreatedAt  *time.Time     `json:"createdAt,omitempty"`
	UpdatedAt  *time.Time     `json:"updatedAt,omitempty"`
}

// DossierVisit is an appointment with its history and results.
type DossierVisit struct {
	Appointment
	Patient     any `json:"patient,omitempty"` // omitted: the dossier has it once
	ResultCount any `json:"resultCount,omitempty"`
	// The actions of a caller are not data about the patient, so they are omitted.
	AllowedStatuses any `json:"allowedStatuses,omitempty"`
	ReasonStatuses  any `json:"reasonStatuses,omitempty"`
	Movable         any `json:"movable,omitempty"`
	HoldsSeat       any `json:"holdsSeat,omitempty"`

	DeletedAt *time.Time      `json:"deletedAt"`
	History   []HistoryEntry  `json:"history"`
	Results   []DossierResult `json:"results"`
}

// DossierResult is a result with its file. Fields that repeat the appointment's are omitted.
type DossierResult struct {
	ID int64 `json:"id"`
	ResultFields
	File          *DossierFile `json:"file"`
	CreatedByName string       `json:"createdByName"`
	CreatedAt     time.Time    `json:"createdAt"`
	DeletedAt     *time.Time   `json:"deletedAt"`
}

// DossierFile is a file with its path in the archive. Missing is set if the file could not be read.
type DossierFile struct {
	ResultFile
	Key     string `json:"-"`
	Path    string `json:"path"`
	Missing bool   `json:"missing,omitempty"`
}

// Files returns the files of all results.
func (d Dossier) Files() []*DossierFile {
	var list []*DossierFile
	for _, v := range d.Appointments {
		for _, r := range v.Results {
			if r.File != nil {
				list = append(list, r.File)
			}
		}
	}
	return list
}
