package lessons

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/claims"
)

// A builder makes the steps of a lesson from the parts of its page and notes every mistake.
type builder struct {
	lesson *Lesson
	open   func(name string) ([]byte, error) // of a file beside the lesson

	ids   map[string]string            // what each id names
	specs map[string]*experiments.Spec // of the runs so far
	last  string                       // the last run so far
	base  *Run                         // the last run fence so far
	asked []*Predict                   // predictions whose run is not yet known
	shown map[string]bool              // predictions that an explain fence uses
	block *experiments.Block           // the fence at hand
	wrong bool                         // a fence cannot be decoded
	lost  bool                         // the spec of a run is wrong
	errs  []error
}

// build makes all steps and checks what the whole lesson must have.
func (b *builder) build(parts []part) {
	l := b.lesson
	if len(parts) == 0 || parts[0].fence != "" || !strings.HasPrefix(parts[0].text, "# ") {
		b.fail(1, "want a heading of level 1 as the first line; write # Title")
	} else {
		title, rest, _ := strings.Cut(parts[0].text, "\n")
		l.Title, parts[0].text = strings.TrimSpace(strings.TrimPrefix(title, "# ")), rest
	}
	count := map[string]int{}
	for i, p := range parts {
		if p.fence != "" {
			count[p.fence]++
		}
		if p.fence == "lesson" && i > 1 {
			b.fail(p.line-1, "```lesson must be the first fence; move it below the title")
		}
		b.part(p)
		if b.lost {
			return // what follows reads the records of a run that there is not
		}
	}
	if b.wrong {
		return
	}
	for _, word := range []string{"lesson", "check", "notes"} {
		if count[word] != 1 {
			b.fail(1, "has %d fences ```%s; write one", count[word], word)
		}
	}
	for _, word := range []string{"predict", "run", "explain", "break"} {
		if count[word] == 0 {
			b.fail(1, "has no fence ```%s; write one or more", word)
		}
	}
	for _, p := range b.asked {
		b.fail(p.Line(), "predict %q: there is no run after it; add a run fence", p.ID)
	}
	b.figures()
	for _, s := range l.Steps {
		if p, ok := s.(*Predict); ok && !b.shown[p.ID] {
			b.fail(p.Line(), "predict %q: no explain fence uses it, so its outcome would never be shown; add it to one", p.ID)
		}
	}
}

func (b *builder) fail(line int, format string, args ...any) {
	b.errs = append(b.errs, fmt.Errorf("%s:%d: %s", b.lesson.File, line, fmt.Sprintf(format, args...)))
}

// mistake notes a mistake in a key of the fence at hand, whose path follows the message's arguments in at.
func (b *builder) mistake(at []any, format string, args ...any) {
	b.errs = append(b.errs, b.block.Mistake(at, format, args...))
}

func at(path ...any) []any { return path }

// fences has the words of the fences that a lesson has, and what makes a step of each.
var fences = map[string]func(*builder, part, line){
	"lesson": (*builder).header, "predict": (*builder).predictFence, "run": (*builder).runFence, "explain": (*builder).explainFence,
	"break": (*builder).breakFence, "check": (*builder).checkFence, "notes": (*builder).notesFence,
}

// part makes the step of a part.
func (b *builder) part(p part) {
	if p.fence != "" {
		fences[p.fence](b, p, line(p.line-1)) // the line of the fence itself
		return
	}
	pieces, err := cut(p.text, b.number)
	if err != nil && !b.wrong {
		b.fail(p.line, "the text from here on: %v", err)
	}
	if strings.TrimSpace(p.text) != "" {
		b.add(&Prose{line: line(p.line), Text: p.text, pieces: pieces})
	}
}

func (b *builder) add(s Step) { b.lesson.Steps = append(b.lesson.Steps, s) }

