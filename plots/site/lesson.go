package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html/template"
	"math"
	"regexp"
	"strings"

	"repro/docs/lessons"
	"repro/plots"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A Lesson is a page of the site that asks. Without runs the page cannot say what is right; it says how to run the lesson.
type Lesson struct {
	*lessons.Lesson

	Runs lessons.Runs
	Dir  string // the learner's folder, which has the records of the runs
}

// page returns the path of the lesson's Markdown in the repository.
func (l *Lesson) page() string { return folder + "lessons/" + l.Name + ".md" }

// A lessonView is what the template shows of a lesson.
type lessonView struct {
	*Lesson
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
	N    int
	Key  *lessons.Key // nil without runs
	Data string       // for the script, as JSON
	X    []string     // of a drawing: the words of its places
	Axes lessons.Chart
}

// A runView is a run with its figure.
type runView struct {
	*lessons.Run
	Figures []template.HTML // none without records
	Set     []string        // of a break: what is changed
}

// A toldView is the place where predictions stand beside what was measured.
type toldView struct {
	Outcomes []*askView
	Numbers  []string
}

// view makes the parts of a lesson. figures are those of its runs by id.
func (l *Lesson) view(s *Site, p *page, figures map[string][]template.HTML) (*lessonView, error) {
	v := &lessonView{Lesson: l, Title: p.title}
	asks := map[string]*askView{}
	for _, q := range l.Predictions() {
		a, err := l.ask(q)
		if err != nil {
			return nil, err
		}
		v.Asked++
		a.N, asks[q.ID] = v.Asked, a
	}
	explained := map[string]bool{}
	for _, step := range l.Steps {
		if e, ok := step.(*lessons.Explain); ok {
			for _, id := range e.Uses {
				explained[id] = true
			}
		}
	}
	add := func(s stepView) { v.Steps = append(v.Steps, s) }
	later := false // what follows tells an answer
	for _, step := range l.Steps {
		switch step := step.(type) {
		case *lessons.Prose:
			text, err := l.prose(s, p, l.filled(step))
			if err != nil {
				return nil, err
			}
			add(stepView{Text: text, Later: later})
		case *lessons.Predict:
			later = false
			add(stepView{ID: step.ID, Ask: asks[step.ID]})
		case *lessons.Run:
			later = false
			add(stepView{ID: step.ID, Run: &runView{Run: step, Figures: figures[step.ID]}})
		case *lessons.Explain:
			later = true
			told := &toldView{}
			for _, id := range step.Uses {
				told.Outcomes = append(told.Outcomes, asks[id])
			}
			if l.Runs != nil {
				var err error
				if told.Numbers, err = step.Numbers(l.Runs); err != nil {
					return nil, err
				}
			}
			add(stepView{Told: told, Later: true})
		case *lessons.Break:
			add(stepView{ID: step.ID, Ask: asks[step.ID]})
			for _, r := range l.Lesson.Runs() {
				if r.ID == step.ID {
					add(stepView{ID: step.ID, Run: &runView{Run: r, Figures: figures[step.ID], Set: step.Set}})
				}
			}
			if !explained[step.ID] {
				add(stepView{Told: &toldView{Outcomes: []*askView{asks[step.ID]}}, Later: true})
			}
			later = true
		case *lessons.Check:
			later = false
			add(stepView{ID: step.ID, Check: step})
		}
	}
	return v, nil
}

// prose returns Markdown of a lesson as HTML.
func (l *Lesson) prose(s *Site, p *page, text string) (template.HTML, error) {
	part := parse(p.name, []byte(text))
	part.title = p.title
	if s != nil {
		s.resolve(part)
	}
	html, err := s.render(part)
	return template.HTML(html), err
}

