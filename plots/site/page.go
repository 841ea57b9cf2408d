package site

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

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

	script  string   // bundle of the page; empty for that of every page
	program *Program // nil if there is none
}

// html executes the template.
func (v *pageView) html() ([]byte, error) {
	var err error
	if v.Page, err = web.NewPage(cmp.Or(v.script, "site.min.js"), []string{"site.css"}, ""); err != nil {
		return nil, err
	}
	if v.Runs() {
		v.RunsProgram()
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "page.tmpl", v); err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	return indices(b.Bytes()), nil
}

// Plays reports whether the site has a playground.
func (v *pageView) Plays() bool { return v.program != nil }

// Runs reports whether the page runs the program.
func (v *pageView) Runs() bool { return v.program != nil && v.program.Missing == "" && v.script != "" }

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

// searchPage is the address of the page that searches. It alone has the text of all others, so that the rest stay small.
const searchPage = "search.html"

// A section is a heading with the text up to the next one. The names are those that the script reads.
type section struct {
	Page    string `json:"p"` // title
	Heading string `json:"h"` // empty for the beginning of the page
	Href    string `json:"u"`
	Text    string `json:"t"`
}

// fences are the parts of a lesson's Markdown that are not text to search: they have the answers.
var fences = []string{"lesson", "predict", "run", "explain", "break", "check", "notes"}

// sections returns the text of a page by heading.
func (p *page) sections() []section {
	all := []section{{Page: p.title, Href: p.address}}
	for n := p.doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if ok && h.Level > 1 {
			id, _ := h.AttributeString("id")
			all = append(all, section{Page: p.title, Heading: plain(h, p.text), Href: p.address + "#" + string(id.([]byte))})
		} else if fence, code := n.(*ast.FencedCodeBlock); !ok && !(code && p.lesson != nil && slices.Contains(fences, string(fence.Language(p.text)))) {
			last := &all[len(all)-1]
			last.Text = strings.TrimSpace(last.Text + " " + plain(n, p.text))
		}
	}
	return all
}

// search returns the page that searches all others.
func (s *Site) search() ([]byte, error) {
	view := &searchView{}
	var all []section
	for _, p := range s.pages {
		all = append(all, p.sections()...)
		view.Pages = append(view.Pages, searchPageView{p.title, p.address, p.contents()})
	}
	var err error
	if view.Text, err = web.Pack(all); err != nil {
		return nil, err
	}
	v := &pageView{Title: "Search", Nav: s.navigation(searchPage), Search: view, program: s.program}
	return v.html()
}

// What becomes small: the first group.
var (
	index = regexp.MustCompile(`(?:(?:^|[^\pL\pN_])\pL|\p{Greek})\x{0302}?_(\pN+|\pL|\*|\([^()\s]{1,12}\))`) // of a single letter, as in γ_t, λ_12, f_* and λ_(k+1)
	power = regexp.MustCompile(`[\pL\pN)>]\^(-?\pN+(?:\.\pN+)?|\pL|\([^()\s]{1,12}\))`)                      // as in n^1.5 and t^(-1/2)
)

// asIs are the elements whose text stays as it is.
var asIs = []string{"code", "pre", "script", "style", "svg", "textarea", "title", "option"}

// indices writes the indices in the text of a page as subscripts, and powers as superscripts.
func indices(page []byte) []byte {
	var b bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(page))
	depth := 0
	for {
		kind := z.Next()
		raw := slices.Clone(z.Raw())
		switch kind {
		case html.ErrorToken: // the end: the page is ours
			return b.Bytes()
		case html.StartTagToken, html.EndTagToken:
			if name, _ := z.TagName(); slices.Contains(asIs, string(name)) {
				depth += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
			}
		case html.TextToken:
			if depth == 0 {
				raw = shrunk(shrunk(raw, index, "sub"), power, "sup")
			}
		}
		b.Write(raw)
	}
}

// shrunk puts the first group of every match into an element, in place of the sign before it and of brackets around it. Names such
// as t_part stay.
func shrunk(text []byte, pattern *regexp.Regexp, element string) []byte {
	var out []byte
	last := 0
	for _, at := range pattern.FindAllSubmatchIndex(text, -1) {
		small := text[at[2]:at[3]]
		if small[0] == '(' {
			small = small[1 : len(small)-1]
		} else if next, _ := utf8.DecodeRune(text[at[1]:]); next == '_' || unicode.IsLetter(next) || unicode.IsDigit(next) {
			continue
		}
		out = append(out, text[last:at[2]-1]...)
		out = fmt.Appendf(out, "<%s>%s</%[1]s>", element, bytes.ReplaceAll(small, []byte("-"), []byte("−")))
		last = at[1]
	}
	return append(out, text[last:]...)
}
