package report

import (
	"strings"
	"testing"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
)

// box is the bounding box of a glyph in millimetres from the start of the line.
type box struct{ left, right, bottom, top float64 }

func (t *typeface) box(g glyph, size float64) box {
	e, _ := t.face.GlyphExtents(g.id)
	scale := size / float64(t.font.Upem())
	left, top := g.x+float64(e.XBearing)*scale, g.y+float64(e.YBearing)*scale
	return box{left, left + float64(e.Width)*scale, top + float64(e.Height)*scale, top}
}

func (b box) overlaps(o box) bool {
	const touch = 0.02 // tolerance at 100 mm
	return b.left < o.right-touch && o.left < b.right-touch && b.bottom < o.top-touch && o.bottom < b.top-touch
}

// unshaped sets a text without shaping, one glyph after the other.
func (t *typeface) unshaped(text string, size float64) (glyphs []glyph) {
	x := 0.0
	for _, r := range text {
		id, _ := t.font.NominalGlyph(r)
		glyphs = append(glyphs, glyph{id, x, 0})
		x += t.advance(id) * size
	}
	return glyphs
}

func TestThaiMarkPositions(t *testing.T) {
	t.Parallel()
	for _, file := range []*fontFile{regularFont(), boldFont()} {
		face := newTypeface(file)
		collide := func(glyphs []glyph, size float64) bool {
			for i, a := range glyphs {
				for _, b := range glyphs[:i] {
					if face.box(a, size).overlaps(face.box(b, size)) {
						return true
					}
				}
			}
			return false
		}
		for _, text := range []string{"ที่", "ผึ้", "ชื่", "กี๋", "สิ์", "ญุ", "ญู", "ฐุ", "ฐู", "ฎุ", "ฏุ", "ก็"} {
			l := face.shape(text, 100*millimetre)
			if collide(l.glyphs, l.size) {
				t.Errorf("%s: marks of %s lie on each other", file.name, text)
			}
		}
		// Letters with a long stem: the marks do not collide, and one at the height of the stem is moved left.
		for _, text := range []string{"ปี่", "ป้", "ฟ้", "ฝ้", "ปู่", "ปั๊", "ปิ๊"} {
			l := face.shape(text, 100*millimetre)
			stem := face.box(l.glyphs[0], l.size).right
			if collide(l.glyphs[1:], l.size) {
				t.Errorf("%s: marks of %s lie on each other", file.name, text)
			}
			if last := face.box(l.glyphs[len(l.glyphs)-1], l.size); len(l.glyphs) == 2 && last.right > stem-5 {
				t.Errorf("%s: the mark of %s ends at %.1f, on the stem at %.1f", file.name, text, last.right, stem)
			}
		}
		for _, text := range []string{"ที่", "ผึ้", "ญู", "ปิ๊"} {
			if !collide(face.unshaped(text, 100), 100) {
				t.Errorf("%s: %s needs no shaping, so the test above is meaningless", file.name, text)
			}
		}
		// The ring of ำ is above the letter and below the tone mark, composed or decomposed.
		if l := face.shape("น้ำ", 100*millimetre); collide(l.glyphs, l.size) ||
			face.box(l.glyphs[1], l.size).left > face.box(l.glyphs[0], l.size).right ||
			face.box(l.glyphs[1], l.size).top <= face.box(face.shape("นำ", 100*millimetre).glyphs[1], l.size).top {
			t.Errorf("%s: น้ำ is set as %+v", file.name, l.glyphs)
		}
		if l := face.shape("ก", 10); l.width <= 0 || face.shape("กก", 10).width != 2*l.width {
			t.Errorf("%s: widths do not add up", file.name)
		}
	}
}

func TestFontCoversThaiAndLatin(t *testing.T) {
	t.Parallel()
	for _, file := range []*fontFile{regularFont(), boldFont()} {
		for _, r := range "–·“”ÀÉéñöü€" {
			if _, ok := file.font.NominalGlyph(r); !ok {
				t.Errorf("%s has no %c", file.name, r)
			}
		}
		for r := rune(0x20); r < 0x7f; r++ {
			if _, ok := file.font.NominalGlyph(r); !ok {
				t.Errorf("%s has no %c", file.name, r)
			}
		}
		for r := rune(0x0e01); r <= 0x0e5b; r++ {
			if _, ok := file.font.NominalGlyph(r); !ok && (r <= 0x0e3a || r >= 0x0e3f) {
				t.Errorf("%s has no %c", file.name, r)
			}
		}
	}
}

