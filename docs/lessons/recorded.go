package lessons

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/records"
)

// ErrNotMeasured says that a run has no complete records.
var ErrNotMeasured = errors.New("the lesson has not run")

// Recorded is a Trainer that runs nothing: it returns the records of a run that was made before.
func Recorded(_ context.Context, s *experiments.Spec, out string) (*records.Store, error) {
	store, err := records.Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotMeasured
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
			return nil, ErrNotMeasured
		}
	}
	return store, nil
}

// RecordedRuns returns the outcomes of those runs of a lesson that were made below dir with the seeds of a class.
func (l *Lesson) RecordedRuns(ctx context.Context, dir, class string) (Runs, error) {
	runs := Runs{}
	for _, r := range l.Runs() {
		if err := l.execute(ctx, Recorded, r, dir, class, runs); err != nil && !errors.Is(err, ErrNotMeasured) {
			return nil, err
		}
	}
	return runs, nil
}

// Source returns the spec of a run: the name of its file, its text, and the edits that the run and a class make.
func (l *Lesson) Source(r *Run, class string) (file string, text []byte, set []string, err error) {
	set = slices.Concat(r.Set, seedsOf(class))
	if strings.HasSuffix(r.Spec, ".toml") {
		text, err = l.Spec(r.Spec)
		return r.Spec, text, set, err
	}
	text, _, err = catalog.Written(catalog.Ref{ID: r.Spec})
	return path.Base(r.Spec) + ".toml", text, set, err
}

// Sign makes the state sign with a class's key when it is encoded.
func (s *State) Sign(key []byte) { s.key = key }
