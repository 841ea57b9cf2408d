package guard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// baselineSide is the argument of compare that names the reference results.
const baselineSide = "baseline"

// A compareRequest is what the arguments and flags of compare say.
type compareRequest struct {
	flags.Choice
	gate
	before, after string
}

func newCompare(t *terminal.Terminal) *cobra.Command {
	var r compareRequest
	cmd := &cobra.Command{
		Use:   "compare BEFORE AFTER [ID...]",
		Short: "Compare what the claims of two runs measure",
		Long: `Compare says what became of the number of every claim between two output folders or bundles, or between the
reference results ("baseline") and one of them. It trains nothing. A claim whose cells have equal bits is
the same, and no statistics are made. Of the others it compares the claim's own number (a metric, a slope, a
ratio, a place) seed by seed with a margin: same, better, worse or undecided. It lists these;
claims with the same bits are counted. Curves and work are compared as repro check does. docs/guarding.md has the rule and its error rates.

Without ids it compares the experiments with records in AFTER.

Exit status: 0 all numbers are the same or better; 1 one is worse, or its claim is not the
accepted one; 3 one is undecided, unless --undecided is warn; 4 one cannot be compared, or there is
nothing to compare; 5 a run failed; 2 a mistake in the arguments, a spec or a file. If several apply, it is
the first of 5, 1, 4, 3.`,
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
		RunE: func(_ *cobra.Command, args []string) error {
			r.before, r.after, r.Args = args[0], args[1], args[2:]
			return compare(t, r)
		},
	}
	r.SpecFlags(cmd, "")
	r.gate.flags(cmd)
	return cmd
}

// A side is one of two states that are compared: an output folder, a bundle or the reference results.
type side struct {
	store    *records.Store // nil for the baseline
	accepted baseline.Accepted
}

// open opens an argument of compare.
func open(t *terminal.Terminal, name, dir string) (s side, err error) {
	if name == baselineSide {
		s.accepted, err = baseline.OpenAccepted(dir)
		return s, err
	}
	if flags.IsBundle(name) {
		b, err := flags.ReadBundle(name, "")
		if err == nil && len(b.Faults) > 0 {
			err = fmt.Errorf("%w; %s lists what is wrong with the bundle", b.Faults[0], printed.Command("judge "+printed.ShellWord(name)))
		}
		if err != nil {
			return s, err
		}
		s.store = b.Store()
		return s, nil
	}
	s.store, err = flags.Open(t, name)
	return s, err
}

// snapshot returns what the side says of an experiment. Its claims are measured as those of base say.
func (s side) snapshot(exp claims.Experiment, base changes.Snapshot) (changes.Snapshot, error) {
	if s.store == nil {
		return s.accepted.Read(exp.ID)
	}
	return base.Retake(exp, s.store.Records), nil
}

func compare(t *terminal.Terminal, r compareRequest) error {
	from, err := open(t, r.before, r.Baseline)
	if err != nil {
		return err
	}
	to, err := open(t, r.after, r.Baseline)
	if err != nil {
		return err
	}
	r.Compared = changes.NewOutcome(r.before)
	store := to.store
	if store == nil {
		store = from.store
	}
	if store == nil {
		return errors.New("compare: name at least one output folder; the other may be baseline")
	}
	refs, err := r.RecordedRefs(t, store)
	if err != nil {
		return err
	}
	if len(refs) == 0 {
		return r.Nothing(store.Dir, nil)
	}
	r.Specs = map[string]*experiments.Spec{}
	for _, ref := range refs {
		exp, spec, err := r.Choose(t, ref, store)
		if err != nil {
			return err
		}
		r.Specs[exp.ID] = spec
		if to.store != nil && from.store != nil {
			exp.Expected = nil // a cell that neither folder has is not missing
		}
		base, err := from.snapshot(exp, changes.Snapshot{})
		if err != nil {
			return err
		}
		now, err := to.snapshot(exp, base)
		if err != nil {
			return err
		}
		r.Compared.Add(exp, base, now, changes.Options{Shared: true})
	}
	if from.store == nil {
		r.Compared.With = from.accepted.From(slices.Collect(maps.Keys(r.Specs)))
	}
	changes.Decide(r.Compared.Changes, changes.Level(changes.Alpha))
	changes.DecideShifts(r.Compared.Shifts)
	if from.store == nil {
		r.accept = accepting(r.Args, "--out", r.after)
	}
	return r.conclude(t)
}

// A gate compares claims with an accepted state: the flags of check and compare, and the outcome.
type gate struct {
	Baseline string // folder of the reference results; empty for the default
	junit    string // files to write; empty for none
	markdown string
	github   bool // print annotations for GitHub
	json     bool
	failOn   []string // layers
	warn     bool     // of numbers that the seeds do not decide
	accept   string   // the command that accepts what is found; empty if nothing can be accepted

	Compared changes.Outcome
	Specs    map[string]*experiments.Spec // by id
}

// baselineUsage says which folder the flag --baseline names.
const baselineUsage = "folder of the reference results; if left out, ci in the folder of the module's results, which is baseline beside go.mod unless the module has chosen another"

