package figures

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
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
