package judge

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/plots/drawings"
	"repro/plots/figures"
)

// A reportRequest is what the flags of report say.
type reportRequest struct {
	flags.Choice
	Out     string
	other   string // folder of the runs to show beside; empty for none
	drawing plots.Output
}

func newReport(t *terminal.Terminal) *cobra.Command {
	var r reportRequest
	cmd := &cobra.Command{
		Use:   "report [ID...]",
		Short: "Write figures, tables, verdicts and the report from the records",
		Long: `Report writes figures, tables, verdicts.json, report.html and records.csv from the records in the output
folder. It trains nothing and reads no data. Beside every figure there is a .csv file with its points;
records.csv has a row for every metric at every evaluation of every run.

Without arguments it reports every experiment that comes with repro and has records; give the paths of your own
specs. If an experiment has records at several profiles, it takes the latest one; --profile chooses
another.

--compare shows the curves of the runs in another output folder in the same figures. It takes the latest profile there,
or that of --profile; repro compare lists the claims that differ.`,
		Example: `  repro report
  repro report dai2014/ridge --profile paper --out paper
  repro report mine.toml
  repro report --compare yesterday
  repro report --style slides --width 16cm --font 20pt --format pdf`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args
			return report(t, r)
		},
	}
	r.SpecFlags(cmd, "")
	r.SeedsFlag(cmd)
	flags.Out(cmd, &r.Out)
	drawingFlags(cmd, &r.drawing)
	cmd.Flags().StringVar(&r.other, "compare", "", "show the runs in this output folder beside these")
	cobra.CheckErr(cmd.MarkFlagDirname("compare"))
	return cmd
}

// report writes the report of the output folder, beside that of another folder if one is named.
func report(t *terminal.Terminal, r reportRequest) error {
	store, reported, err := findings.Recorded(t, r.Out, r.Choice)
	if err != nil {
		return err
	}
	if r.other != "" {
		other, beside, err := findings.Recorded(t, r.other, r.Choice)
		if other == nil && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("there are no records in %s; name the output folder of a run", r.other)
		}
		if err != nil {
			return fmt.Errorf("--compare: %w", err)
		}
		r.drawing.Beside = &plots.Run{Dir: other.Dir, Cases: beside}
	}
	r.drawing.Elsewhere = flags.Elsewhere(r.Out)
	paths, err := findings.Write(r.Out, reported, store.Warnings, r.drawing)
	if err != nil {
		return err
	}
	t.Note("%d files written: report, verdicts, figures and tables in %s", len(paths), r.Out)
	findings.EndScreen(t.Stdout, reported, findings.Ending{Out: r.Out})
	return nil
}

// drawingFlags adds the flags that say how figures are drawn.
func drawingFlags(cmd *cobra.Command, d *plots.Output) {
	f := cmd.Flags()
	styles, formats := strings.Join(figures.StyleNames, "|"), strings.Join(drawings.Formats, ",")
	f.Func("style", "draw all figures for `"+styles+"`: 8.4 cm wide with 8 pt labels, 25.4 cm with 18 pt labels, or light on dark", func(s string) (err error) {
		if !slices.Contains(figures.StyleNames, s) {
			err = fmt.Errorf("want %s, got %q", strings.Join(figures.StyleNames, ", "), s)
		}
		d.Style.Name = s
		return err
	})
	f.Func("width", "`width` of all figures, such as 16cm", func(s string) (err error) {
		d.Style.Width, err = drawings.ParseWidth(s)
		return err
	})
	f.Func("font", "`size` of axis labels in all figures, such as 20pt", func(s string) (err error) {
		d.Style.Font, err = drawings.ParseFont(s)
		return err
	})
	f.Func("format", "draw figures as `format`, some of "+formats+" (default svg)", func(s string) error {
		for _, name := range strings.Split(s, ",") {
			if !slices.Contains(drawings.Formats, name) {
				return fmt.Errorf("want some of %s, separated by commas, got %q", formats, s)
			}
			d.Formats = append(d.Formats, name)
		}
		return nil
	})
	for name, words := range map[string][]string{"style": figures.StyleNames, "format": drawings.Formats} {
		flags.Complete(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}
