// Package guard has the verbs that guard results against changes of the code: check, compare, baseline, history and bisect.
package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newCheck(t), newCompare(t), newCall(t), newBaseline(t), newHistory(t), newBisect(t)}
}

// A checkRequest is what the flags of check say.
type checkRequest struct {
	training.Order
	gate
	budget time.Duration // of further seeds
}

func newCheck(t *terminal.Terminal) *cobra.Command {
	r := checkRequest{}
	r.Fresh = true
	cmd := &cobra.Command{
		Use:   "check [ID...]",
		Short: "Run the experiments at profile ci and compare their claims with the reference results",
		Long: `Check runs experiments at profile ci and compares the number of every claim with the reference results, as
repro compare does. It always runs everything again, because records do not know which code made them.
Without arguments it checks the experiments of the module whose checkout this is and that the program is of:
those that the baseline has, and those with a profile ci whose data needs no download. Elsewhere nothing is
your own, and you name what to check: repro check '*/*' takes all that the program knows, at profile ci.
Experiments whose data is not here are left out and listed.

It also compares whole curves and the counted work, of all methods whose bits changed.
--fail-on says which of these make the status 1.

What a claim says is part of what was accepted. A claim that is not the accepted one is redefined, and its number
is judged as the accepted claim says, until the new one is accepted with a reason.

Before it says that a claim is worse, or that it cannot tell, it runs more seeds of the claim's methods, up to
20 and then 40 in all, as far as the baseline has them, until --budget is spent: the experiments that take
least first. The new seeds alone must show the change too. --undecided says what is made of the rest.

Exit status: 0 all is the same or better; 1 a claim, a curve or the work is worse, or a claim is redefined;
3 more seeds are needed to tell, unless --undecided is warn; 4 there is nothing to compare with, or an accepted
claim, method or experiment did not run; 5 a run failed; 2 a mistake in the arguments, a spec or a file;
130 interrupted. If several apply, it is the first of 5, 1, 4, 3.`,
		Example: `  repro check
  repro check 'dai2014/*' --markdown pull-request.md --junit check.xml
  repro check mine.toml --profile smoke --baseline accepted
  repro check --seeds 40 --out new             before repro baseline accept --out new`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Args = args
			return r.start(cmd.Context(), t)
		},
	}
	r.Choice.Flags(cmd, experiments.CI)
	r.gate.flags(cmd)
	r.gate.ciFlags(cmd)
	checkOut(cmd, &r.Out)
	r.Order.Flags(t, cmd)
	cmd.Flags().DurationVar(&r.budget, "budget", 2*time.Minute, "time for further seeds before an alarm")
	return cmd
}

// start loads the specs of a check and checks them.
func (r checkRequest) start(ctx context.Context, t *terminal.Terminal) error {
	accepted, err := baseline.OpenAccepted(r.Baseline)
	if err != nil {
		return err
	}
	specs, err := toCheck(t, &r, accepted)
	if err != nil {
		return err
	}
	return check(ctx, t, r, specs, accepted)
}

// toCheck loads the specs that a check is about, and notes the accepted experiments that have none or that the arguments do not name.
func toCheck(t *terminal.Terminal, r *checkRequest, accepted baseline.Accepted) ([]*experiments.Spec, error) {
	r.Compared = changes.NewOutcome("")
	known, err := accepted.Experiments()
	if err != nil {
		return nil, err
	}
	specs, err := chosen(t, *r, known)
	if err != nil {
		return nil, err
	}
	of := func(id string) bool { // another module
		found, err := catalog.Resolve([]string{id})
		return err == nil && len(found) > 0 && !catalog.Own(id)
	}
	for _, id := range known {
		named := len(r.Args) == 0 || slices.ContainsFunc(r.Args, func(arg string) bool { ok, err := path.Match(arg, id); return ok && err == nil })
		switch {
		case slices.ContainsFunc(specs, func(s *experiments.Spec) bool { return s.ID == id }):
		case named && (len(r.Args) > 0 || !of(id)):
			why := fmt.Sprintf("and no spec here has this id and a profile %s; restore it, or remove %s.json from %s", r.Profile, id, accepted.Dir)
			r.Compared.Stale = append(r.Compared.Stale, changes.StaleEntry{Experiment: id, Entry: "this experiment", Why: why})
		default:
			r.Compared.Unnamed = append(r.Compared.Unnamed, id)
		}
	}
	return specs, nil
}

