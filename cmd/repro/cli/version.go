package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"repro/docs"
	"repro/runner"
)

func newVersion(a *app) *cobra.Command {
	var licences bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the commit it was built from",
		Example: "  repro version\n  repro version --licences",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if licences {
				return a.printTerms()
			}
			return a.printVersion()
		},
	}
	cmd.Flags().BoolVar(&licences, "licences", false, "print the terms of the software and fonts of others that repro contains")
	return cmd
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintln(a.stdout, "repro", version())
	return err
}

// printTerms prints the terms of what the program has of others.
func (a *app) printTerms() error {
	terms, err := docs.Files.ReadFile("third-party.txt")
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(terms)
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
