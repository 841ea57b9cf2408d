package site

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/docs/lessons"
	"repro/plots/browsertest"
)

// repository returns the Markdown of the repository and the pictures in it.
func repository(t *testing.T) Files {
	t.Helper()
	files := Files{}
	for _, folder := range []string{".", "docs", "docs/data", "docs/papers", "docs/lessons", "docs/spec", "docs/img"} {
		entries, err := os.ReadDir(filepath.Join("..", "..", folder))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		for _, e := range entries {
			name := path.Join(folder, e.Name())
			if !slices.Contains([]string{".md", ".svg", ".png"}, path.Ext(name)) {
				continue
			}
			text, err := os.ReadFile(filepath.Join("..", "..", name))
			require.NoError(t, err)
			files[name] = text
		}
	}
	return files
}

// readAll returns the lessons.
func readAll(t *testing.T) []*lessons.Lesson {
	t.Helper()
	all, err := lessons.Read()
	require.NoError(t, err)
	return all
}

// No link and no picture of the repository's Markdown leads nowhere.
func TestLinks(t *testing.T) {
	s, err := New(repository(t), readAll(t)...)
	require.NoError(t, err, "every line is file:line: what is broken")
	for _, r := range s.Outside() {
		_, err := fs.Stat(os.DirFS(filepath.Join("..", "..")), path.Clean(r.Target))
		assert.NoError(t, err, "%s:%d: link to %s", r.File, r.Line, r.Target)
	}
}

func TestBrokenLinks(t *testing.T) {
	files := Files{
		readme:         []byte("# repro\n\ntext\n[good](docs/a.md#the-rule) and [bad](docs/a.md#rule)\n\n- an item\n- [gone](docs/b.md)\n\n![no picture](docs/img/x.svg)\n\n[js](javascript:alert)\n\n<b>bold</b>\n"),
		"docs/a.md":    []byte("# A\n\n## The rule\n\n| a |\n|---|\n| [up](../../x.md) |\n\n<!-- a comment -->\n\n[code](../plots/site/site.go)\n"),
		"docs/img.svg": []byte("<svg/>"),
	}
	_, err := New(files)
	require.Error(t, err)
	for _, want := range []string{
		"README.md:4: link to docs/a.md#rule: docs/a.md has no heading with this anchor; choose one of a, the-rule",
		"README.md:7: link to docs/b.md: there is no docs/b.md",
		"README.md:9: picture docs/img/x.svg: there is no docs/img/x.svg",
		"README.md:11: link to javascript:alert: only links to https, http and mailto are allowed",
		"README.md:13: HTML within Markdown; only comments may stay",
		"docs/a.md:7: link to ../../x.md: it leads out of the repository",
	} {
		assert.Contains(t, strings.Split(err.Error(), "\n"), want)
	}
	assert.Len(t, strings.Split(err.Error(), "\n"), 7, "both tags are HTML")
}

func TestPage(t *testing.T) {
	s, err := New(Files{
		readme: []byte("# Home\n\n## Which `x_i`?\n\n## A\n\n## A\n\n| n | m |\n|---|--:|\n| 1 | 2 |\n\n    go run ./cmd <x>\n\n" +
			"[a](docs/papers/p.md#b), [code](plots/site/site.go), [plots/site](plots/site), [web](https://go.dev), [papers](docs/papers)\n\n<!-- hidden -->\n\n![curve](docs/img/c.svg)\n"),
		"docs/papers/p.md": []byte("# p: a paper\n\n[home](../../README.md)\n\n## b\n"),
		"docs/img/c.svg":   []byte("<svg/>"),
	})
	require.NoError(t, err)
	pages, err := s.Pages()
	require.NoError(t, err)
	home, paper := string(pages["index.html"]), string(pages["papers/p.html"])
	for _, want := range []string{
		`<h2 id="which-x_i">Which <code>x_i</code>? <a class="anchor" href="#which-x_i"`, `<h2 id="a">`, `<h2 id="a-1">`, `<td align="right">2</td>`,
		`<pre tabindex="0"><code>go run ./cmd &lt;x&gt;`, `<a href="papers/p.html#b">a</a>, code (<code>plots/site/site.go</code>), plots/site, <a href="https://go.dev">web</a>, <a href="papers/p.html">papers</a>`,
		`src="data:image/svg&#43;xml;base64,PHN2Zy8+"`, `<a rel="next" href="papers/p.html"><span class="small soft">Next</span> p</a>`,
	} {
		assert.Contains(t, strings.ReplaceAll(home, `"data:image/svg+xml`, `"data:image/svg&#43;xml`), want)
	}
	assert.NotContains(t, home, "hidden --")
	assert.Contains(t, paper, `<a href="../index.html">home</a>`)
	assert.Contains(t, paper, `data-root="../"`)
	assert.NotContains(t, home+paper, " style=", "the policy allows no style attribute")
}

