package hospital

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sort"
	"strings"
)

// Code is a stable, machine-readable error code.
type Code string

// The error codes of the API. Package api maps them to HTTP statuses.
const (
	BadRequest             Code = "BAD_REQUEST"
	Unauthenticated        Code = "UNAUTHENTICATED"
	TokenExpired           Code = "TOKEN_EXPIRED"
	InvalidCredentials     Code = "INVALID_CREDENTIALS"
	OTPRequired            Code = "OTP_REQUIRED"
	Forbidden              Code = "FORBIDDEN"
	AccountPending         Code = "ACCOUNT_PENDING"
	AccountSuspended       Code = "ACCOUNT_SUSPENDED"
	PasswordChangeRequired Code = "PASSWORD_CHANGE_REQUIRED"
	NotFound               Code = "NOT_FOUND"
	ConflictVersion        Code = "CONFLICT_VERSION"
	SlotFull               Code = "SLOT_FULL"
	SlotClosed             Code = "SLOT_CLOSED"
	SlotPast               Code = "SLOT_PAST"
	OutOfSchedule          Code = "OUT_OF_SCHEDULE"
	OutOfWindow            Code = "OUT_OF_WINDOW"
	PatientDoubleBooked    Code = "PATIENT_DOUBLE_BOOKED"
	TooManyActive          Code = "TOO_MANY_ACTIVE"
	InvalidTransition      Code = "INVALID_TRANSITION"
	CapacityBelowBooked    Code = "CAPACITY_BELOW_BOOKED"
	Duplicate              Code = "DUPLICATE"
	PossibleDuplicate      Code = "POSSIBLE_DUPLICATE"
	InUse                  Code = "IN_USE"
	LastAdmin              Code = "LAST_ADMIN"
	TooLarge               Code = "FILE_TOO_LARGE"
	FileTypeNotAllowed     Code = "FILE_TYPE_NOT_ALLOWED"
	ValidationFailed       Code = "VALIDATION_FAILED"
	TooManyAttempts        Code = "TOO_MANY_ATTEMPTS"
	Internal               Code = "INTERNAL"
	Unavailable            Code = "UNAVAILABLE"
)

// FieldError describes an invalid field. Field is its JSON path in the request, such as "address.postalCode"
// or "permissions[2]".
type FieldError struct {
	Field   string
	Message Text
}

// Error is an error that is shown to users: a code, a message in both languages, the invalid fields, and
// details for clients. All other errors are internal: they are logged and never sent.
type Error struct {
	Code    Code
	Message Text
	Fields  []FieldError
	Details map[string]any
}

// Error returns code and field names for the log. It contains no submitted values.
func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return string(e.Code)
	}
	names := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		names[i] = f.Field
	}
	return fmt.Sprintf("%s (%s)", e.Code, strings.Join(names, ", "))
}

// Is makes errors.Is compare codes.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// CodeOf returns the code of err, or Internal if err is not an Error.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Reject returns an Error with the default message of its code.
func Reject(code Code) *Error { return &Error{Code: code, Message: sentences[code]} }

// Recover turns a panic into an error with the stack trace. It is deferred in background
// goroutines, so that a panic fails one task and not the process.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

// storageFull is the "reason" detail of a StorageFull error.
const storageFull = "STORAGE_FULL"

// StorageFull returns the error for a write that failed because the disk is full. Nothing was written.
func StorageFull() *Error {
	return Reject(Unavailable).Because(
		"พื้นที่จัดเก็บข้อมูลของระบบเต็ม จึงยังบันทึกไม่ได้ ข้อมูลที่บันทึกไว้แล้วไม่สูญหาย "+
			"กรุณาแจ้งผู้ดูแลระบบให้เพิ่มพื้นที่ แล้วลองอีกครั้ง",
		"The storage is full, so this was not saved. Data saved before is safe. Ask an administrator to free some "+
			"space, then try again.").With("reason", storageFull)
}

// IsStorageFull reports whether err was made by StorageFull.
func IsStorageFull(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Details["reason"] == storageFull
}

// Because replaces the default message with a more specific one.
func (e *Error) Because(th, en string) *Error {
	e.Message = Text{th, en}
	return e
}

// With adds a detail for clients.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// On adds the field that the error is about.
func (e *Error) On(field, th, en string) *Error {
	e.Fields = append(e.Fields, FieldError{field, Text{th, en}})
	return e
}

