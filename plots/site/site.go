// Package site writes the documentation as pages that need no network: Markdown as HTML, with navigation and search.
// Every page holds its style, script and pictures, so it loads nothing. Links between files become links between pages; a link
// to a file that is no page becomes its path, and one that leads nowhere is an error with file and line. Anchors are
// GitHub's. The page of a lesson asks first and shows later; its script judges as lessons.Score does.
package site

import (
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
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
	{"Start", []string{readme, "docs/commands.md", "docs/performance.md"}},
	{"Lessons", []string{"docs/lessons/README.md", "docs/lessons"}},
	{"Results", []string{"docs/scoreboard.md", "docs/papers", "docs/papers/changed-verdicts.md", "docs/results-log.md"}},
	{"Your own experiments", []string{"docs/own-experiments.md", "docs/spec.md", "docs/datasets.md", "docs/online.md", "docs/external-methods.md", "docs/clusters.md", "docs/adding-an-algorithm.md", "docs/adding-a-metric.md", "docs/adding-a-kind-of-claim.md", "docs/adding-a-kind-of-figure.md", "docs/adding-a-lesson.md"}},
	{"Judging results", []string{"docs/verdicts.md", "docs/report.md", "docs/regression-testing.md", "docs/audit.md"}},
	{"How it is built", []string{"docs/architecture.md", "docs/compute.md", "CONTRIBUTING.md"}},
	{"What was tested", []string{"docs/faults.md", "docs/robustness.md", "docs/fuzzing.md", "docs/security.md"}},
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
	alone   bool // links to other pages become their paths
	faults  []error
	outside []Reference
}

// A Reference is a link to something of the repository that is not on the site.
type Reference struct {
	File   string // with the link
	Line   int
	Target string // path in the repository
}

// New reads the pages. The error lists every link inside the site that leads nowhere, with file and line.
func New(files Files, lessons ...*Lesson) (*Site, error) {
	return read(&Site{byPath: map[string]*page{}, files: files}, lessons)
}

// Alone returns the page of a lesson, without the pages around it.
func Alone(files Files, l *Lesson) ([]byte, error) {
	s, err := read(&Site{byPath: map[string]*page{}, files: files, alone: true}, []*Lesson{l})
	if err != nil {
		return nil, err
	}
	v := &pageView{Title: l.Title}
	if err := l.fill(v, s, s.byPath[l.page()]); err != nil {
		return nil, err
	}
	return v.html()
}

// read reads the pages of a site.
func read(s *Site, lessons []*Lesson) (*Site, error) {
	for _, name := range order(s.files) {
		p := parse(name, s.files[name])
		s.pages, s.byPath[name] = append(s.pages, p), p
	}
	for _, l := range lessons {
		p := s.byPath[l.page()]
		if p == nil {
			return nil, fmt.Errorf("%s: there is no such page", l.page())
		}
		p.lesson = l
	}
	for _, p := range s.pages {
		s.resolve(p)
	}
	if len(s.faults) > 0 {
		return nil, faults(s.faults)
	}
	return s, nil
}

// Outside returns the links to files of the repository that are not on the site.
func (s *Site) Outside() []Reference { return s.outside }

// faults is a list of errors, one a line.
type faults []error

// Error implements error.
func (f faults) Error() string {
	var lines []string
	for _, err := range f {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

// order returns the paths of the pages in the order of reading.
func order(files Files) []string {
	var left, all []string
	for name := range files {
		if path.Ext(name) == ".md" {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	take := func(belongs func(string) bool) {
		for _, name := range left {
			if belongs(name) {
				all = append(all, name)
			}
		}
		left = slices.DeleteFunc(left, belongs)
	}
	for _, g := range groups {
		for _, member := range g.pages {
			take(func(name string) bool { return name == member || path.Dir(name) == member && !named(name) })
		}
	}
	take(func(string) bool { return true })
	return all
}

// named reports whether a group names a page.
func named(name string) bool {
	return slices.ContainsFunc(groups, func(g group) bool { return slices.Contains(g.pages, name) })
}

// groupOf returns the index of the group that a page is in.
func groupOf(name string) int {
	for i, g := range groups {
		if slices.Contains(g.pages, name) || !named(name) && slices.Contains(g.pages, path.Dir(name)) {
			return i
		}
	}
	return len(groups) - 1
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
		if g := groupOf(p.name); g != last {
			nav, last = append(nav, navGroup{Title: groups[g].Title}), g
		}
		to := &nav[len(nav)-1]
		to.Pages = append(to.Pages, navPage{Title: p.short(), Href: relative(from, p.address), Here: p.address == from})
	}
	return nav
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
			view.Previous = &navPage{Title: s.pages[i-1].short(), Href: relative(p.address, s.pages[i-1].address)}
		}
		if i+1 < len(s.pages) {
			view.Next = &navPage{Title: s.pages[i+1].short(), Href: relative(p.address, s.pages[i+1].address)}
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
	return out, nil
}

// view returns what the template shows of a page.
func (s *Site) view(p *page) (*pageView, error) {
	v := &pageView{Title: p.title, Root: relative(p.address, ""), Source: p.name, Nav: s.navigation(p.address), Contents: p.contents()}
	if s.files[p.name] == nil {
		v.Source = ""
	}
	if p.lesson != nil {
		v.Contents = nil
		return v, p.lesson.fill(v, s, p)
	}
	body, err := s.render(p)
	v.Body = template.HTML(body)
	return v, err
}
