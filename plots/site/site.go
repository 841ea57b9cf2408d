// Package site writes the documentation as pages that need no network: Markdown as HTML, with navigation and search.
// Every page holds its style, script and pictures, so it loads nothing. Links between files become links between pages; a link
// to a file that is no page becomes its path, and one that leads nowhere is an error with file and line. Anchors are
// GitHub's. The page of a lesson asks first and shows later; its script judges as lessons.Score does.
package site

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"path"
	"slices"
	"strings"

	"repro/docs/lessons"
)

// Files holds what a site is made of, by its path in the repository: Markdown, and the pictures in it.
type Files map[string][]byte

// A group is a part of the navigation: the pages that belong together, in the order of reading. A folder stands for its pages
// that no group names.
type group struct {
	Title string
	pages []string
}

// groups is the order of the site. Pages that no group names come last.
var groups = []group{
	{"Start", []string{readme, "docs/start.md", "docs/commands.md", "docs/report.md", "docs/browser.md"}},
	{"Lessons", []string{"docs/lessons/README.md", "docs/lessons", "lessons"}},
	{"Results", []string{"docs/reproduced.md", "docs/scoreboard.md", "docs/papers", "docs/solvers.md"}},
	{"Your own experiments", []string{"docs/own-experiments.md", "docs/datasets.md", "docs/online.md", "docs/adding-an-algorithm.md", "docs/extending.md", "docs/external-methods.md", "docs/clusters.md"}},
	{"Your own code and curves", []string{"docs/python.md", "docs/curves.md", "docs/tracing.md", "docs/order-of-your-code.md", "docs/guarding.md"}},
	{"The spec format", []string{"docs/spec.md", "docs/spec"}},
	{"Judging results", []string{"docs/verdicts.md", "docs/error-rates.md", "docs/audit.md", "docs/faults.md", "docs/sabotage.md", "docs/security.md", "docs/stability.md", "docs/CHANGELOG.md"}},
	{"How it is built", []string{"docs/architecture.md", "docs/compute.md", "CONTRIBUTING.md"}},
	{"More", nil},
}

const (
	readme = "README.md"
	folder = "docs/" // of the pages
)

// A Site is the pages in the order of reading.
type Site struct {
	pages   []*page
	byPath  map[string]*page
	files   Files
	faults  []error
	outside []Reference
	program *Program
}

// A Reference is a link to something of the repository that is not on the site.
type Reference struct {
	File   string // with the link
	Line   int
	Target string // path in the repository
}

// New reads the pages. The error lists every link inside the site that leads nowhere, with file and line.
func New(files Files, lessons ...*lessons.Lesson) (*Site, error) {
	s := &Site{byPath: map[string]*page{}, files: files}
	for _, name := range order(s.files) {
		p := parse(name, s.files[name])
		s.pages, s.byPath[name] = append(s.pages, p), p
	}
	for _, l := range lessons {
		p := s.byPath[l.File]
		if p == nil {
			return nil, fmt.Errorf("%s: there is no such page", l.File)
		}
		p.lesson = l
	}
	for _, p := range s.pages {
		s.resolve(p)
	}
	if err := errors.Join(s.faults...); err != nil {
		return nil, err
	}
	return s, nil
}

// Outside returns the links to files of the repository that are not on the site.
func (s *Site) Outside() []Reference { return s.outside }

// order returns the paths of the pages in the order of reading.
func order(files Files) []string {
	all := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return path.Ext(name) != ".md" })
	slices.SortStableFunc(all, func(a, b string) int {
		ga, ia := placeOf(a)
		gb, ib := placeOf(b)
		return cmp.Or(ga-gb, ia-ib)
	})
	return all
}

// placeOf returns the index of the group that a page is in, and its place or that of its folder there.
func placeOf(name string) (of, at int) {
	for _, member := range []string{name, path.Dir(name)} {
		for i, g := range groups {
			if k := slices.Index(g.pages, member); k >= 0 {
				return i, k
			}
		}
	}
	return len(groups) - 1, 0
}

// address returns the path of a page on the site.
func address(name string) string {
	if name == readme {
		return "index.html"
	}
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, folder), ".md")) + ".html"
}

// relative returns the link from a page to another path of the site.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}

// navigation returns the pages by group, as links from a page.
func (s *Site) navigation(from string) []navGroup {
	var nav []navGroup
	last := -1
	for _, p := range s.pages {
		if g, _ := placeOf(p.name); g != last {
			nav, last = append(nav, navGroup{Title: groups[g].Title}), g
		}
		to := &nav[len(nav)-1]
		to.Pages = append(to.Pages, p.from(from))
	}
	return nav
}

// from returns the page as a link from another, or from itself.
func (p *page) from(address string) *navPage {
	return &navPage{Title: p.short(), Href: relative(address, p.address), Here: p.address == address}
}

// A Program is what pages run experiments with: files beside them, in the folder program.
type Program struct {
	Starter  string    // the spec that the playground begins with
	Examples []Example // that it offers
	Missing  string    // why there is no program; empty if there is one
}

// An Example is an experiment that the playground offers.
type Example struct{ ID, Title string }

// Add adds the playground, and what lessons run.
func (s *Site) Add(p Program) { s.program = &p }

// runs reports whether pages of the site run experiments.
func (s *Site) runs() bool { return s.program != nil && s.program.Missing == "" }

// playPage is the address of the playground.
const playPage = "playground.html"

// play returns the playground.
func (s *Site) play() ([]byte, error) {
	v := &pageView{Title: "Playground", Nav: s.navigation(playPage), script: "play.min.js", program: s.program}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "play.tmpl", *s.program); err != nil {
		return nil, err
	}
	v.Body = template.HTML(b.String())
	return v.html()
}

// Pages returns the files of the site by their paths.
func (s *Site) Pages() (map[string][]byte, error) {
	out := map[string][]byte{}
	for i, p := range s.pages {
		view, err := s.view(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		if i > 0 {
			view.Previous = s.pages[i-1].from(p.address)
		}
		if i+1 < len(s.pages) {
			view.Next = s.pages[i+1].from(p.address)
		}
		if out[p.address], err = view.html(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	index, err := s.search()
	if err != nil {
		return nil, err
	}
	out[searchPage] = index
	if s.program != nil {
		out[playPage], err = s.play()
	}
	return out, err
}

// view returns what the template shows of a page.
func (s *Site) view(p *page) (*pageView, error) {
	v := &pageView{program: s.program, Title: p.title, Root: relative(p.address, ""), Source: p.name, Nav: s.navigation(p.address), Contents: p.contents()}
	if s.files[p.name] == nil {
		v.Source = ""
	}
	if p.lesson != nil {
		v.Contents = nil
		lesson, err := s.viewLesson(p)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = templates.ExecuteTemplate(&b, "lesson.tmpl", lesson)
		v.Body, v.script = template.HTML(b.String()), "lesson.min.js"
		return v, err
	}
	body, err := s.render(p)
	v.Body = template.HTML(body)
	return v, err
}
