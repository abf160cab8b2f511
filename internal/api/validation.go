package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"nadmor/internal/hospital"
)

// huma has one message per validation error. Ours have two languages, so huma gets a short key with its
// argument, and translate finds the message.
func init() {
	huma.DefaultArrayNullable = false
	huma.ValidateStrictCasing = true // reject "Name" for "name"
	validation.MsgUnexpectedProperty = "unknown"
	validation.MsgExpectedRequiredProperty = "required %s"
	validation.MsgExpectedMinLength = "minLength %d"
	validation.MsgExpectedMaxLength = "maxLength %d"
	validation.MsgExpectedMinimumNumber = "minimum %v"
	validation.MsgExpectedMaximumNumber = "maximum %v"
	validation.MsgExpectedMinItems = "minItems %d"
	validation.MsgExpectedMaxItems = "maxItems %d"
	validation.MsgExpectedOneOf = "oneOf %s"
	validation.MsgExpectedString = "string"
	validation.MsgExpectedInteger = "integer"
	validation.MsgExpectedNumber = "number"
	validation.MsgExpectedBoolean = "boolean"
	validation.MsgExpectedArray = "array"
	validation.MsgExpectedObject = "object"
	validation.MsgExpectedRFC3339DateTime = "datetime"
	validation.MsgExpectedRFC3339Date = "date"
	validation.MsgExpectedArrayItemsUnique = "unique"
}

var findings = map[string]hospital.Text{
	"unknown":   {TH: "ไม่รู้จักช่องนี้", EN: "This field is not known."},
	"required":  {TH: "กรุณากรอกข้อมูล", EN: "Please fill this in."},
	"minLength": {TH: "ต้องมีอย่างน้อย %s ตัวอักษร", EN: "At least %s characters."},
	"maxLength": {TH: "ยาวได้ไม่เกิน %s ตัวอักษร", EN: "At most %s characters."},
	"minimum":   {TH: "ต้องไม่น้อยกว่า %s", EN: "Not less than %s."},
	"maximum":   {TH: "ต้องไม่เกิน %s", EN: "Not more than %s."},
	"minItems":  {TH: "ต้องมีอย่างน้อย %s รายการ", EN: "At least %s items."},
	"maxItems":  {TH: "มีได้ไม่เกิน %s รายการ", EN: "At most %s items."},
	"oneOf":     {TH: "ต้องเป็นค่าใดค่าหนึ่งใน %s", EN: "One of %s."},
	"string":    {TH: "ต้องเป็นข้อความ", EN: "This must be a text."},
	"integer":   {TH: "ต้องเป็นจำนวนเต็ม", EN: "This must be a whole number."},
	"number":    {TH: "ต้องเป็นตัวเลข", EN: "This must be a number."},
	"boolean":   {TH: "ต้องเป็นจริงหรือเท็จ", EN: "This must be true or false."},
	"array":     {TH: "ต้องเป็นรายการ", EN: "This must be a list."},
	"object":    {TH: "ต้องเป็นกลุ่มข้อมูล", EN: "This must be an object."},
	"datetime":  {TH: "ต้องเป็นวันและเวลาตามรูปแบบ RFC 3339", EN: "This must be an RFC 3339 date and time."},
	"date":      {TH: "ต้องเป็นวันที่ตามรูปแบบ ปปปป-ดด-วว (ค.ศ.)", EN: "This must be a date as YYYY-MM-DD."},
	"unique":    {TH: "มีรายการซ้ำกัน", EN: "The items must differ from each other."},
}

var anyFinding = hospital.Text{TH: "ค่าไม่ถูกต้อง", EN: "This value is not valid."}

// translate turns a validation error of huma into the field as the client sent it ("body.address.line"
// becomes "address.line") and a message.
func translate(d *huma.ErrorDetail) hospital.FieldError {
	_, field, _ := strings.Cut(d.Location, ".")
	key, arg, _ := strings.Cut(d.Message, " ")
	text, ok := findings[key]
	if !ok {
		return hospital.FieldError{Field: field, Message: anyFinding}
	}
	if key == "required" && !strings.HasSuffix(arg, " parameter is missing") { // huma's own message about a field
		field, arg = strings.TrimPrefix(field+"."+arg, "."), ""
	}
	if strings.Contains(text.TH, "%s") {
		text = hospital.Text{TH: fmt.Sprintf(text.TH, arg), EN: fmt.Sprintf(text.EN, arg)}
	}
	return hospital.FieldError{Field: field, Message: text}
}

// checkDate validates a date in the field "date".
func checkDate(date string) error {
	var c hospital.Checker
	c.Date(date, "date")
	return c.Err()
}

var (
	errNUL  = errors.New("a text contains U+0000")
	errMany = errors.New("too many values, or too deep")
)

// Limits of a request body, unless the operation is declared large. The longest other body of the app has a
// few hundred values; reporting an invalid value takes a hundred times its memory.
const maxValues, maxDepth = 10_000, 32

// isTooMuch reports whether a body has more than maxValues values or is nested too deeply.
func isTooMuch(data []byte, maxValues int) bool {
	values, depth, text := 1, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			text = !text
		case text:
			if c == '\\' {
				i++
			}
		case c == ',':
			values++
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		if values > maxValues || depth > maxDepth {
			return true
		}
	}
	return false
}

// readJSON decodes a body. It rejects U+0000, which PostgreSQL cannot store.
func readJSON(data []byte, v any) error { return readValues(data, v, maxValues) }

// largeAPI is the API of operations declared large: their bodies may have largeValues values.
type largeAPI struct{ huma.API }

// Unmarshal reads a JSON body like readJSON, with the larger limit.
func (a largeAPI) Unmarshal(contentType string, data []byte, v any) error {
	if kind, _, err := mime.ParseMediaType(contentType); err != nil || kind != "application/json" {
		return a.API.Unmarshal(contentType, data, v)
	}
	return readValues(data, v, largeValues)
}

func readValues(data []byte, v any, maxValues int) error {
	if isTooMuch(data, maxValues) {
		return errMany
	}
	for rest := data; ; {
		i := bytes.Index(rest, []byte(`\u0000`))
		if i < 0 {
			return json.Unmarshal(data, v)
		}
		// After an escaped backslash it is ordinary text.
		before := len(rest[:i]) - len(bytes.TrimRight(rest[:i], `\`))
		if before%2 == 0 {
			return errNUL
		}
		rest = rest[i+6:]
	}
}