func (b *builder) header(p part, _ line) {
	h, l := header{}, b.lesson
	if b.decode(p, &h) {
		l.Minutes, l.Outcomes, l.After, l.Figure, l.Sources = h.Minutes, h.Outcomes, h.After, h.Figure, h.Sources
	}
}

func (b *builder) predictFence(p part, here line) {
	s := &Predict{line: here}
	if b.decode(p, s) {
		b.name("prediction", s.ID)
		b.asked = append(b.asked, s)
		s.block = b.block
		b.add(s)
	}
}

func (b *builder) runFence(p part, here line) {
	s := &Run{line: here}
	if b.decode(p, s) && b.name("run", s.ID) && b.run(s, at("spec")) {
		b.base = s
		b.add(s)
		b.answer()
	}
}

func (b *builder) explainFence(p part, here line) {
	s := &Explain{line: here}
	if b.decode(p, s) {
		b.explain(s)
		b.add(s)
	}
}

func (b *builder) breakFence(p part, here line) {
	s := &Break{line: here}
	if b.decode(p, s) && b.name("break", s.ID) {
		b.add(s)
		b.breakage(s)
	}
}

func (b *builder) checkFence(p part, here line) {
	s := &Check{line: here}
	if b.decode(p, s) && b.name("exercise", s.ID) {
		b.check(s)
		b.add(s)
	}
}

func (b *builder) notesFence(p part, here line) {
	s := &Notes{line: here}
	if b.decode(p, s) {
		s.pieces = b.text(s.Text, at("text"))
		b.add(s)
	}
}

// decode decodes a fence into a step. After a fence that cannot be decoded the others are only decoded, because what they refer to
// may be in it.
func (b *builder) decode(p part, into any) bool {
	block, err := experiments.DecodeBlock(b.lesson.File, p.line, p.text, into)
	b.block = block
	if err != nil {
		b.errs = append(b.errs, err)
		b.wrong = true
	}
	return !b.wrong
}

// name notes an id, which nothing else in the lesson may have.
func (b *builder) name(what, id string) bool {
	if other, taken := b.ids[id]; taken {
		b.mistake(at("id"), "%q is also the id of a %s; rename one of them", id, other)
		return false
	}
	b.ids[id] = what
	return true
}

// number compiles an expression of a number over the runs so far.
func (b *builder) number(text string) (*expression, error) {
	return compile(text, reflect.Struct, b.specs, b.last)
}

// expression compiles the value of a key, noting a mistake.
func (b *builder) expression(text string, want reflect.Kind, path []any) *expression {
	e, err := compile(text, want, b.specs, b.last)
	if err != nil {
		for _, one := range unjoined(err) {
			b.mistake(path, "%v", one)
		}
	}
	return e
}

// unjoined returns the errors that one was joined from.
func unjoined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return []error{err}
}

// text takes the text of a key apart at its placeholders.
func (b *builder) text(text string, path []any) []piece {
	pieces, err := cut(text, b.number)
	if err != nil {
		b.mistake(path, "%v", err)
	}
	return pieces
}

// run loads the spec of a run, whose fence names it under the key at path.
func (b *builder) run(r *Run, path []any) bool {
	spec, err := b.lesson.load(r, b.open, experiments.LoadOptions{Profile: r.Profile, Set: r.Set})
	if err != nil {
		for _, one := range unjoined(err) {
			b.mistake(path, "%v", one)
		}
		b.lost = true
		return false
	}
	r.spec = spec
	b.specs[r.ID], b.last = spec, r.ID
	return true
}

// load loads the spec of a run.
func (l *Lesson) load(r *Run, open func(string) ([]byte, error), o experiments.LoadOptions) (*experiments.Spec, error) {
	if !strings.HasSuffix(r.Spec, ".toml") {
		return experiments.Load(experiments.Ref{ID: r.Spec}, o)
	}
	if l.texts == nil {
		l.texts = map[string][]byte{}
	}
	if l.texts[r.Spec] == nil {
		text, err := open(r.Spec)
		if err != nil {
			return nil, fmt.Errorf("there is no file %s%s/%s; write it, or give the id of an experiment", origin, folder, r.Spec)
		}
		l.texts[r.Spec] = text
	}
	return experiments.LoadText(origin+folder+"/"+r.Spec, l.texts[r.Spec], o)
}

