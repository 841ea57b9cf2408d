package tracing

import (
	"cmp"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
)

// A Trace is what was read from a figure.
type Trace struct {
	Kind     string   `json:"kind"` // vector or raster
	X        Axis     `json:"x_axis"`
	Y        Axis     `json:"y_axis"`
	Frame    Box      `json:"frame"`
	Width    float64  `json:"width"` // of the figure
	Height   float64  `json:"height"`
	Curves   []Curve  `json:"curves"`
	Warnings []string `json:"warnings,omitempty"`

	picture []byte   // a PNG
	behind  []string // outlines of a vector figure, as SVG
}

func (t *Trace) warn(format string, args ...any) {
	t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
}

// A Curve is one curve of a figure.
type Curve struct {
	Name    string       `json:"name"`
	Colour  string       `json:"colour"`
	Dashes  string       `json:"dashes,omitempty"`  // of a vector figure; empty for a solid line
	Markers bool         `json:"markers,omitempty"` // points that no line joins
	Named   bool         `json:"named"`             // by the legend
	bars    bool         // ends of bars
	Points  [][4]float64 `json:"points"` // x, y and their errors of reading
	places  [][2]float64 // in the figure
}

// add adds a place of the figure that lies in the frame, with the errors of reading it.
func (c *Curve) add(t *Trace, x, y, dx, dy float64) {
	if !t.Frame.shows(x, y) {
		return
	}
	vx, vy := t.X.Value(x), t.Y.Value(y)
	c.Points = append(c.Points, [4]float64{vx, vy, t.X.Error(vx, dx), t.Y.Error(vy, dy)})
	c.places = append(c.places, [2]float64{x, y})
}

// CSV returns the points of all curves.
func (t *Trace) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write([]string{"curve", "x", "y", "x_error", "y_error"})
	for _, c := range t.Curves {
		for _, p := range c.Points {
			row := []string{c.Name}
			for k, v := range p {
				digits := 8
				if k > 1 {
					digits = 2
				}
				row = append(row, strconv.FormatFloat(v, 'g', digits, 64))
			}
			w.Write(row)
		}
	}
	w.Flush()
	return b.String()
}

// pasted is the largest number of points of a curve in a spec.
const pasted = 30

// Thinned returns about the given number of points of a curve that rises in x, at equal distances along the axis, with both ends.
// Several points at one x become their mean.
func (t *Trace) Thinned(c Curve, most int) [][4]float64 {
	points := slices.Clone(c.Points)
	slices.SortStableFunc(points, func(a, b [4]float64) int { return cmp.Compare(a[0], b[0]) })
	points = slices.CompactFunc(points, func(a, b [4]float64) bool { return a[0] == b[0] })
	if len(points) <= most {
		return points
	}
	from, to := t.X.scaled(points[0][0]), t.X.scaled(points[len(points)-1][0])
	var out [][4]float64
	i := 0
	for k := range most {
		want := from + (to-from)*float64(k)/float64(most-1)
		for i < len(points)-1 && math.Abs(t.X.scaled(points[i+1][0])-want) <= math.Abs(t.X.scaled(points[i][0])-want) {
			i++
		}
		if len(out) == 0 || points[i][0] > out[len(out)-1][0] {
			out = append(out, points[i])
		}
	}
	return out
}

// Digits of the numbers of a spec.
const valueDigits, errorDigits = 5, 2

// TOML returns the [[published_curve]] tables to paste into a spec.
func (t *Trace) TOML(figure string, page int, how string) string {
	var b strings.Builder
	ids := t.IDs()
	for i, c := range t.Curves {
		fmt.Fprintf(&b, "[[published_curve]]\nid = %s\nfigure = %s\n", printed.TOML(ids[i]), printed.TOML(figure))
		if page > 0 {
			fmt.Fprintf(&b, "page = %d\n", page)
		}
		fmt.Fprintf(&b, "obtained = %s\nhow = %s\n", printed.TOML(t.Kind), printed.TOML(how))
		points := t.Thinned(c, pasted)
		if t.X.Log == t.Y.Log {
			b.WriteString(t.errors(points))
		}
		b.WriteString("points = [")
		for i, p := range points {
			if i%6 == 0 {
				b.WriteString("\n ")
			}
			if b.WriteString(" [" + plainNumber(p[0], valueDigits) + ", " + plainNumber(p[1], valueDigits)); t.X.Log != t.Y.Log {
				b.WriteString(", " + plainNumber(p[2], errorDigits) + ", " + plainNumber(p[3], errorDigits))
			}
			b.WriteString("],")
		}
		b.WriteString("\n]\n\n")
	}
	return b.String()
}

