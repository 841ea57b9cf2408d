// Package machine has the verbs about data and this machine: doctor, bench, fetch, schema and version.
package machine

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newDoctor(t), newBench(t), newFetch(t), newSchema(t), newVersion(t)}
}
