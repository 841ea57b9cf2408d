package plots

import (
	"html"
	"html/template"
	"path"
	"regexp"
	"strings"

	"repro/plots/figures"
	"repro/plots/web"
	"repro/results/claims"
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"rich": Rich, "badge": badge, "sign": sign, "class": class, "anchor": anchor,
	"plain": figures.PlainText, "sentence": figures.Sentence, "base": path.Base, "words": func() []claims.Word { return claims.Words },
	"title": title, "marked": marked, "numbers": figures.Measured, "quantity": quantity,
	"tight":  func(s string) template.HTML { return rich(strings.ReplaceAll(s, ", ", ",\u00a0")) }, // an interval is not broken
	"number": func(v float64) template.HTML { return rich(figures.Number(v)) },
	"span":   func(low, high float64) template.HTML { return rich(figures.Within(low, high)) },
	"list":   func(values ...any) []any { return values },
}).ParseFS(web.Files, "*.tmpl"))

// Rich converts text as specs write it, with exponents such as m^(-1/2), to HTML.
func Rich(s string) template.HTML { return rich(figures.Typeset(s)) }

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
