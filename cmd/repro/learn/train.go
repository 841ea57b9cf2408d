package learn

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/docs"
	"repro/docs/lessons"
	"repro/experiments"
	"repro/plots/site"
	"repro/results/records"
	"repro/runner"
)

// readLessons reads the lessons of the program.
func readLessons() ([]*lessons.Lesson, error) { return lessons.Read(docs.Files) }

// trainer returns what runs the spec of a lesson as run does, into a folder of its own.
func trainer(t *terminal.Terminal, o runner.Options) lessons.Trainer {
	return func(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error) {
		r := training.Order{Choice: flags.Choice{Profile: s.Profile}, Options: o, Quiet: true}
		r.Out = out
		specs := []*experiments.Spec{s}
		all, err := r.Train(ctx, t, specs, training.Expand(specs))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(r training.Ran) bool { return r.Status == records.Failed }) {
			training.TellCells(t, all)
			return nil, exits.Failed
		}
		return flags.Open(t, out)
	}
}

// A lessonRequest is what the flags of lesson say.
type lessonRequest struct {
	runner.Options
	json                bool
	dir, class, answers string
	html, slides        string // files to write
	notes               bool
}

// errNotMeasured says that a lesson has not run.
var errNotMeasured = errors.New("the lesson has not run")

// recordedLesson returns the records of a lesson's run, and runs nothing.
func recordedLesson(_ context.Context, s *experiments.Spec, out string) (*records.Store, error) {
	store, err := records.Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotMeasured
	}
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, r := range s.Experiment().Records(store.Records) {
		done[r.Header.Digest] = r.Status().Complete()
	}
	for _, c := range s.Expand() {
		if !done[c.Digest] {
			return nil, errNotMeasured
		}
	}
	return store, nil
}

// measuredLesson returns a lesson with the records of its runs in a learner's folder, with the seeds of a class.
func measuredLesson(ctx context.Context, l *lessons.Lesson, train lessons.Trainer, dir, class string) (*site.Lesson, error) {
	runs, err := l.Execute(ctx, train, dir, class)
	return &site.Lesson{Lesson: l, Runs: runs, Dir: dir}, err
}
