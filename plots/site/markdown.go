package site

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"mime"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"repro/docs/lessons"
	"repro/results/printed"
)

// markdown reads what GitHub reads, but for strikethrough: in a formula a tilde is a sign. The page's policy allows no style
// attribute, so that columns of tables are aligned by an attribute of their own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 100))),
)

// A page is a Markdown file.
type page struct {
	name     string // path in the repository
	address  string // on the site
	title    string
	text     []byte
	doc      ast.Node
	headings []heading
	lesson   *lessons.Lesson // nil if the page is no lesson
}

// A heading is a part of a page.
type heading struct {
	Level int
	ID    string
	Text  string
}

// parse reads a Markdown file.
func parse(name string, content []byte) *page {
	p := &page{name: name, address: address(name), text: content}
	p.doc = markdown.Parser().Parse(text.NewReader(content), parser.WithContext(parser.NewContext(parser.WithIDs(&slugs{used: map[string]int{}}))))
	ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if h, ok := n.(*ast.Heading); ok && entering {
			id, _ := h.AttributeString("id")
			p.headings = append(p.headings, heading{h.Level, string(id.([]byte)), plain(h, content)})
			if p.title == "" && h.Level == 1 {
				p.title = plain(h, content)
			}
		}
		return ast.WalkContinue, nil
	})
	if p.title == "" {
		p.title = path.Base(name)
	}
	return p
}

// short returns the title as the navigation has it: of a paper, the key before the colon.
func (p *page) short() string {
	if short, _, ok := strings.Cut(p.title, ": "); ok && path.Dir(p.name) == "docs/papers" {
		return short
	}
	return p.title
}

// contents returns the headings below the title, of two levels.
func (p *page) contents() (list []heading) {
	for _, h := range p.headings {
		if h.Level == 2 || h.Level == 3 {
			list = append(list, h)
		}
	}
	return list
}

// slugs makes the ids of headings as GitHub does, so that a link which works there works here.
type slugs struct{ used map[string]int }

// Generate implements parser.IDs.
func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	slug := b.String()
	n := s.used[slug]
	s.used[slug]++
	if n > 0 {
		slug = fmt.Sprintf("%s-%d", slug, n)
	}
	return []byte(slug)
}

// Put implements parser.IDs.
func (s *slugs) Put(value []byte) { s.used[string(value)]++ }

// plain returns the text of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(source)
			if n.Parent().Kind() != ast.KindCodeSpan {
				value = util.ResolveEntityNames(util.UnescapePunctuations(value))
			}
			b.Write(value)
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// line returns the number of the line that a node begins in.
func (p *page) line(n ast.Node) int {
	at := -1
	ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			at = t.Segment.Start
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	for ; at < 0 && n != nil; n = n.Parent() {
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			at = n.Lines().At(0).Start
		}
	}
	return 1 + bytes.Count(p.text[:max(at, 0)], []byte("\n"))
}

// resolve makes the links and pictures of a page those of the site, and lists what leads nowhere.
func (s *Site) resolve(p *page) {
	fault := func(n ast.Node, format string, args ...any) {
		s.faults = append(s.faults, fmt.Errorf("%s:%d: %s", p.name, p.line(n), fmt.Sprintf(format, args...)))
	}
	ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to, target, err := s.follow(p, string(n.Destination))
			switch {
			case err != nil:
				fault(n, "link to %s: %v", n.Destination, err)
			case target != "":
				s.outside = append(s.outside, Reference{p.name, p.line(n), target})
				n.SetAttributeString(outside, []byte(target))
			}
			n.Destination = []byte(to)
		case *ast.Image:
			to, err := s.picture(p, string(n.Destination))
			if err != nil {
				fault(n, "picture %s: %v", n.Destination, err)
			}
			n.Destination = []byte(to)
		case *ast.HTMLBlock:
			if n.HTMLBlockType != ast.HTMLBlockType2 {
				fault(n, "HTML within Markdown; only comments may stay")
			}
		case *ast.RawHTML:
			if raw := n.Segments.At(0); !bytes.HasPrefix(raw.Value(p.text), []byte("<!--")) {
				fault(n, "HTML within Markdown; only comments may stay")
			}
		}
		return ast.WalkContinue, nil
	})
}

