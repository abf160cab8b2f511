package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// svg is an SVG image, written from top to bottom.
type svg struct {
	strings.Builder
	width, height int
}

func (s *svg) text(x, y float64, class, text string) {
	fmt.Fprintf(s, `<text x="%.1f" y="%.1f" class="%s">%s</text>`+"\n", x, y, class, html.EscapeString(text))
}

func (s *svg) document(title string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" `+
		`aria-label="%s">
<style>text{font:12px system-ui,sans-serif;fill:#1f2937}.h{font-size:16px;font-weight:600}.b{font-weight:600}`+
		`.e{text-anchor:end}.m{text-anchor:middle}.s{font-size:11px;fill:#6b7280}</style>
<rect width="100%%" height="100%%" fill="#fff"/>
`, s.width, s.height, s.width, s.height, html.EscapeString(title)) + s.String() + "</svg>\n"
}

var colours = map[string]string{
	"Nadmor, " + sqlite: "#0f766e", "Nadmor, " + postgres: "#1d4ed8", "floor, " + sqlite: "#99d5cd",
	"floor, " + postgres: "#b3c7f7",
	pocketBase:           "#b45309", "Easy!Appointments": "#b8bec7", "Medplum": "#cbd0d7", "Directus": "#dde1e6",
}

// bars draws requests per second on a logarithmic scale, because the values differ by orders of magnitude.
func bars(lines []line) string {
	type bar struct {
		name string
		rate float64
	}
	var names []string
	groups := map[string][]bar{}
	for _, l := range lines {
		if !slices.Contains(names, l.Operation) {
			names = append(names, l.Operation)
		}
		groups[l.Operation] = append(groups[l.Operation], bar{"Nadmor, " + l.Engine, l.Product.Rate}, bar{
			"floor, " + l.Engine, l.Floor.Rate,
		})
	}
	for _, l := range lines {
		if l.PocketBase.Requests > 0 {
			groups[l.Operation] = append(groups[l.Operation], bar{pocketBase, l.PocketBase.Rate})
		}
	}
	for _, name := range names {
		for _, p := range peers {
			if p.rate[name] > 0 {
				groups[name] = append(groups[name], bar{p.name, p.rate[name]})
			}
		}
	}
	const left, width, thick, most = 150, 640, 15, 50_000
	s := &svg{width: left + width + 80}
	s.text(16, 28, "h", "Requests a second, everything switched on (longer is better, each line is ten times the last)")
	length := func(rate float64) float64 { return math.Log10(max(rate, 1)) / math.Log10(most) * width }
	y := 50.0
	for _, name := range names {
		y += 20
		s.text(16, y, "b", name)
		y += 8
		for _, b := range groups[name] {
			s.text(left-8, y+11, "e s", b.name)
			fmt.Fprintf(s, `<rect x="%d" y="%.1f" width="%.1f" height="%d" rx="2" fill="%s"/>`+"\n", left, y, length(b.rate),
				thick-3, colours[b.name])
			s.text(left+length(b.rate)+6, y+11, "s", fmt.Sprintf("%.0f", b.rate))
			y += thick
		}
	}
	for _, step := range []float64{10, 100, 1000, 10_000} {
		fmt.Fprintf(s, `<line x1="%.1f" x2="%.1f" y1="48" y2="%.1f" stroke="#e5e7eb" stroke-dasharray="2 3"/>`+"\n",
			left+length(step), left+length(step), y)
		s.text(left+length(step), 46, "m s", fmt.Sprintf("%.0f", step))
	}
	s.height = int(y) + 20
	return s.document("Requests a second of Nadmor, the floor and other products")
}

// curves draws the 95th percentile of every operation over the size of the hospital.
func curves(points []point) string {
	var names, engines []string
	var sizes []int
	for _, p := range points {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
		if !slices.Contains(engines, p.Engine) {
			engines = append(engines, p.Engine)
		}
		if !slices.Contains(sizes, p.Size.Appointments) {
			sizes = append(sizes, p.Size.Appointments)
		}
	}
	slices.Sort(sizes)
	const columns, w, h, gap = 3, 230, 120, 60
	s := &svg{width: columns*(w+gap) + 40, height: (len(names)+columns-1)/columns*(h+gap) + 70}
	s.text(16, 28, "h", "95th percentile in ms over the number of appointments (flat is better)")
	for i, engine := range engines {
		x := 16 + float64(i)*140
		fmt.Fprintf(s, `<rect x="%.1f" y="40" width="12" height="12" rx="2" fill="%s"/>`+"\n", x, colours["Nadmor, "+engine])
		s.text(x+18, 50, "s", engine)
	}
	at := func(n int) float64 {
		if len(sizes) == 1 {
			return 0
		}
		low, high := math.Log10(float64(sizes[0])), math.Log10(float64(sizes[len(sizes)-1]))
		return (math.Log10(float64(n)) - low) / (high - low) * w
	}
	for i, name := range names {
		x0, y0 := 40+float64(i%columns)*(w+gap), 90+float64(i/columns)*(h+gap)
		most := 0.0
		for _, p := range points {
			if p.Name == name {
				most = max(most, p.P95)
			}
		}
		most *= 1.15
		s.text(x0, y0-10, "b", name)
		fmt.Fprintf(s, `<path d="M%.1f %.1fv%dh%d" fill="none" stroke="#d1d5db"/>`+"\n", x0, y0, h, w)
		s.text(x0-4, y0+10, "e s", fmt.Sprintf("%.1f", most))
		s.text(x0-4, y0+h, "e s", "0")
		for _, n := range sizes {
			s.text(x0+at(n), y0+h+14, "m s", short(n))
		}
		for _, engine := range engines {
			var path strings.Builder
			for _, p := range points {
				if p.Name != name || p.Engine != engine {
					continue
				}
				x, y := x0+at(p.Size.Appointments), y0+h-p.P95/most*h
				step := "L"
				if path.Len() == 0 {
					step = "M"
				}
				fmt.Fprintf(&path, "%s%.1f %.1f", step, x, y)
				fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, colours["Nadmor, "+engine])
			}
			fmt.Fprintf(s, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", path.String(),
				colours["Nadmor, "+engine])
		}
	}
	return s.document("95th percentile of every operation over the number of appointments")
}

func short(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%gM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%gk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
