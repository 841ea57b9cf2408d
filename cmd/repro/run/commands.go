// Package run has the verbs that run experiments and follow a run: run, status and serve.
package run

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newRun(t), newStatus(t), newServe(t)}
}
