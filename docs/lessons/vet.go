package lessons

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"repro/experiments"
	"repro/experiments/strict"
	"repro/results/printed"
	"repro/results/records"
)

// numbered returns what is wrong with the numbers of lessons, and with those that they name; whole says that none is missing.
func numbered(all []*Lesson, whole bool) (errs []error) {
	for i, l := range all {
		if k := slices.IndexFunc(all[:i], func(o *Lesson) bool { return o.Number == l.Number }); k >= 0 {
			errs = append(errs, fmt.Errorf("%s and %s have the same number; rename one of them", all[k].File, l.File))
		}
		for _, n := range l.After {
			if n >= l.Number || whole && !slices.ContainsFunc(all, func(o *Lesson) bool { return o.Number == n }) {
				errs = append(errs, fmt.Errorf("%s: after: there is no lesson %d before lesson %d", l.File, n, l.Number))
			}
		}
	}
	return errs
}

// A vetter notes every mistake in the page of a lesson.
type vetter struct {
	lesson *Lesson

	count map[string]int               // of fences by their words
	ids   map[string]string            // what each id names
	specs map[string]*experiments.Spec // of the runs so far
	last  string                       // the last run so far
	shown map[string]bool              // predictions that an explain fence uses
	block *strict.Block                // the fence at hand
	errs  []error
}

func (v *vetter) fail(line int, format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf("%s:%d: %s", v.lesson.File, line, fmt.Sprintf(format, args...)))
}

// mistake notes a mistake in a key of the fence at hand.
func (v *vetter) mistake(at []any, format string, args ...any) {
	v.errs = append(v.errs, v.block.Mistake(at, format, args...))
}

func at(path ...any) []any { return path }

// named matches the path of a lesson's file.
var named = regexp.MustCompile(`/\d\d-[a-z0-9-]+\.md$`)

// vet returns the mistakes in the steps of the lesson that was read from parts; whole says that none is missing.
func (l *Lesson) vet(parts []part, whole bool) []error {
	v := &vetter{lesson: l, count: map[string]int{}, ids: map[string]string{}, specs: map[string]*experiments.Spec{}, shown: map[string]bool{}}
	if !named.MatchString(l.File) {
		v.errs = append(v.errs, fmt.Errorf("%s: want a name such as 03-one-over-t.md: two digits and words in small letters", l.File))
	}
	if !strings.HasPrefix(l.Text, "# ") {
		v.fail(1, "want a heading of level 1 as the first line; write # Title")
	}
	for _, p := range parts {
		if p.fence == "lesson" && len(v.count) > 0 {
			v.fail(p.line-1, "```lesson must be the first fence; move it below the title")
		}
		if p.fence != "" {
			v.count[p.fence]++
		}
	}
	for _, s := range l.Steps {
		if v.block = s.fence(); !v.step(s) {
			return v.errs // what follows reads the records of a run that there is not
		}
	}
	if whole { // else it may be about what cannot be decoded
		v.whole()
	}
	return v.errs
}

// whole vets what the whole lesson must have.
func (v *vetter) whole() {
	for _, word := range []string{"lesson", "check", "notes"} {
		if v.count[word] != 1 {
			v.fail(1, "has %d fences ```%s; write one", v.count[word], word)
		}
	}
	for _, word := range []string{"predict", "run", "explain", "break"} {
		if v.count[word] == 0 {
			v.fail(1, "has no fence ```%s; write one or more", word)
		}
	}
	for _, r := range v.lesson.Runs() {
		for _, id := range append(slices.Clone(r.Also), r.Figure) {
			if i, ids := figureOf(v.specs[r.ID], id); i < 0 {
				v.fail(r.Line(), "unknown figure %q of %s; %s", id, r.Spec, printed.Suggest(id, ids))
			}
		}
	}
	for _, p := range v.lesson.Predictions() {
		if p.Run == nil {
			v.fail(p.Line(), "predict %q: there is no run after it; add a run fence", p.ID)
		}
		if !v.shown[p.ID] {
			v.fail(p.Line(), "predict %q: no explain fence uses it, so its outcome would never be shown; add it to one", p.ID)
		}
	}
}

