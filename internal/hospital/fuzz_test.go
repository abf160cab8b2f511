package hospital

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func FuzzCalendar(f *testing.F) {
	for _, s := range []string{
		"2026-11-15", "2024-02-29", "2569-11-15", "0001-01-01", "9999-12-31", "1900-02-29", "08:30", "24:00", "24:01",
		"๐๘:๓๐", "2026-1-5", "",
	} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		if c, ok := ParseClock(s); ok && c.String() != s {
			t.Errorf("%q is read as %s", s, c)
		}
		known, err := time.Parse(time.DateOnly, s)
		if in := err == nil && known.Year() >= 1800 && known.Year() < 2400; in != (dateFault(s) == nil) {
			t.Fatalf("%q: %v, %v", s, err, dateFault(s))
		}
		if err != nil {
			return
		}
		if WeekdayOf(s) != int(known.Weekday()) {
			t.Errorf("%s is day %d of the week, not %s", s, WeekdayOf(s), known.Weekday())
		}
		n %= 4000
		moved := AddDays(s, n)
		if len(moved) == len(s) && moved > "0000" && DaysBetween(s, moved) != n {
			t.Errorf("%d days from %s to %s, not %d", DaysBetween(s, moved), s, moved, n)
		}
		if first, last := MonthOf(s); s < first || s > last || !strings.HasPrefix(last, s[:7]) {
			t.Errorf("%s is not in its month %s to %s", s, first, last)
		}
		if ThaiDate(s) == "" {
			t.Errorf("%s cannot be written", s)
		}
	})
}

func FuzzIDCard(f *testing.F) {
	for _, s := range []string{
		"1101700230708", "1-1017-00230-70-8", "๑๑๐๑๗๐๐๒๓๐๗๐๘", "0000000000000", "", "110170023070", "x101700230708",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		masked := IDCard(s).Mask()
		if !IsIDCard(s) {
			return
		}
		if !strings.Contains(masked, "-xxxxx-") || strings.Contains(masked, s[5:10]) {
			t.Errorf("%s is shown as %s", s, masked)
		}
		// Every single wrong digit is detected.
		for i := range s {
			wrong := []byte(s)
			wrong[i] = '0' + (wrong[i]-'0'+1)%10
			if i < 12 && IsIDCard(string(wrong)) && (11-weight(s))%10 != (11-weight(string(wrong)))%10 {
				t.Errorf("%s passes for %s", wrong, s)
			}
		}
	})
}

// weight returns the sum from which the check digit is computed. 0 and 10, and 1 and 11, give the same digit.
func weight(s string) (sum int) {
	for i := range 12 {
		sum += int(s[i]-'0') * (13 - i)
	}
	return sum % 11
}

func FuzzNumberFormat(f *testing.F) {
	for _, s := range []string{
		"HN{YY}{SEQ:6}", "A{YY}{MM}-{SEQ:5}", "{SEQ:1}", "{YYYY}/{DD}{SEQ:12}", "{SEQ:0}", "{{SEQ:3}}", "{SEQ:3}{SEQ:3}",
		"}{", "เลข{SEQ:3}", "0{SEQ:4}0",
	} {
		f.Add(s, int64(7))
	}
	day := time.Date(2026, 11, 15, 9, 0, 0, 0, Bangkok)
	f.Fuzz(func(t *testing.T, s string, n int64) {
		format := NumberFormat(s)
		if _, ok := format.Check(); !ok {
			return
		}
		if n < 0 {
			n = -(n + 1)
		}
		n %= 1e12
		this, next := format.Format(day, n), format.Format(day, n+1)
		if this == next || strings.ContainsAny(this, "{}#") || !utf8.ValidString(this) {
			t.Errorf("%s gives %q and then %q", s, this, next)
		}
		before, _, after := format.KeyOf(day)
		if key := HNKey(this); !strings.HasSuffix(key, after) || len(key) < len(before)+len(after) && n > 0 {
			t.Errorf("%s: %q does not stand between %q and %q", s, key, before, after)
		}
		if HNKey(HNKey(this)) != HNKey(this) {
			t.Errorf("the key of a key of %q is another", this)
		}
	})
}

func FuzzSplitPrename(f *testing.F) {
	for _, s := range []string{
		"นายสมชาย ใจดี", "นางฟ้า", "ด.ช.ก้อง", "นายิกา", "นาย", "พญ. อร", "Mr.John", "\xff", "นายนายนาย",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		prename, rest, _ := SplitPrename(s)
		whole := CleanText(s)
		if !strings.HasPrefix(whole, prename) || !strings.HasSuffix(whole, rest) {
			t.Errorf("%q is cut into %q and %q", s, prename, rest)
		}
		if prename == "" && rest != whole {
			t.Errorf("%q loses something: %q", s, rest)
		}
	})
}

func FuzzFileName(f *testing.F) {
	for _, s := range []string{
		"ผลเลือด.pdf", "../../etc/passwd", `C:\x\y.PDF`, "a\r\nb.pdf", "", ".", "..", "x.pdf.exe", strings.Repeat("ก", 500),
		"\u202ecod.exe", "a\x00b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := FileName(s, "application/pdf")
		if !strings.HasSuffix(strings.ToLower(name), ".pdf") || strings.ContainsAny(name, "/\\\r\n\x00") ||
			!utf8.ValidString(name) || utf8.RuneCountInString(name) > 130 {
			t.Errorf("%q is called %q", s, name)
		}
		if again := FileName(name, "application/pdf"); again != name {
			t.Errorf("%q is called %q and then %q", s, name, again)
		}
	})
}
