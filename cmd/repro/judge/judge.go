// Package judge has the verbs that judge what was run: verify, report and compare.
package judge

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newVerify(t), newReport(t), newCompare(t)}
}
