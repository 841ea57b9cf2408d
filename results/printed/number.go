// Package printed reads decimal numbers as papers print them, with the interval that rounds to each, and writes
// numbers for people to read.
package printed

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Number writes a number in ASCII with four significant digits, and whole numbers up to a trillion in full with commas
// from 10,000 on: 0.1235, 4096, 32,768, 1.5e-7.
func Number(v float64) string { return Digits(v, 4) }

// Digits writes a number as Number does, with the given number of significant digits.
func Digits(v float64, digits int) string {
	a := math.Abs(v)
	switch {
	case math.IsInf(v, 1):
		return "infinity"
	case math.IsInf(v, -1):
		return "-infinity"
	case a >= math.Pow10(digits-1) && a < 1e12:
		return thousands(strconv.FormatFloat(v, 'f', 0, 64), 5)
	}
	return forPeople(strconv.FormatFloat(v, 'g', digits, 64), 5)
}

// forPeople takes a number as strconv writes it, and writes its exponent, if it has one, without plus and zeros.
func forPeople(number string, least int) string {
	mantissa, exponent, ok := strings.Cut(number, "e")
	if !ok {
		return thousands(number, least)
	}
	return mantissa + "e" + strings.Replace(strings.TrimPrefix(exponent, "+"), "-0", "-", 1)
}

// Exact writes a setting with all its digits as papers do, with commas from 1,000 on: 63, 1,000, 0.00390625, 7 million.
func Exact(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e12 || a != 0 && a < 1e-5:
		return forPeople(strconv.FormatFloat(v, 'g', -1, 64), 4)
	case a >= 1e6 && math.Mod(v, 1e5) == 0:
		return Exact(v/1e6) + " million"
	}
	return thousands(strconv.FormatFloat(v, 'f', -1, 64), 4)
}

// thousands puts commas into a decimal whose whole part has that many digits or more.
func thousands(decimal string, least int) string {
	whole, _, _ := strings.Cut(decimal, ".")
	fraction := decimal[len(whole):]
	if len(strings.TrimPrefix(whole, "-")) < least {
		return decimal
	}
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + fraction
}

// Like formats v like a printed number, with one more digit: 0.02413 becomes 2.41e-2 like 3.2e-2, and 0.024 like 0.03.
func Like(printed string, v float64) string {
	mantissa, _, exponent := strings.Cut(strings.ToLower(printed), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	if !exponent {
		return strconv.FormatFloat(v, 'f', len(decimals)+1, 64)
	}
	return strings.Replace(strings.Replace(strconv.FormatFloat(v, 'e', len(decimals)+1, 64), "e-0", "e-", 1), "e+0", "e", 1)
}

// Scaled returns v·factor without the last digits, which hold rounding errors: 0.1534 is 15.34 per cent, not
// 15.340000000000002.
func Scaled(v, factor float64) float64 {
	if factor == 1 || math.IsInf(v, 0) {
		return v
	}
	w, err := strconv.ParseFloat(strconv.FormatFloat(v*factor, 'g', 15, 64), 64)
	if err != nil {
		return v * factor
	}
	return w
}

// List joins up to three names and gives the number of the others, as in "a, b, c and 2 more".
func List(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// Each returns what of says of each, such as the names of things that a message lists. It is nil if there are none.
func Each[T any](all []T, of func(T) string) (words []string) {
	for _, x := range all {
		words = append(words, of(x))
	}
	return words
}

// Count writes a number of things, as in 1 seed and 3 seeds.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printedNumber is a decimal as papers print them: sign, digits, fraction, exponent.
var printedNumber = regexp.MustCompile(`^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$`)

// Parse reads a number as a paper printed it, with the interval that rounds to it: half a unit of the last printed digit
// either way, so "3.1" is 3.1 in [3.05, 3.15) and "15" is 15 in [14.5, 15.5).
func Parse(s string) (value, low, high float64, err error) {
	m := printedNumber.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(s), "−", "-"))
	if m == nil || m[2]+m[3] == "" {
		return 0, 0, 0, fmt.Errorf("published %q is not a decimal number such as 3.1 or 2.97e-1", s)
	}
	digits, err := strconv.ParseInt(m[1]+m[2]+m[3], 10, 64)
	if err != nil || digits > math.MaxInt64/20 || digits < -math.MaxInt64/20 {
		return 0, 0, 0, fmt.Errorf("published %q has too many digits", s)
	}
	exp := -len(m[3])
	if m[4] != "" {
		e, err := strconv.Atoi(m[4])
		if err != nil {
			return 0, 0, 0, fmt.Errorf("published %q: %w", s, err)
		}
		exp += e
	}
	// The bounds are parsed as decimals, so that they are the same numbers as their literals.
	if value, err = decimal(digits*10, exp-1); err != nil {
		return 0, 0, 0, fmt.Errorf("published %q: %w", s, err)
	}
	low, _ = decimal(digits*10-5, exp-1)
	high, _ = decimal(digits*10+5, exp-1)
	return value, low, high, nil
}