// ask returns a question with its key, if the lesson has runs.
func (l *Lesson) ask(q *lessons.Predict) (*askView, error) {
	a := &askView{Predict: q}
	data := askData{ID: q.ID, Kind: q.Kind, Unit: q.Unit, Factor: q.Factor, Margin: q.Margin, Shape: q.Shape, At: q.At, Run: q.Of(), Figure: q.Figure, Method: q.Method}
	for _, c := range q.Choices {
		data.Options = append(data.Options, forScript(c.Text))
	}
	for _, i := range q.Items {
		data.Options = append(data.Options, forScript(i.Text))
	}
	for _, w := range q.Wrong {
		data.Wrong = append(data.Wrong, wrongData{w.Near, w.Order, w.Slope})
	}
	if q.Kind == lessons.Draw {
		a.Axes = q.Axes()
		data.Axes = &axesData{a.Axes.Title, a.Axes.X, a.Axes.Y, a.Axes.LogX, a.Axes.LogY, q.Y}
		for _, x := range q.At {
			a.X = append(a.X, printed.Digits(x, 4))
		}
	}
	if l.Runs != nil {
		key, err := q.Key(l.Runs)
		if err != nil {
			return nil, err
		}
		a.Key = &key
		data.Key = newKeyData(q, &key)
	}
	text, err := json.Marshal(data)
	a.Data = string(text)
	return a, err
}

// askData is a question as the script reads it.
type askData struct {
	ID      string      `json:"id"`
	Kind    string      `json:"kind"`
	Options []string    `json:"options,omitempty"` // choices, or items to order, as HTML
	Unit    string      `json:"unit,omitempty"`
	Factor  float64     `json:"factor,omitempty"`
	Margin  float64     `json:"margin,omitempty"`
	Shape   bool        `json:"shape,omitempty"`
	At      []float64   `json:"at,omitempty"`
	Run     string      `json:"run,omitempty"`
	Figure  string      `json:"figure,omitempty"`
	Method  string      `json:"method,omitempty"`
	Axes    *axesData   `json:"axes,omitempty"`
	Wrong   []wrongData `json:"wrong,omitempty"`
	Key     *keyData    `json:"key,omitempty"`
}

type axesData struct {
	Title string     `json:"title"`
	X     string     `json:"x"`
	Y     string     `json:"y"`
	LogX  bool       `json:"logX"`
	LogY  bool       `json:"logY"`
	Range [2]float64 `json:"range"`
}

type wrongData struct {
	Near  *float64 `json:"near,omitempty"`
	Order []int    `json:"order,omitempty"`
	Slope *float64 `json:"slope,omitempty"`
}

// keyData is what the records say. The script judges by it as lessons.Score does.
type keyData struct {
	Choice int       `json:"choice,omitempty"`
	Low    float64   `json:"low,omitempty"`
	High   float64   `json:"high,omitempty"`
	Order  []int     `json:"order,omitempty"`
	Values []float64 `json:"values,omitempty"` // of the items
	Draw   []float64 `json:"draw,omitempty"`
	X      []float64 `json:"x,omitempty"` // of the measured curve
	Y      []float64 `json:"y,omitempty"`
	Says   []string  `json:"says"`     // as HTML
	Shown  string    `json:"measured"` // the measured result in words, as HTML
}

func newKeyData(q *lessons.Predict, k *lessons.Key) *keyData {
	d := &keyData{Choice: k.Choice, Order: k.Order, Draw: k.Draw, X: k.Curve.X, Y: k.Curve.Y, Shown: forScript(measured(q, k))}
	if q.Kind == lessons.Number {
		d.Low, d.High = k.Value.Low, k.Value.High
	}
	for _, v := range k.Items {
		d.Values = append(d.Values, max(-math.MaxFloat64, min(v.Value, math.MaxFloat64))) // JSON has no infinity
	}
	for _, s := range k.Says {
		d.Says = append(d.Says, forScript(s))
	}
	return d
}