// answer compiles the predictions that the run at hand answers.
func (b *builder) answer() {
	fence := b.block
	for _, p := range b.asked {
		b.block = p.block
		p.run, p.spec = b.last, b.specs[b.last]
		b.predict(p)
	}
	b.asked, b.block = nil, fence
}

// predict checks the keys of a prediction and compiles its expressions.
func (b *builder) predict(p *Predict) {
	b.only(p)
	switch p.Kind {
	case Choice:
		b.choices(p.Choices)
	case Number:
		p.answer = b.expression(p.Answer, reflect.Struct, at("answer"))
		if (p.Factor > 0) == (p.Margin > 0) || p.Factor > 0 && p.Factor < 1 {
			b.mistake(at("factor"), "give a factor above 1 or a margin above 0, not both; a prediction is right up to it")
		}
	case Order:
		for i := range p.Items {
			p.Items[i].by = b.expression(p.Items[i].By, reflect.Struct, at("items", i, "by"))
		}
		if len(p.Items) < 2 {
			b.mistake(at("items"), "has %d items; give two or more", len(p.Items))
		}
	case Draw:
		b.canvas(p)
	}
	for i := range p.Wrong {
		w := &p.Wrong[i]
		w.says = b.text(w.Says, at("wrong", i, "says"))
		given := map[string]bool{Number: w.Near != nil, Order: w.Order != nil, Draw: w.Slope != nil}
		key := map[string]string{Number: "near", Order: "order", Draw: "slope"}
		for _, kind := range []string{Number, Order, Draw} {
			if given[kind] != (kind == p.Kind) {
				b.mistake(at("wrong", i, key[kind]), "a wrong answer of kind %s has the key %s and no other; correct it", p.Kind, key[p.Kind])
			}
		}
		if p.Kind == Order && p.validOrder(w.Order) != nil {
			b.mistake(at("wrong", i, "order"), "%v", p.validOrder(w.Order))
		}
	}
	if p.Kind != Choice && len(p.Wrong) == 0 {
		b.mistake(at("wrong"), "missing; list the wrong answers to expect, with what to say about each")
	}
}

// only notes the keys that a prediction of another kind has.
func (b *builder) only(p *Predict) {
	of := map[string][]string{
		"choices": {Choice}, "answer": {Number}, "unit": {Number}, "factor": {Number}, "items": {Order}, "figure": {Draw}, "method": {Draw},
		"at": {Draw}, "y": {Draw}, "shape": {Draw}, "margin": {Number, Draw}, "wrong": {Number, Order, Draw},
	}
	for key, kinds := range of {
		if b.block.Has(key) && !slices.Contains(kinds, p.Kind) {
			b.mistake(at(key), "a prediction of kind %s has no such key, one of kind %s has; remove it", p.Kind, strings.Join(kinds, " or "))
		}
	}
}

// choices compiles the options of a choice.
func (b *builder) choices(options []Option) {
	if len(options) < 2 {
		b.mistake(at("choices"), "has %d answers; give two or more", len(options))
	}
	for i := range options {
		o := &options[i]
		o.when = b.expression(o.When, reflect.Bool, at("choices", i, "when"))
		o.says = b.text(o.Says, at("choices", i, "says"))
	}
}

