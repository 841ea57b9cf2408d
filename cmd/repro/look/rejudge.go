package look

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/results/baseline"
	"repro/results/claims"
)

// A rejudging is what `score` does with --rejudge.
type rejudging struct {
	on    bool
	from  []string // verdicts of new runs, in place of the stored ones of the same experiments
	write string   // directory for one file of verdicts a paper; empty to write none
}

func (r *rejudging) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&r.on, "rejudge", false, "apply the present claims to the numbers of the stored verdicts and print what changes")
	cmd.Flags().StringSliceVar(&r.from, "from", nil, "with --rejudge: files of verdicts of new runs that take the place of the stored ones")
	cmd.Flags().StringVar(&r.write, "write", "", "with --rejudge: write the verdicts to this directory, a file for each paper")
	for _, other := range []string{"json", "markdown"} {
		cmd.MarkFlagsMutuallyExclusive("rejudge", other)
	}
}

func (r rejudging) wanted() bool { return r.on || len(r.from) > 0 || r.write != "" }

// rejudge judges the stored verdicts again, prints those whose word changes, and writes all if it is asked to.
func (how rejudging) rejudge(o *terminal.Output, args []string) error {
	entries, err := findings.Scored(args)
	if err != nil {
		return err
	}
	stored, err := storedVerdicts(how.from)
	if err != nil {
		return err
	}
	before := map[[2]string]claims.Word{}
	for _, v := range stored {
		before[[2]string{v.Experiment, v.Claim}] = v.Verdict
	}
	g := terminal.Table{Head: []string{"experiment", "claim", "was", "is", "reason"}, Wrap: 4}
	files := map[string][]claims.Verdict{}
	var all []claims.Verdict
	for _, e := range entries {
		spec, err := experiments.Load(experiments.Ref{ID: e.ID}, experiments.LoadOptions{})
		if err != nil {
			return err
		}
		again := claims.Rejudge(spec.Experiment(), stored)
		paper := path.Dir(e.ID)
		files[paper], all = append(files[paper], again...), append(all, again...)
		for _, v := range again {
			was, ok := before[[2]string{v.Experiment, v.Claim}]
			if !ok {
				was = claims.NotRun
			}
			if was != v.Verdict {
				g.Rows = append(g.Rows, []string{v.Experiment, v.Claim, string(was), string(v.Verdict), v.Reason})
			}
		}
	}
	o.Table(g)
	fmt.Fprintf(o, "%s; %d changed\n", findings.Summary(all), len(g.Rows))
	if how.write == "" {
		return nil
	}
	for paper, verdicts := range files {
		// Experiments that have not run are left out.
		ran := map[string]bool{}
		for _, v := range verdicts {
			ran[v.Experiment] = ran[v.Experiment] || v.Verdict != claims.NotRun
		}
		verdicts = slices.DeleteFunc(verdicts, func(v claims.Verdict) bool { return !ran[v.Experiment] })
		if len(verdicts) == 0 {
			continue
		}
		if err := claims.WriteVerdicts(filepath.Join(how.write, paper+".json"), verdicts); err != nil {
			return err
		}
	}
	return nil
}

// storedVerdicts returns the verdicts that come with repro, with those of the files in place of the same experiments'.
func storedVerdicts(files []string) ([]claims.Verdict, error) {
	stored, err := baseline.Verdicts()
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		fresh, err := claims.ReadVerdicts(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		stored = slices.DeleteFunc(stored, func(v claims.Verdict) bool {
			return slices.ContainsFunc(fresh, func(w claims.Verdict) bool { return w.Experiment == v.Experiment })
		})
		stored = append(stored, fresh...)
	}
	return stored, nil
}
