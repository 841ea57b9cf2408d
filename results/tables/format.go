package tables

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"repro/results/records"
)

// Bounds of the significant digits of a number in a table, and those of a number without a spread.
const (
	minDigits    = 2
	maxDigits    = 6
	singleDigits = 4
)

// formatFor returns a format that writes the median to two digits of its spread, or to up to four digits if there is no
// spread. Numbers below 0.001 or from a million on have an exponent.
func formatFor(median, low, high float64) func(float64) string {
	exponent := leading(median)
	digits := singleDigits
	spread := (high - low) / 2
	even := !(spread > 0) || math.IsInf(spread, 0)
	if !even {
		digits = min(max(exponent-leading(spread)+2, minDigits), maxDigits)
	}
	return func(v float64) string {
		switch {
		case math.IsInf(v, 1):
			return "∞"
		case exponent < -3 || exponent >= 6:
			return strconv.FormatFloat(v, 'e', digits-1, 64)
		case even:
			return strconv.FormatFloat(v, 'g', digits, 64)
		}
		return strconv.FormatFloat(v, 'f', max(digits-1-exponent, 0), 64)
	}
}

// leading returns the decimal exponent of v's first digit, 0 for zero. It
// ignores the rounding error that makes 0.1 a little less than that.
func leading(v float64) int {
	if v == 0 {
		return 0
	}
	return int(math.Floor(math.Log10(math.Abs(v)) + records.Slack))
}

func plain(number string) string { return number }

// mathematics writes a number for LaTeX, 3.4e-05 as $3.4\times 10^{-5}$.
func mathematics(number string) string {
	if number == "∞" {
		return `$\infty$`
	}
	mantissa, exponent, ok := strings.Cut(number, "e")
	if !ok {
		return "$" + number + "$"
	}
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return "$" + number + "$"
	}
	return fmt.Sprintf(`$%s\times 10^{%d}$`, mantissa, e)
}

// EscapeMarkdown returns a text as a cell of a Markdown table shows it.
func EscapeMarkdown(text string) string { return escapeMarkdown.Replace(text) }

var escapeMarkdown = strings.NewReplacer(`\`, "&#92;", "|", `\|`, "<", "&lt;", "\r\n", " ", "\n", " ")

var escapeLaTeX = strings.NewReplacer(
	`\`, `\textbackslash{}`, "%", `\%`, "_", `\_`, "&", `\&`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "≠", `$\neq$`,
).Replace
