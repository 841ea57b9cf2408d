package site

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"repro/docs/lessons"
	"repro/plots/figures"
	"repro/plots/web"
	"repro/results/printed"
)

// A slideView is one slide, with what the speaker says.
type slideView struct {
	Title  string
	Lines  []template.HTML
	Vote   bool // the lines are answers, whose numbers are those in the terminal
	Body   template.HTML
	Ask    *askView // drawn on the slide
	Figure template.HTML
	Notes  template.HTML
}

// Slides returns the slides of a lesson as one page: the questions, a figure for each run, the answers, the exercise. The
// speaker's notes on the first slide are those of the lesson; on the others, the prose before them and what to say of wrong
// answers. The lesson must have runs.
func Slides(files Files, l *Lesson) ([]byte, error) {
	if l.Runs == nil {
		return nil, fmt.Errorf("%s has no runs to show", l.File)
	}
	s, err := read(&Site{byPath: map[string]*page{}, files: files, alone: true}, []*Lesson{l})
	if err != nil {
		return nil, err
	}
	figures, rules, err := l.figures(figures.Style{Name: "slides"})
	if err != nil {
		return nil, err
	}
	view, err := l.view(s, s.byPath[l.File], figures)
	if err != nil {
		return nil, err
	}
	page, err := web.NewPage("slides.min.js", []string{"slides.css"}, rules)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = templates.ExecuteTemplate(&b, "slides.tmpl", struct {
		web.Page
		Title  string
		Slides []slideView
	}{page, l.Title, view.slides()})
	return indices(b.Bytes()), err
}

// slides makes the slides of a lesson's parts.
func (v *lessonView) slides() []slideView {
	var lines []template.HTML
	for _, o := range v.Outcomes {
		lines = append(lines, inline(o))
	}
	all := []slideView{{Title: fmt.Sprintf("%d. %s", v.Number, v.Title), Lines: lines}}
	all[0].Notes = convert(v.Notes().Filled(v.Runs))
	said := template.HTML("") // the prose since the last slide
	add := func(s slideView) {
		s.Notes = said + s.Notes
		all, said = append(all, s), ""
	}
	for _, step := range v.Steps {
		switch {
		case step.Ask != nil:
			add(step.Ask.slide())
		case step.Run != nil:
			s := slideView{Title: "Measured"}
			if step.Run.Change != nil {
				s.Title, s.Body = "Broken", convert("`"+strings.Join(step.Run.Change, "`, `")+"`")
			}
			for _, s.Figure = range step.Run.Figures {
				add(s)
			}
		case step.Told != nil:
			for _, a := range step.Told.Outcomes {
				add(a.answerSlide())
			}
		case step.Check != nil:
			add(slideView{Title: "Exercise", Body: convert(step.Check.Task), Lines: []template.HTML{inline(fmt.Sprintf("`%s %d`, then `%[1]s check %[2]d`", printed.Command("lesson"), v.Number))}})
		default:
			if step.Later { // it explains the slide before it
				last := &all[len(all)-1]
				last.Notes += step.Text
			} else {
				said += step.Text
			}
		}
	}
	return all
}

// slide asks the question.
func (a *askView) slide() slideView {
	s := slideView{Title: fmt.Sprintf("Predict %d", a.N), Body: convert(a.Question)}
	for _, text := range a.Options() {
		s.Lines = append(s.Lines, inline(text))
	}
	s.Vote = len(s.Lines) > 0
	if a.Kind == lessons.Draw {
		s.Ask = a
	}
	if a.Hint != "" {
		s.Notes = convert("Hint: " + a.Hint)
	}
	return s
}

// answerSlide tells the answer; what to say of wrong ones is for the speaker.
func (a *askView) answerSlide() slideView {
	s := slideView{Title: fmt.Sprintf("Prediction %d: what was measured", a.N), Body: convert(a.Question) + template.HTML("<p class=\"right\">") + inline(a.Key.Measured) + "</p>"}
	for _, says := range a.Sayings() {
		if says.Right {
			s.Lines = append(s.Lines, says.Says)
		} else {
			s.Notes += template.HTML("<p><strong>") + inline(says.Answer) + ":</strong> " + says.Says + "</p>"
		}
	}
	return s
}
