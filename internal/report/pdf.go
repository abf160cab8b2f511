package report

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
)

// document is a PDF under construction. No library is used because of Thai: glyphs must be placed as shaped,
// by glyph id, and the text must still be searchable and selectable.
//
// Lengths are in millimetres from the top left corner of a page.
type document struct {
	title  string
	fonts  []*typeface
	pages  []*page
	images []image.Image
}

const millimetre = 72 / 25.4 // in points

func newDocument(title string) *document {
	return &document{title: title, fonts: []*typeface{newTypeface(regularFont()), newTypeface(boldFont())}}
}

// page is the content of a page.
type page struct {
	doc           *document
	width, height float64
	content       bytes.Buffer
}

func (d *document) addPage(width, height float64) *page {
	p := &page{doc: d, width: width, height: height}
	d.pages = append(d.pages, p)
	return p
}

// num formats a number in the precision of a printer.
func num(f float64) string { return strconv.FormatFloat(f, 'f', -1, 32) }

func (p *page) op(operator string, operands ...float64) {
	for _, o := range operands {
		p.content.WriteString(strconv.FormatFloat(o, 'f', 3, 64))
		p.content.WriteByte(' ')
	}
	p.content.WriteString(operator)
	p.content.WriteByte('\n')
}

// text draws a line of text with its baseline starting at x, y.
func (p *page) text(x, y float64, l line) {
	if len(l.glyphs) == 0 {
		return
	}
	fmt.Fprintf(&p.content, "/Span <</ActualText %s>> BDC BT /F%d %s Tf\n", hexText(l.text),
		slices.Index(p.doc.fonts, l.face), num(l.size))
	for _, g := range l.glyphs {
		// The y axis points down, so letters are flipped back.
		fmt.Fprintf(&p.content, "1 0 0 -1 %.3f %.3f Tm <%04x> Tj\n", x+g.x, y-g.y, g.id)
		l.face.used[g.id] = true
	}
	p.content.WriteString("ET EMC\n")
}

// fill draws a rectangle; gray is 0 for black and 1 for white.
func (p *page) fill(x, y, width, height, gray float64) {
	p.op("g", gray)
	p.op("re f", x, y, width, height)
	p.op("g", 0)
}

func (p *page) frame(x, y, width, height, thickness float64) {
	p.op("w", thickness)
	p.op("re S", x, y, width, height)
}

func (p *page) rule(x1, y1, x2, y2, thickness float64) {
	p.op("w", thickness)
	p.op("m", x1, y1)
	p.op("l S", x2, y2)
}

// white makes fn draw in white.
func (p *page) white(fn func()) {
	p.op("g", 1)
	fn()
	p.op("g", 0)
}

// picture draws an image into a rectangle.
func (p *page) picture(img image.Image, x, y, width, height float64) {
	p.op("q")
	p.op("cm", width, 0, 0, -height, x, y+height)
	fmt.Fprintf(&p.content, "/I%d Do\n", len(p.doc.images))
	p.op("Q")
	p.doc.images = append(p.doc.images, img)
}

// hexText returns a text string of PDF: UTF-16 with a byte order mark.
func hexText(s string) string {
	var b bytes.Buffer
	b.WriteString("<feff")
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04x", u)
	}
	b.WriteByte('>')
	return b.String()
}

// writeTo writes the file.
func (d *document) writeTo(w io.Writer) error {
	f := &pdfFile{}
	f.body.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	catalog, pages := f.reserve(), f.reserve()
	fonts := &bytes.Buffer{}
	for i, t := range d.fonts {
		if len(t.used) > 0 {
			id, err := f.font(t)
			if err != nil {
				return fmt.Errorf("write pdf: %w", err)
			}
			fmt.Fprintf(fonts, "/F%d %d 0 R ", i, id)
		}
	}
	images := &bytes.Buffer{}
	for i, img := range d.images {
		fmt.Fprintf(images, "/I%d %d 0 R ", i, f.image(img))
	}
	kids := &bytes.Buffer{}
	for _, p := range d.pages {
		// Lengths are in millimetres from here on, and y grows downwards.
		start := fmt.Sprintf("%s 0 0 -%[1]s 0 %s cm\n", num(millimetre), num(p.height*millimetre))
		content := f.stream("", append([]byte(start), p.content.Bytes()...))
		id := f.object(fmt.Sprintf("<</Type /Page /Parent %d 0 R /MediaBox [0 0 %s %s] /Resources <</Font <<%s>> /XObject "+
			"<<%s>>>> /Contents %d 0 R>>",
			pages, num(p.width*millimetre), num(p.height*millimetre), fonts, images, content))
		fmt.Fprintf(kids, "%d 0 R ", id)
	}
	f.put(pages, fmt.Sprintf("<</Type /Pages /Kids [%s] /Count %d>>", kids, len(d.pages)))
	f.put(catalog,
		fmt.Sprintf("<</Type /Catalog /Pages %d 0 R /Lang (th-TH) /ViewerPreferences <</DisplayDocTitle true>>>>", pages))
	info := f.object(fmt.Sprintf("<</Title %s /Producer (Nadmor)>>", hexText(d.title)))
	return f.finish(w, catalog, info)
}

