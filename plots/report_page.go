package plots

import (
	"fmt"
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

// verdictClasses are the classes of verdicts, which have their colours.
var verdictClasses = map[claims.Word]string{
	claims.Reproduced: "good", claims.Deviates: "bad", claims.Inconclusive: "open", claims.NotComparable: "apart", claims.NotRun: "none", claims.Failed: "fail",
}

// signsCSS puts the sign of a verdict before its word, for readers who do not see the colour. Screen readers hear the word alone.
func signsCSS() string {
	var b strings.Builder
	for _, w := range claims.Words {
		fmt.Fprintf(&b, ".badge.%s::before{content:\"%s\"/\"\"}\n", class(w), w.Sign())
	}
	return b.String()
}

// badge returns the words for a verdict with its sign and colour.
func badge(w claims.Word, called string) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `">` + html.EscapeString(called) + `</b>`)
}

// sign returns a verdict's sign, labelled with the word for screen readers.
func sign(w claims.Word) template.HTML {
	return template.HTML(`<b class="badge ` + class(w) + `" role="img" aria-label="` + html.EscapeString(string(w)) + `"></b>`)
}

// class returns the colour class of a verdict, and none for no verdict.
func class(w claims.Word) string {
	if w == "" {
		return "none"
	}
	return verdictClasses[w]
}