// Right says what is right, for the page without script.
func (a *askView) Right() string {
	if a.Kind == lessons.Choice {
		return a.Choices[a.Key.Choice-1].Text
	}
	return measured(a.Predict, a.Key)
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
	for i, c := range a.Choices {
		all = append(all, said{c.Text, i+1 == a.Key.Choice, inline(a.Key.Says[i])})
	}
	for i, w := range a.Wrong {
		s := said{Says: inline(a.Key.Says[len(a.Choices)+i])}
		switch {
		case w.Near != nil:
			s.Answer = strings.TrimSpace(printed.Digits(*w.Near, 3) + " " + a.Unit)
		case w.Slope != nil:
			s.Answer = "slope " + printed.Digits(*w.Slope, 3)
		default:
			var words []string
			for _, n := range w.Order {
				words = append(words, a.Items[n-1].Text)
			}
			s.Answer = strings.Join(words, "; ")
		}
		all = append(all, s)
	}
	return all
}

// measured says in words what the records say of a question.
func measured(q *lessons.Predict, k *lessons.Key) string {
	var words []string
	switch q.Kind {
	case lessons.Number:
		return strings.TrimSpace(k.Value.String() + " " + q.Unit)
	case lessons.Order:
		for _, i := range k.Order {
			words = append(words, fmt.Sprintf("%s: %v", q.Items[i-1].Text, k.Items[i-1]))
		}
	case lessons.Draw:
		for i, x := range q.At {
			words = append(words, printed.Digits(k.Draw[i], 3)+" at "+printed.Digits(x, 4))
		}
	}
	return strings.Join(words, "; ")
}

// figures draws the figures of the runs in a style. A break has the curves of the run that it changes beside its own.
func (l *Lesson) figures(style plots.Style) (map[string][]template.HTML, string, error) {
	if l.Runs == nil {
		return nil, "", nil
	}
	var shown []plots.Shown
	var ids []string
	base := ""
	for _, step := range l.Steps {
		var r *lessons.Run
		of := ""
		switch step := step.(type) {
		case *lessons.Run:
			r, base = step, step.ID
		case *lessons.Break:
			for _, run := range l.Lesson.Runs() {
				if run.ID == step.ID {
					r = run
				}
			}
			if of = step.Of; of == "" {
				of = base
			}
		default:
			continue
		}
		o := l.Runs[r.ID]
		s := plots.Shown{Name: r.ID, Dir: l.Folder(l.Dir, r.ID), Experiment: o.Experiment, Records: o.Records, Style: style}
		if b := l.Runs[of]; b != nil {
			s.BesideName, s.Beside = "before", &plots.Run{Experiments: []claims.Experiment{b.Experiment}, Store: &records.Store{Dir: l.Folder(l.Dir, of), Records: b.Records}}
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
	figures, rules, err := l.figures(plots.Style{})
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
	v.Body, v.rules, v.figures = template.HTML(b.String()), rules, true
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

// Time says how long the run takes.
func (r *runView) Time() string { return seconds(r.Seconds) }

// IsFile reports whether the spec is a file beside the lesson.
func (r *runView) IsFile() bool { return strings.HasSuffix(r.Spec, ".toml") }

// seconds says how long something takes.
func seconds(v float64) string { return printed.Count(int(math.Ceil(v)), "second") }

// placeholder matches the place of a number in a lesson's prose.
var placeholder = regexp.MustCompile(`{{[^}]*}}`)

// filled returns prose with the numbers of the runs.
func (l *Lesson) filled(p *lessons.Prose) string {
	if l.Runs == nil {
		return placeholder.ReplaceAllString(p.Text, "…")
	}
	return p.Filled(l.Runs)
}

// State names what answers are kept under: it is another one when the questions are others.
func (v *lessonView) State() string {
	h := fnv.New32a()
	for _, s := range v.Steps {
		if s.Ask != nil {
			fmt.Fprintln(h, s.Ask.ID, s.Ask.Kind, s.Ask.Question, len(s.Ask.Choices), s.Ask.At)
		}
	}
	return fmt.Sprintf("repro-lesson-%d-%08x", v.Number, h.Sum32())
}
