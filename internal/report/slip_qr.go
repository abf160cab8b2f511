package report

import (
	"image"

	"github.com/boombuler/barcode/qr"
)

// slipQR returns the QR code of a slip. It contains the number of the appointment and no personal data.
func slipQR(s Slip) (image.Image, error) { return qr.Encode(s.Number, qr.M, qr.Auto) }

// qr draws a QR code with its quiet zone.
func (f *flow) qr(code image.Image, x, y float64) {
	const quiet = 2 // modules; the paper around it is white, too
	b := code.Bounds()
	module := f.code / float64(b.Dx()+2*quiet)
	for row := b.Min.Y; row < b.Max.Y; row++ {
		for begin := b.Min.X; begin < b.Max.X; begin++ {
			end := begin
			for end < b.Max.X && dark(code, end, row) {
				end++
			}
			if end > begin {
				f.page.op("re", x+float64(begin-b.Min.X+quiet)*module, y+float64(row-b.Min.Y+quiet)*module,
					float64(end-begin)*module, module)
				begin = end
			}
		}
	}
	f.page.op("f")
}

func dark(img image.Image, x, y int) bool {
	r, _, _, _ := img.At(x, y).RGBA()
	return r < 0x8000
}
