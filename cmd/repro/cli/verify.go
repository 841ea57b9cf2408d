package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// A reference says what records to compare with, and where to write new ones.
type reference struct {
	dir       string
	tolerance float64
	write     string // folder to write the records into as a new baseline
}

func newVerify(a *app) *cobra.Command {
	var gate bool
	var base reference
	cmd := &cobra.Command{
		Use:   "verify [ID...]",
		Short: "Judge the claims from the records",
		Long: `Verify judges every claim of experiments from the records in the output folder: the published value,
what was measured with its 95 % interval over seeds, and the verdict. It computes nothing. Without
arguments it judges every experiment with records.

With --baseline it also compares every cell with the records in another output folder, and lists those
that have drifted. With --write-baseline it writes the records it judged into a folder for later
comparisons, one file an experiment, without cells that were skipped or interrupted.

With --gate the exit status tells the outcome: 0 all claims hold, 1 some deviate or a cell has drifted
from the baseline, 3 some are inconclusive, 4 some were not run or cannot be compared, 5 a run failed.
Of several the first in the order 5, 1, 4, 3 counts. Without it the status is 0. Mistakes give 2.`,
		Example: `  repro verify
  repro verify dai2014/ridge --json
  repro verify --gate --out paper
  repro verify --baseline results/baseline --gate`,
		ValidArgsFunction: completeIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			status, err := a.verify(args, base, gate)
			if gate && errors.Is(err, fs.ErrNotExist) {
				a.note("%v", err)
				return exit{statusIncomplete}
			}
			if err != nil {
				return err
			}
			if gate && status != 0 {
				return exit{status}
			}
			return nil
		},
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	a.jsonFlag(cmd)
	f := cmd.Flags()
	f.BoolVar(&gate, "gate", false, "let the exit status tell the outcome")
	f.StringVar(&base.dir, "baseline", "", "output folder with reference records to compare with")
	f.StringVar(&base.write, "write-baseline", "", "write the records into this folder, to be compared with later")
	f.Float64Var(&base.tolerance, "baseline-tolerance", 1e-6, "largest relative difference from the baseline")
	return cmd
}

// verify judges claims and returns the status of a gate.
func (a *app) verify(args []string, base reference, gate bool) (int, error) {
	store, err := a.open()
	if errors.Is(err, fs.ErrNotExist) && len(args) > 0 && gate {
		a.note("%v", err)
		store, err = &records.Store{Dir: a.out}, nil
	}
	if err != nil {
		return 0, err
	}
	all, err := a.recorded(args, store)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, a.nothing(all)
	}
	var verified []judged
	verdicts := []claims.Verdict{}
	for _, exp := range all {
		j := judge(exp, store)
		verified = append(verified, j)
		verdicts = append(verdicts, j.verdicts...)
	}
	status := claims.Gate(verdicts)
	if a.json {
		err = printJSON(a.stdout, verdicts)
	} else {
		a.printVerdicts(verified, true)
	}
	if err == nil && base.dir != "" {
		var drift int
		drift, err = a.drifts(all, store, base)
		status = worse(status, drift)
	}
	if err == nil && base.write != "" {
		err = a.writeBaseline(all, base.write)
	}
	return status, err
}

// writeBaseline writes the records of experiments at their profiles into a folder, one file an experiment.
func (a *app) writeBaseline(all []claims.Experiment, dir string) error {
	profiles := map[string]string{}
	for _, exp := range all {
		profiles[exp.ID] = exp.Profile
	}
	left := map[records.Status]int{}
	n, err := records.Join(a.out, dir, func(r *records.Record) bool {
		status := r.Status()
		if profile, ok := profiles[r.Header.Experiment]; !ok || profile != r.Header.Profile {
			return false
		}
		if status == records.Skipped || status == records.Partial {
			left[status]++
			return false
		}
		return true
	})
	if err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	a.tell("%s written to %s; left out: %d skipped, %d interrupted", printed.Count(n, "record"), dir, left[records.Skipped], left[records.Partial])
	return nil
}

