package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

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
	if dirty {
		commit += ", with changes"
	}
	return fmt.Sprintf("%s (commit %s), %s %s/%s", v, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
