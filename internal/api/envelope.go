package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/text/language"

	"nadmor/internal/hospital"
)

// envelope is the shape of every successful answer.
type envelope[T any] struct {
	Success bool   `json:"success" enum:"true"`
	Data    T      `json:"data"`
	first   string // stored response of a repeated request; sent instead of Data, see writeJSON
}

type reply[T any] struct{ Body envelope[T] }

// null is the data of an operation that has nothing to tell.
type null struct{}

// MarshalJSON writes null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// Schema documents null.
func (null) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: "null"} }

// failure is the shape of every refusal.
type failure struct {
	Success bool        `json:"success" enum:"false"`
	Error_  failureBody `json:"error"` // Error is the method below
	status  int
}

type failureBody struct {
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Fields    []fieldMessage `json:"fields,omitempty"`
	Details   map[string]any `json:"details,omitempty"`
	RequestID string         `json:"requestId"`
}

type fieldMessage struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error makes a failure what huma calls a StatusError.
func (f *failure) Error() string { return f.Error_.Code }

// GetStatus is the HTTP status it is sent with.
func (f *failure) GetStatus() int { return f.status }

// statusOf is the one table from codes to HTTP statuses.
var statusOf = map[hospital.Code]int{
	hospital.BadRequest:             http.StatusBadRequest,
	hospital.Unauthenticated:        http.StatusUnauthorized,
	hospital.TokenExpired:           http.StatusUnauthorized,
	hospital.InvalidCredentials:     http.StatusUnauthorized,
	hospital.OTPRequired:            http.StatusUnauthorized,
	hospital.Forbidden:              http.StatusForbidden,
	hospital.AccountPending:         http.StatusForbidden,
	hospital.AccountSuspended:       http.StatusForbidden,
	hospital.PasswordChangeRequired: http.StatusForbidden,
	hospital.NotFound:               http.StatusNotFound,
	hospital.ConflictVersion:        http.StatusConflict,
	hospital.SlotFull:               http.StatusConflict,
	hospital.SlotClosed:             http.StatusConflict,
	hospital.SlotPast:               http.StatusConflict,
	hospital.OutOfSchedule:          http.StatusConflict,
	hospital.OutOfWindow:            http.StatusConflict,
	hospital.PatientDoubleBooked:    http.StatusConflict,
	hospital.TooManyActive:          http.StatusConflict,
	hospital.InvalidTransition:      http.StatusConflict,
	hospital.CapacityBelowBooked:    http.StatusConflict,
	hospital.Duplicate:              http.StatusConflict,
	hospital.PossibleDuplicate:      http.StatusConflict,
	hospital.InUse:                  http.StatusConflict,
	hospital.LastAdmin:              http.StatusConflict,
	hospital.TooLarge:               http.StatusRequestEntityTooLarge,
	hospital.FileTypeNotAllowed:     http.StatusUnsupportedMediaType,
	hospital.ValidationFailed:       http.StatusUnprocessableEntity,
	hospital.TooManyAttempts:        http.StatusTooManyRequests,
	hospital.Internal:               http.StatusInternalServerError,
	hospital.Unavailable:            http.StatusServiceUnavailable,
}

// retryAfter is how many seconds later it may be worth to ask again.
const retryAfter = "2"

// codeFor is what a status means when huma itself refuses a request.
func codeFor(status int) hospital.Code {
	switch status {
	case http.StatusUnprocessableEntity:
		return hospital.ValidationFailed
	case http.StatusRequestEntityTooLarge:
		return hospital.TooLarge
	case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusRequestTimeout, http.StatusNotAcceptable:
		return hospital.BadRequest
	default:
		return hospital.Internal
	}
}

