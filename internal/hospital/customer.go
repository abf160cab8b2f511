package hospital

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// CustomerStatus is the status of an app account.
type CustomerStatus string

// The customer statuses. Only an ACTIVE customer may book.
const (
	CustomerActive    CustomerStatus = "ACTIVE"
	CustomerSuspended CustomerStatus = "SUSPENDED"
)

// CustomerStatuses lists the valid values.
var CustomerStatuses = []CustomerStatus{CustomerActive, CustomerSuspended}

// Relation is the patient's relation to the customer.
type Relation string

// The relations.
const (
	RelationSelf   Relation = "SELF"
	RelationChild  Relation = "CHILD"
	RelationParent Relation = "PARENT"
	RelationSpouse Relation = "SPOUSE"
	RelationOther  Relation = "OTHER"
)

// Relations lists the valid values.
var Relations = []Relation{RelationSelf, RelationChild, RelationParent, RelationSpouse, RelationOther}

var relationNames = map[Relation]Text{
	RelationSelf: {"ตนเอง", "Self"}, RelationChild: {"บุตร", "Child"}, RelationParent: {"บิดา/มารดา", "Parent"},
	RelationSpouse: {"คู่สมรส", "Spouse"}, RelationOther: {"อื่น ๆ", "Other"},
}

// Name returns the display name of the relation.
func (r Relation) Name() Text { return relationNames[r] }

// CustomerPatient is a patient the customer books for. HN and Name are empty for callers
// without PATIENT.SHOW (see Customer.RedactedFor).
type CustomerPatient struct {
	PatientID int64    `json:"patientId"`
	Relation  Relation `json:"relation"`
	HN        string   `json:"hn,omitempty" readOnly:"true" doc:"Only with PATIENT.SHOW"`
	Name      string   `json:"name,omitempty" readOnly:"true" doc:"Only with PATIENT.SHOW"`
}

// CustomerFields holds the editable fields of a customer.
type CustomerFields struct {
	Name       string            `json:"name"`
	Phone      string            `json:"phone"`
	Email      string            `json:"email"`
	LineUserID string            `json:"lineUserId"`
	Status     CustomerStatus    `json:"status"`
	Patients   []CustomerPatient `json:"patients"`
	ConsentAt  *time.Time        `json:"consentAt"`
	Note       string            `json:"note"`
}

// Customer is an app account that books for one or more patients.
type Customer struct {
	ID int64 `json:"id"`
	CustomerFields
	Version   int64     `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// RedactedFor returns the customer as shown to a caller with the given permissions: without
// PATIENT.SHOW, HN and name of the patients are removed.
func (c Customer) RedactedFor(held PermissionSet) Customer {
	if held[PatientShow] {
		return c
	}
	c.Patients = slices.Clone(c.Patients)
	for i := range c.Patients {
		c.Patients[i].HN, c.Patients[i].Name = "", ""
	}
	return c
}

// CheckLinks returns FORBIDDEN if a patient is newly linked by a caller without PATIENT.SHOW,
// whether the patient exists or not.
func (f CustomerFields) CheckLinks(before []CustomerPatient, held PermissionSet) error {
	for _, p := range f.Patients {
		known := func(o CustomerPatient) bool { return o.PatientID == p.PatientID }
		if !held[PatientShow] && !slices.ContainsFunc(before, known) {
			return Reject(Forbidden).With("permission", PatientShow)
		}
	}
	return nil
}

// Clean returns the fields normalized for storage.
func (f CustomerFields) Clean() CustomerFields {
	f.Name, f.Email, f.LineUserID = CleanText(f.Name), strings.TrimSpace(f.Email), strings.TrimSpace(f.LineUserID)
	f.Phone = phoneDigits(f.Phone)
	if f.Status == "" {
		f.Status = CustomerActive
	}
	if f.Patients == nil {
		f.Patients = []CustomerPatient{}
	}
	return f
}

// Validate returns VALIDATION_FAILED with every invalid field. The fields must be clean.
func (f CustomerFields) Validate() error {
	var c Checker
	c.Text(f.Name, "name", true, 120)
	c.Require(IsPhone(f.Phone), "phone", phoneTH, phoneEN)
	c.Require(f.Email == "" || IsEmail(f.Email), "email", emailTH, emailEN)
	c.Text(f.LineUserID, "lineUserId", false, 100)
	c.Lines(f.Note, "note", false, 2000)
	c.instant(f.ConsentAt, "consentAt")
	c.Require(slices.Contains(CustomerStatuses, f.Status), "status", "สถานะไม่ถูกต้อง", "This is not a status.")
	c.Require(len(f.Patients) <= 50, "patients", "มีได้ไม่เกิน 50 รายการ", "At most 50 items.")
	seen := map[int64]bool{}
	for i, p := range f.Patients {
		field := fmt.Sprintf("patients[%d]", i)
		c.Require(slices.Contains(Relations, p.Relation), field+".relation", "กรุณาเลือกความสัมพันธ์", "Choose the relation.")
		c.Require(!seen[p.PatientID], field+".patientId", "ผู้ป่วยรายนี้ถูกเลือกแล้ว", "This patient is there already.")
		seen[p.PatientID] = true
	}
	return c.Err()
}

// CustomerFilter selects customers of a list.
type CustomerFilter struct {
	Page
	Q      string         `json:"q,omitempty" maxLength:"100" doc:"Part of the name, phone or email"`
	Status CustomerStatus `json:"status,omitempty"`
}