// sentences are the default messages. Each says what happened and, if possible, what to do next.
var sentences = map[Code]Text{
	BadRequest:      {"คำขอไม่ถูกต้อง กรุณาลองอีกครั้ง", "The request could not be read. Please try again."},
	Unauthenticated: {"กรุณาเข้าสู่ระบบก่อนใช้งาน", "Please sign in first."},
	TokenExpired: {
		"หมดเวลาเข้าใช้งาน กรุณาเข้าสู่ระบบอีกครั้ง", "Your session has ended. Please sign in again.",
	},
	InvalidCredentials: {
		"ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง กรุณาตรวจสอบแล้วลองอีกครั้ง",
		"The username or password is not correct. Please check them and try again.",
	},
	OTPRequired: {
		"กรุณากรอกรหัสยืนยัน 6 หลักจากแอปยืนยันตัวตน", "Enter the 6-digit code from your authenticator app.",
	},
	Forbidden: {
		"ท่านไม่มีสิทธิ์ทำรายการนี้ หากจำเป็น กรุณาติดต่อผู้ดูแลระบบ",
		"You do not have permission to do this. Ask an administrator if you need it.",
	},
	AccountPending: {
		"บัญชีนี้รอผู้ดูแลระบบอนุมัติ กรุณาติดต่อผู้ดูแลระบบ",
		"This account is waiting for approval. Please contact an administrator.",
	},
	AccountSuspended: {
		"บัญชีนี้ถูกระงับการใช้งาน กรุณาติดต่อผู้ดูแลระบบ", "This account is suspended. Please contact an administrator.",
	},
	PasswordChangeRequired: {"กรุณาเปลี่ยนรหัสผ่านก่อนใช้งานต่อ", "Please change your password to continue."},
	NotFound: {
		"ไม่พบข้อมูลที่ต้องการ อาจถูกลบไปแล้ว กรุณาค้นหาใหม่จากรายการ",
		"It was not found. It may have been deleted. Please look for it in the list.",
	},
	ConflictVersion: {
		"มีผู้อื่นแก้ไขข้อมูลนี้ไปแล้ว กรุณาตรวจสอบข้อมูลล่าสุดก่อนบันทึกอีกครั้ง",
		"Another user changed this record. Check the current values before saving again.",
	},
	SlotFull: {
		"ช่วงเวลานี้เต็มแล้ว กรุณาเลือกเวลาอื่น หรือลงชื่อรอคิวว่าง",
		"This slot is full. Choose another time, or put the patient on the waiting list.",
	},
	SlotClosed: {
		"งดให้บริการในเวลานี้ กรุณาเลือกวันหรือเวลาอื่น", "Closed at this time. Choose another day or time.",
	},
	SlotPast: {"เวลานี้ผ่านไปแล้ว กรุณาเลือกเวลาอื่น", "This time has passed. Choose a later one."},
	OutOfSchedule: {
		"บริการนี้ไม่เปิดในวันและเวลาที่เลือก กรุณาเลือกจากช่วงเวลาที่เปิด",
		"The service is not open at that time. Choose one of its slots.",
	},
	OutOfWindow: {"วันนี้ยังไม่เปิดให้จอง กรุณาเลือกวันอื่น", "That day is not open for booking. Choose another."},
	PatientDoubleBooked: {
		"ผู้ป่วยมีนัดอื่นในเวลาที่ซ้อนกัน กรุณาเลือกเวลาอื่น หรือเลื่อนนัดเดิมก่อน",
		"The patient has another appointment at that time. Choose another time, or move the other one first.",
	},
	TooManyActive: {
		"ผู้ป่วยมีนัดที่จะถึงครบจำนวนที่กำหนดแล้ว กรุณายกเลิกนัดเดิมหรือรอให้ผ่านไปก่อน",
		"The patient has as many coming appointments as are allowed. Cancel one, or wait until one has passed.",
	},
	InvalidTransition: {
		"เปลี่ยนเป็นสถานะนี้ไม่ได้ กรุณาเลือกจากสถานะที่ทำได้",
		"The status cannot change to this one. Choose one that is allowed.",
	},
	CapacityBelowBooked: {
		"มีผู้จองแล้วมากกว่าจำนวนนี้ กรุณายืนยันหากไม่รับเพิ่ม ผู้ที่จองไว้แล้วยังอยู่",
		"More are booked than that. Confirm to take no more; those who are booked stay.",
	},
	Duplicate: {
		"มีข้อมูลนี้ในระบบแล้ว กรุณาตรวจสอบหรือใช้ข้อมูลเดิม",
		"This already exists. Please check it, or use the existing one.",
	},
	PossibleDuplicate: {
		"มีผู้ป่วยชื่อและวันเกิดเดียวกันอยู่แล้ว กรุณาตรวจสอบก่อนลงทะเบียนซ้ำ",
		"There is a patient with the same name and birth date. Please check before registering again.",
	},
	InUse: {
		"ข้อมูลนี้ยังใช้อยู่ จึงลบไม่ได้ กรุณาเลิกใช้ก่อน",
		"It is still in use, so it cannot be deleted. Stop using it first.",
	},
	LastAdmin: {
		"ต้องมีผู้ใช้งานที่ใช้งานได้และมีครบทุกสิทธิ์อย่างน้อยหนึ่งคน กรุณาให้บทบาทผู้ดูแลระบบแก่ผู้อื่นก่อน",
		"There must be at least one active user who holds every permission. " +
			"Make another user an administrator first.",
	},
	TooLarge: {
		"ข้อมูลที่ส่งมามีขนาดใหญ่เกินกำหนด กรุณาลดขนาดแล้วส่งอีกครั้ง",
		"What was sent is too large. Make it smaller and send it again.",
	},
	FileTypeNotAllowed: {
		"ไม่รองรับไฟล์ชนิดนี้ กรุณาใช้ไฟล์ชนิดอื่น",
		"This type of file is not allowed. Please use another.",
	},
	ValidationFailed: {"ข้อมูลไม่ถูกต้อง กรุณาตรวจสอบช่องที่ระบุ", "Some fields are not correct. Please check them."},
	TooManyAttempts: {
		"ลองหลายครั้งเกินไป กรุณารอสักครู่แล้วลองอีกครั้ง",
		"Too many attempts. Please wait a while and try again.",
	},
	Internal: {
		"ระบบขัดข้อง กรุณาลองอีกครั้ง หากยังไม่ได้ กรุณาแจ้งรหัสอ้างอิงแก่ผู้ดูแลระบบ",
		"Something went wrong. Please try again. If the problem persists, give the reference to an administrator.",
	},
	Unavailable: {
		"ระบบยังไม่พร้อมใช้งาน กรุณารอสักครู่แล้วลองอีกครั้ง",
		"The service is not available right now. Please try again in a moment.",
	},
}

