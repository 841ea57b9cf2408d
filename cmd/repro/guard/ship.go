package guard

import (
	"fmt"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/experiments/catalog"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/claims"
	"repro/results/printed"
)

func newShip(t *terminal.Terminal) *cobra.Command {
	choice := flags.Choice{Profile: "paper"}
	var out string
	cmd := &cobra.Command{
		Use:   "ship [ID...]",
		Short: "Take verdicts at the published size over into what the module ships",
		Long: `Ship judges the runs at profile paper in the output folder and writes their verdicts into the folder paper
of the module's results, in place of those on the same experiments. Once the program is built again, score,
list, show and the report have them as the verdicts at the published size. Without arguments it is about
all of the module's own experiments with records.`,
		Example: `  repro run my/rates --profile paper --out paper
  repro baseline ship --out paper`,
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			choice.Args = args
			return ship(t, choice, out)
		},
	}
	flags.Out(cmd, &out)
	return cmd
}

func ship(t *terminal.Terminal, choice flags.Choice, out string) error {
	store, err := flags.Open(t, out)
	if err != nil {
		return err
	}
	all, err := choice.Recorded(t, store)
	if err != nil {
		return err
	}
	var fresh []claims.Verdict
	for _, exp := range all {
		j := claims.Judge(exp, store.Records)
		switch {
		case !catalog.Own(exp.ID) && len(choice.Args) > 0:
			return fmt.Errorf("%s does not come with module %s, which ships verdicts on its own experiments", exp.ID, builds.Main())
		case catalog.Own(exp.ID) && len(j.Records) > 0:
			fresh = append(fresh, j.Verdicts...)
			t.Note("%s: %s", j.ID, claims.ScoreOf(j.Verdicts))
		}
	}
	if len(fresh) == 0 {
		return choice.Nothing(out, all)
	}
	files, err := baseline.Ship(fresh)
	if err == nil {
		t.Note("written: %s", printed.List(files))
	}
	return err
}
