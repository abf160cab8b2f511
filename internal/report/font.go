package report

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
)

// Sarabun is the standard font of official Thai documents. SIL Open Font License, see font/OFL.txt.
var (
	//go:embed font/Sarabun-Regular.ttf
	sarabunRegular []byte
	//go:embed font/Sarabun-Bold.ttf
	sarabunBold []byte
)

// fontFile is a parsed font, shared by all documents.
type fontFile struct {
	name   string
	font   *font.Font
	loader *opentype.Loader
	runes  map[font.GID]rune
}

var (
	regularFont = sync.OnceValue(func() *fontFile { return readFont("Sarabun-Regular", sarabunRegular) })
	boldFont    = sync.OnceValue(func() *fontFile { return readFont("Sarabun-Bold", sarabunBold) })
)

func readFont(name string, data []byte) *fontFile {
	loader, err := opentype.NewLoader(bytes.NewReader(data))
	if err != nil {
		panic(err) // embedded
	}
	f, err := font.NewFont(loader)
	if err != nil {
		panic(err)
	}
	runes := map[font.GID]rune{}
	for it := f.Cmap.Iter(); it.Next(); {
		r, id := it.Char()
		if old, ok := runes[id]; !ok || r < old {
			runes[id] = r
		}
	}
	return &fontFile{name, f, loader, runes}
}

// typeface is a font in a document with its used glyphs.
type typeface struct {
	*fontFile
	face   *font.Face
	shaper shaping.HarfbuzzShaper
	used   map[font.GID]bool
	widths map[string]float64
}

func newTypeface(f *fontFile) *typeface {
	return &typeface{fontFile: f, face: font.NewFace(f.font), used: map[font.GID]bool{}, widths: map[string]float64{}}
}

func (t *typeface) usedGlyphs() []font.GID { return slices.Sorted(maps.Keys(t.used)) }

// advance returns the width of a glyph in ems.
func (t *typeface) advance(id font.GID) float64 {
	return float64(t.face.HorizontalAdvance(id)) / float64(t.font.Upem())
}

// glyph is a positioned glyph: x to the right and y upwards from the start of the line.
type glyph struct {
	id   font.GID
	x, y float64
}

// line is a shaped text with positioned marks. Lengths are in millimetres.
type line struct {
	face   *typeface
	size   float64
	text   string
	glyphs []glyph
	width  float64
}

// shape shapes a text in a size in points, which places Thai marks such as those of ที่.
func (t *typeface) shape(text string, points float64) line {
	l := line{face: t, size: points / millimetre, text: text}
	runes := []rune(text)
	if len(runes) == 0 {
		return l
	}
	const em = 1000
	out := t.shaper.Shape(shaping.Input{
		Text: runes, RunEnd: len(runes), Direction: di.DirectionLTR, Face: t.face, Size: fixed.I(em), Script: language.Thai,
		Language: "th",
	})
	scale := func(v fixed.Int26_6) float64 { return float64(v) / 64 / em * l.size }
	for _, g := range out.Glyphs {
		l.glyphs = append(l.glyphs, glyph{g.GlyphID, l.width + scale(g.XOffset), scale(g.YOffset)})
		l.width += scale(g.Advance)
	}
	return l
}

// lines breaks a text into lines of at most the given width. Line feeds are kept.
func (t *typeface) lines(text string, points, width float64) []line {
	var list []line
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		list = append(list, t.paragraph(printable(paragraph), points, width)...)
	}
	return list
}

// fullEnough is how full a line must be to break at a better place instead of a later, worse one. Thai has
// few spaces.
const fullEnough = 0.6

func (t *typeface) paragraph(text string, points, width float64) []line {
	list := []line{}
	runes := []rune(strings.TrimRight(text, " "))
	ends := make([]int, len(runes)+1)
	for i := range ends {
		ends[i] = breakAt(runes, i)
	}
	for begin := 0; begin < len(runes); {
		end := t.lineEnd(runes, ends, begin, width*millimetre/points)
		list = append(list, t.shape(strings.TrimRight(string(runes[begin:end]), " "), points))
		for begin = end; begin < len(runes) && runes[begin] == ' '; begin++ {
		}
	}
	if len(list) == 0 {
		list = append(list, t.shape("", points))
	}
	return list
}

