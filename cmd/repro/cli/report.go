package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/records"
)

func newReport(a *app) *cobra.Command {
	var other string
	cmd := &cobra.Command{
		Use:   "report [ID...]",
		Short: "Write figures, tables, verdicts and the report from the records",
		Long: `Report writes figures, tables, verdicts.json, report.html and records.csv from the records in the output
folder. It trains nothing and reads no data. Beside every figure there is a .csv file with its points;
records.csv has a row for every metric at every evaluation of every run.

Without arguments it reports every experiment that comes with repro and has records; give the paths of your own
specs. If an experiment has records at several profiles, it takes the latest one; --profile chooses
another.

--compare shows the runs in another output folder beside these: which verdicts differ, both numbers of every
claim, and the curves of both in one figure. It takes the latest profile there, or that of --profile.`,
		Example: `  repro report
  repro report dai2014/ridge --profile paper --out paper
  repro report mine.toml
  repro report --compare yesterday
  repro report --style slides --width 16cm --font 20pt --format pgf,pdf`,
		ValidArgsFunction: completeIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return a.report(args, other) },
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	a.jsonFlag(cmd)
	a.drawingFlags(cmd)
	cmd.Flags().BoolVarP(&a.verbose, "verbose", "v", false, "print every claim")
	cmd.Flags().StringVar(&other, "compare", "", "show the runs in this output folder beside these")
	cobra.CheckErr(cmd.MarkFlagDirname("compare"))
	return cmd
}

// report writes the report of the output folder, beside that of another folder if one is named.
func (a *app) report(args []string, other string) error {
	store, err := a.open()
	if err != nil {
		return err
	}
	all, err := a.recorded(args, store)
	if err != nil {
		return err
	}
	refs, err := experiments.Resolve(args)
	if err != nil {
		return err
	}
	var exps []claims.Experiment
	var arguments []string
	for i, exp := range all {
		if len(exp.Records(store.Records)) == 0 {
			a.note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
			continue
		}
		argument := exp.ID
		if len(args) > 0 {
			argument = refs[i].String()
		}
		exps, arguments = append(exps, exp), append(arguments, argument)
	}
	if len(exps) == 0 {
		return a.nothing(all)
	}
	reported := judgeAll(exps, store)
	if other != "" {
		if a.drawing.Beside, err = a.beside(other, args); err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
	}
	paths, err := a.writeReport(store, reported)
	if err != nil {
		return err
	}
	if a.json {
		slices.Sort(paths)
		return printJSON(a.stdout, paths)
	}
	if a.verbose {
		a.printVerdicts(reported, false)
	}
	a.endScreen(reported, arguments, len(args) > 0)
	a.note("%d files written: report, verdicts, figures and tables in %s", len(paths), a.out)
	return nil
}

// beside judges the runs in another output folder.
func (a *app) beside(dir string, args []string) (*plots.Run, error) {
	there := *a
	there.out = dir
	store, err := there.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there are no records in %s; name the output folder of a run", dir)
	}
	if err != nil {
		return nil, err
	}
	all, err := there.recorded(args, store)
	if err != nil {
		return nil, err
	}
	run := &plots.Run{Store: store}
	for _, exp := range all {
		if len(exp.Records(store.Records)) > 0 {
			run.Experiments, run.Verdicts = append(run.Experiments, exp), append(run.Verdicts, judge(exp, store).verdicts...)
		}
	}
	if len(run.Experiments) == 0 {
		return nil, there.nothing(all)
	}
	return run, nil
}

// writeReport writes verdicts.json and what plots.Write writes, and returns the paths. It writes what it can; the error
// names every file that it could not write.
func (a *app) writeReport(store *records.Store, all []judged) ([]string, error) {
	run := plots.Run{Store: store}
	for _, j := range all {
		run.Experiments, run.Verdicts = append(run.Experiments, j.exp), append(run.Verdicts, j.verdicts...)
	}
	path := filepath.Join(a.out, "verdicts.json")
	shipped, err := shippedVerdicts(run.Experiments)
	if err != nil {
		return nil, err
	}
	paths, err := plots.Write(a.out, run, shipped, a.drawing)
	if fault := claims.WriteVerdicts(path, run.Verdicts); fault != nil {
		return paths, errors.Join(fault, err)
	}
	return append(paths, path), err
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
