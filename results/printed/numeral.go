package printed

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// numeral is a number as texts write it: 1000, 1,000, 0.5, 1e3, 10^3, 2^{10}, 10³, 5·10^3, ten, 7 million, a million.
var numeral = regexp.MustCompile(`(?i)(?:(\d+(?:\.\d+)?) ?[·×] ?)?(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?|\b(?:` + strings.Join(small, "|") +
	`)\b)(?:e([+-]?\d+)|\^[{(]?(-?\d+)[})]?|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?: (hundred|thousand|million))?`)

// small lists the words for numbers by value; that for 0 means 1 before a large one.
var small = []string{"a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

var large = map[string]float64{"": 1, "hundred": 100, "thousand": 1000, "million": 1e6}

// Numerals returns where numbers stand in a text: the beginning and the end of each.
func Numerals(s string) [][]int { return numeral.FindAllStringIndex(s, -1) }

// Numeral returns the value of a number as texts write it. ok is false if s is none.
func Numeral(s string) (v float64, ok bool) {
	m := numeral.FindStringSubmatch(s)
	if m == nil || m[0] != s {
		return 0, false
	}
	scale := strings.ToLower(m[6])
	parse := func(s string) float64 {
		if i := slices.Index(small, strings.ToLower(s)); i > 0 || i == 0 && scale != "" {
			return max(1, float64(i))
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
		ok = ok && err == nil
		return v
	}
	ok = true
	if v = parse(m[2]); m[3] != "" {
		v = parse(m[2] + "e" + m[3])
	}
	if e := m[4] + strings.Map(lowered, m[5]); e != "" {
		v = math.Pow(v, parse(e))
	}
	if m[1] != "" {
		v *= parse(m[1])
	}
	return v * large[scale], ok
}

// lowered returns the character of which r is the superscript.
func lowered(r rune) rune {
	if i := slices.Index([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁻"), r); i >= 0 {
		return rune("0123456789-"[i])
	}
	return r
}
