// Package learn has the verbs to learn from: lesson and docs.
package learn

import (
	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newLesson(t), newDocs(t)}
}