// InPercent writes a printed fraction in per cent with the same digits, so that the interval that rounds to it is the same:
// "0.10" as "10", "0.153" as "15.3", "0.2" as "2e1", "1.6e-3" as "1.6e-1". Any other text stays as it is.
func InPercent(printed string) string {
	m := printedNumber.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(printed), "−", "-"))
	if m == nil || m[2]+m[3] == "" {
		return printed
	}
	if exponent, err := strconv.Atoi(m[4]); err == nil {
		mantissa, _, _ := strings.Cut(strings.ToLower(printed), "e")
		return fmt.Sprintf("%se%d", mantissa, exponent+2)
	}
	if len(m[3]) < 2 {
		return fmt.Sprintf("%s%se%d", m[1], withoutZeros(m[2]+m[3]), 2-len(m[3]))
	}
	whole := withoutZeros(m[2] + m[3][:2])
	if fraction := m[3][2:]; fraction != "" {
		whole += "." + fraction
	}
	return m[1] + whole
}

// withoutZeros returns the digits of a whole number without zeros before them.
func withoutZeros(digits string) string { return cmp.Or(strings.TrimLeft(digits, "0"), "0") }

func decimal(digits int64, exp int) (float64, error) {
	return strconv.ParseFloat(fmt.Sprintf("%de%d", digits, exp), 64)
}

// Duration writes a time in seconds in a suitable unit. A negative time is unknown.
func Duration(seconds float64) string {
	const century = 100 * 365.25 * 24 * 3600
	d := time.Duration(min(seconds, century) * float64(time.Second))
	switch {
	case seconds < 0:
		return "unknown"
	case seconds < 0.01:
		return "< 0.01 s"
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	case seconds > century:
		return "more than a century"
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

// Bytes writes a size in bytes in a suitable unit. A negative size is unknown.
func Bytes(n float64) string {
	if n < 0 {
		return "unknown"
	}
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n /= 1000
		i++
	}
	if n < 10 && i > 0 {
		return fmt.Sprintf("%.1f %s", n, units[i])
	}
	return fmt.Sprintf("%.0f %s", n, units[i])
}

// OrDash returns a text, "-" if it is empty.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Maybe writes a number as Number does, "-" if there is none.
func Maybe(v *float64) string {
	if v == nil {
		return "-"
	}
	return Number(*v)
}

// numeral is a number as texts write it: 1000, 1,000, 0.5, 1e3, 10^3, 2^{10}, 10³, 5·10^3, ten, 7 million, a million.
var numeral = regexp.MustCompile(`(?i)(?:(\d+(?:\.\d+)?) ?[·×] ?)?(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?|\b(?:` + strings.Join(small, "|") +
	`)\b)(?:e([+-]?\d+)|\^[{(]?(-?\d+)[})]?|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?(?: (hundred|thousand|million))?`)

// small lists the words for numbers by value; that for 0 means 1 before a large one.
var small = []string{"a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

var large = map[string]float64{"": 1, "hundred": 100, "thousand": 1000, "million": 1e6}

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
