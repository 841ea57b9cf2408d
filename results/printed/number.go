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
		return thousands(strconv.FormatFloat(v, 'f', 0, 64))
	}
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(v, 'g', digits, 64), "e")
	if !ok {
		return thousands(mantissa)
	}
	return mantissa + "e" + strings.Replace(strings.TrimPrefix(exponent, "+"), "-0", "-", 1)
}

// thousands puts commas into a decimal whose whole part has five digits or more.
func thousands(decimal string) string {
	whole, _, _ := strings.Cut(decimal, ".")
	fraction := decimal[len(whole):]
	if len(strings.TrimPrefix(whole, "-")) < 5 {
		return decimal
	}
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return whole + fraction
}

// Like formats v like a printed number, with one digit more: 0.02413 as 2.41e-2 like 3.2e-2, and as 0.024 like 0.03.
func Like(printed string, v float64) string {
	mantissa, _, exponent := strings.Cut(strings.ToLower(printed), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	if !exponent {
		return strconv.FormatFloat(v, 'f', len(decimals)+1, 64)
	}
	return strings.Replace(strings.Replace(strconv.FormatFloat(v, 'e', len(decimals)+1, 64), "e-0", "e-", 1), "e+0", "e", 1)
}

// List joins up to three names and says how many more there are.
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