// Checker collects the invalid fields of a record, so that all are reported at once.
type Checker struct{ fields []FieldError }

// Require adds an error for the field unless ok.
func (c *Checker) Require(ok bool, field, th, en string) {
	if !ok {
		c.fields = append(c.fields, FieldError{field, Text{th, en}})
	}
}

// Text validates a single line: not blank if required, at most maxRunes characters, no line breaks and no
// control characters, which PostgreSQL and exports cannot hold.
func (c *Checker) Text(value, field string, required bool, maxRunes int) {
	if strings.ContainsAny(value, "\n\r\u2028\u2029") {
		c.Require(false, field, "ต้องอยู่ในบรรทัดเดียว", "Must be on one line.")
		return
	}
	c.Lines(value, field, required, maxRunes)
}

// Lines is Text for values that may have several lines.
func (c *Checker) Lines(value, field string, required bool, maxRunes int) {
	switch {
	case required && NameKey(value) == "":
		c.Require(false, field, "กรุณากรอกข้อมูล", "Please fill this in.")
	case len([]rune(value)) > maxRunes:
		c.Require(false, field, fmt.Sprintf("ยาวได้ไม่เกิน %d ตัวอักษร", maxRunes),
			fmt.Sprintf("At most %d characters.", maxRunes))
	case hasControl(value):
		c.Require(false, field, "มีอักขระที่ใช้ไม่ได้ กรุณาพิมพ์ใหม่",
			"Contains characters that cannot be used. Please type it again.")
	}
}

// hasControl reports whether s contains control characters or bidirectional controls, with which one name can
// be made to look like another.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r == 0xfffd || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069
	})
}

// Err returns VALIDATION_FAILED with the collected fields, or nil.
func (c *Checker) Err() error {
	if len(c.fields) == 0 {
		return nil
	}
	e := Reject(ValidationFailed)
	e.Fields = c.fields
	sort.SliceStable(e.Fields, func(i, j int) bool { return e.Fields[i].Field < e.Fields[j].Field })
	return e
}