// errors returns the largest errors of points on two axes of one kind: those of linear axes are lengths, and shares on logarithmic ones.
func (t *Trace) errors(points [][4]float64) string {
	var dx, dy float64
	for _, p := range points {
		if t.X.Log {
			p[2], p[3] = p[2]/p[0], p[3]/p[1]
		}
		dx, dy = max(dx, p[2]), max(dy, p[3])
	}
	text := fmt.Sprintf("x_error = %s\ny_error = %s\n", plainNumber(dx, errorDigits), plainNumber(dy, errorDigits))
	if t.X.Log {
		text += "relative = true\n"
	}
	return text
}

// IDs returns an id for each curve, made of its name.
func (t *Trace) IDs() (ids []string) {
	for _, c := range t.Curves {
		ids = append(ids, printed.Distinct(slug(c.Name), ids))
	}
	return ids
}

// beyondIDs matches what an id cannot have.
var beyondIDs = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns a name into an id.
func slug(name string) string {
	return cmp.Or(strings.Trim(beyondIDs.ReplaceAllString(strings.ToLower(name), "-"), "-"), "curve")
}

// Overlay returns a picture, as SVG, of what was read over the figure: the figure faint, curves as dots, ticks with their values.
func (t *Trace) Overlay() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.6g %.6g" width="%.6g" height="%.6g" font-family="sans-serif" font-size="8">`+"\n", t.Width, t.Height, t.Width, t.Height)
	b.WriteString("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n")
	if t.picture != nil {
		fmt.Fprintf(&b, `<image opacity="0.4" width="%.6g" height="%.6g" href="data:image/png;base64,%s"/>`+"\n", t.Width, t.Height, base64.StdEncoding.EncodeToString(t.picture))
	}
	for _, d := range t.behind {
		fmt.Fprintf(&b, `<path fill="none" stroke="#bbb" stroke-width="2" d="%s"/>`+"\n", d)
	}
	f := t.Frame
	fmt.Fprintf(&b, `<rect x="%.6g" y="%.6g" width="%.6g" height="%.6g" fill="none" stroke="#d00" stroke-width="0.5"/>`+"\n", f.Left, f.Top, f.Right-f.Left, f.Bottom-f.Top)
	for _, k := range t.X.Ticks {
		fmt.Fprintf(&b, `<path stroke="#d00" stroke-width="0.5" d="M%.6g %.6gv6"/><text fill="#d00" text-anchor="middle" x="%.6g" y="%.6g">%s</text>`+"\n", k.At, f.Bottom, k.At, f.Bottom+14, printed.Number(k.Value))
	}
	for _, k := range t.Y.Ticks {
		fmt.Fprintf(&b, `<path stroke="#d00" stroke-width="0.5" d="M%.6g %.6gh-6"/><text fill="#d00" text-anchor="end" x="%.6g" y="%.6g">%s</text>`+"\n", f.Left, k.At, f.Left-8, k.At+3, printed.Number(k.Value))
	}
	for i, c := range t.Curves {
		fmt.Fprintf(&b, `<g fill="%s" stroke="black" stroke-width="0.15"><title>%s</title>`, html.EscapeString(c.Colour), html.EscapeString(c.Name))
		for k, p := range c.places {
			if k%max(1, len(c.places)/400) == 0 {
				fmt.Fprintf(&b, `<circle cx="%.6g" cy="%.6g" r="1.2"/>`, p[0], p[1])
			}
		}
		fmt.Fprintf(&b, `</g><text fill="%s" x="4" y="%d">%s</text>`+"\n", html.EscapeString(c.Colour), 10+10*i, html.EscapeString(c.Name))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
