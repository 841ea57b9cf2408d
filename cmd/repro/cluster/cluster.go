// Package cluster has the verbs to run on several machines: submit and merge.
package cluster

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newSubmit(t), newMerge(t)}
}
