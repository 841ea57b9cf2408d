package look

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/printed"
	"repro/runner"
)

// A settlement is what would settle the claims that are inconclusive at the papers' size.
type settlement struct {
	debts []claims.Debt
	sums  []string // of each experiment, in words
}

// settling finds the claims that are inconclusive at the papers' size, with the seeds and the time that would settle them.
func settling(ctx context.Context, r planRequest) (settlement, error) {
	s := settlement{debts: []claims.Debt{}}
	entries, err := findings.Scored(r.Args)
	if err != nil {
		return s, err
	}
	verdicts, err := baseline.Verdicts()
	if err != nil {
		return s, err
	}
	estimator := runner.NewEstimator(r.Threads, r.Library)
	for _, e := range entries {
		if !slices.ContainsFunc(verdicts, func(v claims.Verdict) bool { return v.Experiment == e.ID && v.Verdict == claims.Inconclusive }) {
			continue
		}
		spec, err := experiments.Load(experiments.Ref{ID: e.ID}, experiments.LoadOptions{Seeds: 1})
		if err != nil {
			return s, err
		}
		seconds, err := methodSeconds(ctx, estimator, spec, r.SideBySide(spec))
		if err != nil {
			return s, err
		}
		debts, settled, total := claims.Debts(spec.Experiment(), verdicts, seconds)
		s.debts = append(s.debts, debts...)
		line := fmt.Sprintf("%s: %s inconclusive; more seeds would settle ", e.ID, printed.Count(len(debts), "claim"))
		if settled == 0 {
			line += "none"
		} else {
			line += fmt.Sprintf("%d, all of them in %s", settled, printed.Duration(total))
		}
		s.sums = append(s.sums, line)
	}
	return s, nil
}

// methodSeconds returns the time of one seed of every method if cells run side by side, without those whose cost is not known.
func methodSeconds(ctx context.Context, e *runner.Estimator, spec *experiments.Spec, side int) (map[string]float64, error) {
	seconds := map[string]float64{}
	cells := spec.Expand()
	for i := range cells {
		expected, err := e.Cell(ctx, &cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", spec.File, err)
		}
		seconds[cells[i].Method.ID] += max(0, expected.Seconds) / float64(side)
	}
	return seconds, nil
}

// print prints the claims, and a line for each experiment.
func (s settlement) print(o *terminal.Output) {
	if len(s.debts) == 0 {
		fmt.Fprintln(o, "no claim is inconclusive at the papers' size")
		return
	}
	g := terminal.Table{Head: []string{"experiment", "claim", "seeds", "needed", "time", "reason"}, Right: []int{3, 4, 5}, Wrap: 6}
	for _, d := range s.debts {
		needed, took := "-", "-"
		if d.Needed != nil {
			needed, took = strconv.Itoa(*d.Needed), printed.Duration(*d.Seconds)
		}
		g.Rows = append(g.Rows, []string{d.Experiment, d.Claim, strconv.Itoa(d.Seeds), needed, took, d.Reason})
	}
	o.Table(g)
	fmt.Fprintln(o)
	for _, sum := range s.sums {
		fmt.Fprintln(o, sum)
	}
}
