package figures

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"golang.org/x/image/font/sfnt"

	"repro/results/claims"
)

// Superscripts and subscripts, in units of the text's size.
const (
	scriptScale = 0.70
	supShift    = 0.36
	subShift    = -0.16
)

// Minus is the sign of a negative number.
const Minus = "−"

// A span is a part of a line with one baseline.
type span struct {
	Text  string
	Shift float64 // of the baseline, in units of the text's size
	Scale float64
}

// Spans splits a line into its superscripts ^{...}, its subscripts _{...} and the text between them. They do not nest. A
// caret or an underscore without a brace stands for itself.
func Spans(line string) []span {
	var out []span
	add := func(s string, shift, scale float64) {
		if s != "" {
			out = append(out, span{minusSigns(s), shift, scale})
		}
	}
	for line != "" {
		at := nextScript(line)
		if at < 0 {
			break
		}
		end := strings.IndexByte(line[at:], '}')
		if end < 0 {
			break
		}
		add(line[:at], 0, 1)
		shift := supShift
		if line[at] == '_' {
			shift = subShift
		}
		add(line[at+2:at+end], shift, scriptScale)
		line = line[at+end+1:]
	}
	add(line, 0, 1)
	return out
}

// nextScript returns where the next ^{ or _{ begins, or -1.
func nextScript(s string) int {
	sup, sub := strings.Index(s, "^{"), strings.Index(s, "_{")
	if sup < 0 || (sub >= 0 && sub < sup) {
		return sub
	}
	return sup
}

// minusSigns replaces the hyphen of every negative number by a minus sign. It does not change other hyphens.
func minusSigns(s string) string {
	if !strings.Contains(s, "-") {
		return s
	}
	runes := []rune(s)
	for i, r := range runes {
		if r != '-' || i+1 == len(runes) || !(unicode.IsDigit(runes[i+1]) || runes[i+1] == '.') {
			continue
		}
		if i == 0 || !(unicode.IsLetter(runes[i-1]) || unicode.IsDigit(runes[i-1])) {
			runes[i] = []rune(Minus)[0]
		}
	}
	return string(runes)
}