// chosen loads the specs that the arguments name or, without any, those with the profile that are known or need no download.
func chosen(t *terminal.Terminal, r checkRequest, known []string) ([]*experiments.Spec, error) {
	if len(r.Args) > 0 {
		refs, err := catalog.Resolve(r.Args)
		if err != nil {
			return nil, err
		}
		if refs, err = r.AtProfile(t, refs); err != nil {
			return nil, err
		}
		specs, err := r.LoadSpecs(refs)
		for _, s := range specs {
			if !hasProfile(s, r.Profile) {
				err = errors.Join(err, fmt.Errorf("%s: has no profile %s; add [profile.%[2]s], or choose another with --profile", s.File, r.Profile))
			}
		}
		return specs, err
	}
	if !builds.InCheckout() {
		return nil, nothing(t, "this folder is in no checkout of "+builds.Main(), r)
	}
	entries, err := catalog.Entries()
	if err != nil {
		return nil, err
	}
	var refs []catalog.Ref
	for _, e := range entries {
		if !catalog.Own(e.ID) || !slices.Contains(e.Profiles, r.Profile) {
			continue
		}
		if slices.Contains(known, e.ID) || datasets.Generated(e.Data) && !e.Auxiliary {
			refs = append(refs, catalog.Ref{ID: e.ID})
		}
	}
	if len(refs) == 0 {
		return nil, nothing(t, fmt.Sprintf("no experiment that %s registers is accepted, or has a profile %s and data that needs no download", builds.Main(), r.Profile), r)
	}
	specs, err := r.LoadSpecs(refs)
	return slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return !hasProfile(s, r.Profile) }), err
}

// nothing says why a check without arguments has nothing to check, and what to do.
func nothing(t *terminal.Terminal, why string, r checkRequest) error {
	t.Note("there is nothing of your own to check: %s; give the paths of your specs, as in %s, or the ids of experiments, as in %s",
		why, printed.Command("check my.toml --profile "+r.Profile), printed.Command("check 'dai2014/*'"))
	return exits.Incomplete
}

// hasProfile reports whether a loaded spec was laid out by the profile, and not left as it stands.
func hasProfile(s *experiments.Spec, profile string) bool {
	return s.Profile == profile || s.Profile == profile+experiments.EditedMark
}

type checking struct {
	checkRequest
	t        *terminal.Terminal
	specs    []*experiments.Spec
	accepted map[string]changes.Snapshot
	until    time.Time // when the budget of further seeds ends
}

// check runs all cells, then further seeds of claims that are worse or undecided, and concludes.
func check(ctx context.Context, t *terminal.Terminal, r checkRequest, specs []*experiments.Spec, accepted baseline.Accepted) error {
	c := checking{checkRequest: r, t: t, accepted: map[string]changes.Snapshot{}}
	c.Specs = map[string]*experiments.Spec{}
	for _, s := range specs {
		var err error
		if c.accepted[s.ID], err = accepted.Read(s.ID); err != nil {
			return err
		}
		c.Specs[s.ID] = s
	}
	c.Compared.With = accepted.From(slices.Collect(maps.Keys(c.Specs)))
	if err := c.first(ctx, specs); err != nil {
		return err
	}
	c.until = time.Now().Add(r.budget)
	if err := c.looks(ctx); err != nil {
		return err
	}
	slices.Sort(c.Compared.Cells)
	c.accept = accepting(r.Args)
	found := c.conclude(t)
	text, err := json.Marshal(c.Compared)
	if err := errors.Join(err, files.Write(r.Out, filepath.Join(r.Out, checkFile), text)); err != nil {
		return err // a status would hide it
	}
	return found
}

// run runs cells and notes that they ran.
func (c *checking) run(ctx context.Context, specs []*experiments.Spec, cells []experiments.Cell) ([]training.Ran, error) {
	all, err := c.Train(ctx, c.t, specs, cells)
	for _, r := range all {
		c.Compared.Cells = append(c.Compared.Cells, r.Experiment+" "+r.Cell)
	}
	return all, err
}

// store returns the records of the cells that ran: the folder may hold those of earlier checks.
func (c *checking) store() (*records.Store, error) {
	s, err := flags.Open(c.t, c.Out)
	if err == nil {
		s.Records = ran(c.Compared.Cells, s.Records)
	}
	return s, err
}