// flags adds the flags of a gate.
func (g *gate) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.Baseline, "baseline", "", baselineUsage)
	f.StringVar(&g.markdown, "markdown", "", "write the outcome as a Markdown table to this file")
	f.StringSliceVar(&g.failOn, "fail-on", changes.FailsOn(), "layers that make the status 1, as claims do; empty for none. moved is any value that moved by more than rounding")
	cmd.PreRunE = func(*cobra.Command, []string) error { return changes.CheckFailsOn(g.failOn) }
	f.Func("undecided", "whether numbers that the seeds do not decide `warn|fail`; fail, with status 3, if left out", func(s string) error {
		if g.warn = s == "warn"; !g.warn && s != "fail" {
			return fmt.Errorf("want warn or fail, got %q", s)
		}
		return nil
	})
	flags.Complete(cmd, "undecided", cobra.FixedCompletions([]string{"warn", "fail"}, cobra.ShellCompDirectiveNoFileComp))
	flags.JSON(cmd, &g.json)
}

// ciFlags adds the flags of outcomes that services of continuous integration read.
func (g *gate) ciFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.junit, "junit", "", "write the outcome as JUnit XML to this file")
	cmd.Flags().BoolVar(&g.github, "github", false, "print GitHub annotations at the lines of the claims; on where GITHUB_ACTIONS is set")
}

// conclude sets the status and prints the outcome.
func (g *gate) conclude(t *terminal.Terminal) error {
	o := &g.Compared
	o.FailOn = g.failOn
	o.Warn = g.warn
	o.Close()
	var errs []error
	if g.json {
		errs = append(errs, terminal.PrintJSON(t.Stdout, o))
	} else {
		printChanges(t.Stdout, *o)
		if o.News() && g.accept != "" {
			t.Note("if what changed is right, accept it and say why: %s", g.accept)
		}
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
			t.Note("%s", line)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return exits.With(o.Status)
}

// place returns the file and the line of a change's claim. A file that is here is named from the root of its repository, because
// hosts of code know no other. The file of a registered spec is that of a checkout, if the current folder is in one.
func (g *gate) place(c changes.Change) (file string, line int) {
	s := g.Specs[c.Experiment]
	if s == nil {
		return "", 0
	}
	file, line = s.ClaimPlace(c.Claim, c.Key())
	if _, err := os.Stat(file); err != nil {
		file = catalog.Place(file)
	}
	if path, err := filepath.Abs(file); err == nil {
		if rel, err := filepath.Rel(repository(path), path); err == nil && filepath.IsLocal(rel) {
			file = filepath.ToSlash(rel)
		}
	}
	return file, line
}

// repository returns the folder of the repository that has the file at a path: the workspace of a GitHub runner, or the nearest
// folder above it with an entry .git; the current folder if there is none.
func repository(path string) string {
	if work := os.Getenv("GITHUB_WORKSPACE"); work != "" {
		if rel, err := filepath.Rel(work, path); err == nil && filepath.IsLocal(rel) {
			return work
		}
	}
	here, _ := os.Getwd() // empty in a folder that is gone
	return cmp.Or(builds.Above(filepath.Dir(path), ".git"), here)
}

func colourOfState(s records.Match) terminal.Colour {
	return map[records.Match]terminal.Colour{records.Worse: terminal.Red, records.Undecided: terminal.Yellow, records.NotComparable: terminal.Cyan, records.Better: terminal.Green, records.Same: terminal.Green}[s]
}

// tableOf returns a table of changes or shifts, whose last column has the colour of the state.
func tableOf[T any](head []string, right []int, all []T, row func(T) ([]string, records.Match)) terminal.Table {
	g := terminal.Table{Head: head, Right: right, Indent: "  "}
	var states []records.Match
	for _, c := range all {
		cells, state := row(c)
		g.Rows, states = append(g.Rows, cells), append(states, state)
	}
	g.Paint = func(row, column int) terminal.Colour {
		if column < len(head)-1 {
			return 0
		}
		return colourOfState(states[row])
	}
	return g
}

// printTable prints a table of changes, and why each is what it is.
func printTable(to *terminal.Output, all []changes.Change) {
	to.Table(tableOf(changes.Head, []int{2, 3}, all, func(c changes.Change) ([]string, records.Match) { return c.Row(), c.State }))
	for _, c := range all {
		to.Message("  %s: %s%s", c.Label(), c.Reason, c.NewWord())
	}
	fmt.Fprintln(to)
}

// printChanges prints a table for each cause of changes, the shifts, stale entries and a last line with the counts.
func printChanges(to *terminal.Output, o changes.Outcome) {
	for _, group := range changes.Groups(o.Changes) {
		to.Message("%s", group.Heading())
		printTable(to, group.Changes)
	}
	printShifts(to, o.Shifts)
	for _, text := range []string{o.BareText(), o.UnprovenText()} {
		if text != "" {
			to.Message("%s", text)
		}
	}
	for _, s := range o.Stale {
		to.Message("%s", s)
	}
	for _, left := range o.LeftOut {
		to.Message("left out: %s", left)
	}
	if text := o.UnnamedText(); text != "" {
		to.Message("not checked: %s", text)
	}
	to.Message("compared with %s: %s", o.Against(), o.Summary())
}

// printShifts prints a table of the shifts of each experiment, and the methods whose values moved.
func printShifts(to *terminal.Output, all []changes.Shift) {
	for _, group := range changes.ShiftGroups(all) {
		to.Message("%s, curves and work", group.Experiment)
		if len(group.Shifts) > 0 {
			to.Table(tableOf(changes.ShiftHead, []int{3}, group.Shifts, func(s changes.Shift) ([]string, records.Match) { return s.Row(), s.State }))
		}
		for _, s := range group.Shifts {
			to.Message("  %s: %s", s.Label(), s.Reason)
		}
		if text := group.MovedText(); text != "" {
			to.Message("  %s", text)
		}
		fmt.Fprintln(to)
	}
}
