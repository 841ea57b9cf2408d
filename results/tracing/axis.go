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
type Tick struct {
	At    float64 `json:"at"`
	Value float64 `json:"value"`
}

// An Axis turns places into values: a + b·place, or ten to the power of that.
type Axis struct {
	Log      bool   `json:"log"`
	Ticks    []Tick `json:"ticks"`
	a, b     float64
	Residual float64 `json:"residual"` // the largest distance of a tick from the line, in units of the figure
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
	if far := max(sure*x.span(), 2); x.Residual > far {
		return x, fmt.Errorf("the ticks of %s lie up to %s from a line: one has another place or value, or the axis is logarithmic (log before its ticks), or has several parts; give two ticks of one part", printed.Quote(text), printed.Digits(x.Residual, 2))
	}
	return x, nil
}

// ends writes the outer ticks of an axis, in its order.
func (x Axis) ends() string {
	x.Ticks = []Tick{x.Ticks[0], x.Ticks[len(x.Ticks)-1]}
	text := x.String()
	return text[strings.Index(text, ",")+1:]
}

// reach returns the largest absolute value of the ticks.
func (x Axis) reach() (largest float64) {
	for _, t := range x.Ticks {
		largest = max(largest, math.Abs(t.Value))
	}
	return largest
}

// span returns the distance of the outer ticks.
func (x Axis) span() float64 {
	f := frameOf(x, x)
	return f.Right - f.Left
}

// sure is the largest distance of a tick from the line of its axis, as a share of the distance of the outer ticks.
const sure = 0.004

// axisOf finds the scale on which ticks lie on a line. why says in words what is missing if it is not sure. powers says that all labels
// but 0 are plain powers, as on logarithmic axes; marks are the places of all tick marks, which may show the scale of two numbers.
func axisOf(ticks []Tick, powers bool, marks []float64) (x Axis, why string) {
	slices.SortFunc(ticks, func(a, b Tick) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Value, b.Value)) })
	ticks = slices.CompactFunc(ticks, func(a, b Tick) bool { return a == b })
	if len(ticks) < 2 {
		return x, "fewer than two numbers stand along it"
	}
	fits := func(log bool) (x Axis, ok bool) {
		x = Axis{Log: log, Ticks: ticks}
		ok = x.fit() && x.Residual <= sure*x.span()
		return x, ok
	}
	linear, isLinear := fits(false)
	log, isLog := fits(true)
	if len(ticks) == 2 && isLinear {
		return ofTwo(linear, log, isLog, powers, marks)
	}
	switch {
	case isLinear && powers && !isLog:
		return x, "its numbers are 0 and powers at equal distances, as on an axis that is logarithmic away from 0"
	case isLinear: // where both fit, such as the years 2000 to 2020, they hardly differ
		return linear, ""
	case isLog:
		return log, ""
	}
	return x, "its numbers lie neither on a linear nor on a logarithmic scale: it may be broken, or of names"
}

// ofTwo decides between the linear and the logarithmic axis of two numbers.
func ofTwo(linear, log Axis, isLog, powers bool, marks []float64) (x Axis, why string) {
	even, multiples := linear.explains(marks), isLog && log.explains(marks)
	switch {
	case isLog && powers && (multiples || !even), multiples && !even:
		return log, ""
	case even && !multiples && !powers:
		return linear, ""
	case isLog:
		return x, "two numbers stand along it, " + linear.ends() + ", which fit a linear and a logarithmic axis"
	}
	return x, "two numbers stand along it, " + linear.ends() + ", which fit a linear axis, a square root, and one that is logarithmic away from 0"
}

// explains reports whether tick marks, three more than the ticks or more, all lie where the scale has them: at equal distances, or at the
// multiples 1 to 9 of powers of ten.
func (x Axis) explains(marks []float64) bool {
	if len(marks) < len(x.Ticks)+3 {
		return false
	}
	off, step := sure*(marks[len(marks)-1]-marks[0]), math.Inf(1)
	for i := range marks[1:] {
		step = min(step, marks[i+1]-marks[i])
	}
	for _, t := range x.Ticks {
		marks = append(marks[:len(marks):len(marks)], t.At)
	}
	for _, m := range marks {
		at := marks[0] + step*math.Round((m-marks[0])/step)
		if x.Log {
			v := x.Value(m)
			power := math.Pow(10, math.Floor(math.Log10(v)+0.01))
			at = (math.Log10(power*math.Round(v/power)) - x.a) / x.b
		}
		if !(math.Abs(m-at) <= off) || step < 3*off {
			return false
		}
	}
	return true
}

