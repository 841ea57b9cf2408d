package plots

import (
	"html"
	"html/template"
	"regexp"
	"strings"

	"repro/plots/figures"
)

// rich converts text with ^{...} and _{...} to HTML; everything else is escaped.
func rich(s string) template.HTML {
	var b strings.Builder
	for _, p := range figures.Spans(s) {
		text := html.EscapeString(p.Text)
		switch {
		case p.Shift > 0:
			b.WriteString("<sup>" + text + "</sup>")
		case p.Shift < 0:
			b.WriteString("<sub>" + text + "</sub>")
		default:
			b.WriteString(text)
		}
	}
	return template.HTML(b.String())
}

var notInAnchor = regexp.MustCompile(`[^a-zA-Z0-9]+`)

// anchor returns the id, for links inside the report, of what has the given name.
func anchor(s string) string {
	return strings.Trim(notInAnchor.ReplaceAllString(s, "-"), "-")
}
