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
	"repro/plots"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
)

// A Lesson is a page of the site that asks. Without runs the page cannot say what is right; it says how to run the lesson.
type Lesson struct {
	*lessons.Lesson

	Runs lessons.Runs
	Dir  string // the learner's folder, which has the records of the runs
}

// A lessonView is what the template shows of a lesson.
type lessonView struct {
	*Lesson
	Live  bool // the page runs the lesson
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
	Told  *toldView
	Check *lessons.Check

	Later bool // shown after the questions before it
}

// An askView is a question.
type askView struct {
	*lessons.Predict
	Key  *lessons.Key // nil without runs
	Data string       // for the script, as JSON
	X    []string     // of a drawing: the words of its places
}

// A runView is a run with its figure.
type runView struct {
	*lessons.Run
	Figures []template.HTML // none without records
}

// A toldView is the place where predictions stand beside what was measured.
type toldView struct {
	Outcomes []*askView
	Numbers  []string
}

// view makes the parts of a lesson. figures are those of its runs by id.
func (l *Lesson) view(s *Site, p *page, figures map[string][]template.HTML) (*lessonView, error) {
	v := &lessonView{Lesson: l, Title: p.title, Root: relative(p.address, ""), Live: l.Runs == nil && s.runs()}
	asks := map[string]*askView{}
	for _, q := range l.Predictions() {
		a, err := l.ask(q)
		if err != nil {
			return nil, err
		}
		v.Asked++
		asks[q.ID] = a
	}
	later := false // what follows tells an answer
	last := ""     // run
	for _, step := range l.Steps {
		var view stepView
		switch step := step.(type) {
		case *lessons.Prose:
			source := step.Filled(l.Runs)
			if v.Live {
				source = step.Text
			}
			text, err := l.prose(s, p, source, last)
			if err != nil {
				return nil, err
			}
			view = stepView{Text: text, Later: later}
		case *lessons.Predict:
			later = false
			view = stepView{ID: step.ID, Ask: asks[step.ID]}
		case *lessons.Run:
			later, last = false, step.ID
			view = stepView{ID: step.ID, Run: &runView{step, figures[step.ID]}}
		case *lessons.Explain:
			later = true
			view = stepView{Told: &toldView{}, Later: true}
			for _, id := range step.Uses {
				view.Told.Outcomes = append(view.Told.Outcomes, asks[id])
			}
			if l.Runs != nil {
				view.Told.Numbers = step.Numbers(l.Runs)
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
func (l *Lesson) prose(s *Site, p *page, text, run string) (template.HTML, error) {
	var waiting []string
	text = lessons.Placeholder.ReplaceAllStringFunc(text, func(found string) string {
		waiting = append(waiting, found)
		return fmt.Sprintf("\uE000%d\uE001", len(waiting)-1)
	})
	part := parse(p.name, []byte(text))
	part.title = p.title
	if s != nil {
		s.resolve(part)
	}
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
	Question string       `json:"question"` // digest, which a file of answers has
	Run      string       `json:"run"`
	Options  []string     `json:"options,omitempty"` // choices, or items to order, as HTML
	Axes     *axesData    `json:"axes,omitempty"`
	Key      *lessons.Key `json:"key,omitempty"` // whose words are HTML; the script judges by it as lessons.Score does
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

// ask returns a question with its key, if the lesson has runs.
func (l *Lesson) ask(q *lessons.Predict) (*askView, error) {
	a := &askView{Predict: q}
	data := askData{Predict: q, Question: q.Digest(), Run: q.Run.ID, Options: allForScript(q.Options())}
	if q.Kind == lessons.Draw {
		c := q.Axes()
		data.Axes = &axesData{c.Title, figures.PlainText(c.X.Label), figures.PlainText(c.Y.Label), c.X.Log, c.Y.Log, q.Y}
		for _, x := range q.At {
			a.X = append(a.X, printed.Digits(x, 4))
		}
	}
	if l.Runs != nil {
		key, err := q.Key(l.Runs)
		if err != nil {
			return nil, err
		}
		html := key
		html.Says, html.Measured = allForScript(key.Says), forScript(key.Measured)
		a.Key, data.Key = &key, &html
	}
	text, err := json.Marshal(data)
	a.Data = string(text)
	return a, err
}

// A said is what the lesson says of a listed answer.
type said struct {
	Answer string
	Right  bool
	Says   template.HTML
}

// Sayings lists the listed answers with what the lesson says of them.
func (a *askView) Sayings() []said {
	var all []said
	for i, answer := range a.Listed() {
		all = append(all, said{answer, i+1 == a.Key.Choice, inline(a.Key.Says[i])})
	}
	return all
}

// figures draws the figures of the runs. A break has the curves of the run that it changes beside its own.
func (l *Lesson) figures() (map[string][]template.HTML, string, error) {
	if l.Runs == nil {
		return nil, "", nil
	}
	var shown []plots.Shown
	var ids []string
	for _, r := range l.Lesson.Runs() {
		o := l.Runs[r.ID]
		s := plots.Shown{Name: r.ID, Dir: l.Folder(l.Dir, r.ID), Case: o.Case}
		if b := l.Runs[r.Of]; b != nil {
			s.Beside = &plots.Run{Name: "before", Dir: l.Folder(l.Dir, r.Of), Cases: []claims.Case{b.Case}}
		}
		for _, id := range append([]string{r.Figure}, r.Also...) {
			s.Figure = id
			shown, ids = append(shown, s), append(ids, r.ID)
		}
	}
	sections, rules, err := plots.Sections(shown...)
	if err != nil {
		return nil, "", err
	}
	all := map[string][]template.HTML{}
	for i, id := range ids {
		all[id] = append(all[id], sections[i])
	}
	return all, rules, nil
}

// fill makes the body of a lesson's page.
func (l *Lesson) fill(v *pageView, s *Site, p *page) error {
	figures, rules, err := l.figures()
	if err != nil {
		return err
	}
	view, err := l.view(s, p, figures)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "lesson.tmpl", view); err != nil {
		return err
	}
	v.Body, v.rules, v.script = template.HTML(b.String()), rules, "lesson.min.js"
	return nil
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

// allForScript returns lines of Markdown as forScript does.
func allForScript(lines []string) []string {
	return printed.Each(lines, forScript)
}

// Shown lists the ids of the run's figures.
func (r *runView) Shown() string { return strings.Join(append([]string{r.Figure}, r.Also...), " ") }

// Time says how long the run takes.
func (r *runView) Time() string { return seconds(r.Seconds) }

// IsFile reports whether the spec is a file beside the lesson.
func (r *runView) IsFile() bool { return strings.HasSuffix(r.Spec, ".toml") }

// seconds says how long something takes.
func seconds(v float64) string { return printed.Count(int(math.Ceil(v)), "second") }
