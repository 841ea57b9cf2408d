package machine

import (
	"context"
	"slices"

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
		Use:   "doctor",
		Short: "Check that this machine, the data and the output folder are ready",
		Long: `Doctor checks the processor, memory, the cache folder, every data set, the output folder and its records,
and prints advice for every problem. The exit status is 1 if a check fails, and 0 if there are only
warnings. With --clean it removes the temporary files that killed commands left in the output folder.`,
		Example: `  repro doctor
  repro doctor --out paper --json
  repro doctor --clean`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := doctor(cmd.Context(), r)
			err := t.Show(r.json, all, func() {
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
	cmd.Flags().BoolVar(&r.clean, "clean", false, "remove the temporary files that killed commands left in the output folder")
	flags.Out(cmd, &r.Out)
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
