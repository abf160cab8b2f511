package demo

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"nadmor/internal/files"
	"nadmor/internal/hospital"
)

// shape returns the distance of a point from a shape, negative inside.
type shape func(x, y float64) float64

func circle(cx, cy, r float64) shape {
	return func(x, y float64) float64 { return length(x-cx, y-cy) - r }
}

func box(cx, cy, halfWidth, halfHeight, round float64) shape {
	return func(x, y float64) float64 {
		dx, dy := math.Abs(x-cx)-halfWidth+round, math.Abs(y-cy)-halfHeight+round
		return length(math.Max(dx, 0), math.Max(dy, 0)) + math.Min(math.Max(dx, dy), 0) - round
	}
}

func cross(cx, cy, arm float64) shape {
	a, b := box(cx, cy, arm, arm*0.34, arm*0.12), box(cx, cy, arm*0.34, arm, arm*0.12)
	return func(x, y float64) float64 { return math.Min(a(x, y), b(x, y)) }
}

func line(width float64, points ...float64) shape {
	return func(x, y float64) float64 {
		nearest := math.Inf(1)
		for i := 0; i+3 < len(points); i += 2 {
			px, py, bx, by := x-points[i], y-points[i+1], points[i+2]-points[i], points[i+3]-points[i+1]
			along := max(0, min(1, (px*bx+py*by)/(bx*bx+by*by)))
			nearest = min(nearest, length(px-bx*along, py-by*along))
		}
		return nearest - width/2
	}
}

func heart(cx, cy, size float64) shape {
	return func(x, y float64) float64 {
		x, y = math.Abs(x-cx)/size, (cy-y)/size+0.55
		if x+y > 1 {
			return (length(x-0.25, y-0.75) - math.Sqrt2/4) * size
		}
		half := 0.5 * math.Max(x+y, 0)
		return math.Copysign(math.Min(length(x, y-1), length(x-half, y-half)), x-y) * size
	}
}

// length is a faster math.Hypot without overflow protection.
func length(x, y float64) float64 { return math.Sqrt(x*x + y*y) }

// layer is a shape with a colour, which may be transparent.
type layer struct {
	shape
	color.NRGBA
}

func white(alpha uint8, s shape) layer { return layer{s, color.NRGBA{255, 255, 255, alpha}} }

// paint draws the layers on a gradient with smooth edges, clipped to clip unless that is nil.
func paint(width, height int, from, to color.NRGBA, clip shape, layers ...layer) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for py := range height {
		for px := range width {
			x, y := float64(px)+0.5, float64(py)+0.5
			c := blend(from, to, (x/float64(width)+y/float64(height))/2)
			for _, l := range layers {
				if covered := cover(l.shape(x, y)); covered > 0 {
					c = blend(c, color.NRGBA{l.R, l.G, l.B, 255}, covered*float64(l.A)/255)
				}
			}
			if clip != nil {
				c.A = uint8(math.Round(cover(clip(x, y)) * 255))
			}
			m.SetNRGBA(px, py, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // encoding to memory cannot fail
	}
	return b.Bytes()
}

// cover returns how much of a pixel is inside a shape.
func cover(distance float64) float64 { return max(0, min(1, 0.5-distance)) }

func blend(a, b color.NRGBA, t float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*t)) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

func logo() []byte {
	return paint(256, 256, color.NRGBA{13, 148, 136, 255}, color.NRGBA{15, 94, 112, 255}, box(128, 128, 124, 124, 56),
		white(36, circle(128, 128, 98)), white(255, cross(128, 128, 72)), layer{
			heart(128, 128, 40), color.NRGBA{13, 148, 136, 255},
		})
}

// The banners contain no text: it is in the text next to them, where it can be read aloud and translated.
var banners = []struct {
	key, alt, link string
	draw           func() []byte
}{
	{"media/samplebannervaccination01.png", "ฉีดวัคซีนไข้หวัดใหญ่ฟรี 7 กลุ่มเสี่ยง จองคิวได้แล้ววันนี้",
		"https://sinakhon.example/flu", func() []byte {
			return paint(1200, 400, color.NRGBA{13, 148, 136, 255}, color.NRGBA{14, 74, 110, 255}, nil,
				white(22, circle(1040, 60, 260)), white(22, circle(180, 420, 220)), white(30, circle(880, 210, 150)),
				white(235, cross(880, 210, 86)),
				white(120, cross(1060, 110, 28)), white(90, cross(690, 310, 22)), white(70, cross(1090, 310, 18)))
		}},
	{"media/samplebannercheckup000001.png", "ตรวจสุขภาพประจำปี งดน้ำและอาหาร 8 ชั่วโมงก่อนตรวจ", "", func() []byte {
		return paint(1200, 400, color.NRGBA{37, 99, 235, 255}, color.NRGBA{76, 29, 149, 255}, nil,
			white(20, circle(120, 60, 240)), white(24, circle(960, 380, 280)),
			white(230,
				line(10, -20, 230, 420, 230, 470, 180, 520, 230, 560, 230, 610, 60, 680, 340, 730, 200, 770, 230, 1220, 230)),
			white(255, circle(610, 60, 13)))
	}},
	{"media/samplebannerheartcare0001.png", "คลินิกโรคหัวใจย้ายไปอาคาร 2 ชั้น 3", "https://sinakhon.example/heart",
		func() []byte {
			return paint(1200, 400, color.NRGBA{225, 29, 72, 255}, color.NRGBA{194, 65, 12, 255}, nil,
				white(22, circle(1000, 200, 300)), white(26, circle(200, 40, 160)), white(235, heart(940, 190, 190)),
				white(110, heart(740, 300, 60)), white(80, heart(1120, 90, 48)), white(60, heart(660, 110, 30)))
		}},
}

// decorate stores logo and banners and adds them to the settings. Their keys are fixed, so that the sample is
// the same every time.
func decorate(ctx context.Context, uploads files.Store, s *hospital.SettingFields) error {
	keep := func(key string, picture []byte) error {
		if _, err := uploads.Put(ctx, key, bytes.NewReader(picture), files.MaxImageBytes); err != nil {
			return fmt.Errorf("sample picture: %w", err)
		}
		return nil
	}
	const logoKey = "media/samplehospitallogo000001.png"
	if err := keep(logoKey, logo()); err != nil {
		return err
	}
	s.Logo = "/" + logoKey
	for i, b := range banners {
		if err := keep(b.key, b.draw()); err != nil {
			return err
		}
		s.Banners = append(s.Banners, hospital.Banner{
			ID: fmt.Sprint("sample", i+1), Image: "/" + b.key, Alt: b.alt, Link: b.link, Active: true,
		})
	}
	return nil
}
