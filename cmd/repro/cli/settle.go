package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
	"repro/runner"
)

// A debt is an inconclusive claim in `plan --settle --json`. What is not known is null.
type debt struct {
	Experiment string   `json:"experiment"`
	Claim      string   `json:"claim"`
	Seeds      int      `json:"seeds"`
	Needed     *int     `json:"seeds_needed"` // null if no number of seeds would settle it
	Seconds    *float64 `json:"seconds"`      // of all the runs of that many seeds of the claim's methods
	Reason     string   `json:"reason"`
}

// settle lists the claims that are inconclusive at the papers' size, with the seeds and the time that would settle them.
func (a *app) settle(ctx context.Context, args []string) error {
	entries, err := scored(args)
	if err != nil {
		return err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return err
	}
	estimator := runner.NewEstimator(a.threads, a.library())
	debts := []debt{}
	var sums []string
	for _, e := range entries {
		owed := inconclusive(verdicts, e.ID)
		if len(owed) == 0 {
			continue
		}
		spec, err := experiments.Load(experiments.Ref{ID: e.ID}, experiments.LoadOptions{Seeds: 1})
		if err != nil {
			return err
		}
		exp := spec.Experiment()
		costs, err := methodSeconds(ctx, estimator, spec)
		if err != nil {
			return err
		}
		workers := float64(a.runnerOptions().SideBySide(spec))
		most := map[string]int{} // seeds needed by method
		settled := 0
		for _, v := range owed {
			d := debt{Experiment: v.Experiment, Claim: v.Claim, Seeds: v.Seeds, Reason: v.Reason}
			i := slices.IndexFunc(exp.Claims, func(c claims.Claim) bool { return c.ID == v.Claim })
			if n := v.SeedsNeeded(); n > 0 && i >= 0 {
				settled++
				seconds := 0.0
				for _, m := range exp.Claims[i].Methods() {
					seconds += costs[m] * float64(n) / workers
					most[m] = max(most[m], n)
				}
				d.Needed, d.Seconds = &n, &seconds
			}
			debts = append(debts, d)
		}
		if settled == 0 {
			sums = append(sums, fmt.Sprintf("%s: %s inconclusive; more seeds would settle none", e.ID, printed.Count(len(owed), "claim")))
			continue
		}
		total := 0.0
		for m, n := range most {
			total += costs[m] * float64(n) / workers
		}
		sums = append(sums, fmt.Sprintf("%s: %s inconclusive; more seeds would settle %d, all of them in %s", e.ID, printed.Count(len(owed), "claim"), settled, printed.Duration(total)))
	}
	if a.json {
		return printJSON(a.stdout, debts)
	}
	if len(debts) == 0 {
		fmt.Fprintln(a.stdout, "no claim is inconclusive at the papers' size")
		return nil
	}
	g := grid{head: []string{"experiment", "claim", "seeds", "needed", "time", "reason"}, right: []int{3, 4, 5}, wrap: 6}
	for _, d := range debts {
		needed, took := "-", "-"
		if d.Needed != nil {
			needed, took = strconv.Itoa(*d.Needed), printed.Duration(*d.Seconds)
		}
		g.rows = append(g.rows, []string{d.Experiment, d.Claim, strconv.Itoa(d.Seeds), needed, took, d.Reason})
	}
	a.print(g)
	fmt.Fprintln(a.stdout)
	for _, s := range sums {
		fmt.Fprintln(a.stdout, s)
	}
	return nil
}

// inconclusive returns the verdicts on an experiment that are inconclusive.
func inconclusive(verdicts []claims.Verdict, id string) []claims.Verdict {
	var owed []claims.Verdict
	for _, v := range verdicts {
		if v.Experiment == id && v.Verdict == claims.Inconclusive {
			owed = append(owed, v)
		}
	}
	return owed
}

// methodSeconds returns the processor time of one seed of every method, without those whose cost is not known.
func methodSeconds(ctx context.Context, e *runner.Estimator, spec *experiments.Spec) (map[string]float64, error) {
	costs := map[string]float64{}
	cells := expand([]*experiments.Spec{spec})
	for i := range cells {
		expected, err := e.Cell(ctx, &cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.File, err)
		}
		costs[cells[i].Method.ID] += max(0, expected.Seconds)
	}
	return costs, nil
}