// explain checks an explain fence and compiles its numbers.
func (b *builder) explain(s *Explain) {
	s.run = b.last
	for _, id := range s.Uses {
		b.shown[id] = true
		if slices.ContainsFunc(b.asked, func(p *Predict) bool { return p.ID == id }) {
			b.mistake(at("uses"), "the run that answers %q comes later; move the fence behind it", id)
		}
		if what := b.ids[id]; what != "prediction" && what != "break" {
			b.mistake(at("uses"), "unknown prediction %q; %s", id, experiments.Suggest(id, b.named("prediction", "break")))
		}
	}
	for i := range s.Measured {
		s.Measured[i].value = b.expression(s.Measured[i].Value, reflect.Struct, at("measured", i, "value"))
	}
	if b.last == "" {
		b.mistake(nil, "there is no run before it; move it after one")
	}
}

// named lists the ids of what is called so.
func (b *builder) named(whats ...string) []string {
	var ids []string
	for id, what := range b.ids {
		if slices.Contains(whats, what) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// breakage makes the run and the prediction of a break.
func (b *builder) breakage(s *Break) {
	of := b.base
	if s.Of != "" {
		of = nil
		for _, r := range b.lesson.Runs() {
			if r != nil && r.ID == s.Of {
				of = r
			}
		}
	}
	if of == nil {
		b.mistake(at("of"), "there is no run %q before it; %s", s.Of, experiments.Suggest(s.Of, b.named("run")))
		b.lost = true
		return
	}
	s.of = of
	s.exec = &Run{line: s.line, ID: s.ID, Spec: of.Spec, Profile: of.Profile, Set: slices.Concat(of.Set, s.Set), Seconds: s.Seconds, Figure: s.Figure}
	if !b.run(s.exec, at("set")) {
		return
	}
	b.choices(s.Choices)
	s.predict = &Predict{line: s.line, ID: s.ID, Kind: Choice, Question: s.Question, Hint: s.Hint, Choices: s.Choices, run: s.ID}
}

// check loads the spec of the exercise and compiles its expressions over the records of the learner's run.
func (b *builder) check(s *Check) {
	r := &Run{ID: s.ID, Spec: s.From}
	if !b.run(r, at("from")) {
		return
	}
	s.spec = r.spec
	s.pass = b.expression(s.Pass, reflect.Bool, at("pass"))
	s.says = b.text(s.Says, at("says"))
	b.edits(s, s.Right, at("right"))
	for i := range s.Wrong {
		w := &s.Wrong[i]
		w.when = b.expression(w.When, reflect.Bool, at("wrong", i, "when"))
		w.says = b.text(w.Says, at("wrong", i, "says"))
		b.edits(s, w.Set, at("wrong", i, "set"))
	}
}

// edits checks that a solution changes nothing but what the learner may change, and that it changes something.
func (b *builder) edits(s *Check, set []string, path []any) {
	edited, err := b.lesson.load(&Run{Spec: s.From}, b.open, experiments.LoadOptions{Set: set})
	if err != nil {
		b.mistake(path, "%v", err)
		return
	}
	changed := changes(s.spec, edited)
	if len(changed) == 0 {
		b.mistake(path, "changes nothing; give another value")
	}
	if rest := s.forbidden(changed); len(rest) > 0 {
		b.mistake(path, "changes %s, which change does not list; add it there", strings.Join(rest, ", "))
	}
}

// figures checks the ids of figures, and completes those that were left out.
func (b *builder) figures() {
	runs := b.lesson.Runs()
	for _, r := range runs {
		if r.Figure == "" {
			r.Figure = b.lesson.Figure
		}
		if r.spec == nil {
			continue
		}
		for _, id := range append(slices.Clone(r.Also), r.Figure) {
			if i, ids := figureOf(r.spec, id); i < 0 {
				b.fail(r.Line(), "unknown figure %q of %s; %s", id, r.Spec, experiments.Suggest(id, ids))
			}
		}
	}
}

// figureOf returns the index of a figure of a spec, -1 if there is none, and the ids there are.
func figureOf(s *experiments.Spec, id string) (int, []string) {
	var ids []string
	for _, f := range s.Figures {
		ids = append(ids, f.ID)
	}
	return slices.IndexFunc(s.Figures, func(f claims.Figure) bool { return f.ID == id }), ids
}