// numeral matches a number as axes print it, once signs, powers and spaces are in plain form; grouped matches one whose digits may be
// those of thousands: a point or a comma before each third digit.
var (
	numeral = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)?(?:(^|[x*])(2|10)\^([+-]?\d+(?:\.\d+)?))?([kKM%])?$`)
	grouped = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+|(?:\.\d{3})+)[kKM%]?$`)
)

// spaces matches the blanks around the sign of a product and behind a sign.
var spaces = regexp.MustCompile(` *([x*^]|[+-]) *`)

// plainer puts signs, products and powers of labels in plain form; superscripts stand behind ^.
var plainer = strings.NewReplacer("−", "-", "–", "-", "‐", "-", "×", "x", "·", "x", "⋅", "x", "∙", "x", "\u00a0", " ", "\u2009", " ", "\u202f", " ", "{", "", "}", "", "$", "")

// raised matches superscripts that are letters of their own.
var raised = regexp.MustCompile(`[⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+`)

// plainText returns the text of a label in plain form, without spaces but between digits, which are two numbers.
func plainText(text string) string {
	lower := strings.NewReplacer("⁺", "+", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")
	text = raised.ReplaceAllStringFunc(text, func(s string) string { return "^" + lower.Replace(s) })
	return spaces.ReplaceAllString(plainer.Replace(text), "$1")
}

// numberOf reads the label of a tick, in which a superscript stands behind ^. A single comma is that of decimals. power says that it is
// written as a power.
func numberOf(text string) (v float64, power, ok bool) {
	text = plainText(text)
	if grouped.MatchString(text) && strings.Count(text, ".")+strings.Count(text, ",") > 1 {
		v, ok = thousandsOf(text)
		return v, false, ok
	}
	if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	sign := 1.0
	if rest, minus := strings.CutPrefix(text, "-"); minus && strings.Contains(rest[:min(len(rest), 3)], "^") {
		sign, text = -1, rest
	}
	m := numeral.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[4] == "" {
		return 0, false, false
	}
	v = 1
	var err error
	if m[1] != "" {
		if v, err = strconv.ParseFloat(m[1], 64); err != nil {
			return 0, false, false
		}
	}
	if m[4] != "" {
		base, _ := strconv.ParseFloat(m[3], 64)
		exponent, err := strconv.ParseFloat(m[4], 64)
		if err != nil {
			return 0, false, false
		}
		v, power = v*math.Pow(base, exponent), true
	}
	switch m[5] {
	case "k", "K":
		v *= 1e3
	case "M":
		v *= 1e6
	}
	return sign * v, power, !math.IsInf(v, 0)
}

// thousandsOf reads a number whose thousands are separated.
func thousandsOf(text string) (v float64, ok bool) {
	v, _, ok = numberOf(strings.NewReplacer(",", "", ".", "").Replace(text))
	return v, ok
}

// What axes have at their ends: a factor of all their numbers, or something else that changes what they mean, such as an offset or a date.
var (
	factors = regexp.MustCompile(`^[(\[]?(1[eE][+-]?\d+|[x*]1[eE][+-]?\d+|[x*]?10\^[+-]?\d+|[x*]\d+(?:\.\d+)?)[)\]]?$`)
	changes = regexp.MustCompile(`^[(\[?]?[+-]?[x*]?[\d.,]*\d[\d.,]*[(\[?eExX*^+%-][-+\d.,eEx*^()\[\]%?]*$|^[+x*?-][(]?[\d.,]+\)?$|^\d{4}-|(?i)^[(\[]?(in )?(hundred|thousand|million|billion)s?[)\]]?$`)
)

// factorOf returns the factor that a text is.
func factorOf(text string) (v float64, ok bool) {
	m := factors.FindStringSubmatch(strings.ReplaceAll(plainText(text), " ", ""))
	if m == nil {
		return 1, false
	}
	number := strings.TrimLeft(m[1], "x*")
	v, _, ok = numberOf(number)
	return v, ok && v > 0 && number != "10" // which has lost its exponent
}
