// Package share has the verbs to share results and to check those of others: bundle, audit and cite.
package share

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newBundle(t), newAudit(t), newCite(t)}
}
