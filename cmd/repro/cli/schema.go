package cli

import (
	"github.com/spf13/cobra"

	"repro/experiments"
)

func newSchema(a *app) *cobra.Command {
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
			_, err := a.stdout.Write(experiments.Schema())
			return err
		},
	}
}
