package guard

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// baselineSide is the argument of compare that names the accepted baseline.
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
accepted baseline ("baseline") and one of them. It trains nothing. A claim whose cells have equal bits is
the same, and no statistics are made. Of the others it compares the claim's own number (a metric, a slope, a
ratio, a place) seed by seed with a margin: same, better, worse or undecided. It lists these;
claims with the same bits are counted. Curves and work are compared as repro check does. docs/regression-testing.md has the rule and its error rates.

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

// A side is one of two states that are compared: an output folder, a bundle or the accepted baseline.
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
			err = fmt.Errorf("%w; %s lists what is wrong with the bundle", b.Faults[0], printed.Command("verify "+printed.ShellWord(name)))
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
