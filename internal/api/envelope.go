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

// envelope is the body of a successful response.
type envelope[T any] struct {
	Success bool   `json:"success" enum:"true"`
	Data    T      `json:"data"`
	first   string // stored response of a repeated request; sent instead of Data, see writeJSON
}

type reply[T any] struct{ Body envelope[T] }

// null is the data of an operation without a result.
type null struct{}

// MarshalJSON writes null.
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// Schema documents null.
func (null) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: "null"} }

// failure is the body of an error response.
type failure struct {
	Success bool        `json:"success" enum:"false"`
	Error_  failureBody `json:"error"` // Error is a method
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

// Error implements huma.StatusError.
func (f *failure) Error() string { return f.Error_.Code }

// GetStatus returns the HTTP status.
func (f *failure) GetStatus() int { return f.status }

// statusOf maps error codes to HTTP statuses.
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

// retryAfter is the Retry-After header in seconds.
const retryAfter = "2"

// codeFor returns the error code of an error status set by huma.
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

// fail turns an error into a response in the caller's language. An error that is not a hospital.Error becomes
// INTERNAL, and its text is logged but not sent.
func (s *Server) fail(ctx context.Context, lang hospital.Lang, err error) *failure {
	var e *hospital.Error
	if !errors.As(err, &e) {
		e = hospital.Reject(hospital.Internal)
	}
	if e.Code == hospital.Internal || e.Code == hospital.Unavailable {
		level := slog.LevelError
		switch {
		case errors.Is(ctx.Err(), context.Canceled): // the client disconnected
			level = slog.LevelDebug
		case e.Details["reason"] == tooManyReason: // expected under load
			level = slog.LevelWarn
		}
		s.Log.Log(ctx, level, "request failed", "request_id", requestID(ctx), "code", e.Code, "error", err.Error())
	}
	s.metrics.countRejected(e.Code)
	f := &failure{status: statusOf[e.Code], Error_: failureBody{
		Code: string(e.Code), Message: e.Message.In(lang), Details: e.Details, RequestID: requestID(ctx),
	}}
	for _, fe := range e.Fields {
		f.Error_.Fields = append(f.Error_.Fields, fieldMessage{fe.Field, fe.Message.In(lang)})
	}
	return f
}

// writeError writes err as an error envelope from inside huma.
func (s *Server) writeError(ctx huma.Context, err error) {
	_ = huma.WriteErr(s.huma, ctx, http.StatusInternalServerError, "", err)
}

// newError turns all errors of huma and of handlers into our envelope. Submitted values are not repeated,
// because they can be personal data.
func (s *Server) newError(ctx huma.Context, status int, _ string, errs ...error) huma.StatusError {
	err := errors.Join(errs...)
	var ours *hospital.Error
	switch {
	case errors.As(err, &ours), status == http.StatusInternalServerError:
	default:
		ours = hospital.Reject(codeFor(status))
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

// fieldErrors merges the field errors of huma and ours, one message a field, sorted by field.
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

// maxFields is the maximum number of reported fields.
const maxFields = 200

// fieldError carries a field error of Validate through huma to fieldErrors.
type fieldError hospital.FieldError

func (e *fieldError) Error() string { return e.Field }

// body is the input of an operation with a JSON body. Validate runs together with huma's type checks, so that
// every invalid field is reported at once.
type body[T any] struct{ Body T }

// Resolve calls Validate, or ValidateOn if the rules depend on the date.
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

// langOf returns the preferred language of an Accept-Language header. The default is Thai.
func langOf(header string) hospital.Lang {
	tags, _, err := language.ParseAcceptLanguage(header)
	if err == nil && len(tags) > 0 {
		if base, _ := tags[0].Base(); base.String() == "en" {
			return hospital.English
		}
	}
	return hospital.Thai
}
