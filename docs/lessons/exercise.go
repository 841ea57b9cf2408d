package lessons

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/files"
	"repro/results/records"
)

// changes lists the settings in which two specs differ, as paths of --set: method.dsg.step.theta, problem.nu.
func changes(from, to *experiments.Spec) []string {
	keys := map[string]bool{}
	before, after := settingsOf(from), settingsOf(to)
	for _, method := range slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after))) {
		if before[method] == nil || after[method] == nil {
			keys["method."+method] = true
			continue
		}
		for _, d := range records.Differences(before[method], after[method]) {
			if key, own := strings.CutPrefix(d.Key, "method."); own {
				keys["method."+method+"."+key] = true
			} else {
				keys[d.Key] = true
			}
		}
	}
	if from.Repeat.Seeds != to.Repeat.Seeds {
		keys["repeat.seeds"] = true
	}
	if from.Repeat.First != to.Repeat.First {
		keys["repeat.first"] = true
	}
	return slices.Sorted(maps.Keys(keys))
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

// File returns the path of the learner's copy of the exercise's spec. Specs of other modules may have the names of those of repro, so
// each has a folder.
func (s *Session) File(l *Lesson) string {
	if l.set == own {
		return filepath.Join(s.State.dir, l.Exercise().From)
	}
	return filepath.Join(s.State.dir, l.Name, l.Exercise().From)
}

// Filled returns what a text says after a run, with the numbers of the records in place of its placeholders.
func (s *Session) Filled(run, text string) string { return s.runs.Fill(run, text) }

// lay copies the exercise's spec for the learner, unless there is a copy.
func (s *Session) lay(l *Lesson, c *Check) error {
	if _, err := os.Lstat(s.File(l)); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := l.Spec(c.From)
	if err != nil {
		return err
	}
	return files.Keep(s.State.dir, s.File(l), text)
}

