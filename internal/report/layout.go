package report

import (
	"fmt"
	"image"

	"nadmor/internal/hospital"
)

// PDF is the content type of a PDF.
const PDF = "application/pdf"

// Letterhead is the hospital's letterhead.
type Letterhead struct {
	Name, Address, Phone string
	Logo                 image.Image // nil for none
}

// paper is the layout of a paper size.
type paper struct {
	width, height          float64 // 0 for an endless roll
	margin                 float64
	small, body, big, huge float64 // font sizes in points
	code                   float64 // side of the QR code
	centred                bool    // one centred column
}

// flow lays out texts below one another, with page breaks.
type flow struct {
	doc *document
	paper
	page *page
	y    float64 // current position
	more string  // header of the following pages
}

func (f *flow) addPage() {
	f.page = f.doc.addPage(f.width, f.height)
	f.y = f.margin
}

// leading returns the line height. Thai has two levels of marks above and one below.
func leading(points float64) float64 { return points * 1.5 / millimetre }

// baseline returns the distance of the baseline from the top of a line.
func baseline(points float64) float64 { return points * 1.12 / millimetre }

// ensureSpace starts a new page unless the height fits on the current one.
func (f *flow) ensureSpace(height float64) {
	if f.height > 0 && f.y+height > f.height-f.margin {
		f.addPage()
		f.put(f.regular(f.more, f.small), f.margin)
		f.y++
	}
}

func (f *flow) regular(text string, points float64) []line {
	return f.doc.fonts[0].lines(text, points, f.width-2*f.margin)
}

func (f *flow) bold(text string, points float64) []line {
	return f.doc.fonts[1].lines(text, points, f.width-2*f.margin)
}

// put draws lines at x; centre draws them centred.
func (f *flow) put(lines []line, x float64) {
	for _, l := range lines {
		points := l.size * millimetre
		f.ensureSpace(leading(points))
		f.page.text(x, f.y+baseline(points), l)
		f.y += leading(points)
	}
}

func (f *flow) centre(lines []line) {
	for _, l := range lines {
		f.put([]line{l}, (f.width-l.width)/2)
	}
}

func (f *flow) rule() {
	f.y++
	f.page.rule(f.margin, f.y, f.width-f.margin, f.y, 0.25)
	f.y += 1.5
}

// fit returns the size of an image scaled to fit a square.
func fit(img image.Image, side float64) (width, height float64) {
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	return side * w / max(w, h), side * h / max(w, h)
}

// ageOnPaper formats an age, with days and months of young children only.
func ageOnPaper(a hospital.Age, p hospital.BirthPrecision) string {
	if a.Years >= 7 && p != hospital.BirthYear {
		return fmt.Sprintf("%d ปี", a.Years)
	}
	return a.Text(p).TH
}
