package site

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"repro/plots/web"
)

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
	v := &pageView{Title: "Search", Nav: s.navigation(searchPage), Search: view}
	return v.html()
}