// first runs all cells and compares them.
func (c *checking) first(ctx context.Context, specs []*experiments.Spec) error {
	all, err := c.run(ctx, specs, training.Expand(specs))
	if err != nil {
		return err
	}
	skipped := map[string]string{} // why no cell of an experiment ran; empty if one did
	for _, r := range all {
		why, known := skipped[r.Experiment]
		switch {
		case r.Status != records.Skipped:
			skipped[r.Experiment] = ""
		case !known || why != "":
			skipped[r.Experiment] = r.Reason
		}
		if r.Status == records.Failed {
			c.Compared.Status = int(exits.Failed)
		}
	}
	if slices.ContainsFunc(all, func(r training.Ran) bool { return !r.Status.Complete() }) {
		training.TellCells(c.t, all, nil)
	}
	store, err := c.store()
	if err != nil {
		return err
	}
	for _, s := range specs {
		if why := skipped[s.ID]; why != "" {
			c.Compared.LeftOut = append(c.Compared.LeftOut, s.ID+": "+why)
			if c.accepted[s.ID].Experiment != "" {
				c.Compared.Stale = append(c.Compared.Stale, changes.StaleEntry{Experiment: s.ID, Entry: "this experiment", Why: "and nothing of it ran: " + why})
			}
			continue
		}
		c.specs = append(c.specs, s)
		exp := s.Experiment()
		c.Compared.Add(exp, c.accepted[s.ID], c.accepted[s.ID].Retake(exp, store.Records), changes.Options{})
	}
	return nil
}

// looks judges the changes at every look, and runs the seeds of the next one for claims that are worse or undecided.
func (c *checking) looks(ctx context.Context) error {
	all := c.Compared.Changes
	for k, look := range changes.Looks {
		left := 0.0
		for _, l := range changes.Looks[k:] {
			left += l.Alpha
		}
		changes.Decide(all, func(x changes.Change) float64 {
			if c.further(x, k) == 0 {
				return left
			}
			return look.Alpha
		})
		changes.DecideShifts(c.Compared.Shifts)
		again, err := c.again(ctx, all, k)
		if err != nil {
			return err
		}
		if !again {
			changes.Decide(all, changes.Level(left))
			return nil
		}
	}
	return nil
}

// further returns the number of seeds in all at the next look at a change after look k, 0 if there is none.
func (c *checking) further(x changes.Change, k int) int {
	most := 0
	for _, n := range c.accepted[x.Experiment].Numbers {
		if n.Claim == x.Claim {
			most = max(most, len(n.Seeds))
		}
	}
	for _, l := range changes.Looks[min(k+1, len(changes.Looks)):] {
		if n := min(l.Seeds, most); n > x.Seeds {
			return n
		}
	}
	return 0
}

// again runs the next look for the claims that need it, and compares them again. It reports whether there was one.
func (c *checking) again(ctx context.Context, undecided []changes.Change, k int) (bool, error) {
	suspects := c.suspects(undecided, k)
	var cells []experiments.Cell
	var specs []*experiments.Spec
	exps := map[string]claims.Experiment{}
	all, err := c.costs(ctx, suspects)
	if err != nil {
		return false, err
	}
	n, left := affordable(all, max(0, time.Until(c.until).Seconds()))
	if n < len(all) {
		c.t.Note("further seeds of %s would take %s or more, and %s of the budget is left; give more with --budget",
			printed.Count(len(all)-n, "experiment"), printed.Duration(all[n].seconds), printed.Duration(left))
	}
	for _, f := range all[:n] {
		exps[f.spec.ID], specs, cells = f.exp, append(specs, f.spec), append(cells, f.cells...)
	}
	if len(cells) == 0 {
		return false, nil
	}
	c.t.Note("%s not decided; starting %s of further seeds", printed.Count(len(suspects), "experiment"), printed.Count(len(cells), "run"))
	if _, err := c.run(ctx, specs, cells); err != nil {
		return false, err
	}
	return true, c.compare(exps, undecided)
}

// A further is what further seeds of an experiment need.
type further struct {
	spec    *experiments.Spec // with as many seeds
	exp     claims.Experiment // with the claims that need them
	cells   []experiments.Cell
	seconds float64
}

// affordable returns how many of the experiments, which are sorted by what they need, fit into a number of seconds, and what is left of it.
func affordable(all []further, seconds float64) (n int, left float64) {
	for n < len(all) && all[n].seconds <= seconds {
		seconds -= all[n].seconds
		n++
	}
	return n, seconds
}

