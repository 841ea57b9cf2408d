package records

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// token matches a string of JSON, or a number or a word.
var token = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|[^\s",:\[\]{}]+`)

// notFinite are the numbers that JSON has not, without their sign, as Python, R, Julia and C write them.
var notFinite = []string{"nan", "inf", "infinity"}

// Lenient returns JSON with numbers that are not finite, such as NaN and -Infinity, as strings. Strings stay as they are.
func Lenient(text []byte) []byte {
	return token.ReplaceAllFunc(text, func(t []byte) []byte {
		if !slices.Contains(notFinite, strings.ToLower(strings.TrimLeft(string(t), "+-"))) {
			return t
		}
		return strconv.AppendQuote(nil, string(t))
	})
}
