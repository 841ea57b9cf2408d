package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"repro/docs/lessons"
	"repro/plots/figures"
	"repro/results/printed"
)

// A lessonView is what the template shows of a lesson.
type lessonView struct {
	*lessons.Lesson
	Live  bool // the page runs the lesson; else it says how to run it
	Root  string
	Title string
	Steps []stepView
	Asked int
}

// A stepView is a part of a lesson. Of the fields after Text only one is set.
type stepView struct {
	ID   string
	Text template.HTML // of prose

	Ask   *askView
	Run   *runView
	Told  []*askView // whose outcomes are shown
	Check *lessons.Check

	Later bool // shown after the questions before it
}

// An askView is a question.
type askView struct {
	*lessons.Predict
	Data string   // for the script, as JSON
	X    []string // of a drawing: the words of its places
}

// A runView is a run.
type runView struct{ *lessons.Run }

// viewLesson makes the parts of the lesson of a page.
func (s *Site) viewLesson(p *page) (*lessonView, error) {
	v := &lessonView{Lesson: p.lesson, Title: p.title, Root: relative(p.address, ""), Live: s.runs()}
	asks := map[string]*askView{}
	for _, q := range p.lesson.Predictions() {
		a, err := newAskView(q)
		if err != nil {
			return nil, err
		}
		v.Asked++
		asks[q.ID] = a
	}
	later := false // what follows tells an answer
	last := ""     // run
	for _, step := range p.lesson.Steps {
		var view stepView
		switch step := step.(type) {
		case *lessons.Prose:
			source := step.Text
			if !v.Live {
				source = step.Filled(nil)
			}
			text, err := s.prose(p, source, last)
			if err != nil {
				return nil, err
			}
			view = stepView{Text: text, Later: later}
		case *lessons.Predict:
			later = false
			view = stepView{ID: step.ID, Ask: asks[step.ID]}
		case *lessons.Run:
			later, last = false, step.ID
			view = stepView{ID: step.ID, Run: &runView{step}}
		case *lessons.Explain:
			later = true
			view = stepView{Later: true}
			for _, id := range step.Uses {
				view.Told = append(view.Told, asks[id])
			}
		case *lessons.Check:
			later, last = false, step.ID
			view = stepView{ID: step.ID, Check: step}
		default:
			continue
		}
		v.Steps = append(v.Steps, view)
	}
	return v, nil
}

// prose returns Markdown of a lesson as HTML. Places that wait for the numbers of a run become elements for the script.
func (s *Site) prose(p *page, text, run string) (template.HTML, error) {
	var waiting []string
	text = lessons.Placeholder.ReplaceAllStringFunc(text, func(found string) string {
		waiting = append(waiting, found)
		return fmt.Sprintf("\uE000%d\uE001", len(waiting)-1)
	})
	part := parse(p.name, []byte(text))
	part.title = p.title
	s.resolve(part)
	page, err := s.render(part)
	for i, found := range waiting {
		place := fmt.Sprintf(`<span class="value" data-run="%s" data-text="%s">…</span>`, html.EscapeString(run), html.EscapeString(found))
		page = strings.Replace(page, fmt.Sprintf("\uE000%d\uE001", i), place, 1)
	}
	return template.HTML(page), err
}

// askData is a question as the script reads it.
type askData struct {
	*lessons.Predict
	Question string    `json:"question"` // digest, which a file of answers has
	Run      string    `json:"run"`
	Options  []string  `json:"options,omitempty"` // choices, or items to order, as HTML
	Axes     *axesData `json:"axes,omitempty"`
}

// axesData are the axes of a drawing as the script reads them.
type axesData struct {
	Title string     `json:"title"`
	X     string     `json:"x"` // words of the axes
	Y     string     `json:"y"`
	LogX  bool       `json:"logX"`
	LogY  bool       `json:"logY"`
	Range [2]float64 `json:"range"` // of the vertical axis
}

func newAskView(q *lessons.Predict) (*askView, error) {
	a := &askView{Predict: q, X: printed.Each(q.At, func(x float64) string { return printed.Digits(x, 4) })}
	text, err := AskData(q)
	a.Data = string(text)
	return a, err
}

// AskData returns what the script of a lesson's page is told of a question, as JSON.
func AskData(q *lessons.Predict) ([]byte, error) {
	data := askData{Predict: q, Question: q.Digest(), Run: q.Run.ID, Options: printed.Each(q.Options(), forScript)}
	if q.Kind == lessons.Draw {
		c := q.Axes()
		data.Axes = &axesData{c.Title, figures.PlainText(c.X.Label), figures.PlainText(c.Y.Label), c.X.Log, c.Y.Log, q.Y}
	}
	return json.Marshal(data)
}

// convert returns Markdown as HTML.
func convert(text string) template.HTML {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(text), &b); err != nil {
		panic("site: " + err.Error()) // a buffer takes everything
	}
	return template.HTML(b.String())
}

// inline returns a line of Markdown as HTML without a paragraph around it.
func inline(text string) template.HTML {
	html := strings.TrimSpace(string(convert(text)))
	if strings.Count(html, "<p>") == 1 {
		html = strings.TrimSuffix(strings.TrimPrefix(html, "<p>"), "</p>")
	}
	return template.HTML(html)
}

// forScript returns a line of Markdown as the HTML that the script puts into the page, which indices does not see.
func forScript(text string) string { return string(indices([]byte(inline(text)))) }

// Shown lists the ids of the run's figures.
func (r *runView) Shown() string { return strings.Join(append([]string{r.Figure}, r.Also...), " ") }

// Time says how long the run takes.
func (r *runView) Time() string { return seconds(r.Seconds) }

// IsFile reports whether the spec is a file beside the lesson.
func (r *runView) IsFile() bool { return strings.HasSuffix(r.Spec, ".toml") }

// seconds says how long something takes.
func seconds(v float64) string { return printed.Count(int(math.Ceil(v)), "second") }
