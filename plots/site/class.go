package site

import (
	"bytes"
	"fmt"
	"html/template"
	"math"
	"strings"

	"repro/docs/lessons"
	"repro/plots/figures"
	"repro/plots/web"
	"repro/results/printed"
)

// Class returns the page of a class: who predicted what, how the room predicted, and the reasons.
func Class(c *lessons.Class) ([]byte, error) {
	page, err := web.NewPage("", []string{"class.css"}, "")
	if err != nil {
		return nil, err
	}
	view := classView{Page: page, Class: c}
	for _, r := range c.Questions {
		if r.Answered > 0 {
			view.Rooms = append(view.Rooms, roomView{r, newPoll(r, true).html()})
		}
	}
	var b bytes.Buffer
	err = templates.ExecuteTemplate(&b, "class.tmpl", view)
	return indices(b.Bytes()), err
}

// A classView is what the template shows of a class.
type classView struct {
	web.Page
	*lessons.Class
	Rooms []roomView
}

// A roomView is a question with its poll.
type roomView struct {
	*lessons.Room
	Poll template.HTML
}

// room returns the answers of the class to a question; nil if there are none.
func (l *Lesson) room(id string) *lessons.Room {
	if l.Room == nil {
		return nil
	}
	for _, r := range l.Room.Questions {
		if r.Lesson == l.Name && r.ID == id && r.Answered > 0 {
			return r
		}
	}
	return nil
}

// mostBars bounds the answers of a poll that have a bar.
const mostBars = 8

// A poll is how a room predicted: bars, or curves over what was measured.
type poll struct {
	*lessons.Room
	Told   bool // what was measured is shown, and which answers are right
	Bars   []bar
	Rest   int      // answers without a bar
	Curves []string // as paths in a box of 1000 by 400
	Over   string   // the measured one
	X, Y   string   // words of the axes
	Places []place
	Range  [2]string
}

// A place is where the horizontal axis is marked.
type place struct {
	X     float64
	Words string
}

// A bar is an answer with how many gave it.
type bar struct {
	Words template.HTML
	Says  template.HTML
	Count int
	Width float64 // of 1000
	Right bool
}

// newPoll makes the poll of a room. Before what was measured is told, it has no sign of what is right.
func newPoll(r *lessons.Room, told bool) *poll {
	p := &poll{Room: r, Told: told && r.Key != nil}
	if r.Kind == lessons.Draw {
		p.draw()
		if !p.Told {
			return p
		}
	}
	groups := r.Answers
	if !told && r.Kind == lessons.Choice { // as they stand on the slide, those that nobody gave too
		groups = nil
		for _, words := range r.Predict.Options() {
			g := &lessons.Group{Words: words}
			for _, given := range r.Answers {
				if given.Words == words {
					g = given
				}
			}
			groups = append(groups, g)
		}
	}
	for i, g := range groups {
		if i >= mostBars {
			p.Rest += g.Count
			continue
		}
		b := bar{Words: inline(g.Words), Count: g.Count, Width: 1000 * float64(g.Count) / float64(r.Answered), Right: p.Told && g.Right}
		if p.Told && !g.Right {
			b.Says = inline(g.Says)
		}
		p.Bars = append(p.Bars, b)
	}
	return p
}

// draw makes the paths of drawn curves, on the axes of the question.
func (p *poll) draw() {
	q := p.Predict
	axes := q.Axes()
	low, high := axes.X.At(q.At[0]), axes.X.At(q.At[len(q.At)-1])
	bottom, top := axes.Y.At(q.Y[0]), axes.Y.At(q.Y[1])
	path := func(xs, ys []float64) string {
		var b strings.Builder
		pen := "M"
		for i, x := range xs {
			px, py := 1000*(axes.X.At(x)-low)/(high-low), 400*(1-(axes.Y.At(ys[i])-bottom)/(top-bottom))
			if math.IsNaN(px) || math.IsNaN(py) {
				pen = "M"
				continue
			}
			fmt.Fprintf(&b, "%s%.1f %.1f", pen, px, max(-1e4, min(1e4, py)))
			pen = "L"
		}
		return b.String()
	}
	for _, ys := range p.Drawn {
		p.Curves = append(p.Curves, path(q.At, ys))
	}
	if p.Told {
		p.Over = path(q.At, p.Key.Draw)
	}
	for _, x := range q.At {
		p.Places = append(p.Places, place{1000 * (axes.X.At(x) - low) / (high - low), printed.Digits(x, 4)})
	}
	p.X, p.Y = figures.PlainText(axes.X.Label), figures.PlainText(axes.Y.Label)
	p.Range = [2]string{printed.Number(q.Y[0]), printed.Number(q.Y[1])}
}

// html is the poll as a part of a page.
func (p *poll) html() template.HTML {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "poll.tmpl", p); err != nil {
		panic("site: " + err.Error()) // the template takes every poll
	}
	return template.HTML(b.String())
}
