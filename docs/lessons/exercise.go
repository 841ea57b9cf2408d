package lessons

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// changes lists the settings in which two specs differ, as paths of --set: method.dsg.step.theta, problem.nu.
func changes(from, to *experiments.Spec) []string {
	var keys []string
	add := func(key string) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	before, after := settingsOf(from), settingsOf(to)
	for method, settings := range before {
		if after[method] == nil {
			add("method." + method)
			continue
		}
		for _, d := range records.Differences(settings, after[method]) {
			if key, own := strings.CutPrefix(d.Key, "method."); own {
				add("method." + method + "." + key)
			} else {
				add(d.Key)
			}
		}
	}
	for method := range after {
		if before[method] == nil {
			add("method." + method)
		}
	}
	if from.Repeat.Seeds != to.Repeat.Seeds {
		add("repeat.seeds")
	}
	if from.Repeat.First != to.Repeat.First {
		add("repeat.first")
	}
	slices.Sort(keys)
	return keys
}

// settingsOf returns the settings of a spec's methods, without seeds.
func settingsOf(s *experiments.Spec) map[string]map[string]any {
	all := map[string]map[string]any{}
	for _, c := range s.Expand() {
		delete(c.Settings, "seed")
		all[c.Method.ID] = c.Settings
	}
	return all
}

// forbidden lists the changed settings that the exercise does not let the learner change.
func (s *Check) forbidden(changed []string) []string {
	return slices.DeleteFunc(slices.Clone(changed), func(key string) bool {
		return slices.ContainsFunc(s.Change, func(c string) bool { return key == c || strings.HasPrefix(key, c+".") })
	})
}

// file returns the path of the learner's copy of the exercise's spec.
func (s *Session) file(c *Check) string { return filepath.Join(s.State.dir, c.From) }

// lay copies the exercise's spec for the learner, unless there is a copy.
func (s *Session) lay(l *Lesson, c *Check) error {
	if _, err := os.Lstat(s.file(c)); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return files.Write(s.State.dir, s.file(c), l.texts[c.From])
}

