// Package lessons reads the lessons of docs/lessons and walks a learner through them: it asks for a prediction, runs the
// lesson's spec, and compares the prediction with the records. A lesson is a Markdown page; its fences hold TOML. Every answer
// is an expression over the records of the learner's own run, so a key cannot differ from what repro measures.
//
// Other modules add lessons with Register. A page is checked (vet.go): an unknown method, metric, claim or
// run is an error with file, line and key, and so is an expression that reads no records. The lessons of repro are checked by its tests, those
// of other modules whenever they are read.
// Each spec runs into a folder of its own, so records of lessons and of other runs never meet. Only answers are stored; outcomes
// follow from the records again, and an answer counts as long as the question is the one that was answered. An exercise is a spec to edit: it lists the settings that may change, and the
// settings of its cells tell whether another one did.
//
// The package trains nothing and writes to no terminal. A Desk runs specs and a Screen shows text; package cli has both.
package lessons

import "repro/experiments/strict"

// A Lesson is one page.
type Lesson struct {
	header
	set // that it belongs to, with its specs

	Number int    // among all lessons; those of repro have that of their file
	Name   string // of the file without .md, such as 01-why-random-features
	File   string // in the repository, as errors name it
	Text   string // the page
	Title  string
	Steps  []Step // in the order of the walk
}

// header is the first fence.
type header struct {
	Minutes  int      `toml:"minutes" want:"> 0" doc:"minutes of reading and thinking"`
	Outcomes []string `toml:"outcomes" must:"yes" doc:"what the learner can do afterwards, two or three sentences"`
	After    []int    `toml:"after" doc:"numbers of the lessons that it builds on"`
	Figure   string   `toml:"figure" must:"yes" doc:"id of the figure that is projected in class, of the spec of the first run"`
	Sources  []string `toml:"sources" must:"yes" doc:"where the truth is printed"`
}

// A Step is a part of a lesson: *Prose, *Predict, *Run, *Explain, *Check or *Notes.
type Step interface {
	// Line is the step's first line in the lesson's file.
	Line() int

	fence() *strict.Block
}

// A place is where a step stands.
type place struct {
	at    int           // its first line
	last  string        // id of the last run before it
	block *strict.Block // its fence, which names places in it; nil for prose
}

func (p *place) Line() int            { return p.at }
func (p *place) fence() *strict.Block { return p.block }

// Prose is Markdown between two fences. Its placeholders {{ expression }} stand for numbers of the last run before it.
type Prose struct {
	place
	Text string
}

// A Run runs a spec.
type Run struct {
	place
	ID      string   `toml:"id" must:"yes" doc:"name of the run for expressions"`
	Spec    string   `toml:"spec" must:"yes" doc:"file of a spec beside the lesson, or the id of an experiment"`
	Set     []string `toml:"set" doc:"changes of the spec, path=value as of run --set"`
	Seconds float64  `toml:"seconds" want:"> 0" doc:"seconds that it takes on two cores, measured"`
	Figure  string   `toml:"figure" doc:"id of the figure to show; that of the lesson if left out"`
	Also    []string `toml:"also" doc:"ids of further figures, which the page shows after it"`

	Change []string `toml:"-"` // of a break: what is changed in the spec
	Of     string   `toml:"-"` // of a break: id of the run whose spec is changed
}

// Kinds of predictions.
const (
	Choice = "choice" // one of several sentences
	Number = "number"
	Order  = "order" // of several items
	Draw   = "draw"  // a curve
)

