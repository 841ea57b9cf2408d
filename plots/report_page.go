package plots

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"path"
	"strings"

	"repro/results/claims"
)

//go:generate web/bundle.sh

//go:embed web/*.tmpl web/report.css web/report.min.js
var web embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"rich": func(s string) template.HTML { return rich(typeset(s)) }, "badge": badge, "sign": sign, "class": class, "anchor": anchor,
	"plain": plainText, "sentence": sentence, "base": path.Base, "words": func() []claims.Word { return claims.Words }, "mark": func(w claims.Word) string { return verdictSigns[w].mark },
	"number": func(v float64) template.HTML { return rich(number(v)) },
	"span":   func(low, high float64) template.HTML { return rich(within(low, high)) },
	"list":   func(values ...any) []any { return values },
}).ParseFS(web, "web/*.tmpl"))

// A page is what a report needs besides its content: its style, its script, and the policy that allows these two and
// nothing else, so that the page cannot load or send anything.
type page struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

// newPage returns the page's style, with the classes of its figures, and its script.
func newPage(looks map[string]look) (page, error) {
	css, err := web.ReadFile("web/report.css")
	if err != nil {
		return page{}, err
	}
	js, err := web.ReadFile("web/report.min.js")
	if err != nil {
		return page{}, err
	}
	p := page{Style: template.CSS(string(css) + signsCSS() + looksCSS(looks)), Script: template.JS(strings.TrimSpace(string(js)))}
	p.Policy = "default-src 'none'; img-src data: blob:; style-src " + digest(string(p.Style)) + "; script-src " + digest(string(p.Script)) +
		"; base-uri 'none'; form-action 'none'"
	return p, nil
}

// digest names a text in a policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