// Every page belongs to a group, and no group names a page that does not exist.
func TestGroups(t *testing.T) {
	files := repository(t)
	for name := range files {
		if path.Ext(name) == ".md" {
			of, _ := placeOf(name)
			assert.Less(t, of, len(groups)-1, "%s is in no group of the navigation", name)
		}
	}
	for _, g := range groups {
		for _, name := range g.pages {
			if path.Ext(name) == ".md" {
				assert.Contains(t, files, name, g.Title)
			}
		}
	}
}

// written writes the pages of a site and returns their folder and names.
func written(t *testing.T, s *Site) (string, []string) {
	t.Helper()
	pages, err := s.Pages()
	require.NoError(t, err)
	dir := t.TempDir()
	if kept := os.Getenv("REPRO_SITE"); kept != "" { // to look at it
		dir = kept
	}
	var names []string
	for name, page := range pages {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, page, 0o666))
		names = append(names, name)
	}
	slices.Sort(names)
	return dir, names
}

// TestSiteInABrowser opens every page of the repository's documentation in Chromium.
func TestSiteInABrowser(t *testing.T) {
	s, err := New(repository(t), readAll(t)...)
	require.NoError(t, err)
	dir, names := written(t, s)
	b := browsertest.New(t, filepath.Join(dir, "index.html"))
	for _, name := range names {
		b.Load(filepath.Join(dir, filepath.FromSlash(name)))
		b.Viewport(390, 844)
		b.Open("")
		assert.LessOrEqual(t, b.Width(), 390, "%s scrolls sideways on a phone", name)
		b.Keep(strings.TrimSuffix(path.Base(name), ".html") + "-phone")
		b.Viewport(1400, 1000)
		assert.NotEmpty(t, browsertest.Eval[string](b, `document.querySelector("h1").textContent`), name)
		if strings.HasPrefix(name, "lessons/") {
			assert.NotContains(t, b.Text(), "when =", "%s shows its fences", name)
		}
		assert.Equal(t, browsertest.Eval[int](b, `document.querySelectorAll("pre").length`), browsertest.Eval[int](b, `document.querySelectorAll(".code button").length`), name)
		broken := browsertest.Eval[[]string](b, `[...document.querySelectorAll('a[href^="#"]')].filter((a) => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).map((a) => a.hash)`)
		assert.Empty(t, broken, name)
		assert.Empty(t, b.Violations(), name)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		for _, name := range []string{"index.html", "papers/jezequel2019.html", "search.html"} {
			b.Load(filepath.Join(dir, filepath.FromSlash(name)))
			b.Open("")
			assert.Empty(t, b.Violations(), "%s, %s", name, scheme)
			b.Keep(strings.TrimSuffix(path.Base(name), ".html") + "-" + scheme)
		}
	}
	searchTheSite(t, b, dir)
	b.Scripts(false)
	for _, name := range []string{"index.html", "papers/jezequel2019.html", "search.html"} {
		b.Load(filepath.Join(dir, filepath.FromSlash(name)))
		b.Open("")
		assert.Greater(t, len(b.Text()), 2000, name)
	}
	assert.Empty(t, b.Problems, "errors of the console, and requests")
}

// searchTheSite looks words up from another page.
func searchTheSite(t *testing.T, b *browsertest.Browser, dir string) {
	b.Load(filepath.Join(dir, "papers", "ma2017.html"))
	b.Open("")
	browsertest.Eval[bool](b, `(() => { const f = document.querySelector("form[role=search]"); f.elements.q.value = "kernel bandwidth"; f.requestSubmit(); return true; })()`)
	b.Do(chromedp.WaitVisible(".results section"))
	assert.True(t, browsertest.Eval[bool](b, `document.querySelector(".index").hidden`))
	hits := browsertest.Eval[[]string](b, `[...document.querySelectorAll(".results a")].map((a) => a.getAttribute("href"))`)
	assert.Contains(t, hits, "spec/problem.html#problemkernelbandwidth")
	browsertest.Eval[bool](b, `(() => { const q = document.querySelector("form[role=search] input"); q.value = "zzzz"; q.dispatchEvent(new Event("input")); return true; })()`)
	assert.Equal(t, "0 sections", browsertest.Eval[string](b, `document.querySelector(".found").textContent`))
	browsertest.Eval[bool](b, `(() => { const q = document.querySelector("form[role=search] input"); q.value = "kernel bandwidht"; q.dispatchEvent(new Event("input")); return true; })()`)
	assert.Contains(t, browsertest.Eval[string](b, `document.querySelector(".found").textContent`), "with “kernel bandwidth”")
	b.Load(filepath.Join(dir, "search.html"))
	b.Open("?q=bandwidth")
	b.Do(chromedp.WaitVisible(".results section"))
}
