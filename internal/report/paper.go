package report

import (
	"fmt"
	"image"

	"nadmor/internal/hospital"
)

// PDF is what a browser is told a printed page is.
const PDF = "application/pdf"

// Letterhead is the hospital as its papers show it.
type Letterhead struct {
	Name, Address, Phone string
	Logo                 image.Image // nil for none
}

// paper is how texts are set on one size of paper.
type paper struct {
	width, height          float64 // no height: as long as it gets
	margin                 float64
	small, body, big, huge float64 // sizes of letters in points
	code                   float64 // side of a slip's QR code
	centred                bool    // everything below one another, in the middle
}

// flow puts texts below one another, on to further pages where paper ends.
type flow struct {
	doc *document
	paper
	page *page
	y    float64 // how far the page is full
	more string  // stands over the further pages
}

func (f *flow) addPage() {
	f.page = f.doc.addPage(f.width, f.height)
	f.y = f.margin
}

// leading is the distance of lines: Thai has marks on two floors above and one
// below.
func leading(points float64) float64 { return points * 1.5 / millimetre }

// baseline is how far below the top of a line its letters stand.
func baseline(points float64) float64 { return points * 1.12 / millimetre }

// room makes sure that so much fits on the page.
func (f *flow) room(height float64) {
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

// put puts lines at x, and centre in the middle.
func (f *flow) put(lines []line, x float64) {
	for _, l := range lines {
		points := l.size * millimetre
		f.room(leading(points))
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

// fit is the size of a picture in a square, in its own proportions.
func fit(img image.Image, side float64) (width, height float64) {
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	return side * w / max(w, h), side * h / max(w, h)
}

// ageOnPaper is an age as papers have it: days and months of small children
// only.
func ageOnPaper(a hospital.Age, p hospital.BirthPrecision) string {
	if a.Years >= 7 && p != hospital.BirthYear {
		return fmt.Sprintf("%d ปี", a.Years)
	}
	return a.Text(p).TH
}