// lineEnd returns the end of the line that starts at begin. ends holds the quality of a break before each
// rune; width is in ems.
func (t *typeface) lineEnd(text []rune, ends []int, begin int, width float64) int {
	var last [wordEnd + 1]int // the last break of each quality that fits
	var widths [wordEnd + 1]float64
	far, used := begin, 0.0
	for i := begin + 1; i <= len(text); i++ {
		if ends[i] == noBreak {
			continue
		}
		part := string(text[far:i])
		if used+t.measure(strings.TrimRight(part, " ")) > width {
			break
		}
		if i == len(text) {
			return i
		}
		used += t.measure(part)
		far = i
		last[ends[i]], widths[ends[i]] = i, used
	}
	for quality := wordEnd; quality > noBreak; quality-- {
		if widths[quality] >= fullEnough*width {
			return last[quality]
		}
	}
	if far == begin { // a cluster wider than the line
		for far++; ends[far] == noBreak; far++ {
		}
	}
	return far
}

// measure returns the width of a text in ems. Results are cached, because most texts are recurring clusters.
func (t *typeface) measure(piece string) float64 {
	width, ok := t.widths[piece]
	if !ok {
		width = t.shape(piece, millimetre).width
		t.widths[piece] = width
	}
	return width
}

// subset returns the font reduced to the used glyphs, with their ids unchanged and without shaping tables.
func (t *typeface) subset() ([]byte, error) {
	table := func(tag string) []byte {
		b, err := t.loader.RawTable(opentype.MustNewTag(tag))
		if err != nil {
			return nil // cvt, fpgm and prep are optional; a font without the others fails below
		}
		return b
	}
	head, maxp, loca, glyf := table("head"), table("maxp"), table("loca"), table("glyf")
	if len(head) < 54 || len(maxp) < 6 || len(loca) == 0 || len(glyf) == 0 {
		return nil, errors.New("the font has no outlines")
	}
	count := int(binary.BigEndian.Uint16(maxp[4:]))
	outline := func(id font.GID) []byte {
		if int(id) >= count {
			return nil
		}
		if binary.BigEndian.Uint16(head[50:]) == 0 {
			return glyf[2*int(binary.BigEndian.Uint16(loca[2*id:])) : 2*int(binary.BigEndian.Uint16(loca[2*id+2:]))]
		}
		return glyf[binary.BigEndian.Uint32(loca[4*id:]):binary.BigEndian.Uint32(loca[4*id+4:])]
	}
	keep := map[font.GID]bool{0: true}
	for todo := t.usedGlyphs(); len(todo) > 0; todo = todo[1:] {
		if !keep[todo[0]] {
			keep[todo[0]] = true
			todo = append(todo, parts(outline(todo[0]))...)
		}
	}
	newGlyf, newLoca := []byte{}, make([]byte, 4*(count+1))
	for id := range count {
		if keep[font.GID(id)] {
			newGlyf = append(newGlyf, outline(font.GID(id))...)
			for len(newGlyf)%4 != 0 {
				newGlyf = append(newGlyf, 0)
			}
		}
		binary.BigEndian.PutUint32(newLoca[4*(id+1):], uint32(len(newGlyf)))
	}
	head = slices.Clone(head)
	binary.BigEndian.PutUint16(head[50:], 1) // long offsets
	tables := []opentype.Table{}
	for _, p := range []struct {
		tag     string
		content []byte
	}{
		{"cvt ", table("cvt ")}, {"fpgm", table("fpgm")}, {"glyf", newGlyf}, {"head", head}, {"hhea", table("hhea")},
		{"hmtx", table("hmtx")}, {"loca", newLoca}, {"maxp", maxp}, {"prep", table("prep")},
	} {
		if p.content != nil {
			tables = append(tables, opentype.Table{Content: p.content, Tag: opentype.MustNewTag(p.tag)})
		}
	}
	return opentype.WriteTTF(tables), nil
}

// parts returns the components of a composite glyph.
func parts(outline []byte) (ids []font.GID) {
	if len(outline) < 10 || outline[0]&0x80 == 0 { // contours: a simple glyph
		return nil
	}
	const words, scale, more, scaleXY, matrix = 0x0001, 0x0008, 0x0020, 0x0040, 0x0080
	for at := 10; at+4 <= len(outline); {
		flags := binary.BigEndian.Uint16(outline[at:])
		ids = append(ids, font.GID(binary.BigEndian.Uint16(outline[at+2:])))
		at += 6
		if flags&words != 0 {
			at += 2
		}
		switch {
		case flags&scale != 0:
			at += 2
		case flags&scaleXY != 0:
			at += 4
		case flags&matrix != 0:
			at += 8
		}
		if flags&more == 0 {
			break
		}
	}
	return ids
}
