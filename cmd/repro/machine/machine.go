// Package machine has the verbs about data and this machine: doctor, fetch, cache, schema and version.
package machine

import (
	"fmt"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/docs"
	"repro/experiments"
	"repro/results/builds"
	"repro/results/printed"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newDoctor(t), newFetch(t), newCache(t), newSchema(t), newVersion(t)}
}

func newSchema(t *terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of specs, for editors",
		Long: `Schema prints the JSON Schema (draft 2020-12) of a spec. An editor uses it to complete the keys of a TOML
file and to mark mistakes. Save the schema, and name its file in the first line of the spec.`,
		Example: `  repro schema > schema.json
  # first line of a spec beside it:
  #   #:schema schema.json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := t.Stdout.Write(experiments.Schema())
			return err
		},
	}
}

func newVersion(t *terminal.Terminal) *cobra.Command {
	var licences bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the commit it was built from",
		Example: "  repro version\n  repro version --licences",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if licences {
				return printTerms(t.Stdout)
			}
			_, err := fmt.Fprintln(t.Stdout, printed.Name(), builds.Here())
			return err
		},
	}
	cmd.Flags().BoolVar(&licences, "licences", false, "print the terms of the software and fonts of others that repro contains")
	return cmd
}

// printTerms prints the terms of what the program has of others.
func printTerms(o *terminal.Output) error {
	terms, err := docs.Files.ReadFile("third-party.txt")
	if err != nil {
		return err
	}
	_, err = o.Write(terms)
	return err
}
