package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A gate compares claims with an accepted state: the flags of check and compare, and the outcome.
type gate struct {
	baseline string // folder of the accepted baseline; empty for the default
	junit    string // files to write; empty for none
	markdown string
	github   bool // print annotations for GitHub

	compared changes.Outcome
	specs    map[string]*experiments.Spec // by id
}

func (g *gate) flags(a *app, cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.baseline, "baseline", "", "folder of the accepted baseline; "+baseline.DefaultDir+" if it is there, else the one that comes with repro")
	f.StringVar(&g.junit, "junit", "", "write the outcome as JUnit XML to this file")
	f.StringVar(&g.markdown, "markdown", "", "write the outcome as a Markdown table to this file")
	f.BoolVar(&g.github, "github", false, "print GitHub annotations at the lines of the claims; on where GITHUB_ACTIONS is set")
	a.jsonFlag(cmd)
}

// conclude sets the status and prints the outcome.
func (a *app) conclude(g *gate) error {
	o := &g.compared
	o.Close()
	var errs []error
	if a.json {
		errs = append(errs, terminal.PrintJSON(a.Stdout, o))
	} else {
		a.printChanges(*o)
	}
	if g.junit != "" {
		text, err := o.JUnit(g.place)
		errs = append(errs, err, os.WriteFile(g.junit, text, 0o644))
	}
	if g.markdown != "" {
		errs = append(errs, os.WriteFile(g.markdown, []byte(o.Markdown()), 0o644))
	}
	if g.github || os.Getenv("GITHUB_ACTIONS") != "" {
		for _, line := range o.Annotations(g.place) {
			a.Note("%s", line)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if o.Status != 0 {
		return exits.Status(o.Status)
	}
	return nil
}

// acceptedOf returns the accepted snapshot of an experiment, an empty one if there is none.
func acceptedOf(base baseline.Accepted, id string) (changes.Snapshot, error) {
	s, err := base.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		return changes.Snapshot{}, nil
	}
	return s, err
}

// take returns the snapshot of an experiment's records in a store.
func take(exp claims.Experiment, store *records.Store) changes.Snapshot {
	return changes.Take(exp, store.Records)
}

// place returns the file and the line of a change's claim. The file of a registered spec is that of a checkout, if the current
// folder is one.
func (g *gate) place(c changes.Change) (file string, line int) {
	s := g.specs[c.Experiment]
	if s == nil {
		return "", 0
	}
	file, line = s.ClaimPlace(c.Claim)
	if _, err := os.Stat(file); err != nil {
		if _, err := os.Stat("experiments/" + file); err == nil {
			file = "experiments/" + file
		}
	}
	return file, line
}

// colourOfState returns the colour of a change.
func colourOfState(s changes.State) terminal.Colour {
	switch s {
	case changes.Regressed, changes.Failed:
		return terminal.Red
	case changes.Inconclusive:
		return terminal.Yellow
	case changes.NotComparable:
		return terminal.Cyan
	case changes.Improved, changes.Equivalent:
		return terminal.Green
	}
	return terminal.Dim
}

// printChanges prints a table for each cause of changes, the changed work, stale entries and a last line with the counts.
func (a *app) printChanges(o changes.Outcome) {
	for _, group := range changes.Groups(o.Changes) {
		a.Stdout.Message("%s", group.Heading())
		g := terminal.Table{Head: changes.Head, Right: []int{2, 3}, Indent: "  "}
		for _, c := range group.Changes {
			g.Rows = append(g.Rows, c.Row())
		}
		g.Paint = func(row, column int) terminal.Colour {
			if column < len(changes.Head)-1 {
				return 0
			}
			return colourOfState(group.Changes[row].State)
		}
		a.Stdout.Table(g)
		for _, c := range group.Changes {
			a.Stdout.Message("  %s: %s%s", c.Label(), c.Reason, c.NewWord())
		}
		fmt.Fprintln(a.Stdout)
	}
	if len(o.Work) > 0 {
		a.Stdout.Message("counted work that changed:")
		g := terminal.Table{Head: []string{"experiment", "method", "cells", "count", "accepted", "now"}, Right: []int{3, 5, 6}, Indent: "  "}
		for _, w := range o.Work {
			g.Rows = append(g.Rows, []string{w.Experiment, w.Method, fmt.Sprint(w.Cells), w.Count, fmt.Sprint(w.Accepted), fmt.Sprint(w.Now)})
		}
		a.Stdout.Table(g)
		fmt.Fprintln(a.Stdout)
	}
	for _, s := range o.Stale {
		a.Stdout.Message("%s: the accepted baseline has %s, which the spec does not have; remove it with %s, or restore it in the spec", s.Experiment, s.Entry, printed.Command("baseline accept"))
	}
	for _, id := range o.LeftOut {
		a.Stdout.Message("%s: left out, because its data is not here", id)
	}
	a.Stdout.Message("compared with %s: %s", o.Against(), o.Summary())
}

// baselineSide is the argument of compare that names the accepted baseline.
const baselineSide = "baseline"

func newCompare(a *app) *cobra.Command {
	g := &gate{}
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER [ID...]",
		Short: "Compare what the claims of two runs measure",
		Long: `Compare says what became of the number of every claim between two output folders or bundles, or between the
accepted baseline ("baseline") and one of them. It trains nothing. A claim whose cells have equal bits is
identical, and no statistics are made. Of the others it compares the claim's own number (a metric, a slope, a
ratio, a place) seed by seed with a margin: equivalent, improved, regressed or inconclusive. It lists these;
claims that are identical are counted. docs/regression-testing.md has the rule and its error rates.

Without ids it compares the experiments with records in AFTER.

Exit status: 0 all numbers are identical, equivalent or improved; 1 one regressed; 3 one is inconclusive; 4
one cannot be compared, or there is nothing to compare; 5 a run failed; 2 a mistake in the arguments, a spec
or a file. If several apply, it is the first of 5, 1, 4, 3.`,
		Example: `  repro compare before after
  repro compare baseline out/check --markdown pull-request.md
  repro compare published.zip out
  repro compare before after mine.toml --profile smoke --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return errors.New("compare: name two output folders or bundles, or baseline and one, as in " + printed.Command("compare baseline out"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.compare(g, args[0], args[1], args[2:]) },
	}
	a.specFlags(cmd, "")
	g.flags(a, cmd)
	return cmd
}

// A side is one of two states that are compared: an output folder, a bundle or the accepted baseline.
type side struct {
	store    *records.Store // nil for the baseline
	accepted baseline.Accepted
}

// side opens an argument of compare.
func (a *app) side(name, dir string) (s side, err error) {
	if name == baselineSide {
		s.accepted, err = baseline.OpenAccepted(dir)
		return s, err
	}
	if isBundle(name) {
		b, _, err := a.unpack(name)
		if err == nil && len(b.Faults) > 0 {
			err = fmt.Errorf("%w; %s lists what is wrong with the bundle", b.Faults[0], printed.Command("verify "+printed.ShellWord(name)))
		}
		if err != nil {
			return s, err
		}
		s.store = b.Store()
		return s, nil
	}
	a.out = name
	s.store, err = a.open()
	return s, err
}

// snapshot returns what the side says of an experiment.
func (s side) snapshot(exp claims.Experiment) (changes.Snapshot, error) {
	if s.store == nil {
		return acceptedOf(s.accepted, exp.ID)
	}
	return take(exp, s.store), nil
}

func (a *app) compare(g *gate, before, after string, ids []string) error {
	from, err := a.side(before, g.baseline)
	if err != nil {
		return err
	}
	to, err := a.side(after, g.baseline)
	if err != nil {
		return err
	}
	g.compared = changes.NewOutcome(before)
	if from.store == nil {
		g.compared.With = from.accepted.Dir
	}
	store := to.store
	if store == nil {
		store = from.store
	}
	if store == nil {
		return errors.New("compare: name at least one output folder; the other may be baseline")
	}
	all, err := a.recorded(ids, store)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return a.nothing(all)
	}
	refs, err := a.recordedRefs(ids, store)
	if err != nil {
		return err
	}
	g.specs = map[string]*experiments.Spec{}
	for i, exp := range all {
		profile, _ := strings.CutSuffix(exp.Profile, experiments.EditedMark)
		if g.specs[exp.ID], err = experiments.Load(refs[i], experiments.LoadOptions{Profile: profile}); err != nil {
			return err
		}
		if to.store != nil && from.store != nil {
			exp.Expected = nil // a cell that neither folder has is not missing
		}
		base, err := from.snapshot(exp)
		if err != nil {
			return err
		}
		now, err := to.snapshot(exp)
		if err != nil {
			return err
		}
		g.compared.Add(exp, base, now, changes.Options{Shared: true})
	}
	changes.Decide(g.compared.Changes, changes.Level(changes.Alpha))
	return a.conclude(g)
}

// checkFile is the file of the output folder that holds what the last check found.
const checkFile = "check.json"

// checkOutFlag adds the flag of the output folder of checks, apart from that of runs, whose records check would replace.
func (a *app) checkOutFlag(cmd *cobra.Command) *string {
	return cmd.Flags().String("out", filepath.Join("out", "check"), "output folder of the check")
}
