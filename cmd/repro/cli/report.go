package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"repro/experiments"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/records"

	"github.com/spf13/cobra"
)

func newReport(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report [ID...]",
		Short: "Write figures, tables, verdicts and the report from the records",
		Long: `Report writes figures, tables, verdicts.json, report.html and records.csv from the records in the output
folder. It trains nothing and reads no data. Beside every figure there is a .csv file with its points;
records.csv has a row for every metric at every evaluation of every run.

Without arguments it reports every experiment that comes with repro and has records; give the paths of your own
specs. If an experiment has records at several profiles, it takes the latest one; --profile chooses
another.`,
		Example: `  repro report
  repro report dai2014/ridge --profile paper --out paper
  repro report mine.toml
  repro report --style slides --width 16cm --font 20pt --format pgf,pdf`,
		ValidArgsFunction: completeIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return a.report(args) },
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	a.jsonFlag(cmd)
	a.drawingFlags(cmd)
	return cmd
}

func (a *app) report(args []string) error {
	store, err := a.open()
	if err != nil {
		return err
	}
	all, err := a.recorded(args, store)
	if err != nil {
		return err
	}
	var reported []judged
	for _, exp := range all {
		if len(exp.Records(store.Records)) == 0 {
			a.note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
			continue
		}
		reported = append(reported, judge(exp, store))
	}
	if len(reported) == 0 {
		return a.nothing(all)
	}
	paths, err := a.writeReport(store, reported)
	if err != nil {
		return err
	}
	if a.json {
		slices.Sort(paths)
		return printJSON(a.stdout, paths)
	}
	a.printVerdicts(reported, false)
	a.tellPaths(paths)
	return nil
}

// writeReport writes verdicts.json and what plots.Write writes, and returns the paths. It writes what it can; the error
// names every file that it could not write.
func (a *app) writeReport(store *records.Store, all []judged) ([]string, error) {
	var exps []claims.Experiment
	var verdicts []claims.Verdict
	for _, j := range all {
		exps = append(exps, j.exp)
		verdicts = append(verdicts, j.verdicts...)
	}
	path := filepath.Join(a.out, "verdicts.json")
	shipped, err := shippedVerdicts(exps)
	if err != nil {
		return nil, err
	}
	paths, err := plots.Write(a.out, exps, store, verdicts, shipped, a.drawing)
	if fault := claims.WriteVerdicts(path, verdicts); fault != nil {
		return paths, errors.Join(fault, err)
	}
	return append(paths, path), err
}

// tellPaths prints the path of the report and the number of files.
func (a *app) tellPaths(paths []string) {
	fmt.Fprintf(a.stdout, "report: %s\n", filepath.Join(a.out, "report.html"))
	a.note("%d files written: report, verdicts, figures and tables in %s", len(paths), a.out)
}

// shippedVerdicts returns the verdicts at the published size on those of the experiments that come with repro.
func shippedVerdicts(exps []claims.Experiment) ([]claims.Verdict, error) {
	all, err := baseline.Verdicts()
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, e := range exps {
		if _, err := experiments.Resolve([]string{e.ID}); err == nil {
			own[e.ID] = true
		}
	}
	return slices.DeleteFunc(all, func(v claims.Verdict) bool { return !own[v.Experiment] }), nil
}