// follow returns where a link of a page leads on the site, or the path in the repository of what is not there.
func (s *Site) follow(p *page, link string) (to, target string, err error) {
	u, err := url.Parse(link)
	if err != nil {
		return "", "", err
	}
	switch {
	case u.Scheme == "https", u.Scheme == "http", u.Scheme == "mailto":
		return link, "", nil
	case u.Scheme != "", u.Host != "":
		return "", "", errors.New("only links to https, http and mailto are allowed")
	}
	name := p.name
	if u.Path != "" {
		name = path.Join(path.Dir(p.name), u.Path)
	}
	if strings.HasPrefix(name, "../") {
		return "", "", errors.New("it leads out of the repository")
	}
	other := s.byPath[name]
	if other == nil {
		if len(s.pagesIn(name)) > 0 {
			return relative(p.address, s.pagesIn(name)[0].address), "", nil
		}
		if path.Ext(name) == ".md" {
			return "", "", fmt.Errorf("there is no %s", name)
		}
		return "", name, nil
	}
	if ids := printed.Each(other.headings, func(h heading) string { return h.ID }); u.Fragment != "" && !slices.Contains(ids, u.Fragment) {
		return "", "", fmt.Errorf("%s has no heading with this anchor; %s", name, printed.Suggest(u.Fragment, ids))
	}
	if other == p {
		return "#" + u.Fragment, "", nil
	}
	to = relative(p.address, other.address)
	if u.Fragment != "" {
		to += "#" + u.Fragment
	}
	return to, "", nil
}

// pagesIn returns the pages in a folder of the repository.
func (s *Site) pagesIn(folder string) []*page {
	var list []*page
	for _, p := range s.pages {
		if path.Dir(p.name) == path.Clean(folder) {
			list = append(list, p)
		}
	}
	return list
}

// picture returns a picture as a part of the page.
func (s *Site) picture(p *page, link string) (string, error) {
	name := path.Join(path.Dir(p.name), link)
	content, ok := s.files[name]
	if !ok {
		return "", fmt.Errorf("there is no %s", name)
	}
	return "data:" + mime.TypeByExtension(path.Ext(name)) + ";base64," + base64.StdEncoding.EncodeToString(content), nil
}

// render returns the page's text as HTML.
func (s *Site) render(p *page) (string, error) {
	var b bytes.Buffer
	err := markdown.Renderer().Render(&b, p.text, p.doc)
	return noHeader.ReplaceAllString(b.String(), "<td></td>"), err
}

// noHeader matches the cell above the names of rows: it heads nothing, and a screen reader would look for its words.
var noHeader = regexp.MustCompile(`<th( align="\w+")?></th>`)

// outside is the attribute of a link to a file of the repository that is not on the site.
const outside = "outside"

// blocks renders what the site shows in a way of its own.
type blocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (blocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, renderHeading)
	r.Register(ast.KindCodeBlock, renderCode)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindImage, renderImage)
	r.Register(ast.KindHTMLBlock, skip)
	r.Register(ast.KindRawHTML, skip)
	r.Register(east.KindTable, renderTable)
}

// skip leaves comments out.
func skip(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkSkipChildren, nil
}

// renderHeading writes a heading with a link to itself.
func renderHeading(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	id, _ := n.AttributeString("id")
	if entering {
		fmt.Fprintf(w, `<h%d id="%s">`, n.Level, html.EscapeString(string(id.([]byte))))
		return ast.WalkContinue, nil
	}
	if n.Level > 1 {
		fmt.Fprintf(w, ` <a class="anchor" href="#%s" aria-label="link to %s">#</a>`, id, html.EscapeString(plain(n, source)))
	}
	fmt.Fprintf(w, "</h%d>\n", n.Level)
	return ast.WalkContinue, nil
}

// renderCode writes a block of code, which the keyboard can scroll.
func renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	w.WriteString(`<div class="code"><pre tabindex="0"><code>`)
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		w.WriteString(html.EscapeString(string(line.Value(source))))
	}
	w.WriteString("</code></pre></div>\n")
	return ast.WalkSkipChildren, nil
}

// renderTable writes a table into a box that scrolls sideways.
func renderTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString(`<div class="scroll" tabindex="0"><table>` + "\n")
	} else {
		w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// renderLink writes a link, and the path of what is not on the site as text.
func renderLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Link)
	target, is := n.AttributeString(outside)
	switch {
	case is && entering:
	case is:
		if name := string(target.([]byte)); !strings.HasSuffix(name, plain(n, source)) {
			fmt.Fprintf(w, " (<code>%s</code>)", html.EscapeString(name))
		}
	case entering:
		fmt.Fprintf(w, `<a href="%s"`, html.EscapeString(string(n.Destination)))
		if n.Title != nil {
			fmt.Fprintf(w, ` title="%s"`, html.EscapeString(string(n.Title)))
		}
		w.WriteByte('>')
	default:
		w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

// renderImage writes a picture. A wide one scrolls on a phone.
func renderImage(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		n := node.(*ast.Image)
		fmt.Fprintf(w, `<img class="picture" src="%s" alt="%s">`, html.EscapeString(string(n.Destination)), html.EscapeString(plain(n, source)))
	}
	return ast.WalkSkipChildren, nil
}
