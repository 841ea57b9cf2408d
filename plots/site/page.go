package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"

	"repro/plots/web"
	"repro/results/printed"
)

//go:embed *.tmpl
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"inline": inline, "markdown": convert, "seconds": seconds, "number": func(v float64) string { return printed.Digits(v, 3) },
}).ParseFS(files, "*.tmpl"))

// A pageView is what the template shows.
type pageView struct {
	web.Page

	Title          string
	Root           string // link to the folder of the site
	Source         string // path of the Markdown in the repository; empty if there is none
	Body           template.HTML
	Nav            []navGroup // nil for a page of its own
	Contents       []heading
	Previous, Next *navPage
	Search         *searchView // nil but for the page that searches

	figures bool   // which the script must enliven
	rules   string // of the classes of the figures
}

// html executes the template.
func (v *pageView) html() ([]byte, error) {
	script := "site.min.js"
	if v.figures {
		script = "lesson.min.js"
	}
	var err error
	if v.Page, err = web.NewPage(script, []string{"site.css"}, v.rules); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "page.tmpl", v); err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	return indices(b.Bytes()), nil
}

// A navGroup is a heading of the navigation with its pages.
type navGroup struct {
	Title string
	Pages []*navPage
}

type navPage struct {
	Title, Href string
	Here        bool
}

// A searchView is what the page that searches shows: without JavaScript, the headings of all pages.
type searchView struct {
	Pages []searchPageView
	Text  template.HTML // of all sections, as web.Pack writes it
}

type searchPageView struct {
	Title, Href string
	Headings    []heading
}
