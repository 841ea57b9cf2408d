package plots

import (
	"html"
	"html/template"
	"regexp"
	"strings"

	"repro/results/claims"
)

// rich converts text with ^{...} and _{...} to HTML; everything else is escaped.
func rich(s string) template.HTML {
	var b strings.Builder
	for _, p := range spans(s) {
		text := html.EscapeString(p.text)
		switch {
		case p.shift > 0:
			b.WriteString("<sup>" + text + "</sup>")
		case p.shift < 0:
			b.WriteString("<sub>" + text + "</sub>")
		default:
			b.WriteString(text)
		}
	}
	return template.HTML(b.String())
}

var notInAnchor = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// anchor turns a name into an id for links inside the report.
func anchor(s string) string {
	return strings.Trim(notInAnchor.ReplaceAllString(s, "-"), "-")
}

// A verdictSign is how a verdict looks: a colour class and a shape, so that it is told apart without
// colour.
type verdictSign struct {
	class string
	shape string // SVG elements on a 16 by 16 canvas
}

const strokeWhite = `fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"`

var verdictSigns = map[claims.Word]verdictSign{
	claims.Reproduced: {"good", `<circle cx="8" cy="8" r="8"/><path d="M4.5 8.5l2.5 2.5 4.5-5" ` + strokeWhite + `/>`},
	claims.Deviates:   {"bad", `<rect width="16" height="16" rx="2"/><path d="M5 5l6 6M11 5l-6 6" ` + strokeWhite + `/>`},
	claims.Inconclusive: {"open", `<path d="M8 0l8 8-8 8-8-8z"/><path d="M5.8 6.4a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.4" ` + strokeWhite +
		`/><circle cx="8" cy="12.2" r="1.1" fill="#fff"/>`},
	claims.NotComparable: {"apart", `<path d="M4 1h8l4 7-4 7H4L0 8z"/><path d="M4.5 6.5h7M4.5 9.5h7M10 4l-4 8" ` + strokeWhite + `/>`},
	claims.NotRun:        {"none", `<circle cx="8" cy="8" r="7" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 2.5"/>`},
	claims.Failed:        {"fail", `<path d="M8 0l8 15.5H0z"/><path d="M8 6v4" ` + strokeWhite + `/><circle cx="8" cy="12.8" r="1.1" fill="#fff"/>`},
}

// verdictOrder is how verdicts are counted in the summary.
var verdictOrder = []claims.Word{
	claims.Reproduced, claims.Deviates, claims.Inconclusive,
	claims.NotComparable, claims.NotRun, claims.Failed,
}

// badge writes a verdict as a word with its shape and colour.
func badge(w claims.Word) template.HTML {
	sign := verdictSigns[w]
	return template.HTML(`<span class="badge ` + sign.class + `"><svg viewBox="0 0 16 16" aria-hidden="true">` +
		sign.shape + `</svg>` + html.EscapeString(string(w)) + `</span>`)
}

// sign writes a verdict as its shape alone, which says the word to those who do not see it.
func sign(w claims.Word) template.HTML {
	return template.HTML(`<svg viewBox="0 0 16 16" role="img" aria-label="` + html.EscapeString(string(w)) + `">` +
		verdictSigns[w].shape + `</svg>`)
}

// class returns the colour class of a verdict.
func class(w claims.Word) string { return verdictSigns[w].class }
