package printed

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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

// Count writes a number of things, as in 1 seed and 3 seeds.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
