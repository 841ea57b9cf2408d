package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"repro/experiments"
	"repro/runner"
)

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the commit it was built from",
		Example: "  repro version",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintln(a.stdout, "repro", version())
	return err
}

// version describes the build: version, commit, Go and platform.
func version() string {
	v, commit, dirty := runner.Version()
	switch {
	case commit == "":
		commit = "commit unknown"
	case dirty:
		commit = fmt.Sprintf("commit %s, with changes", commit)
	default:
		commit = "commit " + commit
	}
	return fmt.Sprintf("%s (%s), %s %s/%s", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newSchema(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of specs, for editors",
		Long: `Schema prints the JSON Schema (draft 2020-12) of a spec. With it an editor completes the keys of a
TOML file and marks mistakes: save it, and name it in the first line of the spec.`,
		Example: `  repro schema > schema.json
  # first line of a spec beside it:
  #   #:schema schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(experiments.Schema())
			return err
		},
	}
}
