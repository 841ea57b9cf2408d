package machine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/results/builds"
)

func newDoctor(t *terminal.Terminal) *cobra.Command {
	r := doctorRequest{Library: flags.Library(t)}
	cmd := &cobra.Command{
		Use:   "doctor [SPEC.toml...]",
		Short: "Check that this machine, the data and the output folder are ready",
		Long: `Doctor checks the processor, memory, the cache folder, every data set, the output folder and its records,
and prints advice for every problem. The exit status is 1 if a check fails, and 0 if there are only
warnings. With --clean it removes the temporary files that killed commands left in the output folder.

With --check DIR it checks an output folder as a whole: that every record can be read, has its checksums and is in
its place; that files of predictions are as their records say; that checkpoints and reports of failures belong to cells
that were interrupted or failed; that verdicts and report are those that the records give; that records which name the same
data ran on the same bytes, and the data is as published; and that the accepted baseline has its seals. Files that no run owns
are listed; with --clean they are removed after that. A spec of your own has to be named for its verdicts to be judged.`,
		Example: `  repro doctor
  repro doctor --out paper --json
  repro doctor --clean
  repro doctor --check out             checks an output folder as a whole
  repro doctor --check out my.toml --clean`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.check == "" && len(args) > 0 {
				return fmt.Errorf("doctor: %s: specs belong to --check DIR", strings.Join(args, " "))
			}
			all, err := []checked(nil), error(nil)
			if r.args = args; r.check != "" {
				r.Out = r.check
				all, err = checkAll(cmd.Context(), t, r)
			} else {
				all = doctor(cmd.Context(), r)
			}
			if err != nil {
				return err
			}
			err = t.Show(r.json, all, func() {
				for _, c := range all {
					c.print(t.Stdout)
				}
			})
			if err == nil && slices.ContainsFunc(all, func(c checked) bool { return c.State == failing }) {
				err = exits.No
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&r.clean, "clean", false, "remove the temporary files that killed commands left in the output folder; with --check, also what no run owns")
	cmd.Flags().StringVar(&r.check, "check", "", "check this output folder as a whole")
	cobra.CheckErr(cmd.MarkFlagDirname("check"))
	flags.Out(cmd, &r.Out)
	cmd.MarkFlagsMutuallyExclusive("check", "out")
	flags.JSON(cmd, &r.json)
	return cmd
}

func doctor(ctx context.Context, r doctorRequest) []checked {
	all := []checked{{"version", healthy, builds.Here(), ""}, checkProcessor(), checkMemory(),
		checkFolder("cache folder", r.CacheDir, "make it writable, or set REPRO_CACHE to a folder that is; without it data cannot be downloaded")}
	all = append(all, checkSearchPath(r.SearchPath)...)
	all = append(all, checkDatasets(ctx, r.Library, datasets.Names())...)
	all = append(all, checkFolder("output folder", r.Out, "make it writable, or name another with --out"), checkLeftovers(r.Out, r.clean))
	return append(all, checkRecords(r.Out)...)
}
