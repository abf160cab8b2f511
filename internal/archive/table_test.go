package archive

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Any value of a field is read back unchanged.
func TestRowRoundTrip(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []kind{numberKind, textKind, bytesKind, textKind}
	letters := []rune("aN.x0 \\\t\n\r\b\f\v\x00\x7fก้ๆ😀")
	for range 2000 {
		text := func() string {
			s := make([]rune, r.IntN(8))
			for i := range s {
				s[i] = letters[r.IntN(len(letters))]
			}
			return string(s)
		}
		want := []any{r.Int64() - r.Int64(), text(), []byte(text()), text()}
		if i := r.IntN(8); i < len(want) {
			want[i] = nil
		}
		var line []byte
		for i, v := range want {
			if i > 0 {
				line = append(line, '\t')
			}
			var err error
			if line, err = appendField(line, v); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]any, len(kinds))
		if err := readRow(line, kinds, got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q: %s", line, d)
		}
	}
	for _, wrong := range []string{
		"", "1", "1\ta\t\\\\x00", "1\ta\t\\\\x00\tb\tc", "a\ta\t\\\\x00\tb", "1\ta\t00\tb", "1\ta\t\\\\x0\tb",
		"1\t\\q\t\\\\x00\tb", "1\ta\t\\\\x00\tb\\",
	} {
		if err := readRow([]byte(wrong), kinds, make([]any, len(kinds))); err == nil {
			t.Errorf("%q is a row", wrong)
		}
	}
}
