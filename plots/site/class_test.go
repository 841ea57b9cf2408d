package site

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/docs/lessons"
	"repro/plots/browsertest"
)

// aClass is a class of lesson 3 with names and reasons that are markup.
func aClass(t *testing.T) *lessons.Class {
	l := readAll(t)[2]
	c := &lessons.Class{Name: "2026a", Left: []lessons.Left{{File: "<i>x</i>.json", Reason: "broken"}}}
	s := &lessons.Student{File: "a.json", Name: "<script>alert(1)</script>", Signed: lessons.Edited, Lessons: []*lessons.Taken{{Lesson: l.Name, Number: 3, Asked: 5, Right: 2, Seconds: 90}}}
	c.Students = []*lessons.Student{s, {File: "b.json", Name: "Bob", Signed: lessons.Unsigned}}
	for _, q := range l.Predictions() {
		r := &lessons.Room{Lesson: l.Name, Number: 3, ID: q.ID, Question: q.Question, Kind: q.Kind, Predict: q, Answered: 3, Right: 1, Measured: "what was measured"}
		r.Key = &lessons.Key{}
		r.Whys = []lessons.Why{{Name: s.Name, Words: "one", Outcome: "wrong", Why: "<b>because</b>"}}
		switch q.Kind {
		case lessons.Draw:
			r.Key.Draw = q.Straight(-1, 10)
			r.Drawn = [][]float64{q.Straight(0, 1), q.Straight(-2, 1e306), {1e-300, 1, 1, 1, 1e300}}
			r.Answers = []*lessons.Group{{Words: "another curve", Count: 2}, {Words: "as measured", Count: 1, Right: true}}
		case lessons.Choice:
			r.Answers = []*lessons.Group{{Words: q.Options()[1], Count: 2, Right: true}, {Words: q.Options()[0], Count: 1, Says: "a misconception"}}
		default:
			for i := range 12 {
				r.Answers = append(r.Answers, &lessons.Group{Words: fmt.Sprint(i), Count: 1})
			}
		}
		c.Questions = append(c.Questions, r)
	}
	return c
}

// The page of a class shows what students wrote as text, and the room's answers question by question.
func TestClassPage(t *testing.T) {
	page, err := Class(aClass(t))
	require.NoError(t, err)
	text := string(page)
	for _, no := range []string{"<script", "<b>because", "<i>x", "NaN", "Inf"} {
		assert.NotContains(t, text, no)
	}
	for _, want := range []string{"&lt;script&gt;alert(1)", "&lt;b&gt;because", "&lt;i&gt;x", "a misconception", "(right)", "4 other answers.", "what was measured", "3 drawings of ", `class="bad">edited`} {
		assert.Contains(t, text, want)
	}
}

// Before what was measured is told, a poll has all choices in their order and no sign of what is right.
func TestPoll(t *testing.T) {
	for _, r := range aClass(t).Questions {
		before, after := string(newPoll(r, false).html()), string(newPoll(r, true).html())
		assert.NotContains(t, before, "right", r.ID)
		assert.NotContains(t, before, "measured", r.ID)
		assert.NotContains(t, before, "misconception", r.ID)
		assert.Contains(t, after, "1 of 3 right")
		if r.Kind == lessons.Choice {
			at := -1
			for _, o := range r.Predict.Options() {
				i := strings.Index(before, "<span>"+string(inline(o))+"</span>")
				assert.Greater(t, i, at, o)
				at = i
			}
		}
	}
}

// aGallery has a bundle that does not fit together, and one with a claim that deviates.
func aGallery() *Gallery {
	g := &Gallery{Bundles: []*GalleryBundle{
		{Number: 1, File: "a.zip", SHA256: strings.Repeat("0a", 32), Program: "repro devel (commit c0ffee), go1.26", From: "2026-11-01", To: "2026-11-02", Machines: []string{"linux/amd64, a processor, 2 threads"}, ISA: []string{"avx2"}, Experiments: 1, Records: 4,
			Audits: []GalleryAudit{{Time: "2026-11-03", Machine: "linux/arm64", ISA: "generic", Program: "repro", Same: 2, Of: 4, Cells: []string{"<b>own</b>/tiny dsg-seed1: same"}}}},
		{Number: 2, File: "<b>.zip", Faults: []string{"own/tiny#error: <i>forged</i>"}},
		{Number: 3, File: "c.zip", ISA: []string{"generic"}, From: "2026-11-04", To: "2026-11-04", Compared: GalleryDifference{Same: 3, Differs: 1, Most: 2.5e-16, Where: "own/tiny dsg-seed1"}},
	}, Refused: []Refused{{File: "x.zip", Reason: "not a bundle"}}}
	c := &GalleryClaim{ID: "error", Statement: "The error is <small>", Source: "Table 1", Published: "3.1", Disagree: true, Spread: 0.25, Verdicts: []*GalleryVerdict{{Word: "reproduced", Sign: "✓", Measured: "3.1 [3, 3.2]", Profile: "paper", Seeds: 3}, nil, {Word: "deviates", Sign: "✗", Measured: "4.1", Profile: "paper", Seeds: 3}}}
	for _, key := range []string{"own", "OWN", "o/../wn"} {
		g.Papers = append(g.Papers, &GalleryPaper{Key: key, Title: "A paper", URL: "javascript:alert(1)", Experiments: []*GalleryExperiment{{ID: key + "/tiny", Claims: []*GalleryClaim{c}}}})
	}
	return g
}

// A gallery is an index and a page for each paper, whose names no bundle chooses.
func TestGalleryPages(t *testing.T) {
	pages, err := aGallery().Pages()
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"index.html", "paper-own.html", "paper--2.html", "paper-o-wn.html"}, slices.Collect(maps.Keys(pages)))
	index := string(pages["index.html"])
	for _, want := range []string{"Does not fit together:</strong> own/tiny#error: &lt;i&gt;forged", "2 cells with the same bits", "2.5e-16: own/tiny", "bundle 1: 1 reproduced", "bundle 3: 1 deviates", "disagree on 1 claim.", `href="paper--2.html"`} {
		assert.Contains(t, index, want)
	}
	page := string(pages["paper-own.html"])
	assert.Contains(t, page, "The error is &lt;small&gt;")
	assert.Contains(t, page, "verdicts differ")
	assert.NotContains(t, page, "javascript")
	assert.NotContains(t, page, "bundle 2", "it does not count")
	assert.Contains(t, page, "<br>0.25</td>")
}

// The page of a class and a gallery fit a phone and have no fault that axe finds.
func TestStillPagesInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	class, err := Class(aClass(t))
	require.NoError(t, err)
	pages, err := aGallery().Pages()
	require.NoError(t, err)
	for name, page := range map[string][]byte{"class": class, "gallery": pages["index.html"], "paper": pages["paper-own.html"]} {
		b := browsertest.New(t, save(t, name+".html", page))
		for _, scheme := range []string{"light", "dark"} {
			b.Scheme(scheme)
			b.OpenStill()
			do(b, `document.querySelectorAll("details").forEach((d) => (d.open = true))`)
			assert.Empty(t, b.Violations(), scheme)
			look(b, name+"-"+scheme)
		}
		b.Viewport(390, 844)
		b.OpenStill()
		assert.LessOrEqual(t, b.Width(), 390, name)
		look(b, name+"-phone")
	}
}
