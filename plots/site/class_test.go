package site

import (
	"fmt"
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

// The page of a class fits a phone and has no fault that axe finds.
func TestStillPagesInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	class, err := Class(aClass(t))
	require.NoError(t, err)
	b := browsertest.New(t, save(t, "class.html", class))
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.OpenStill()
		do(b, `document.querySelectorAll("details").forEach((d) => (d.open = true))`)
		assert.Empty(t, b.Violations(), scheme)
		look(b, "class-"+scheme)
	}
	b.Viewport(390, 844)
	b.OpenStill()
	assert.LessOrEqual(t, b.Width(), 390)
	look(b, "class-phone")
}
