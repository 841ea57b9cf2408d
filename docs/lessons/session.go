package lessons

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"repro/plots/figures"
	"repro/results/printed"
)

// A Screen shows a lesson and asks the learner.
type Screen interface {
	Heading(text string)
	Text(markdown string)
	Line(text string)
	Chart(Chart)

	// Ask returns what the learner typed. ok is false if nobody can answer.
	Ask(prompt string) (answer string, ok bool)
}

// ErrAsked is returned where a lesson waits for an answer that nobody gave.
var ErrAsked = errors.New("the lesson waits for an answer")

// A Session is a learner with a folder, a screen and a trainer.
type Session struct {
	State   *State
	Screen  Screen
	Train   Trainer
	Answers map[string]Answer // given beforehand, by prediction; nil to ask for them

	lesson *Lesson
	runs   Runs
	tests  map[string]Test // of the predictions with an outcome, by id
}

// Open returns a session in a learner's folder.
func Open(dir string, screen Screen, train Trainer) (*Session, error) {
	state, err := OpenState(dir)
	return &Session{State: state, Screen: screen, Train: train}, err
}

// done is what the learner has done of the lesson.
func (s *Session) done() *Progress { return s.State.of(s.lesson) }

// Walk walks through a lesson from where the learner left it. It returns the predictions as tests. Where an answer is missing
// and nobody can be asked, it returns ErrAsked after the question, with those tests that there are; the missing one fails.
func (s *Session) Walk(ctx context.Context, l *Lesson) (*Results, error) {
	s.lesson, s.runs, s.tests = l, Runs{}, map[string]Test{}
	if err := s.known(); err != nil {
		return nil, err
	}
	s.Screen.Heading(fmt.Sprintf("Lesson %d. %s", l.Number, l.Title))
	s.Screen.Line(fmt.Sprintf("%s of reading, %s of computing. Afterwards you can:", printed.Count(l.Minutes, "minute"), seconds(l.Seconds())))
	for _, o := range l.Outcomes {
		s.Screen.Text("- " + o)
	}
	if len(l.After) > 0 {
		s.Screen.Line("It builds on lesson " + strings.Trim(fmt.Sprint(l.After), "[]") + ".")
	}
	for _, step := range l.Steps {
		if err := s.step(ctx, step); err != nil {
			return s.results(), err
		}
	}
	sum, exercise := s.State.Summary(l), "is open"
	if sum.Solved {
		exercise = "is solved"
	}
	s.Screen.Line(fmt.Sprintf("Lesson %d: %d of %s right; the exercise %s.", l.Number, sum.Right, printed.Count(sum.Asked, "prediction"), exercise))
	return s.results(), nil
}

// results returns the predictions as tests: those that were not answered fail.
func (s *Session) results() *Results {
	var all []Test
	for _, p := range s.lesson.Predictions() {
		test, ok := s.tests[p.ID]
		if !ok {
			test = p.test("not answered")
			if s.done().given(p) != nil {
				test.Message = "answered, but the lesson stopped before its run"
			}
		}
		all = append(all, test)
	}
	return newResults(all)
}

// known returns an error for an answer given beforehand to no prediction, or to one that it does not fit.
func (s *Session) known() error {
	var ids []string
	byID := map[string]*Predict{}
	for _, p := range s.lesson.Predictions() {
		ids, byID[p.ID] = append(ids, p.ID), p
	}
	var errs []error
	for id, a := range s.Answers {
		p := byID[id]
		if p == nil {
			errs = append(errs, fmt.Errorf("unknown prediction %q of lesson %d; %s", id, s.lesson.Number, printed.Suggest(id, ids)))
		} else if err := p.Check(a); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", id, err))
		}
	}
	return errors.Join(errs...)
}

// step walks through one step.
func (s *Session) step(ctx context.Context, step Step) error {
	switch step := step.(type) {
	case *Prose:
		s.Screen.Text(step.Filled(s.runs))
	case *Predict:
		return s.predict(step)
	case *Run:
		return s.run(ctx, step)
	case *Explain:
		return s.explain(step)
	case *Check:
		return s.exercise(ctx, step)
	}
	return nil
}

// seconds writes a computing time.
func seconds(v float64) string { return printed.Digits(v, 2) + " s" }

