// Package web holds the styles and scripts of the pages that repro writes: the report, and the documentation with its lessons.
package web

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"strings"
)

//go:generate ./bundle.sh

// Files holds the templates of the report, the styles and the bundled scripts.
//
//go:embed *.tmpl *.css *.min.js
var Files embed.FS

// A Page is what a page needs besides its content: its style, its script, and the policy that allows these two and
// nothing else, so that the page cannot load or send anything.
type Page struct {
	Style  template.CSS
	Script template.JS
	Policy string
}

// NewPage returns the page with base.css, the named styles and rules of its own, and the named script, if any.
func NewPage(script string, styles []string, rules string) (Page, error) {
	var css strings.Builder
	for _, name := range append([]string{"base.css"}, styles...) {
		text, err := Files.ReadFile(name)
		if err != nil {
			return Page{}, err
		}
		css.Write(text)
	}
	p := Page{Style: template.CSS(css.String() + rules)}
	if script != "" {
		js, err := Files.ReadFile(script)
		if err != nil {
			return Page{}, err
		}
		p.Script = template.JS(strings.TrimSpace(string(js)))
	}
	p.Policy = "default-src 'none'; img-src data: blob:; style-src " + digest(string(p.Style)) + "; script-src " + digest(string(p.Script)) +
		"; base-uri 'none'; form-action 'none'"
	return p, nil
}

// RunsProgram lets the page fetch and run the program that lies on its own server.
func (p *Page) RunsProgram() {
	p.Policy = strings.Replace(p.Policy, "script-src ", "connect-src 'self'; worker-src blob:; script-src 'wasm-unsafe-eval' ", 1)
}

// digest names a text in a policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Pack returns a value for a script element: JSON, compressed with DEFLATE and in base 64, which together is a third as long.
// unpack in data.js reads it.
func Pack(v any) (template.HTML, error) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	text := json.NewEncoder(w)
	text.SetEscapeHTML(false)
	if err := text.Encode(v); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return template.HTML(base64.StdEncoding.EncodeToString(packed.Bytes())), nil
}
