package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// values generates values of a schema, mostly valid ones.
type values struct {
	*rand.Rand
	wrong float64 // fraction of invalid parts
}

// texts are values of text fields: Thai with unusual marks, markup, formulas, SQL, terminators, and long
// texts.
var texts = []string{
	"สมชาย", "น้ำใจ", "กาญจนา ณ อยุธยา", "ที่ปรึกษา", "เเละ", "ก็็็็็", "ํา", "a", "", " ", "0", "-1", "null", "true",
	"NaN",
	"<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "=1+1", "@SUM(A1)", "+66812345678", "' OR '1'='1",
	"'; DROP TABLE patients; --", `\`, `"`, "%", "_", "%%%", "*", "\u0000", "\r\n", "\u202e", "\ufeff",
	"👩‍⚕️", "e\u0301", "\U0010ffff", "../../etc/passwd", "${jndi:ldap://x}", "{{7*7}}", "1e400", "2569-11-15",
	"0001-01-01", "9999-12-31", "2024-02-29", "24:00", "99:99", "08:30", "ADMIN", "BOOKED",
	"1101700230708", "0812345678", "a@b.co", "https://example.test/", "javascript:alert(1)", "#0f766e",
}

var numbers = []float64{
	0, 1, 2, 3, 5, 10, 50, -1, 0.5, 1e3, 1e6, math.MaxInt32, math.MaxInt32 + 1, 1 << 53, 1e18, 1e300, -1e18,
}

// any is a value of any type.
func (v values) any(depth int) any {
	switch v.IntN(8) {
	case 0:
		return nil
	case 1:
		return v.IntN(2) == 0
	case 2, 3:
		return numbers[v.IntN(len(numbers))]
	case 4:
		if depth > 3 {
			return []any{}
		}
		list := make([]any, v.IntN(4))
		for i := range list {
			list[i] = v.any(depth + 1)
		}
		return list
	case 5:
		if depth > 3 {
			return map[string]any{}
		}
		return map[string]any{texts[v.IntN(len(texts))]: v.any(depth + 1)}
	default:
		return v.text(nil)
	}
}

// of is a value of a schema.
func (v values) of(s *openapi3.Schema, depth int) any {
	if s == nil || depth > 12 || v.Float64() < v.wrong {
		return v.any(depth)
	}
	if len(s.Enum) > 0 {
		return s.Enum[v.IntN(len(s.Enum))]
	}
	for _, choice := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(choice) > 0 {
			return v.of(choice[v.IntN(len(choice))].Value, depth+1)
		}
	}
	if s.Type == nil {
		return v.any(depth)
	}
	types := s.Type.Slice()
	if len(types) == 0 {
		return v.any(depth)
	}
	switch types[v.IntN(len(types))] {
	case "object":
		return v.object(s, depth)
	case "array":
		n := v.IntN(4)
		if v.Float64() < v.wrong/4 {
			n = 1000
		}
		list := make([]any, n)
		for i := range list {
			if s.Items != nil {
				list[i] = v.of(s.Items.Value, depth+1)
			}
		}
		return list
	case "integer":
		return v.integer(s)
	case "number":
		return numbers[v.IntN(len(numbers))]
	case "boolean":
		return v.IntN(2) == 0
	case "null":
		return nil
	default:
		return v.text(s)
	}
}

func (v values) object(s *openapi3.Schema, depth int) any {
	o := map[string]any{}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names) // the same values for the same seed
	for _, name := range names {
		needed := slices.Contains(s.Required, name)
		if needed && v.Float64() < v.wrong || !needed && v.IntN(2) == 0 {
			continue
		}
		o[name] = v.named(name, s.Properties[name].Value, depth+1)
	}
	if s.AdditionalProperties.Schema != nil {
		for range v.IntN(3) {
			o[v.text(nil)] = v.of(s.AdditionalProperties.Schema.Value, depth+1)
		}
	}
	if v.Float64() < v.wrong {
		o[v.text(nil)] = v.any(depth)
	}
	return o
}

// named makes what a field of the name usually holds, so that requests get
// behind the first check.
func (v values) named(name string, s *openapi3.Schema, depth int) any {
	if v.Float64() < v.wrong || s == nil || s.Type == nil {
		return v.of(s, depth)
	}
	lower := strings.ToLower(name)
	switch {
	case s.Type.Is("string") && strings.Contains(lower, "date"):
		return time.Now().AddDate(0, 0, v.IntN(120)-60).Format(time.DateOnly)
	case s.Type.Is("string") && strings.Contains(lower, "time"):
		return fmt.Sprintf("%02d:%02d", 8+v.IntN(8), v.IntN(4)*15)
	case s.Type.Is("integer") && strings.HasSuffix(lower, "id"):
		return 1 + v.IntN(60)
	}
	return v.of(s, depth)
}

func (v values) integer(s *openapi3.Schema) any {
	low, high := -5.0, 100.0
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = min(*s.Max, low+1000)
	}
	if v.Float64() < v.wrong || high < low {
		return numbers[v.IntN(len(numbers))]
	}
	return int64(low) + v.Int64N(int64(high-low)+1)
}

func (v values) text(s *openapi3.Schema) string {
	t := texts[v.IntN(len(texts))]
	switch {
	case v.Float64() < v.wrong/10:
		return strings.Repeat(t+"ก", 20_000)
	case v.IntN(8) == 0:
		return t + texts[v.IntN(len(texts))]
	case s != nil && s.MaxLength != nil && v.IntN(10) == 0:
		return strings.Repeat("ก", int(min(*s.MaxLength, 5000))+v.IntN(2))
	}
	return t
}
