package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/terminal"
	"repro/experiments"
	"repro/plots"
	"repro/plots/figures"
	"repro/results/claims"
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
			a.Note("%s: left out, because it has no records at profile %s", exp.ID, exp.Profile)
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
	reported := findings.Judge(exps, store.Records)
	if other != "" {
		if a.drawing.Beside, err = a.beside(other, args); err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
	}
	paths, err := findings.Write(a.out, store, reported, a.drawing)
	if err != nil {
		return err
	}
	if a.json {
		slices.Sort(paths)
		return terminal.PrintJSON(a.Stdout, paths)
	}
	if a.verbose {
		findings.PrintVerdicts(a.Stdout, reported, false)
	}
	findings.EndScreen(a.Stdout, a.out, reported, arguments, len(args) > 0)
	a.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), a.out)
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
			run.Experiments, run.Verdicts = append(run.Experiments, exp), append(run.Verdicts, claims.NewCase(exp, store.Records).Verdicts...)
		}
	}
	if len(run.Experiments) == 0 {
		return nil, there.nothing(all)
	}
	return run, nil
}

// drawingFlags adds the flags that say how figures are drawn.
func (a *app) drawingFlags(cmd *cobra.Command) {
	f, d := cmd.Flags(), &a.drawing
	f.Var(parsed{Read: func(s string) (err error) {
		if !slices.Contains(figures.StyleNames, s) {
			err = fmt.Errorf("want %s, got %q", strings.Join(figures.StyleNames, ", "), s)
		}
		d.Style.Name = s
		return err
	}}, "style", "draw all figures for `"+strings.Join(figures.StyleNames, "|")+"`: 8.4 cm wide with 8 pt labels, 16:9 with 18 pt labels, or light on dark")
	f.Var(parsed{Read: func(s string) (err error) {
		d.Style.Width, err = plots.ParseWidth(s)
		return err
	}}, "width", "`width` of all figures, such as 16cm")
	f.Var(parsed{Read: func(s string) (err error) {
		d.Style.Font, err = plots.ParseFont(s)
		return err
	}}, "font", "`size` of axis labels in all figures, such as 20pt")
	f.Var(parsed{Read: func(s string) error {
		for _, name := range strings.Split(s, ",") {
			if !slices.Contains(plots.Formats, name) {
				return fmt.Errorf("want some of %s, separated by commas, got %q", strings.Join(plots.Formats, ","), s)
			}
			d.Formats = append(d.Formats, name)
		}
		return nil
	}}, "format", "draw figures as `format`, some of "+strings.Join(plots.Formats, ",")+" (default svg)")
	for name, words := range map[string][]string{"style": figures.StyleNames, "format": plots.Formats} {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic("cli: " + err.Error())
		}
	}
}