// exercise shows the exercise and, if the learner can be asked, checks the solution until it is right or the learner leaves.
func (s *Session) exercise(ctx context.Context, c *Check) error {
	if err := s.lay(s.lesson, c); err != nil {
		return err
	}
	s.Screen.Heading("Exercise")
	s.Screen.Text(c.Task)
	s.Screen.Line("Your copy is " + s.file(c) + ". Open it in an editor.")
	for !s.done.Solved {
		answer, ok := "", false
		if s.Answers == nil {
			answer, ok = s.Screen.Ask("Enter checks it, h gives a hint, q leaves: ")
		}
		switch answer = strings.TrimSpace(answer); {
		case !ok || answer == "q":
			s.Screen.Line("Edit it, then: " + s.State.Command(fmt.Sprint("check ", s.lesson.Number)))
			if !ok && s.Answers == nil {
				return ErrAsked
			}
			return nil
		case answer == "h":
			s.hint(c.Hint)
		case answer != "":
			s.Screen.Line("Type h, q, or nothing.")
		default:
			if _, err := s.grade(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// Grade checks the exercise of a lesson. untouched reports that the learner has changed nothing yet.
func (s *Session) Grade(ctx context.Context, l *Lesson) (r *Results, untouched bool, err error) {
	s.lesson, s.runs, s.done = l, Runs{}, s.State.of(l)
	c := l.Exercise()
	if err := s.lay(l, c); err != nil {
		return nil, false, err
	}
	test, err := s.grade(ctx, c)
	return newResults([]Test{test}), test.Message == c.untouched(s.file(c)), err
}

// grade runs the learner's spec, shows the judgement and keeps it. The test fails unless the condition of the exercise holds.
func (s *Session) grade(ctx context.Context, c *Check) (Test, error) {
	test := Test{Name: c.ID, TaskID: len(s.lesson.Predictions()) + 1, Code: c.Task, Status: fail}
	changed, says, err := s.judge(ctx, c, &test)
	if err != nil {
		return test, err
	}
	test.Message = says
	test.Output = strings.Join(changed, "\n")
	s.Screen.Text(map[string]string{pass: "Solved. ", fail: "Not yet. ", failed: "Not yet. "}[test.Status] + says)
	if len(changed) > 0 || test.Status == failed {
		s.done.Tries++
	}
	s.done.Solved = s.done.Solved || test.Status == pass
	return test, s.State.write()
}

// untouched is what a learner is told who has changed nothing.
func (c *Check) untouched(file string) string {
	return fmt.Sprintf("%s is as it was. You may change %s.", file, strings.Join(c.Change, " and "))
}

// judge returns the settings that the learner changed and what to say. It sets the test's status.
func (s *Session) judge(ctx context.Context, c *Check, test *Test) (changed []string, says string, err error) {
	options := experiments.LoadOptions{Set: seedsOf(s.State.Class)}
	from, err := s.lesson.load(&Run{Spec: c.From}, nil, options)
	if err != nil {
		return nil, "", err
	}
	spec, err := experiments.Load(experiments.Ref{Path: s.file(c)}, options)
	if err != nil {
		test.Status = failed
		return nil, err.Error(), nil
	}
	changed = changes(from, spec)
	if len(changed) == 0 {
		return nil, c.untouched(s.file(c)), nil
	}
	if rest := c.forbidden(changed); len(rest) > 0 {
		return changed, fmt.Sprintf("You changed %s, which must stay as it was; the task lets you change %s. \"%s\" writes a fresh copy.",
			strings.Join(rest, ", "), strings.Join(c.Change, " and "), s.State.Command(fmt.Sprint("reset ", s.lesson.Number))), nil
	}
	s.Screen.Line(fmt.Sprintf("Running your spec: about %s.", seconds(c.Seconds)))
	store, err := s.Train(ctx, spec, runFolder(s.State.dir, s.lesson, c.ID))
	if err != nil {
		return changed, "", err
	}
	s.runs[c.ID] = NewOutcome(spec, store)
	if err := s.needed(ctx, c); err != nil {
		return changed, "", err
	}
	holds, err := c.pass.holds(s.runs)
	if err != nil {
		return changed, "", err
	}
	if holds {
		test.Status = pass
		return changed, fill(c.says, s.runs), nil
	}
	for _, w := range c.Wrong {
		if holds, err := w.when.holds(s.runs); holds || err != nil {
			return changed, fill(w.says, s.runs), err
		}
	}
	return changed, "The condition of the task does not hold: " + c.Pass + ".", nil
}

// needed runs what the expressions of an exercise name besides the learner's run.
func (s *Session) needed(ctx context.Context, c *Check) error {
	ids := slices.Clone(c.pass.named)
	texts := [][]piece{c.says}
	for _, w := range c.Wrong {
		ids, texts = append(ids, w.when.named...), append(texts, w.says)
	}
	for _, p := range slices.Concat(texts...) {
		if p.value != nil {
			ids = append(ids, p.value.named...)
		}
	}
	for _, r := range s.lesson.Runs() {
		if s.runs[r.ID] != nil || !slices.Contains(ids, r.ID) {
			continue
		}
		o, err := s.lesson.execute(ctx, s.Train, r, s.State.dir, s.State.Class)
		if err != nil {
			return err
		}
		s.runs[r.ID] = o
	}
	return nil
}

// Hint shows the hint of the first prediction that has no answer, or of the exercise.
func (s *Session) Hint(l *Lesson) error {
	s.lesson, s.done = l, s.State.of(l)
	text, of := l.Exercise().Hint, l.Exercise().Task
	for _, p := range l.Predictions() {
		if _, ok := s.done.given(p); !ok {
			text, of = p.Hint, p.Question
			break
		}
	}
	s.Screen.Text(of)
	s.hint(text)
	return s.State.write()
}

// Reset forgets what the learner did of a lesson: answers, records, and the edited exercise, of which it keeps a copy named .bak.
// It returns that name, empty if there was no exercise.
func (s *Session) Reset(l *Lesson) (kept string, err error) {
	delete(s.State.Lessons, l.Name)
	if err := s.State.write(); err != nil {
		return "", err
	}
	if err := os.RemoveAll(filepath.Join(s.State.dir, "out", l.Name)); err != nil {
		return "", err
	}
	file := s.file(l.Exercise())
	switch err := os.Rename(file, file+".bak"); {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	return file + ".bak", nil
}

// Notes shows the instructor notes of a lesson, the wrong answers it expects, and a solution of its exercise. Numbers are those of
// the records in the learner's folder.
func (s *Session) Notes(l *Lesson) error {
	runs := Runs{}
	for _, r := range l.Runs() {
		store, err := records.Open(runFolder(s.State.dir, l, r.ID))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		runs[r.ID] = NewOutcome(r.spec, store)
	}
	s.Screen.Heading(fmt.Sprintf("Lesson %d. %s: notes for instructors", l.Number, l.Title))
	for _, step := range l.Steps {
		if n, ok := step.(*Notes); ok {
			s.Screen.Text(n.Filled(runs))
		}
	}
	for _, p := range l.Predictions() {
		s.Screen.Heading(p.ID)
		s.Screen.Text(p.Question)
		for _, o := range p.Choices {
			s.Screen.Text("- " + o.Text + ": " + fill(o.says, runs))
		}
		for i := range p.Wrong {
			s.Screen.Text("- " + p.Wrong[i].shown() + ": " + fill(p.Wrong[i].says, runs))
		}
	}
	c := l.Exercise()
	s.Screen.Heading(c.ID)
	s.Screen.Text(c.Task)
	s.Screen.Text("- a solution: " + strings.Join(c.Right, ", "))
	for _, w := range c.Wrong {
		s.Screen.Text("- wrong: " + strings.Join(w.Set, ", ") + ": " + fill(w.says, runs))
	}
	return nil
}

// shown writes a wrong answer.
func (w *Wrong) shown() string {
	switch {
	case w.Near != nil:
		return fmt.Sprintf("%g", *w.Near)
	case w.Slope != nil:
		return fmt.Sprintf("slope %g", *w.Slope)
	}
	return strings.Trim(fmt.Sprint(w.Order), "[]")
}