// predict shows the answer that was given to a prediction, or asks for it and keeps it.
func (s *Session) predict(p *Predict) error {
	if p.Run.Change != nil {
		s.Screen.Heading("Break it")
	}
	s.Screen.Heading(fmt.Sprintf("Prediction %d of %d", p.N, len(s.lesson.Predictions())))
	s.Screen.Text(p.Question)
	for i, text := range p.Options() {
		s.Screen.Text(fmt.Sprintf("%d. %s", i+1, text))
	}
	a, given := s.Answers[p.ID]
	before := s.done().given(p)
	if before != nil && (!given || reflect.DeepEqual(a, before.Answer)) {
		s.Screen.Line(p.words(before.Answer))
		return nil
	}
	switch {
	case given:
		s.Screen.Line(p.words(a))
	case s.Answers != nil:
		s.Screen.Line(fmt.Sprintf("The file of answers has none to %q.", p.ID))
		return ErrAsked
	default:
		var ok bool
		if a, ok = s.ask(p); !ok {
			return ErrAsked
		}
	}
	return s.State.keep(s.lesson, p, Given{Answer: a})
}

// ask asks until an answer can be judged. A drawn curve is shown and may be drawn again.
func (s *Session) ask(p *Predict) (Answer, bool) {
	unit := ""
	if p.Unit != "" {
		unit = "unit: " + p.Unit + "; "
	}
	prompt := map[string]string{
		Choice: fmt.Sprintf("Your answer, 1 to %d (h for a hint): ", len(p.Choices)),
		Number: "Your number (" + unit + "h for a hint): ",
		Order:  "The numbers in rising order, with spaces between them (h for a hint): ",
		Draw:   fmt.Sprintf("Your %d values, with spaces between them (h for a hint): ", len(p.At)),
	}[p.Kind]
	if p.Kind == Draw {
		s.Screen.Line("The places are " + numbers(p.At) + "; the axis goes from " + printed.Number(p.Y[0]) + " to " + printed.Number(p.Y[1]) + ".")
	}
	for {
		line, ok := s.Screen.Ask(prompt)
		if !ok {
			return Answer{}, false
		}
		if strings.TrimSpace(line) == "h" {
			s.hint(p.Hint)
			continue
		}
		a, err := p.Parse(line)
		if err != nil {
			s.Screen.Line(err.Error())
			continue
		}
		if p.Kind == Draw {
			s.Screen.Chart(p.drawn(a))
			again, ok := s.Screen.Ask("Enter keeps the curve, anything else draws it again: ")
			if !ok {
				return Answer{}, false
			}
			if strings.TrimSpace(again) != "" {
				continue
			}
		}
		why, ok := s.Screen.Ask("Why? One sentence: ")
		a.Why = strings.TrimSpace(why)
		return a, ok
	}
}

// hint shows a hint.
func (s *Session) hint(text string) {
	if text == "" {
		text = "There is no hint for this one."
	}
	s.Screen.Text("Hint: " + text)
}

// words writes an answer, and its reason on a line of its own.
func (p *Predict) words(a Answer) string {
	text := "You answered: " + p.inWords(a)
	if p.Kind == Choice {
		text = fmt.Sprintf("You answered: %d. %s", a.Choice, p.inWords(a))
	}
	if a.Why != "" {
		text += "\nYour reason: " + a.Why
	}
	return text
}

// inWords writes what an answer predicts.
func (p *Predict) inWords(a Answer) string {
	switch p.Kind {
	case Choice:
		return p.Choices[a.Choice-1].Text
	case Number:
		return p.inUnit(printed.Digits(*a.Number, 3))
	case Order:
		return inOrder(p.Options(), a.Order, " < ")
	}
	return "a curve through " + numbers(a.Draw)
}

func numbers(values []float64) string {
	return strings.Join(printed.Each(values, func(v float64) string { return printed.Digits(v, 3) }), ", ")
}

// run runs a spec and shows its figure.
func (s *Session) run(ctx context.Context, r *Run) error {
	doing := "Running"
	if r.Change != nil {
		doing += " with " + strings.Join(r.Change, ", ")
	}
	s.Screen.Line(fmt.Sprintf("%s: about %s.", doing, seconds(r.Seconds)))
	if err := s.lesson.execute(ctx, s.Train, r, s.State.dir, s.runs); err != nil {
		return err
	}
	s.Screen.Chart(s.lesson.Chart(s.runs, r.ID))
	return nil
}

