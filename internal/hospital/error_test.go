package hospital

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestErrorMessages(t *testing.T) {
	t.Parallel()
	codes := constantsOf(t, "error.go", "Code")
	seen := map[string]bool{}
	form := regexp.MustCompile(`^[A-Z]+(_[A-Z]+)*$`)
	for _, code := range codes {
		if seen[code] || !form.MatchString(code) {
			t.Errorf("code %q is used twice or not in the usual form", code)
		}
		seen[code] = true
		checkText(t, code, Reject(Code(code)).Message)
	}
	if len(sentences) != len(codes) {
		t.Errorf("%d sentences for %d codes", len(sentences), len(codes))
	}
}

func TestErrorsAreComparedByCode(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("read user 7: %w", Reject(NotFound).Because("ไม่พบผู้ใช้", "No such user").With("id", 7))
	if !errors.Is(err, Reject(NotFound)) {
		t.Error("a wrapped NOT_FOUND is not NOT_FOUND")
	}
	if errors.Is(err, Reject(Forbidden)) || errors.Is(errors.New("NOT_FOUND"), Reject(NotFound)) {
		t.Error("another error is NOT_FOUND")
	}
	for name, c := range map[string]struct {
		err  error
		want Code
	}{
		"a refusal has its own code": {Reject(InUse), InUse},
		"a wrapped one too":          {err, NotFound},
		"among several the first refusal counts": {
			errors.Join(errors.New("x"), Reject(OTPRequired), Reject(InUse)), OTPRequired,
		},
		"an error that is not ours is INTERNAL":    {errors.New("disk full"), Internal},
		"so is the absence of an error, by itself": {nil, Internal},
	} {
		if got := CodeOf(c.err); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// The text of an error is logged, so it must not contain submitted values.
func TestErrorText(t *testing.T) {
	t.Parallel()
	var c Checker
	c.Text("ความลับ\x00ของผู้ป่วย", "note", true, 100)
	c.Password("รหัสลับ", "password", "somchai")
	if got, want := c.Err().Error(), "VALIDATION_FAILED (note, password)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Reject(Forbidden).With("secret", "x").Error(); got != "FORBIDDEN" {
		t.Errorf("got %q", got)
	}
}

func TestErrorsAreNotShared(t *testing.T) {
	t.Parallel()
	a := Reject(Duplicate).On("username", "มีแล้ว", "taken").With("n", 1).Because("ก", "a")
	if d := cmp.Diff(&Error{Code: Duplicate, Message: sentences[Duplicate]}, Reject(Duplicate)); d != "" {
		t.Errorf("a later refusal is changed by an earlier one:\n%s", d)
	}
	want := &Error{Duplicate, Text{"ก", "a"}, []FieldError{{"username", Text{"มีแล้ว", "taken"}}}, map[string]any{"n": 1}}
	if d := cmp.Diff(want, a); d != "" {
		t.Error(d)
	}
}

func TestCheckerWithoutErrors(t *testing.T) {
	t.Parallel()
	var c Checker
	c.Require(true, "name", "ผิด", "wrong")
	// A typed nil would not equal nil.
	if err := c.Err(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestCheckerFieldOrder(t *testing.T) {
	t.Parallel()
	var c Checker
	c.Require(false, "b", "สอง", "second")
	c.Require(false, "a", "หนึ่ง", "first")
	c.Require(false, "b", "สาม", "third")
	var e *Error
	if !errors.As(c.Err(), &e) {
		t.Fatal("no error")
	}
	want := []FieldError{{"a", Text{"หนึ่ง", "first"}}, {"b", Text{"สอง", "second"}}, {"b", Text{"สาม", "third"}}}
	if d := cmp.Diff(want, e.Fields); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(sentences[ValidationFailed], e.Message); d != "" {
		t.Error(d)
	}
}

func TestCheckerText(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		value    string
		required bool
		ok       bool
	}{
		"a Thai name is accepted":                        {"สมหญิง", true, true},
		"nothing is accepted where nothing is required":  {"", false, true},
		"nothing is refused where something is required": {"", true, false},
		"spaces alone are nothing":                       {" \t\u00a0\u3000", true, false},
		"invisible characters alone are nothing":         {"\u200b\u200d\ufeff", true, false},
		"ten characters fit":                             {strings.Repeat("ก", 10), true, true},
		"eleven do not":                                  {strings.Repeat("ก", 11), true, false},
		"eleven do not where nothing is required":        {strings.Repeat("ก", 11), false, false},
		"lines and tabs are text":                        {"a\r\nb\tc", true, true},
		"U+0000 is refused":                              {"a\x00b", false, false},
		"a bell is refused":                              {"a\ab", false, false},
		"an escape is refused":                           {"\x1b[31m", false, false},
		"the last control character is refused":          {"a\x1f", false, false},
		"delete is refused":                              {"a\x7f", false, false},
		"the replacement character is refused":           {"a\ufffd", false, false},
		"bytes that are no text are refused":             {"a\xff", false, false},
		"a zero-width joiner inside is kept":             {"ก\u200dข", true, true},
		"emoji are text":                                 {"🙂", true, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var check Checker
			check.Lines(c.value, "note", c.required, 10)
			wrong := []string{"note"}
			if c.ok {
				wrong = nil
			}
			wantFields(t, check.Err(), wrong)
			if !strings.ContainsAny(c.value, "\r\n") {
				check = Checker{}
				check.Text(c.value, "note", c.required, 10)
				wantFields(t, check.Err(), wrong)
			}
		})
	}
}

func TestCheckerSingleLine(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"a\nb", "a\r\nb", "a\rb", "a\n", "\u2028a", "a\u2029b"} {
		var check Checker
		check.Text(value, "name", true, 100)
		wantFields(t, check.Err(), []string{"name"})
	}
	user := NewUser{
		Username: "somchai", Email: "s@x.example", Name: "สมชาย\nใจดี", Position: "แพทย์\nเวร", RoleID: 1, Invite: true,
	}
	wantFields(t, user.Validate(), []string{"name", "position"})
}