// A Predict asks for a prediction before the run after it.
type Predict struct {
	place
	ID       string `toml:"id" json:"id" must:"yes" doc:"name of the prediction"`
	Kind     string `toml:"kind" json:"kind" want:"choice|number|order|draw" must:"yes" doc:"choice, number, order or draw"`
	Question string `toml:"question" json:"-" must:"yes" doc:"what is asked"`
	Hint     string `toml:"hint" json:"-" doc:"help that does not give the answer away"`

	Choices []Option `toml:"choices" json:"-" doc:"choice: the answers to choose from; the when of exactly one holds"`

	Answer string  `toml:"answer" json:"-" doc:"number: the expression that is asked for"`
	Unit   string  `toml:"unit" json:"unit,omitempty" doc:"number: unit of the answer, such as features"`
	Factor float64 `toml:"factor" json:"factor,omitempty" want:">= 0" doc:"number: the prediction is right up to this factor beyond the interval, such as 1.5"`

	Items []Item `toml:"items" json:"-" doc:"order: what to bring into rising order"`

	Figure string     `toml:"figure" json:"figure,omitempty" doc:"draw: id of the figure whose curve is drawn"`
	Method string     `toml:"method" json:"method,omitempty" doc:"draw: the method whose curve it is; the method with the grid if the figure is across a grid"`
	At     []float64  `toml:"at" json:"at,omitempty" doc:"draw: where on the figure's horizontal axis a value is asked for, rising"`
	Y      [2]float64 `toml:"y" json:"-" doc:"draw: ends of the vertical axis that is drawn on"`
	Shape  bool       `toml:"shape" json:"shape,omitempty" doc:"draw: only the form counts; the drawn curve is moved up or down to where it fits best"`

	Margin float64 `toml:"margin" json:"margin,omitempty" want:">= 0" doc:"number: the prediction is right up to this distance from the interval. draw: it is right up to this mean distance, in powers of ten on a logarithmic axis, else in the axis' unit"`

	Wrong []Wrong `toml:"wrong" json:"wrong,omitempty" doc:"number, order, draw: wrong predictions with what to say about each"`

	N    int  `json:"-"` // its number in the lesson, from 1
	Run  *Run `json:"-"` // that it is about
	home *Lesson
	axes *Chart // of a drawing, once they were asked for
}

// An Option is an answer to choose.
type Option struct {
	Text string `toml:"text" must:"yes" doc:"the answer"`
	When string `toml:"when" must:"yes" doc:"expression that holds if it is right"`
	Says string `toml:"says" must:"yes" doc:"what is right about it, or the misconception and why it is wrong here"`
}

// An Item is one of the things to order.
type Item struct {
	Text string `toml:"text" must:"yes" doc:"the thing"`
	By   string `toml:"by" must:"yes" doc:"the expression by which it is ordered"`
}

// A Wrong is a prediction that is known to be wrong. It has the key of its kind of prediction.
type Wrong struct {
	Near   *float64 `toml:"near" json:"near,omitempty" doc:"number: the wrong prediction"`
	Order  []int    `toml:"order" json:"order,omitempty" doc:"order: numbers of the items, from 1, in the wrong order"`
	Slope  *float64 `toml:"slope" json:"slope,omitempty" doc:"draw: slope of the wrong curve on the figure's axes"`
	Within float64  `toml:"within" json:"within,omitempty" want:">= 0" doc:"draw: the sentence is also true of lines whose slope is so far from it"`
	Says   string   `toml:"says" json:"-" must:"yes" doc:"the misconception, and why it is wrong here"`
}

// An Explain stands where predictions and results are shown side by side. The prose after it is the explanation: it is shown
// once the predictions are answered.
type Explain struct {
	place
	Uses     []string   `toml:"uses" doc:"ids of the predictions whose outcome is shown"`
	Measured []Measured `toml:"measured" doc:"further numbers to show"`
}

// A Measured is a number of the records with its name.
type Measured struct {
	Text  string `toml:"text" must:"yes" doc:"what the number is"`
	Value string `toml:"value" must:"yes" doc:"expression"`
}