// pdfFile holds the numbered objects of a file.
type pdfFile struct {
	body    bytes.Buffer
	offsets []int // 0 if not written yet
}

func (f *pdfFile) reserve() int {
	f.offsets = append(f.offsets, 0)
	return len(f.offsets)
}

func (f *pdfFile) put(id int, content string) {
	f.offsets[id-1] = f.body.Len()
	fmt.Fprintf(&f.body, "%d 0 obj\n%s\nendobj\n", id, content)
}

func (f *pdfFile) object(content string) int {
	id := f.reserve()
	f.put(id, content)
	return id
}

// stream adds a compressed stream with the given entries in its dictionary.
func (f *pdfFile) stream(entries string, data []byte) int {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // cannot fail
	_ = z.Close()
	return f.object(fmt.Sprintf("<<%s /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream", entries, packed.Len(),
		packed.Bytes()))
}

// image adds an image on a white background.
func (f *pdfFile) image(img image.Image) int {
	b := img.Bounds()
	pixels := make([]byte, 0, 3*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			for _, v := range [...]uint8{c.R, c.G, c.B} {
				pixels = append(pixels, uint8((int(v)*int(c.A)+255*(255-int(c.A)))/255))
			}
		}
	}
	return f.stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB "+
		"/BitsPerComponent 8", b.Dx(), b.Dy()), pixels)
}

// font adds the used glyphs of a typeface.
func (f *pdfFile) font(t *typeface) (int, error) {
	file, err := t.subset()
	if err != nil {
		return 0, err
	}
	stream := f.stream(fmt.Sprintf("/Length1 %d", len(file)), file)
	descriptor := f.object(fmt.Sprintf("<</Type /FontDescriptor /FontName /%s /Flags 4 /FontBBox [%d %d %d %d] "+
		"/ItalicAngle 0 /Ascent %d /Descent %d /CapHeight 700 /StemV 80 /FontFile2 %d 0 R>>",
		t.name, -500, -500, 1500, 1300, 1000, -300, stream))
	widths, names := &bytes.Buffer{}, &bytes.Buffer{}
	n := 0
	for _, id := range t.usedGlyphs() {
		fmt.Fprintf(widths, "%d [%s] ", id, num(t.advance(id)*1000))
		if r, ok := t.runes[id]; ok {
			fmt.Fprintf(names, "<%04x> <%04x>\n", id, r)
			n++
		}
	}
	// The format allows at most 100 in a block. Readers accept more, but some tools do not.
	cmap := &bytes.Buffer{}
	cmap.WriteString("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Adobe-Identity-UCS def " +
		"/CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange\n")
	lines := bytes.SplitAfter(names.Bytes(), []byte("\n"))[:n]
	for block := range slices.Chunk(lines, 100) {
		fmt.Fprintf(cmap, "%d beginbfchar\n%sendbfchar\n", len(block), bytes.Join(block, nil))
	}
	cmap.WriteString("endcmap CMapName currentdict /CMap defineresource pop end end")
	unicode := f.stream("", cmap.Bytes())
	descendant := f.object(fmt.Sprintf("<</Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo <</Registry "+
		"(Adobe) /Ordering (Identity) /Supplement 0>> /FontDescriptor %d 0 R /W [%s] /CIDToGIDMap /Identity>>",
		t.name, descriptor, widths))
	return f.object(fmt.Sprintf("<</Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts [%d "+
		"0 R] /ToUnicode %d 0 R>>", t.name, descendant, unicode)), nil
}

// finish writes the objects, the cross-reference table and the trailer.
func (f *pdfFile) finish(w io.Writer, catalog, info int) error {
	start := f.body.Len()
	fmt.Fprintf(&f.body, "xref\n0 %d\n0000000000 65535 f \n", len(f.offsets)+1)
	for _, offset := range f.offsets {
		fmt.Fprintf(&f.body, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&f.body, "trailer\n<</Size %d /Root %d 0 R /Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(f.offsets)+1,
		catalog, info, start)
	_, err := w.Write(f.body.Bytes())
	return err
}
