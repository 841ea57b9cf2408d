// Package exits has the exit statuses of the command, which mean the same in every verb. The gates of results/claims and
// results/changes return them as numbers.
package exits

import (
	"fmt"
)

// A Status is an error that ends the command with an exit status and prints nothing. 0 is good.
type Status int

const (
	No          Status = 1   // a claim, a gate or a check says no
	Mistake     Status = 2   // of the user: in the arguments, a spec, data or a file
	Undecided   Status = 3   // nothing says yes or no: a claim is inconclusive, an answer is awaited
	Incomplete  Status = 4   // cells or records are missing, a limit ended a cell, or there is nothing to judge or compare
	Failed      Status = 5   // a run failed: a cell failed, or its numbers are not those recorded
	Stopped     Status = 75  // stopped, and the same command goes on
	Interrupted Status = 130 // by Ctrl-C
)

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// With returns the error that ends the command with a status, nil for 0.
func With(status int) error {
	if status == 0 {
		return nil
	}
	return Status(status)
}
