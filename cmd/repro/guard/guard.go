// Package guard has the verbs that guard results against changes of the code: check, baseline, history and bisect.
package guard

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newCheck(t), newBaseline(t), newHistory(t), newBisect(t)}
}

// checkFile is the file of the output folder that holds what the last check found.
const checkFile = "check.json"

// checkOut adds the flag of the output folder of checks, apart from that of runs, whose records check would replace.
func checkOut(cmd *cobra.Command, out *string) {
	cmd.Flags().StringVar(out, "out", filepath.Join("out", "check"), "output folder of the check")
}