// exercise shows the exercise and, if the learner can be asked, checks the solution until it is right or the learner leaves.
func (s *Session) exercise(ctx context.Context, c *Check) error {
	if err := s.lay(s.lesson, c); err != nil {
		return err
	}
	s.Screen.Heading("Exercise")
	s.Screen.Text(c.Task)
	s.Screen.Line("Your copy is " + s.File(s.lesson) + ". Open it in an editor.")
	for {
		if s.done().Solved {
			return nil
		}
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
}

// Grade checks the exercise of a lesson. untouched reports that the learner has changed nothing yet.
func (s *Session) Grade(ctx context.Context, l *Lesson) (r *Results, untouched bool, err error) {
	s.lesson, s.runs = l, Runs{}
	c := l.Exercise()
	if err := s.lay(l, c); err != nil {
		return nil, false, err
	}
	test, err := s.grade(ctx, c)
	return newResults([]Test{test}), test.Message == c.untouched(s.File(s.lesson)), err
}

// grade runs the learner's spec, shows the judgement and keeps it. The test fails unless the condition of the exercise holds.
func (s *Session) grade(ctx context.Context, c *Check) (Test, error) {
	test := Test{Name: c.ID, TaskID: len(s.lesson.Predictions()) + 1, Code: c.Task, Status: fail}
	changed, says, err := s.judge(ctx, c, s.File(s.lesson), &test)
	if err != nil {
		return test, err
	}
	test.Message = says
	test.Output = strings.Join(changed, "\n")
	s.Screen.Text(map[string]string{pass: "Solved. ", fail: "Not yet. ", failed: "Not yet. "}[test.Status] + says)
	if len(changed) == 0 && test.Status != failed {
		return test, nil
	}
	text, err := files.ReadRegular(s.File(s.lesson), longestSpec)
	if err != nil {
		text = nil // the learner sees it; the answers do without
	}
	return test, s.State.change(s.lesson, func(p *Progress) {
		p.Exercise, p.Solved = string(text), p.Solved || test.Status == pass
	})
}

// longestSpec bounds the bytes of an exercise's spec that the learner's file keeps.
const longestSpec = 64 << 10

// untouched is what a learner is told who has changed nothing.
func (c *Check) untouched(file string) string {
	return fmt.Sprintf("%s is as it was. You may change %s.", file, strings.Join(c.Change, " and "))
}

// judge returns the settings that the learner changed in a file and what to say. It sets the test's status.
func (s *Session) judge(ctx context.Context, c *Check, file string, test *Test) (changed []string, says string, err error) {
	from, err := s.lesson.load(&Run{Spec: c.From})
	if err != nil {
		return nil, "", err
	}
	spec, err := catalog.Load(catalog.Ref{Path: file}, experiments.LoadOptions{})
	if err != nil {
		test.Status = failed
		return nil, err.Error(), nil
	}
	if changed = changes(from, spec); len(changed) == 0 {
		return nil, c.untouched(file), nil
	}
	if rest := c.forbidden(changed); len(rest) > 0 {
		return changed, fmt.Sprintf("You changed %s, which must stay as it was; the task lets you change %s. \"%s\" writes a fresh copy.",
			strings.Join(rest, ", "), strings.Join(c.Change, " and "), s.State.Command(fmt.Sprint("reset ", s.lesson.Number))), nil
	}
	s.Screen.Line(fmt.Sprintf("Running your spec: about %s.", seconds(c.Seconds)))
	store, err := s.Train(ctx, spec, s.lesson.Folder(s.State.dir, c.ID))
	if err != nil {
		return changed, "", err
	}
	s.runs[c.ID] = newOutcome(spec, store)
	if err := s.needed(ctx, c); err != nil {
		return changed, "", err
	}
	if s.runs.holds(c.ID, c.Pass) {
		test.Status = pass
		return changed, s.runs.Fill(c.ID, c.Says), nil
	}
	for _, w := range c.Wrong {
		if s.runs.holds(c.ID, w.When) {
			return changed, s.runs.Fill(c.ID, w.Says), nil
		}
	}
	return changed, "The condition of the task does not hold: " + c.Pass + ".", nil
}

// needed runs what the expressions of an exercise name besides the learner's run.
func (s *Session) needed(ctx context.Context, c *Check) error {
	texts := c.Pass + c.Says
	for _, w := range c.Wrong {
		texts += w.When + w.Says
	}
	for _, r := range s.lesson.Runs() {
		if s.runs[r.ID] != nil || !strings.Contains(texts, fmt.Sprintf("run(%q)", r.ID)) {
			continue
		}
		if err := s.lesson.execute(ctx, s.Train, r, s.State.dir, s.runs); err != nil {
			return err
		}
	}
	return nil
}

// Reset begins a lesson again: it removes its answers, its records and the edited exercise, of which it keeps a copy named .bak. It returns
// the copy's name, empty if there was no exercise.
func (s *Session) Reset(l *Lesson) (kept string, err error) {
	if s.State.Lessons[l.Name] != nil {
		if err := s.State.change(l, func(p *Progress) { *p = Progress{} }); err != nil {
			return "", err
		}
	}
	if err := os.RemoveAll(filepath.Join(s.State.dir, "out", l.Name)); err != nil {
		return "", err
	}
	file := s.File(l)
	switch err := files.Rename(s.State.dir, file, file+".bak"); {
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
	runs, err := l.RecordedRuns(context.Background(), s.State.dir)
	if err != nil {
		return err
	}
	s.Screen.Heading(fmt.Sprintf("Lesson %d. %s: notes for instructors", l.Number, l.Title))
	s.Screen.Text(l.Notes().Filled(runs))
	for _, p := range l.Predictions() {
		s.Screen.Heading(p.ID)
		s.Screen.Text(p.Question)
		says := p.says(runs)
		for i, answer := range p.Listed() {
			s.Screen.Text("- " + answer + ": " + says[i])
		}
	}
	c := l.Exercise()
	s.Screen.Heading(c.ID)
	s.Screen.Text(c.Task)
	s.Screen.Text("- a solution: " + strings.Join(c.Right, ", "))
	for _, w := range c.Wrong {
		s.Screen.Text("- wrong: " + strings.Join(w.Set, ", ") + ": " + runs.Fill(c.ID, w.Says))
	}
	return nil
}

// GradeState judges a student's answers to a lesson and runs the exercise as the file has it, below the session's folder. What the file
// says of its own answers does not count. The results are as those of a lesson and its check together.
func (s *Session) GradeState(ctx context.Context, l *Lesson, state *State) (*Results, error) {
	p := state.Lessons[l.Name]
	if p == nil {
		return nil, fmt.Errorf("it has no answers to lesson %d, %s", l.Number, l.Name)
	}
	runs, err := l.Execute(ctx, s.Train, s.State.dir)
	if err != nil {
		return nil, err
	}
	var tests []Test
	for _, q := range l.Predictions() {
		test := q.test("not answered")
		if g := p.given(q); g != nil {
			test, _, _ = q.judged(runs, g.Answer)
		}
		tests = append(tests, test)
	}
	test, err := s.gradeText(ctx, l, p.Exercise, runs)
	return newResults(append(tests, test)), err
}

// gradeText checks the text of an exercise's spec, which is not the learner's own file.
func (s *Session) gradeText(ctx context.Context, l *Lesson, text string, runs Runs) (Test, error) {
	c := l.Exercise()
	test := Test{Name: c.ID, TaskID: len(l.Predictions()) + 1, Code: c.Task, Status: fail, Message: "not checked by the student"}
	if text == "" {
		return test, nil
	}
	dir, err := files.MkdirTemp("repro-exercise-")
	if err != nil {
		return test, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, c.From)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		return test, err
	}
	of := &Session{State: &State{dir: filepath.Join(s.State.dir, "checked")}, Screen: s.Screen, Train: s.Train, lesson: l, runs: runs}
	changed, says, err := of.judge(ctx, c, file, &test)
	test.Output, test.Message = strings.Join(changed, "\n"), says
	return test, err
}