// worse returns the status that counts of two, in the order of claims.Gate.
func worse(a, b int) int {
	order := []int{0, 3, 4, 1, 5}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// printVerdicts prints the verdicts of experiments, with reasons if asked.
func (a *app) printVerdicts(all []judged, reasons bool) {
	reduced := false
	for _, j := range all {
		fmt.Fprintf(a.stdout, "%s at profile %s: %s\n", j.exp.ID, j.exp.Profile, j.exp.Title)
		if len(j.verdicts) == 0 {
			fmt.Fprint(a.stdout, "  it makes no claims\n\n")
			continue
		}
		a.printClaims(j.verdicts)
		if len(j.verdicts) > 1 {
			fmt.Fprintf(a.stdout, "  %s\n", wordCounts(j.verdicts))
		}
		if reasons {
			a.printReasons(j.verdicts)
		}
		for _, v := range j.verdicts {
			for _, w := range v.Warnings {
				fmt.Fprintf(a.stdout, "  warning: %s: %s\n", v.Claim, w)
			}
		}
		fmt.Fprintln(a.stdout)
		reduced = reduced || j.exp.Profile != "paper"
	}
	if reduced {
		fmt.Fprint(a.stdout, "Only profile paper has the published sizes and can be compared with the published numbers;\n"+
			"repro plan --profile paper tells what running it takes.\n\n")
	}
}

func (a *app) printClaims(verdicts []claims.Verdict) {
	g := grid{head: []string{"claim", "published", "measured", "verdict"}, wrap: 4, indent: "  "}
	for _, v := range verdicts {
		word := string(v.Verdict)
		if v.AtSize != "" {
			word += fmt.Sprintf(" (at this size: %s)", v.AtSize)
		}
		g.rows = append(g.rows, []string{v.Claim, published(v), measured(v), word})
	}
	a.print(g)
}

func (a *app) printReasons(verdicts []claims.Verdict) {
	g := grid{head: []string{"claim", "reason"}, wrap: 2, indent: "  "}
	for i, v := range verdicts {
		if i > 0 && v.Column != "" && v.Column == verdicts[i-1].Column && v.Reason == verdicts[i-1].Reason {
			first, _, _ := strings.Cut(g.rows[len(g.rows)-1][0], " to ")
			g.rows[len(g.rows)-1][0] = first + " to " + strings.TrimPrefix(v.Claim, v.Column)
			continue
		}
		g.rows = append(g.rows, []string{v.Claim, v.Reason})
	}
	fmt.Fprintln(a.stdout)
	a.print(g)
}

// wordCounts counts verdicts by their words, in the order they first come.
func wordCounts(verdicts []claims.Verdict) string {
	counts := map[claims.Word]int{}
	var words []claims.Word
	for _, v := range verdicts {
		if counts[v.Verdict]++; counts[v.Verdict] == 1 {
			words = append(words, v.Verdict)
		}
	}
	var parts []string
	for _, w := range words {
		parts = append(parts, fmt.Sprintf("%d %s", counts[w], w))
	}
	s := fmt.Sprintf("%d claims: %s", len(verdicts), strings.Join(parts, ", "))
	if within, of := claims.WithinOneRun(verdicts); of > 0 {
		s += fmt.Sprintf("; numbers not reproduced that lie within the 95 %% prediction interval of one run: %d of %d", within, of)
	}
	return s
}

// published says what the paper printed.
func published(v claims.Verdict) string {
	if v.Published == "" {
		return "-"
	}
	return v.Published + unitOf(v)
}

// measured says what came out, with its interval.
func measured(v claims.Verdict) string {
	if v.Measured == nil {
		return "-"
	}
	s := quantity(v) + printed.Number(*v.Measured) + unitOf(v)
	if v.Low != nil && v.High != nil {
		s += fmt.Sprintf(" [%s, %s]", printed.Number(*v.Low), printed.Number(*v.High))
	}
	return s
}

// quantity names what was measured where it is not the metric itself: a slope, or the method's
// metric over a rival's or less it.
func quantity(v claims.Verdict) string {
	low, high := v.Accept[0], v.Accept[1]
	switch {
	case v.Kind == claims.KindRate:
		return "slope "
	case v.Kind == claims.KindOrder && high != nil && *high == 0,
		v.Kind == claims.KindMatch && (low == nil || *low <= 0):
		return "difference "
	case v.Kind == claims.KindOrder, v.Kind == claims.KindMatch, v.Kind == claims.KindRatio:
		return "ratio "
	case v.Kind == claims.KindReach:
		return "reached at "
	}
	return ""
}

// unitOf returns the unit of a verdict's numbers: slopes and ratios have none.
func unitOf(v claims.Verdict) string {
	if q := quantity(v); q == "slope " || q == "ratio " {
		return ""
	}
	return unitSign(v.Unit)
}

// drifts compares the records of experiments with a baseline, says what differs, and returns the
// status of a gate.
func (a *app) drifts(all []claims.Experiment, store *records.Store, base reference) (int, error) {
	stored, err := records.Open(base.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("--baseline: there are no records in %s; name an output folder that has some", base.dir)
	}
	if err != nil {
		return 0, fmt.Errorf("--baseline: %w", err)
	}
	wanted, got := &records.Store{Dir: base.dir}, &records.Store{Dir: store.Dir}
	for _, exp := range all {
		wanted.Records = append(wanted.Records, exp.Records(stored.Records)...)
		got.Records = append(got.Records, exp.Records(store.Records)...)
	}
	if len(wanted.Records) == 0 {
		a.note("baseline %s: has no records of these experiments at their profiles, so nothing was compared", base.dir)
		return statusIncomplete, nil
	}
	status := 0
	counts := map[records.DriftState]int{}
	for _, d := range records.Compare(wanted, got, base.tolerance) {
		counts[d.State]++
		switch d.State {
		case records.Drifted:
			status = worse(status, 1)
		case records.Missing, records.SettingsDiffer:
			status = worse(status, statusIncomplete)
		}
		if d.State != records.Same && d.State != records.Close {
			a.tell("%s %s at profile %s: %s: %s", d.Experiment, d.Cell, d.Profile, d.State, d.Reason)
		}
	}
	var words []string
	for _, s := range []records.DriftState{records.Same, records.Close, records.Drifted, records.Missing, records.SettingsDiffer, records.NotReproducible} {
		if counts[s] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[s], s))
		}
	}
	a.tell("compared with baseline %s: %s", base.dir, strings.Join(words, ", "))
	return status, nil
}

// tell prints a result on stdout, or on stderr where stdout is for JSON.
func (a *app) tell(format string, args ...any) {
	if a.json {
		a.note(format, args...)
		return
	}
	fmt.Fprintf(a.stdout, format+"\n", args...)
}
