package printed

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Cell is what a field of a table says.
type Cell int

// What a field can say.
const (
	IsMissing   Cell = iota // nothing, or a word for a value that is not there
	IsNumber                // a finite number
	IsNotFinite             // NaN or infinity
	IsText
)

// missing are words for a value that is not there, in lower case.
var missing = []string{"", "na", "n/a", "#n/a", "#na", "<na>", "nat", "null", "none", "missing", "-"}

// notNumbers matches what C, Windows and Excel write for NaN and infinity, beside what strconv reads.
var notNumbers = regexp.MustCompile(`^(?i)([-+]?)(?:(nan|1\.#(?:ind|[qs]nan))\d*(?:\([^)]*\))?|1\.#inf0*)$`)

// power matches a power of two or ten.
var power = regexp.MustCompile(`^(2|10)\^(-?\d{1,3})$`)

// infinite is what is as good as infinity: MLflow, COCO and others write the largest float64 in its place, in more or fewer digits.
const infinite = 1.797e308

// ReadCell reads a field without blanks around it. The decimal mark is a point or a comma, and the other of the two separates
// thousands. A number in which it can only be the decimal mark, such as 0.5, is read with any.
func ReadCell(text string, decimal byte) (float64, Cell) {
	if len(text) <= 8 && slices.Contains(missing, strings.ToLower(text)) {
		return 0, IsMissing
	}
	v, err := strconv.ParseFloat(unmarked(text, decimal), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), strings.ContainsAny(text, "xX_"):
		if m := power.FindStringSubmatch(text); m != nil {
			exponent, _ := strconv.Atoi(m[2])
			if m[1] == "2" {
				return math.Ldexp(1, exponent), IsNumber
			}
			return ReadCell("1e"+m[2], '.')
		}
		m := notNumbers.FindStringSubmatch(text)
		switch {
		case m == nil:
			return 0, IsText
		case m[2] != "":
			return math.NaN(), IsNotFinite
		}
		return math.Inf(1 - 2*len(strings.Trim(m[1], "+"))), IsNotFinite
	case math.IsNaN(v):
		return v, IsNotFinite
	case math.Abs(v) >= infinite:
		return math.Copysign(math.Inf(1), v), IsNotFinite
	}
	return v, IsNumber
}

// unmarked returns a number as strconv reads it.
func unmarked(text string, decimal byte) string {
	if decimal == '.' && strings.IndexByte(text, ',') < 0 && strings.IndexByte(text, '.') == strings.LastIndexByte(text, '.') {
		return text
	}
	switch byPoint, byComma := grouped[0].MatchString(text), grouped[1].MatchString(text); {
	case byComma && (decimal == ',' || !byPoint):
		return strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", ".")
	case byPoint:
		return strings.ReplaceAll(text, ",", "")
	}
	return text
}

// grouped match numbers with a decimal point and with a decimal comma, which may have the other mark between thousands.
var grouped = [2]*regexp.Regexp{
	regexp.MustCompile(`^[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?)$`),
	regexp.MustCompile(`^[-+]?(?:\d+,?\d*(?:[eE][-+]?\d+)?|,\d+(?:[eE][-+]?\d+)?|[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?)$`),
}

// Marks says what the points and commas of a number are.
type Marks int

// What they can be.
const (
	Unmarked   Marks = iota // there are none, or it is no number
	ByPoint                 // a point is the decimal mark, or commas separate thousands
	ByComma                 // the reverse
	PointIsAny              // 1.234 is either
	CommaIsAny              // 1,234 is either
)

// OneGroup reports whether a point of a number may separate its thousands and not its decimals: 1.234, and not 0.234.
func OneGroup(text string) bool {
	text = strings.TrimLeft(text, "-+")
	i := strings.IndexByte(text, '.')
	return i > 0 && i <= 3 && len(text) == i+4 && text[0] != '0' && !strings.ContainsAny(text, "eE")
}

// MarksOf says what the marks of a field are.
func MarksOf(text string) Marks {
	point, comma := strings.IndexByte(text, '.') >= 0, strings.IndexByte(text, ',') >= 0
	if !point && !comma {
		return Unmarked
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil && !strings.ContainsAny(text, "xX") { // most
		if OneGroup(text) {
			return PointIsAny
		}
		return ByPoint
	}
	switch byPoint, byComma := grouped[0].MatchString(text), grouped[1].MatchString(text); {
	case byPoint && byComma:
		return CommaIsAny
	case byPoint:
		return ByPoint
	case byComma:
		return ByComma
	}
	return Unmarked
}
