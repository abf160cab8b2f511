package hospital

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestNumberFormats(t *testing.T) {
	t.Parallel()
	// Still the old year in UTC, already the new one in Bangkok.
	newYear := time.Date(2026, 12, 31, 17, 30, 0, 0, time.UTC)
	for f, want := range map[NumberFormat][2]string{
		"{SEQ:7}":                {"0000042", "#"},
		"HN{YY}{SEQ:6}":          {"HN70000042", "HN70#"},
		"{SEQ:5}/{YYYY}":         {"00042/2570", "#/2570"},
		"{YYYY}{MM}{DD}-{SEQ:3}": {"25700101-042", "25700101-#"},
		"{SEQ:1}":                {"42", "#"},
	} {
		if _, ok := f.Check(); !ok {
			t.Errorf("%s is refused", f)
		}
		if got := f.Format(newYear, 42); got != want[0] || f.Series(newYear) != want[1] {
			t.Errorf("%s: %q in series %q, want %q in %q", f, got, f.Series(newYear), want[0], want[1])
		}
	}
	for _, f := range []NumberFormat{
		"", "HN", "{YY}", "{SEQ}", "{SEQ:0}", "{SEQ:13}", "{SEQ:x}", "{SEQ:3}{SEQ:3}", "{HN}{SEQ:5}", "{SEQ:5", "ก{SEQ:5}",
		"a b{SEQ:5}", "{SEQ:5}}",
	} {
		if why, ok := f.Check(); ok || why.TH == "" || why.EN == "" {
			t.Errorf("%q is accepted", f)
		}
	}
}

func TestHNKeys(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0012345": "12345", "12345": "12345", "12345/69": "1234569", "hn-000123": "HN000123", "๐๐๑๒": "12", "0": "0",
		"000": "000", "": "", "00-12": "12",
	} {
		if got := HNKey(in); got != want {
			t.Errorf("HNKey(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestKeyOfMatchesHNKey(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 16, 9, 0, 0, 0, Bangkok)
	for _, f := range []NumberFormat{
		"{SEQ:7}", "HN{YY}{SEQ:6}", "{YY}-{SEQ:4}", "0{SEQ:5}", "00A{SEQ:3}", "{SEQ:5}/{YY}", "H-{SEQ:4}-0{MM}",
		"{DD}{SEQ:1}", "{SEQ:12}",
	} {
		before, width, after := f.KeyOf(day)
		for _, n := range []int64{1, 9, 10, 999, 1000, 99_999, 1_234_567} {
			digits := strconv.FormatInt(n, 10)
			key := before + strings.Repeat("0", max(width-len(digits), 0)) + digits + after
			if want := HNKey(f.Format(day, n)); key != want {
				t.Errorf("%s, number %d: %q, want %q", f, n, key, want)
			}
		}
	}
}