// PlainText returns a text without the braces of superscripts and subscripts, for places that cannot show them.
func PlainText(s string) string {
	var b strings.Builder
	for _, line := range strings.SplitAfter(s, "\n") {
		for _, p := range Spans(line) {
			if p.Shift > 0 {
				b.WriteByte('^')
			}
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Mathematics in plain text, as authors of specs write it.
var (
	greekWord    = regexp.MustCompile(`(^|[^\pL\pN_.-])(alpha|beta|gamma|delta|epsilon|eta|theta|kappa|lambda|mu|nu|sigma|tau)(_(?:\pN+|\pL)|\pN*)`)
	plainIndex   = regexp.MustCompile(`(^|[^\pL\pN_}])(\pL)_(\pN+|\pL|\*)`)
	plainPower   = regexp.MustCompile(`([\pL\pN)\]}|‖])\^(-?\pN+|\pL)`)
	bracketPower = regexp.MustCompile(`([\pL\pN)\]}|‖])\^\(((?:[^()_]|\([^()_]*\))*)\)`)
	exponent     = regexp.MustCompile(`\b([0-9]+(?:\.[0-9]+)?)e([-+]?)0*([0-9]+)\b`)
)

var greekLetters = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ", "lambda": "λ",
	"mu": "μ", "nu": "ν", "sigma": "σ", "tau": "τ",
}

// Typeset writes the mathematics of a plain text with superscripts and subscripts: powers such as 10^-6, n^(1/2) and 5e-3, an index
// of a single letter, as in γ_t and λ_12, and Greek letters that are spelt out, with an index or without, as in lambda_1 and gamma0.
func Typeset(s string) string {
	s = replaceWhole(greekWord, s, func(m []string) string {
		letter := m[1] + greekLetters[m[2]]
		if index := strings.TrimPrefix(m[3], "_"); index != "" {
			letter += "_{" + index + "}"
		}
		return letter
	})
	s = bracketPower.ReplaceAllString(s, "$1^{$2}")
	s = replaceWhole(plainPower, s, func(m []string) string { return m[1] + "^{" + m[2] + "}" })
	s = replaceWhole(plainIndex, s, func(m []string) string { return m[1] + m[2] + "_{" + m[3] + "}" })
	return exponent.ReplaceAllStringFunc(s, func(n string) string {
		m := exponent.FindStringSubmatch(n)
		power := "10^{" + strings.TrimPrefix(m[2], "+") + m[3] + "}"
		if m[1] == "1" {
			return power
		}
		return m[1] + "×" + power
	})
}

// replaceWhole replaces the matches of a pattern that no letter, digit or underscore follows, nor a hyphen or a full stop and then
// a letter, so that names such as gamma-ray and my.nu stay.
func replaceWhole(pattern *regexp.Regexp, s string, write func(match []string) string) string {
	var b strings.Builder
	last := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(s, -1) {
		next, size := utf8.DecodeRuneInString(s[at[1]:])
		after, _ := utf8.DecodeRuneInString(s[at[1]+size:])
		if next == '_' || unicode.IsLetter(next) || unicode.IsDigit(next) || next == '.' && unicode.IsLetter(after) || next == '-' && (unicode.IsLetter(after) || unicode.IsDigit(after)) {
			continue
		}
		var match []string
		for k := 0; k < len(at); k += 2 {
			match = append(match, s[at[k]:at[k+1]])
		}
		b.WriteString(s[last:at[0]] + write(match))
		last = at[1]
	}
	return b.String() + s[last:]
}

// DejaVu parses the embedded font of the figures once.
var DejaVu = sync.OnceValues(func() (*sfnt.Font, error) {
	face, err := sfnt.Parse(dejavusans.TTF)
	if err != nil {
		return nil, fmt.Errorf("embedded font: %w", err)
	}
	return face, nil
})

// Glyph returns the glyph of a character of a line, or an error if the font has none. buf may be nil.
func Glyph(face *sfnt.Font, buf *sfnt.Buffer, r rune, line string) (sfnt.GlyphIndex, error) {
	glyph, err := face.GlyphIndex(buf, r)
	if err == nil && glyph == 0 {
		err = fmt.Errorf("the figure font DejaVu Sans has no glyph for %q (%U) in %q: use another character", r, r, line)
	}
	return glyph, err
}

// Drawable returns an error that names the first character of a text that figures cannot show, nil if there is none. A text
// may have several lines.
func Drawable(text string) error {
	face, err := DejaVu()
	if err != nil {
		return err
	}
	for _, r := range text {
		if r == '\n' {
			continue
		}
		if _, err := Glyph(face, nil, r, text); err != nil {
			return err
		}
	}
	return nil
}

// spelt replaces the characters of a text that figures cannot show by their code points. It is for values, such as paths of
// files, which must be shown whatever they are.
func spelt(text string) string {
	var b strings.Builder
	for _, r := range text {
		if Drawable(string(r)) == nil {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "%U", r)
		}
	}
	return b.String()
}

// Number writes a number with four significant digits. Very large and very small ones have a power of ten, as m×10^{k}.
func Number(v float64) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "∞", false: Minus + "∞"}[v > 0]
	}
	s := strconv.FormatFloat(v, 'g', 4, 64)
	if a := math.Abs(v); a >= 1e4 && a < 1e6 {
		s = strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	if mantissa, power10, ok := strings.Cut(s, "e"); ok {
		k, _ := strconv.Atoi(power10) // FormatFloat writes an integer
		s = mantissa + "×" + power(k)
		if mantissa == "1" {
			s = power(k)
		}
	}
	return WithMinus(s)
}

// NumberWithin returns a format for numbers of the interval from low to high. It writes the decimals that show two digits
// of half the interval's length, but no more than five digits in all.
func NumberWithin(low, high float64) func(float64) string {
	half, largest := (high-low)/2, math.Max(math.Abs(low), math.Abs(high))
	if !(half > 0) || math.IsInf(half, 0) || largest < 1e-3 || largest >= 1e6 {
		return Number
	}
	decimals := min(1-int(math.Floor(math.Log10(half))), 4-int(math.Floor(math.Log10(largest))))
	return func(v float64) string {
		if math.IsInf(v, 0) || math.IsNaN(v) {
			return Number(v)
		}
		return WithMinus(strconv.FormatFloat(v, 'f', max(decimals, 0), 64))
	}
}

// Within writes an interval.
func Within(low, high float64) string {
	write := NumberWithin(low, high)
	return write(low) + " to " + write(high)
}

// Measured returns the measured number of a verdict with its interval, which is exact if it has no width, and the empty string if there
// is none.
func Measured(v claims.Verdict) string {
	switch {
	case v.Low == nil || v.High == nil:
		return v.MeasuredText(Number)
	case v.Measured != nil && *v.Low == *v.High:
		v.Low, v.High = nil, nil
		return v.MeasuredText(Number) + " exact"
	}
	return v.MeasuredText(NumberWithin(*v.Low, *v.High))
}

// Published returns the published or derived number of a claim, and the empty string if there is none.
func Published(v claims.Verdict) string { return WithMinus(v.PublishedText()) }

// WithMinus writes a printed number with a minus sign in place of the hyphen.
func WithMinus(s string) string { return strings.ReplaceAll(s, "-", Minus) }

// power writes 10^k.
func power(k int) string {
	return WithMinus(fmt.Sprintf("10^{%d}", k))
}
