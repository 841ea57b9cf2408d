package cli

import (
	"io"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"

	"repro/cmd/repro/terminal"
)

// walk calls visit with every command.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
}

// Every flag has its default when all commands have been made: none shares its variable with a flag of another command that has
// another default.
func TestFlagsHaveTheirDefaults(t *testing.T) {
	root := newRoot(&terminal.Terminal{Stdout: &terminal.Output{To: io.Discard}, Stderr: &terminal.Output{To: io.Discard}})
	n := 0
	walk(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			n++
			if f.Value.Type() != "stringArray" && f.Value.Type() != "stringSlice" {
				assert.Equal(t, f.DefValue, f.Value.String(), "%s --%s", cmd.CommandPath(), f.Name)
			}
		})
	})
	assert.Greater(t, n, 100)
}
