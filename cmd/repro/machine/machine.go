// Package machine has the verbs about data and this machine: doctor and fetch.
package machine

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newDoctor(t), newFetch(t)}
}