const notice = "งดน้ำและอาหารก่อนเจาะเลือดอย่างน้อย 8 ชั่วโมง (จิบน้ำเปล่าได้) " +
	"กรุณานำบัตรประจำตัวประชาชนและสมุดประจำตัวผู้ป่วยเบาหวานมาด้วยทุกครั้ง " +
	"ยื่นใบนัดที่จุดลงทะเบียนก่อนเวลานัด 30 นาที หากต้องการเลื่อนนัดกรุณาติดต่อ 053-123456 ต่อ 1234 หรือ " +
	"appointment-center@srinakhon-hospital.example.go.th ญาติผู้ใหญ่กตัญญู ฐานะ ฟิล์มเอกซเรย์ เพื่อนที่เป็นเบาหวาน"

func TestLineWidthAndClusters(t *testing.T) {
	t.Parallel()
	face := newTypeface(regularFont())
	without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	for width := 12.0; width < 140; width += 1.7 {
		var all strings.Builder
		for _, l := range face.lines(notice, 11, width) {
			if l.width > width {
				t.Errorf("%.1f mm: %q is %.1f mm wide", width, l.text, l.width)
			}
			all.WriteString(l.text)
			runes := []rune(l.text)
			if first := runes[0]; isMark(first) || strings.ContainsRune("ะาำๅๆฯ ,.)", first) {
				t.Errorf("%.1f mm: a line begins with %q", width, l.text)
			}
			if last := runes[len(runes)-1]; isLeadingVowel(last) || last == '(' || last == ' ' || last == '\u0e31' {
				t.Errorf("%.1f mm: a line ends with %q", width, l.text)
			}
		}
		if without(all.String()) != without(notice) {
			t.Errorf("%.1f mm: letters were lost: %q", width, all.String())
		}
	}
}

func TestLinesBreakBetweenWords(t *testing.T) {
	t.Parallel()
	face := newTypeface(regularFont())
	for name, c := range map[string]struct {
		text  string
		width float64
		want  []string
	}{
		"at a space":                     {"สมชาย ใจดีมาก", 14, []string{"สมชาย", "ใจดีมาก"}},
		"beside words of notices":        {"กรุณางดน้ำและอาหาร", 24, []string{"กรุณางดน้ำ", "และอาหาร"}},
		"before a vowel that leads":      {"ตรงไปเรื่อยเรื่อย", 20, []string{"ตรงไปเรื่อย", "เรื่อย"}},
		"line feeds are kept":            {"หนึ่ง\r\nสอง\n\nสาม", 50, []string{"หนึ่ง", "สอง", "", "สาม"}},
		"nothing is one empty line":      {"", 50, []string{""}},
		"a word longer than a line":      {"abcdefghijklmnop", 15, nil},
		"what has no shape is left out":  {"ก\u200bข\u0007ค\tง", 50, []string{"กขค ง"}},
		"paper narrower than any letter": {"กี่", 0.5, []string{"กี่"}},
	} {
		lines := face.lines(c.text, 11, c.width)
		var got []string
		for _, l := range lines {
			got = append(got, l.text)
		}
		if c.want == nil {
			if len(got) < 2 || strings.Join(got, "") != c.text {
				t.Errorf("%s: %q", name, got)
			}
		} else if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestFontSubset(t *testing.T) {
	t.Parallel()
	face := newTypeface(regularFont())
	for _, g := range face.shape("ที่ ญู é น้ำ", 10).glyphs {
		face.used[g.id] = true
	}
	data, err := face.subset()
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > len(sarabunRegular)/3 {
		t.Errorf("%d bytes of %d are kept", len(data), len(sarabunRegular))
	}
	whole, part := outlines(t, sarabunRegular), outlines(t, data)
	if len(whole) != len(part) {
		t.Fatalf("%d glyphs, want %d", len(part), len(whole))
	}
	outlined := 0
	for id := range whole {
		if part[id] > 0 {
			outlined++
		}
		if face.used[font.GID(id)] && whole[id] > 0 && part[id] == 0 {
			t.Errorf("glyph %d is used and has no outline", id)
		}
	}
	if outlined < 8 || outlined > 20 {
		t.Errorf("%d outlines are kept", outlined)
	}
}

// outlines returns the outline sizes of all glyphs in bytes.
func outlines(t *testing.T, data []byte) (sizes []int) {
	t.Helper()
	loader, err := opentype.NewLoader(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	head, err := loader.RawTable(opentype.MustNewTag("head"))
	if err != nil {
		t.Fatal(err)
	}
	loca, err := loader.RawTable(opentype.MustNewTag("loca"))
	if err != nil {
		t.Fatal(err)
	}
	at := []int{}
	if head[51] == 0 {
		for i := 0; i+1 < len(loca); i += 2 {
			at = append(at, 2*(int(loca[i])<<8+int(loca[i+1])))
		}
	} else {
		for i := 0; i+3 < len(loca); i += 4 {
			at = append(at, int(loca[i])<<24+int(loca[i+1])<<16+int(loca[i+2])<<8+int(loca[i+3]))
		}
	}
	for i := 1; i < len(at); i++ {
		sizes = append(sizes, at[i]-at[i-1])
	}
	return sizes
}
