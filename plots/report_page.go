package plots

import (
	"html/template"
	"path"

	"repro/plots/figures"
	"repro/plots/web"
	"repro/results/claims"
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"rich": func(s string) template.HTML { return rich(figures.Typeset(s)) }, "badge": badge, "sign": sign, "class": class, "anchor": anchor,
	"plain": figures.PlainText, "sentence": figures.Sentence, "base": path.Base, "words": func() []claims.Word { return claims.Words }, "mark": func(w claims.Word) string { return verdictSigns[w].mark },
	"title": title, "marked": marked, "measured": figures.Measured,
	"number": func(v float64) template.HTML { return rich(figures.Number(v)) },
	"span":   func(low, high float64) template.HTML { return rich(figures.Within(low, high)) },
	"list":   func(values ...any) []any { return values },
}).ParseFS(web.Files, "*.tmpl"))
