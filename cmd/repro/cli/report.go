package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

func newReport(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report [ID...]",
		Short: "Write figures, tables, verdicts and the report again, from the records alone",
		Long: `Report rebuilds everything that can be seen of results from the records in the output folder: figures,
tables, verdicts.json, report.html, and records.csv with a row for every metric at every evaluation. It
computes nothing and reads no data.

Without arguments it reports every experiment with records; give the paths of your own specs. Of an
experiment with records at several profiles it takes the latest, unless --profile says otherwise.`,
		Example: `  repro report
  repro report dai2014/ridge --profile paper --out paper
  repro report mine.toml`,
		ValidArgsFunction: completeIDs,
		RunE:              func(_ *cobra.Command, args []string) error { return a.report(args) },
	}
	a.specFlags(cmd, "")
	a.outFlag(cmd)
	a.jsonFlag(cmd)
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
			a.note("%s: left out, no records at profile %s", exp.ID, exp.Profile)
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