// A broken fence, ```break, runs the spec of the last run fence before it with a change that violates the theorem, after a
// prediction. The reader makes a Predict, a Run and an Explain of it.
type broken struct {
	place
	ID       string   `toml:"id" must:"yes" doc:"name of the break, of its prediction and of its run"`
	Question string   `toml:"question" must:"yes" doc:"what is changed, and the question what will happen"`
	Hint     string   `toml:"hint" doc:"help that does not give the answer away"`
	Of       string   `toml:"of" doc:"id of the run whose spec is changed; the last run before it if left out"`
	Set      []string `toml:"set" must:"yes" doc:"the change, path=value as of run --set"`
	Label    string   `toml:"label" doc:"name of the method that set changes in legends after the change, where its name says what it was"`
	Choices  []Option `toml:"choices" must:"yes" doc:"the answers to choose from; the when of exactly one holds"`
	Seconds  float64  `toml:"seconds" want:"> 0" doc:"seconds that it takes on two cores, measured"`
	Figure   string   `toml:"figure" doc:"id of the figure to show; that of the lesson if left out"`
}

// A Check is the exercise: the learner edits a spec.
type Check struct {
	place
	ID      string      `toml:"id" must:"yes" doc:"name of the exercise"`
	Task    string      `toml:"task" must:"yes" doc:"what to do"`
	From    string      `toml:"from" must:"yes" doc:"file of a spec beside the lesson, which is copied for the learner"`
	Change  []string    `toml:"change" must:"yes" doc:"the settings that the learner may change, such as method.features; all others must stay"`
	Pass    string      `toml:"pass" must:"yes" doc:"expression over the records of the learner's run that holds if it is solved"`
	Says    string      `toml:"says" must:"yes" doc:"what to say when it is solved"`
	Hint    string      `toml:"hint" must:"yes" doc:"help that does not give the answer away"`
	Right   []string    `toml:"right" must:"yes" doc:"changes that solve it, path=value; for tests and instructors"`
	Wrong   []WrongEdit `toml:"wrong" must:"yes" doc:"wrong solutions with what to say about each"`
	Seconds float64     `toml:"seconds" want:"> 0" doc:"seconds that it takes on two cores, measured"`
}

// A WrongEdit is a wrong solution of an exercise.
type WrongEdit struct {
	Set  []string `toml:"set" must:"yes" doc:"changes that lead to it, for tests and instructors"`
	When string   `toml:"when" must:"yes" doc:"expression by which it is recognised"`
	Says string   `toml:"says" must:"yes" doc:"the misconception, and why it is wrong here"`
}

// Notes are for instructors.
type Notes struct {
	place
	Text string `toml:"text" must:"yes" doc:"Markdown: how to run the lesson in class, expected wrong answers, what to say"`
}

// Filled returns the Markdown with its placeholders replaced by the numbers of the records, by … if runs is nil.
func (p *Prose) Filled(runs Runs) string { return runs.Fill(p.last, p.Text) }

// Filled returns the Markdown with its placeholders replaced by the numbers of the records.
func (n *Notes) Filled(runs Runs) string { return runs.Fill(n.last, n.Text) }

// stepsOf lists the steps of a type, in the order of the walk.
func stepsOf[S Step](l *Lesson) []S {
	var all []S
	for _, s := range l.Steps {
		if s, ok := s.(S); ok {
			all = append(all, s)
		}
	}
	return all
}

// Predictions lists the predictions of the lesson, those of its breaks among them, in the order of the walk.
func (l *Lesson) Predictions() []*Predict { return stepsOf[*Predict](l) }

// Runs lists the runs of the lesson, those of its breaks among them, in the order of the walk.
func (l *Lesson) Runs() []*Run { return stepsOf[*Run](l) }

// Notes returns the lesson's notes for instructors.
func (l *Lesson) Notes() *Notes { return stepsOf[*Notes](l)[0] }

// Exercise returns the lesson's exercise.
func (l *Lesson) Exercise() *Check { return stepsOf[*Check](l)[0] }

// Seconds returns the computing time of a lesson's runs on two cores, with that of one check of the exercise.
func (l *Lesson) Seconds() float64 {
	sum := l.Exercise().Seconds
	for _, r := range l.Runs() {
		sum += r.Seconds
	}
	return sum
}
