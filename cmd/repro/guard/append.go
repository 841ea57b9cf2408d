package guard

import (
	"context"
	"fmt"
	"strings"

	"repro/cmd/repro/terminal"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/printed"
	"repro/results/records"
)

// A runLog collects what a check measured, for the log that --append names.
type runLog struct {
	file    string
	commit  baseline.Entry // what its entries share
	entries []baseline.Entry
}

// stamp makes the log, so that a mistake in its name is found before the runs, and sets the commit of the entries: the one that is
// checked out in the current folder.
func (l *runLog) stamp(ctx context.Context, t *terminal.Terminal) error {
	if l.file == "" {
		return nil
	}
	if err := l.append(ctx, t); err != nil {
		return err
	}
	here := checkout{"."}
	all, err := here.log(ctx, "-1", "HEAD")
	if err != nil {
		return fmt.Errorf("--append %s: the commit is unknown: %w", l.file, err)
	}
	changed, err := here.git(ctx, "status", "--porcelain", "--untracked-files=no")
	l.commit = baseline.Entry{Commit: all[0].Commit, Time: all[0].time, Subject: all[0].Subject, Dirty: strings.TrimSpace(changed) != ""}
	return err
}

// add adds what the records of an experiment say.
func (l *runLog) add(s changes.Snapshot, recs []*records.Record) {
	e := l.commit
	e.Measure(s, recs)
	l.entries = append(l.entries, e)
}

// write appends the entries to the log, if there is one.
func (l *runLog) write(ctx context.Context, t *terminal.Terminal) error {
	if l.file == "" || len(l.entries) == 0 {
		return nil
	}
	err := l.append(ctx, t)
	if err == nil {
		t.Note("%s of commit %.9s appended to %s", printed.Count(len(l.entries), "experiment"), l.commit.Commit, l.file)
	}
	return err
}

func (l *runLog) append(ctx context.Context, t *terminal.Terminal) error {
	return baseline.Append(ctx, l.file, l.entries, func(by string) { t.Note("%s is locked by %s; waiting", l.file, by) })
}