// explain shows the outcomes of predictions and further numbers.
func (s *Session) explain(e *Explain) error {
	for _, p := range s.lesson.Predictions() {
		if !slices.Contains(e.Uses, p.ID) {
			continue
		}
		s.Screen.Heading(fmt.Sprintf("Prediction %d: what was measured", p.N))
		s.Screen.Text(p.Question)
		if err := s.outcome(p); err != nil {
			return err
		}
	}
	for i, line := range e.Numbers(s.runs) {
		if i == 0 {
			s.Screen.Heading("Measured")
		}
		s.Screen.Text("- " + line)
	}
	return nil
}

// Numbers returns the numbers that an explain fence shows, by their names.
func (e *Explain) Numbers(runs Runs) []string {
	return printed.Each(e.Measured, func(m Measured) string { return m.Text + ": " + runs.number(e.last, m.Value).String() })
}

// outcome judges the answer to a prediction, shows it beside what was measured, and keeps the judgement.
func (s *Session) outcome(p *Predict) error {
	given := s.done().given(p)
	a := given.Answer
	test, k, score := p.judged(s.runs, a)
	s.tests[p.ID] = test
	s.Screen.Line(test.Output)
	if test.Status == failed { // a spec that changed may decide for no answer
		s.Screen.Line("This question does not count: " + test.Message)
		return nil
	}
	if p.Kind == Draw {
		s.Screen.Chart(p.drawn(a, figures.Line{Label: k.Label, X: k.X, Y: k.Y}))
		for i, x := range p.At {
			s.Screen.Text(fmt.Sprintf("- at %s: predicted %s, measured %s", printed.Number(x), printed.Digits(a.Draw[i], 3), printed.Digits(k.Draw[i], 3)))
		}
	}
	mark := ""
	if !score.Right {
		mark = "Not so. "
	}
	s.Screen.Text(mark + score.Says)
	if a.Why != "" && !score.Right {
		s.Screen.Text("What does your reason overlook?")
	}
	if given.Right == score.Right && given.Part == score.Part {
		return nil
	}
	return s.State.keep(s.lesson, p, Given{Answer: a, Right: score.Right, Part: score.Part})
}

// Results are those of Exercism's results.json, version 3: what any grader of that interface reads.
type Results struct {
	Version int    `json:"version"`
	Status  string `json:"status"` // pass, fail or error
	Message string `json:"message,omitempty"`
	Tests   []Test `json:"tests"`
}

// Passed reports whether every test passed.
func (r *Results) Passed() bool { return r.Status == pass }

// A Test is one prediction, or the exercise.
type Test struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Output  string `json:"output,omitempty"`
	TaskID  int    `json:"task_id"`
	Code    string `json:"test_code"` // what was asked
}

// test returns a prediction that fails with a message.
func (p *Predict) test(message string) Test {
	return Test{Name: p.ID, TaskID: p.N, Code: p.Question, Status: fail, Message: message}
}

// judged returns the answer to a prediction as a test, with what it was judged by.
func (p *Predict) judged(runs Runs, a Answer) (test Test, k Key, score Score) {
	k, err := p.Key(runs)
	test = p.test("")
	test.Output = p.words(a)
	if err != nil {
		test.Status, test.Message = failed, fmt.Sprintf("the records do not decide: %v", err)
		return test, k, score
	}
	score = p.Score(k, a)
	if test.Message = score.Says; score.Right {
		test.Status = pass
	}
	return test, k, score
}

// Statuses of Results and Test.
const (
	pass   = "pass"
	fail   = "fail"
	failed = "error"
)

// newResults returns the results of tests: pass only if there are some and all passed, and the message of the last error.
func newResults(tests []Test) *Results {
	r := &Results{Version: 3, Status: pass, Tests: tests}
	if len(tests) == 0 {
		r.Status = fail
	}
	for _, t := range tests {
		switch {
		case t.Status == failed:
			r.Status, r.Message = failed, t.Message
		case t.Status == fail && r.Status == pass:
			r.Status = fail
		}
	}
	return r
}
