// Package look has the verbs that look at experiments and their scores: list, show, new, plan and score.
package look

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newList(t), newShow(t), newNew(t), newPlan(t), newScore(t)}
}