// fail turns an error into the answer, in the language of the caller. What is
// not ours is INTERNAL, with the cause in the log and not in the answer.
func (s *Server) fail(ctx context.Context, lang hospital.Lang, err error) *failure {
	var e *hospital.Error
	if !errors.As(err, &e) {
		e = hospital.Refuse(hospital.Internal)
	}
	if e.Code == hospital.Internal || e.Code == hospital.Unavailable {
		level := slog.LevelError
		switch {
		case errors.Is(ctx.Err(), context.Canceled): // the caller went away
			level = slog.LevelDebug
		case e.Details["reason"] == tooManyReason: // nothing is broken
			level = slog.LevelWarn
		}
		s.Log.Log(ctx, level, "request failed", "request_id", requestID(ctx), "code", e.Code, "error", err.Error())
	}
	s.metrics.refused(e.Code)
	f := &failure{status: statusOf[e.Code], Error_: failureBody{
		Code: string(e.Code), Message: e.Message.In(lang), Details: e.Details, RequestID: requestID(ctx),
	}}
	for _, fe := range e.Fields {
		f.Error_.Fields = append(f.Error_.Fields, fieldMessage{fe.Field, fe.Message.In(lang)})
	}
	return f
}

// writeError answers with err from anywhere inside huma.
func (s *Server) writeError(ctx huma.Context, err error) {
	_ = huma.WriteErr(s.huma, ctx, http.StatusInternalServerError, "", err)
}

// newError is where everything that huma refuses, and every error a handler
// returns, becomes our envelope. Values that were sent are never repeated: they
// may be a patient's.
func (s *Server) newError(ctx huma.Context, status int, _ string, errs ...error) huma.StatusError {
	err := errors.Join(errs...)
	var ours *hospital.Error
	switch {
	case errors.As(err, &ours), status == http.StatusInternalServerError:
	default:
		ours = hospital.Refuse(codeFor(status))
		if ours.Code == hospital.ValidationFailed {
			ours.Fields = fieldErrors(errs)
		}
		if ours.Code == hospital.TooLarge {
			ours.With("maxBytes", ctx.Operation().MaxBodyBytes)
		}
		err = ours
	}
	switch {
	case ours == nil:
	case ours.Details["retryAfter"] != nil:
		ctx.SetHeader("Retry-After", fmt.Sprint(ours.Details["retryAfter"]))
	case ours.Code == hospital.Unavailable:
		ctx.SetHeader("Retry-After", retryAfter)
	}
	return s.fail(ctx.Context(), langOf(ctx.Header("Accept-Language")), err)
}

// fieldErrors turns huma's findings and ours into one list, one message a
// field, in a stable order.
func fieldErrors(errs []error) []hospital.FieldError {
	var list []hospital.FieldError
	for _, err := range errs {
		var ours *fieldError
		if errors.As(err, &ours) {
			list = append(list, hospital.FieldError(*ours))
			continue
		}
		var d *huma.ErrorDetail
		if errors.As(err, &d) {
			list = append(list, translate(d))
		}
	}
	slices.SortStableFunc(list, func(a, b hospital.FieldError) int { return strings.Compare(a.Field, b.Field) })
	list = slices.CompactFunc(list, func(a, b hospital.FieldError) bool { return a.Field == b.Field })
	return list[:min(len(list), maxFields)]
}

// maxFields is how many wrong fields are told: nobody mends more at a time.
const maxFields = 200

// fieldError carries a finding of Validate through huma to fieldErrors.
type fieldError hospital.FieldError

func (e *fieldError) Error() string { return e.Field }

// body is the input of an operation that takes JSON. Rules of the hospital are
// checked together with the types, so that every wrong field is told at once.
type body[T any] struct{ Body T }

// Resolve runs the rules of the type: Validate, or ValidateOn for those that
// depend on the day.
func (b *body[T]) Resolve(ctx huma.Context) []error {
	var found error
	switch v := any(b.Body).(type) {
	case interface{ Validate() error }:
		found = v.Validate()
	case interface{ ValidateOn(today string) error }:
		found = v.ValidateOn(serverOf(ctx).DB.Today())
	}
	var e *hospital.Error
	if !errors.As(found, &e) {
		return nil
	}
	errs := make([]error, len(e.Fields))
	for i := range e.Fields {
		f := fieldError(e.Fields[i])
		errs[i] = &f
	}
	return errs
}

// langOf reads Accept-Language: English only for those who ask for it first.
func langOf(header string) hospital.Lang {
	tags, _, err := language.ParseAcceptLanguage(header)
	if err == nil && len(tags) > 0 {
		if base, _ := tags[0].Base(); base.String() == "en" {
			return hospital.English
		}
	}
	return hospital.Thai
}