// costs returns what the further seeds of suspects take, the experiments that take least first.
func (c *checking) costs(ctx context.Context, suspects map[string]map[string]int) ([]further, error) {
	var all []further
	for _, s := range c.specs {
		if suspects[s.ID] == nil {
			continue
		}
		more, exp, err := c.furtherSeeds(s, suspects[s.ID])
		if err != nil {
			return nil, err
		}
		f := further{spec: more, exp: exp}
		for _, cell := range more.Expand() {
			needed := slices.ContainsFunc(exp.Claims, func(k claims.Claim) bool { return slices.Contains(k.Methods(), cell.Method.ID) })
			if needed && !slices.Contains(c.Compared.Cells, s.ID+" "+cell.Name) {
				f.cells = append(f.cells, cell)
			}
		}
		if len(f.cells) > 0 { // else they ran for other claims
			plan, err := runner.NewPlan(ctx, f.cells, c.Options)
			if err != nil {
				return nil, err
			}
			f.seconds = plan.Cost().Seconds
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b further) int { return cmp.Compare(a.seconds, b.seconds) })
	return all, nil
}

// suspects returns how many seeds claims need in all at the next look, by experiment and claim.
func (c *checking) suspects(all []changes.Change, k int) map[string]map[string]int {
	suspects := map[string]map[string]int{}
	for _, x := range all {
		if n := c.further(x, k); x.Tested() && n > 0 && (x.State == records.Worse || x.State == records.Undecided || c.shifted(x)) {
			if suspects[x.Experiment] == nil {
				suspects[x.Experiment] = map[string]int{}
			}
			suspects[x.Experiment][x.Claim] = n
		}
	}
	return suspects
}

// furtherSeeds loads a spec with the seeds that claims need, and returns its experiment with these claims only.
func (c *checking) furtherSeeds(s *experiments.Spec, wanted map[string]int) (*experiments.Spec, claims.Experiment, error) {
	options := c.At(c.Profile)
	options.Seeds = slices.Max(slices.Collect(maps.Values(wanted)))
	more, err := catalog.Load(ref(s), options)
	if err != nil {
		return nil, claims.Experiment{}, err
	}
	exp := more.Experiment()
	exp.Claims = slices.DeleteFunc(exp.Claims, func(k claims.Claim) bool { return wanted[k.ID] == 0 })
	return more, exp, nil
}

// compare compares experiments again, with the seeds that were not known at the first look, and replaces their changes.
func (c *checking) compare(exps map[string]claims.Experiment, all []changes.Change) error {
	store, err := c.store()
	if err != nil {
		return err
	}
	for id, exp := range exps {
		known := map[uint64]bool{}
		s := c.Specs[id]
		for i := range s.Repeat.Seeds {
			known[s.Repeat.First+uint64(i)] = true
		}
		now, how := c.accepted[id].Retake(exp, store.Records), changes.Options{Known: known}
		c.reshift(id, changes.Shifts(s.Experiment(), c.accepted[id], now, how))
		for _, x := range changes.Compare(exp, c.accepted[id], now, how) {
			i := slices.IndexFunc(all, func(y changes.Change) bool {
				return y.Experiment == x.Experiment && y.Claim == x.Claim && y.Rival == x.Rival
			})
			all[i] = x
		}
	}
	return nil
}

// shifted reports whether the gate fails on a shift that belongs to the claim of a change, and more seeds can confirm: the accepted
// curve has more than were compared.
func (c *checking) shifted(x changes.Change) bool {
	return slices.ContainsFunc(c.Compared.Shifts, func(s changes.Shift) bool {
		if s.Experiment != x.Experiment || s.Claim != x.Claim || s.P == nil || !s.Fails(c.failOn) {
			return false
		}
		return slices.ContainsFunc(c.accepted[s.Experiment].Series, func(a changes.Series) bool {
			return a.Method == s.Method && a.Metric == s.Metric && len(a.Seeds) > s.Seeds
		})
	})
}

// reshift replaces the shifts of an experiment.
func (c *checking) reshift(experiment string, all []changes.Shift) {
	c.Compared.Shifts = append(slices.DeleteFunc(c.Compared.Shifts, func(s changes.Shift) bool { return s.Experiment == experiment }), all...)
}

// ref names a spec that was loaded.
func ref(s *experiments.Spec) catalog.Ref {
	if name := s.Argument(); name != s.ID {
		return catalog.Ref{Path: name}
	}
	return catalog.Ref{ID: s.ID}
}
