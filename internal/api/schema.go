package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nadmor/internal/hospital"
)

const schemaPrefix = "#/components/schemas/"

// enumOf documents a string type of package hospital as a named schema with its values, so that the client
// has one type for it.
type enumOf[T ~string] struct{}

// Schema adds the named schema once and returns a reference.
func (enumOf[T]) Schema(r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	if r.Map()[t.Name()] == nil {
		s := &huma.Schema{Type: huma.TypeString, Enum: enums[t].values}
		s.PrecomputeMessages()
		r.Map()[t.Name()] = s
	}
	return &huma.Schema{Ref: schemaPrefix + t.Name()}
}

type enum struct {
	documentedBy reflect.Type
	values       []any
}

// enums are the string types of package hospital with their values.
var enums = map[reflect.Type]enum{
	reflect.TypeFor[hospital.Permission]():        enumWith(hospital.AllPermissions),
	reflect.TypeFor[hospital.UserStatus]():        enumWith(hospital.UserStatuses),
	reflect.TypeFor[hospital.Outcome]():           enumWith(hospital.Outcomes),
	reflect.TypeFor[hospital.IDType]():            enumWith(hospital.IDTypes),
	reflect.TypeFor[hospital.Sex]():               enumWith(hospital.Sexes),
	reflect.TypeFor[hospital.BirthPrecision]():    enumWith(hospital.BirthPrecisions),
	reflect.TypeFor[hospital.Severity]():          enumWith(hospital.Severities),
	reflect.TypeFor[hospital.CustomerStatus]():    enumWith(hospital.CustomerStatuses),
	reflect.TypeFor[hospital.Relation]():          enumWith(hospital.Relations),
	reflect.TypeFor[hospital.ClosureKind]():       enumWith(hospital.ClosureKinds),
	reflect.TypeFor[hospital.AppointmentStatus](): enumWith(hospital.AppointmentStatuses),
	reflect.TypeFor[hospital.StatusGroup]():       enumWith(hospital.StatusGroups),
	reflect.TypeFor[hospital.AppointmentKind]():   enumWith(hospital.AppointmentKinds),
	reflect.TypeFor[hospital.Channel]():           enumWith(hospital.Channels),
	reflect.TypeFor[hospital.Priority]():          enumWith(hospital.Priorities),
	reflect.TypeFor[hospital.HistoryAction]():     enumWith(hospital.HistoryActions),
	reflect.TypeFor[hospital.LoadState]():         enumWith(hospital.LoadStates),
	reflect.TypeFor[hospital.SlotState]():         enumWith(hospital.SlotStates),
	reflect.TypeFor[hospital.EventKind]():         enumWith(hospital.EventKinds),
	reflect.TypeFor[hospital.ReminderChannel]():   enumWith(hospital.ReminderChannels),
	reflect.TypeFor[hospital.ResultType]():        enumWith(hospital.ResultTypes),
}

func enumWith[T ~string](values []T) enum {
	e := enum{documentedBy: reflect.TypeFor[enumOf[T]]()}
	for _, v := range values {
		e.values = append(e.values, string(v))
	}
	return e
}

func registerEnums(r huma.Registry) {
	for t, e := range enums {
		r.RegisterTypeAlias(t, e.documentedBy)
	}
}

// documentNulls makes pointers to records nullable in the document. huma supports this for simple types only.
func documentNulls(r huma.Registry) {
	for name, s := range r.Map() {
		t := r.TypeFromRef(schemaPrefix + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[tag]
			if p != nil && p.Ref != "" && f.Type.Kind() == reflect.Pointer && !strings.Contains(options, "omitempty") {
				s.Properties[tag] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}}
			}
		}
	}
}
