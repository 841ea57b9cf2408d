// Package tracing reads curves out of figures: out of the paths of a page of a PDF or of an SVG, and out of the pixels of a PNG. Of a
// vector figure it finds the axes by their tick labels and names curves by the legend; where it is not sure, it says what to give.
package tracing

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
)

// A Tick is a place on an axis whose value is known, in points or pixels of the figure.
type Tick struct{ At, Value float64 }

// An Axis turns places into values: a + b·place, or ten to the power of that.
type Axis struct {
	Log      bool
	Ticks    []Tick
	a, b     float64
	Residual float64 // the largest distance of a tick from the line, in units of the figure
}

// Value returns the value at a place.
func (x Axis) Value(at float64) float64 {
	if v := x.a + x.b*at; x.Log {
		return math.Pow(10, v)
	} else {
		return v
	}
}

// Error returns the largest error of a value for an error of a place.
func (x Axis) Error(value, places float64) float64 {
	if d := math.Abs(x.b) * places; x.Log {
		return math.Abs(value) * math.Expm1(math.Ln10*d)
	} else {
		return d
	}
}

// plainNumber writes a number for files and command lines.
func plainNumber(v float64, digits int) string { return strconv.FormatFloat(v, 'g', digits, 64) }

// String writes the axis as ParseAxis reads it.
func (x Axis) String() string {
	kind := "linear"
	if x.Log {
		kind = "log"
	}
	parts := []string{kind}
	for _, t := range x.Ticks {
		parts = append(parts, plainNumber(t.At, 6)+"="+plainNumber(t.Value, 9))
	}
	return strings.Join(parts, ",")
}

// scaled returns a value on the scale of the axis.
func (x Axis) scaled(v float64) float64 {
	if x.Log {
		return math.Log10(v)
	}
	return v
}

// fit lays the line through the ticks by least squares. ok is false if they do not determine one.
func (x *Axis) fit() (ok bool) {
	var n, sp, sv, spp, spv float64
	for _, t := range x.Ticks {
		v := x.scaled(t.Value)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
		n, sp, sv = n+1, sp+t.At, sv+v
	}
	for _, t := range x.Ticks {
		p := t.At - sp/n
		spp, spv = spp+p*p, spv+p*(x.scaled(t.Value)-sv/n)
	}
	if x.b = spv / spp; n < 2 || !(spp > 0) || x.b == 0 || math.IsInf(x.b, 0) || math.IsNaN(x.b) {
		return false
	}
	x.a, x.Residual = sv/n-x.b*sp/n, 0
	for _, t := range x.Ticks {
		x.Residual = max(x.Residual, math.Abs((x.scaled(t.Value)-x.a)/x.b-t.At))
	}
	return true
}

// ParseAxis reads an axis as the command line has it: PLACE=VALUE,PLACE=VALUE, with log or linear among them.
func ParseAxis(text string) (x Axis, err error) {
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if part == "log" || part == "linear" {
			x.Log = part == "log"
			continue
		}
		place, value, ok := strings.Cut(part, "=")
		p, errP := strconv.ParseFloat(strings.TrimSpace(place), 64)
		v, errV := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if !ok || errP != nil || errV != nil || math.IsInf(p, 0) || math.IsInf(v, 0) || math.IsNaN(p) || math.IsNaN(v) {
			return x, fmt.Errorf("want PLACE=VALUE of two ticks or more, as in 27=0,1143=50 or log,56=1,535=100, got %s", printed.Quote(part))
		}
		x.Ticks = append(x.Ticks, Tick{p, v})
	}
	for _, t := range x.Ticks {
		if x.Log && t.Value <= 0 {
			return x, fmt.Errorf("%s has no place on a logarithmic axis; give ticks above 0, or leave out log", printed.Number(t.Value))
		}
	}
	if !x.fit() {
		return x, fmt.Errorf("%s does not determine an axis; give two ticks at different places with different values", printed.Quote(text))
	}
	return x, nil
}

// sure is the largest distance of a tick from the line of its axis, as a share of the distance of the outer ticks.
const sure = 0.004

// axisOf finds the scale on which ticks lie on a line. why says in words what is missing if it is not sure. powers says that the
// labels are written as powers, as on logarithmic axes.
func axisOf(ticks []Tick, powers bool) (x Axis, why string) {
	slices.SortFunc(ticks, func(a, b Tick) int { return cmp.Compare(a.At, b.At) })
	ticks = slices.CompactFunc(ticks, func(a, b Tick) bool { return a == b })
	if len(ticks) < 2 {
		return x, "fewer than two numbers stand along it"
	}
	fits := func(log bool) (x Axis, ok bool) {
		x = Axis{Log: log, Ticks: ticks}
		ok = x.fit() && x.Residual <= sure*(ticks[len(ticks)-1].At-ticks[0].At)
		return x, ok
	}
	linear, isLinear := fits(false)
	log, isLog := fits(true)
	switch {
	case isLinear && isLog && len(ticks) == 2 && powers:
		return log, ""
	case isLinear && isLog && len(ticks) == 2 && ticks[0].Value*ticks[1].Value <= 0:
		return linear, ""
	case isLinear && isLog && len(ticks) == 2:
		return x, "two numbers stand along it, which fit a linear and a logarithmic axis"
	case isLinear && isLog && linear.Residual > log.Residual, isLog && !isLinear:
		return log, ""
	case isLinear:
		return linear, ""
	}
	return x, "its numbers lie neither on a linear nor on a logarithmic scale: it may be broken, or of names"
}

// numeral matches a number as axes print it, once signs, powers and spaces are in plain form.
var numeral = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)?(?:[x*]?10\^([+-]?\d+(?:\.\d+)?))?([kKM%])?$`)

// spaces matches the blanks around the sign of a product and behind a sign.
var spaces = regexp.MustCompile(` *([x*^]|[+-]) *`)

// numberOf reads the label of a tick, in which a superscript stands behind ^. power says that it is written as a power of ten.
func numberOf(text string) (v float64, power, ok bool) {
	text = strings.NewReplacer("−", "-", "–", "-", "‐", "-", "×", "x", "·", "x", "⋅", "x", "\u00a0", " ", "\u2009", " ", "{", "", "}", "", "$", "", "⁻", "^-").Replace(text)
	text = spaces.ReplaceAllString(text, "$1") // not between digits, which are two numbers
	sign := 1.0
	if rest, minus := strings.CutPrefix(text, "-10^"); minus {
		sign, text = -1, "10^"+rest
	}
	m := numeral.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[2] == "" {
		return 0, false, false
	}
	v = 1
	var err error
	if m[1] != "" {
		if v, err = strconv.ParseFloat(m[1], 64); err != nil {
			return 0, false, false
		}
	}
	if m[2] != "" {
		exponent, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return 0, false, false
		}
		v, power = v*math.Pow(10, exponent), true
	}
	switch m[3] {
	case "k", "K":
		v *= 1e3
	case "M":
		v *= 1e6
	}
	return sign * v, power, !math.IsInf(v, 0)
}