// step vets a step. It returns false if the spec of a run is wrong.
func (v *vetter) step(step Step) bool {
	switch s := step.(type) {
	case *Prose:
		if err := v.placeholders(s.Text); err != nil {
			v.fail(s.Line(), "the text from here on: %v", err)
		}
	case *Predict:
		what := "prediction"
		if s.Run != nil && s.Run.ID == s.ID && s.Run.Change != nil {
			what = "break"
		}
		v.name(what, s.ID)
	case *Run:
		return v.run(s)
	case *Explain:
		v.explain(s)
	case *Check:
		return !v.name("exercise", s.ID) || v.check(s)
	case *Notes:
		v.text(s.Text, at("text"))
	}
	return true
}

// name notes an id, which nothing else in the lesson may have.
func (v *vetter) name(what, id string) bool {
	if other, taken := v.ids[id]; taken {
		v.mistake(at("id"), "%q is also the id of a %s; rename one of them", id, other)
		return false
	}
	v.ids[id] = what
	return true
}

// named lists the ids of what is called so.
func (v *vetter) named(whats ...string) []string {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(v.ids)) {
		if slices.Contains(whats, v.ids[id]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// mistakes notes the mistakes in a key that an error was joined from.
func (v *vetter) mistakes(path []any, err error) {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, one := range all {
		v.mistake(path, "%v", one)
	}
}

// truth vets the expression of a key whose value is a truth.
func (v *vetter) truth(text string, path []any) { v.expression(text, true, path) }

// number vets the expression of a key whose value is a number.
func (v *vetter) number(text string, path []any) { v.expression(text, false, path) }

func (v *vetter) expression(text string, truth bool, path []any) {
	if err := checked(text, truth, v.specs, v.last); err != nil {
		v.mistakes(path, err)
	}
}

// text vets the placeholders in the text of a key.
func (v *vetter) text(text string, path []any) {
	if err := v.placeholders(text); err != nil {
		v.mistake(path, "%v", err)
	}
}

func (v *vetter) placeholders(text string) error {
	for _, found := range Placeholder.FindAllStringSubmatch(text, -1) {
		if err := checked(found[1], false, v.specs, v.last); err != nil {
			return fmt.Errorf("%s: %w", found[0], err)
		}
	}
	if strings.Contains(Placeholder.ReplaceAllString(text, ""), "{{") {
		return fmt.Errorf("{{ has no }}; close the placeholder")
	}
	return nil
}

// load loads the spec of a run, whose fence names it under the key at path.
func (v *vetter) load(r *Run, path []any) bool {
	spec, err := v.lesson.load(r)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no file %s; write it, or give the id of an experiment", v.lesson.folder+"/"+r.Spec)
	}
	if err != nil {
		v.mistakes(path, err)
		return false
	}
	v.specs[r.ID], v.last = spec, r.ID
	return true
}

// run vets a run and the predictions that it answers.
func (v *vetter) run(r *Run) bool {
	key := at("set")
	if r.Change == nil {
		if key = at("spec"); !v.name("run", r.ID) {
			return true
		}
	}
	if !v.load(r, key) {
		return false
	}
	for _, p := range v.lesson.Predictions() {
		if p.Run != r {
			continue
		}
		if v.block = p.block; p.ID == r.ID { // of the break itself
			v.choices(p.Choices)
		} else {
			v.predict(p)
		}
	}
	return true
}

// predict vets a prediction about the last run.
func (v *vetter) predict(p *Predict) {
	v.only(p)
	switch p.Kind {
	case Choice:
		v.choices(p.Choices)
	case Number:
		v.number(p.Answer, at("answer"))
		if (p.Factor > 0) == (p.Margin > 0) || p.Factor > 0 && p.Factor < 1 {
			v.mistake(at("factor"), "give a factor above 1 or a margin above 0, not both; a prediction is right up to it")
		}
	case Order:
		for i, item := range p.Items {
			v.number(item.By, at("items", i, "by"))
		}
		if len(p.Items) < 2 {
			v.mistake(at("items"), "has %d items; give two or more", len(p.Items))
		}
	case Draw:
		v.drawing(p)
	}
	for i, w := range p.Wrong {
		v.text(w.Says, at("wrong", i, "says"))
		given := map[string]bool{Number: w.Near != nil, Order: w.Order != nil, Draw: w.Slope != nil}
		key := map[string]string{Number: "near", Order: "order", Draw: "slope"}
		for _, kind := range []string{Number, Order, Draw} {
			if given[kind] != (kind == p.Kind) {
				v.mistake(at("wrong", i, key[kind]), "a wrong answer of kind %s has the key %s and no other; correct it", p.Kind, key[p.Kind])
			}
		}
		if w.Within > 0 && p.Kind != Draw {
			v.mistake(at("wrong", i, "within"), "belongs to slope, which a prediction of kind %s has not; leave it out", p.Kind)
		}
		if err := p.validOrder(w.Order); p.Kind == Order && err != nil {
			v.mistake(at("wrong", i, "order"), "%v", err)
		}
	}
	if p.Kind != Choice && len(p.Wrong) == 0 {
		v.mistake(at("wrong"), "missing; list the wrong answers to expect, with what to say about each")
	}
}

// only notes the keys that a prediction of another kind has.
func (v *vetter) only(p *Predict) {
	of := map[string][]string{
		"choices": {Choice}, "answer": {Number}, "unit": {Number}, "factor": {Number}, "items": {Order}, "figure": {Draw}, "method": {Draw},
		"at": {Draw}, "y": {Draw}, "shape": {Draw}, "margin": {Number, Draw}, "wrong": {Number, Order, Draw},
	}
	for key, kinds := range of {
		if v.block.Has(key) && !slices.Contains(kinds, p.Kind) {
			v.mistake(at(key), "a prediction of kind %s has no such key, one of kind %s has; remove it", p.Kind, strings.Join(kinds, " or "))
		}
	}
}

// choices vets the options of a choice.
func (v *vetter) choices(options []Option) {
	if len(options) < 2 {
		v.mistake(at("choices"), "has %d answers; give two or more", len(options))
	}
	for i, o := range options {
		v.truth(o.When, at("choices", i, "when"))
		v.text(o.Says, at("choices", i, "says"))
	}
}

// drawing vets the keys of a drawing.
func (v *vetter) drawing(p *Predict) {
	spec := v.specs[v.last]
	i, ids := figureOf(spec, p.Figure)
	if i < 0 {
		v.mistake(at("figure"), "unknown figure %q of the run %s; %s", p.Figure, v.last, printed.Suggest(p.Figure, ids))
		return
	}
	f := spec.Figures[i]
	logX, logY := f.Scale != "semilogy" && f.Scale != "linear", f.Scale != "semilogx" && f.Scale != "linear"
	if spec.Experiment().Unit(f.Y).Factor != 1 {
		v.mistake(at("figure"), "shows its metric in another unit than the records have; choose a figure of another metric")
	}
	if !ofCurves(f) {
		v.mistake(at("figure"), "is of kind %s; choose a figure of curves", f.Kind)
	}
	names := []string{}
	for _, m := range spec.Methods {
		name := m.ID
		if f.Across != "" {
			name = m.Group
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if !slices.Contains(names, p.Method) {
		v.mistake(at("method"), "unknown method %q; %s", p.Method, printed.Suggest(p.Method, names))
	}
	if len(p.At) < 3 || !slices.IsSorted(p.At) || logX && p.At[0] <= 0 {
		v.mistake(at("at"), "want three or more rising numbers, above 0 on a logarithmic axis")
	}
	if p.Y[0] >= p.Y[1] || logY && p.Y[0] <= 0 {
		v.mistake(at("y"), "want the lower and the upper end of the axis, above 0 on a logarithmic one")
	}
	if p.Margin == 0 {
		v.mistake(at("margin"), "missing; give the mean distance up to which the drawing is right")
	}
}

// explain vets an explain fence.
func (v *vetter) explain(s *Explain) {
	for _, id := range s.Uses {
		v.shown[id] = true
		later := func(p *Predict) bool {
			return p.ID == id && p.Line() < s.Line() && (p.Run == nil || v.specs[p.Run.ID] == nil)
		}
		if slices.ContainsFunc(v.lesson.Predictions(), later) {
			v.mistake(at("uses"), "the run that answers %q comes later; move the fence behind it", id)
		}
		if what := v.ids[id]; what != "prediction" && what != "break" {
			v.mistake(at("uses"), "unknown prediction %q; %s", id, printed.Suggest(id, v.named("prediction", "break")))
		}
	}
	for i, m := range s.Measured {
		v.number(m.Value, at("measured", i, "value"))
	}
	if v.last == "" {
		v.mistake(nil, "there is no run before it; move it after one")
	}
}

// check vets the exercise, whose expressions read the records of the learner's run.
func (v *vetter) check(s *Check) bool {
	if !v.load(&Run{ID: s.ID, Spec: s.From}, at("from")) {
		return false
	}
	v.truth(s.Pass, at("pass"))
	v.text(s.Says, at("says"))
	v.edits(s, s.Right, at("right"))
	for i, w := range s.Wrong {
		v.truth(w.When, at("wrong", i, "when"))
		v.text(w.Says, at("wrong", i, "says"))
		v.edits(s, w.Set, at("wrong", i, "set"))
	}
	return true
}

// edits checks that a solution changes nothing but what the learner may change, and that it changes something.
func (v *vetter) edits(s *Check, set []string, path []any) {
	edited, err := v.lesson.load(&Run{Spec: s.From, Set: set})
	if err != nil {
		v.mistake(path, "%v", err)
		return
	}
	changed := changes(v.specs[s.ID], edited)
	if len(changed) == 0 {
		v.mistake(path, "changes nothing; give another value")
	}
	if rest := s.forbidden(changed); len(rest) > 0 {
		v.mistake(path, "changes %s, which change does not list; add it there", strings.Join(rest, ", "))
	}
}

// figureOf returns the index of a figure of a spec, -1 if there is none, and the ids there are.
func figureOf(s *experiments.Spec, id string) (int, []string) {
	var ids []string
	for _, f := range s.Figures {
		ids = append(ids, f.ID)
	}
	return slices.Index(ids, id), ids
}

// readers lists the functions of scope by what their leading arguments of text are.
var readers = map[string][]string{
	"final": {"method", "metric"}, "at": {"method", "metric", "x"}, "rate": {"method", "metric", "x"}, "across": {"group", "metric", "key"},
	"reach": {"method", "metric", "", "x"}, "claim": {"claim"}, "diverged": {"method"},
}

// checked compiles an expression whose value is a truth or a number, and finds what it names and there is not. specs are the
// specs of the runs that come before it by id.
func checked(text string, truth bool, specs map[string]*experiments.Spec, last string) error {
	var options []expr.Option
	if truth {
		options = append(options, expr.AsBool())
	}
	program, err := compile(text, options...)
	if err != nil {
		return compileError(err)
	}
	if t := program.Node().Type(); !truth && t != reflect.TypeFor[Value]() {
		return fmt.Errorf("want a number that is read from records, got %v; write final(…), at(…), rate(…), across(…), reach(…) or claim(…)", t)
	}
	c := checker{specs: specs, last: last}
	node := program.Node()
	ast.Walk(&node, &c)
	if len(c.errs) == 0 && !c.reads {
		c.errs = append(c.errs, errors.New("it reads no records, so its value would be a literal; use final, at, rate, across, reach, claim or diverged"))
	}
	return errors.Join(c.errs...)
}

// compileError returns the message of an error of expr without the excerpt of the source.
func compileError(err error) error {
	if at := (*file.Error)(nil); errors.As(err, &at) {
		message := at.Message
		if name, ok := strings.CutPrefix(message, "unknown name "); ok {
			message += "; " + printed.Suggest(name, functionNames())
		}
		return fmt.Errorf("column %d: %s", at.Column+1, message)
	}
	return err
}

// functionNames lists the functions that expressions have.
func functionNames() []string {
	return slices.Sorted(slices.Values(slices.AppendSeq([]string{"run", "within", "width"}, maps.Keys(readers))))
}

// A checker finds unknown methods, metrics, abscissae, claims and runs in an expression.
type checker struct {
	specs map[string]*experiments.Spec
	last  string
	reads bool
	errs  []error
}

// Visit implements ast.Visitor.
func (c *checker) Visit(node *ast.Node) {
	call, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	name, run := "", c.last
	switch callee := call.Callee.(type) {
	case *ast.IdentifierNode:
		name = callee.Value
	case *ast.MemberNode:
		if property, ok := callee.Property.(*ast.StringNode); ok {
			name = property.Value
		}
		if of, ok := callee.Node.(*ast.CallNode); ok && len(of.Arguments) == 1 {
			run, _ = literal(of.Arguments[0])
		}
	}
	if name == "run" {
		c.argument(call.Arguments[0], "run", nil)
		return
	}
	roles, ok := readers[name]
	if !ok {
		return
	}
	c.reads = true
	for i, role := range roles {
		if role != "" && i < len(call.Arguments) {
			c.argument(call.Arguments[i], role, c.specs[run])
		}
	}
}

// literal returns the text of a node that is a text in quotes.
func literal(n ast.Node) (string, bool) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// argument checks an argument of a reader against the spec whose records are read, which is nil if there is no run before.
func (c *checker) argument(n ast.Node, role string, spec *experiments.Spec) {
	text, ok := literal(n)
	fail := func(format string, args ...any) { c.errs = append(c.errs, fmt.Errorf(format, args...)) }
	if !ok {
		fail("the %s must be a text in quotes", role)
		return
	}
	if spec == nil && role != "run" {
		if len(c.errs) == 0 {
			fail("there is no run whose records it could read; move it after a run fence, or name a run")
		}
		return
	}
	if role == "key" {
		return // a wrong key is an error of the records
	}
	name := text
	if role == "metric" {
		name = strings.TrimSuffix(text, records.AverageSuffix)
	}
	if names := c.names(role, spec); !slices.Contains(names, name) {
		fail("unknown %s %q; %s", role, name, printed.Suggest(name, names))
	}
	if (role == "x" || role == "metric") && records.Timed(name) {
		fail("%s is measured with the clock, so its answer would depend on the machine; use evals or flops", name)
	}
}

// names lists what an argument of a role may name.
func (c *checker) names(role string, spec *experiments.Spec) (names []string) {
	switch role {
	case "run":
		names = slices.Sorted(maps.Keys(c.specs))
	case "method":
		for _, m := range spec.Methods {
			names = append(names, m.ID)
		}
	case "group":
		for _, m := range spec.Methods {
			if m.Group != "" && !slices.Contains(names, m.Group) {
				names = append(names, m.Group)
			}
		}
	case "metric":
		names = slices.Concat(spec.Evaluate.Names(), records.AbscissaNames())
	case "x":
		names = records.AbscissaNames()
	case "claim":
		for _, cl := range spec.Experiment().Claims {
			names = append(names, cl.ID)
		}
	}
	return names
}
