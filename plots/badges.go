package plots

import (
	"html"
	"html/template"
	"net/url"
	"strings"

	"repro/results/claims"
)

// A verdictSign is the look of a verdict beside its Word.Sign: a colour class, and a shape with the sign for readers who do not see the
// colour.
type verdictSign struct {
	class string
	shape string // SVG elements on a 16 by 16 canvas
	sign  string // on the shape
}

const stroked = `fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"`

var verdictSigns = map[claims.Word]verdictSign{
	claims.Reproduced:    {"good", `<circle cx="8" cy="8" r="8"/>`, `<path d="M4.5 8.5l2.5 2.5 4.5-5" ` + stroked + `/>`},
	claims.Deviates:      {"bad", `<rect width="16" height="16" rx="2"/>`, `<path d="M5 5l6 6M11 5l-6 6" ` + stroked + `/>`},
	claims.Inconclusive:  {"open", `<path d="M8 0l7 4v8l-7 4-7-4V4z"/>`, `<path d="M6 6.6c.2-2.8 4.2-2.6 4 0-.1 1.2-2 1.3-2 2.8" ` + stroked + `/><circle cx="8" cy="11.8" r="1.1" fill="#fff"/>`},
	claims.NotComparable: {"apart", `<circle cx="8" cy="8" r="6.5" fill="none" stroke="#000" stroke-width="2.6"/>`, ""},
	claims.NotRun:        {"none", `<path d="M3 8h10" fill="none" stroke="#000" stroke-width="2.6"/>`, ""},
	claims.Failed:        {"fail", `<path d="M8 0l8 15.5H0z"/>`, `<path d="M8 6v4" ` + stroked + `/><circle cx="8" cy="12.8" r="1.1" fill="#fff"/>`},
}

// signsCSS returns the style of the shapes: each is a mask, so that the colour of the verdict shows through, with its sign cut
// out.
func signsCSS() string {
	var b strings.Builder
	for _, w := range claims.Words {
		s := verdictSigns[w]
		shape := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><mask id="m"><rect width="16" height="16" fill="#fff"/>` +
			strings.ReplaceAll(s.sign, "#fff", "#000") + `</mask><g mask="url(#m)">` + s.shape + `</g></svg>`
		b.WriteString(".badge." + s.class + `{--sign:url("data:image/svg+xml,` + url.PathEscape(shape) + "\")}\n")
	}
	return b.String()
}

// badge returns the words for a verdict with its shape and colour.
func badge(w claims.Word, called string) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `">` + html.EscapeString(called) + `</b>`)
}

// sign returns a verdict's shape, labelled with the word for screen readers.
func sign(w claims.Word) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `" role="img" aria-label="` + html.EscapeString(string(w)) + `"></b>`)
}

// class returns the colour class of a verdict, and none for no verdict.
func class(w claims.Word) string {
	if w == "" {
		return "none"
	}
	return verdictSigns[w].class
}
