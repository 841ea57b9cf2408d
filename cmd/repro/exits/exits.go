// Package exits has the exit statuses of the command. `verify --gate` has more, see claims.Gate.
package exits

import (
	"fmt"
)

// A Status is an error that ends the command with an exit status and prints nothing.
type Status int

const (
	Unhealthy   Status = 1  // a check of doctor failed
	Error       Status = 2  // usage, a spec, data, or a file that cannot be written
	Hidden      Status = 3  // skipped commits hide the one that bisect looks for
	Asked       Status = 3  // a lesson waits for an answer, or for an exercise that nobody has touched
	Incomplete  Status = 4  // there is nothing to judge or to compare
	Failed      Status = 5  // a cell failed
	OverTime    Status = 6  // a cell took more time than it may
	OverMemory  Status = 7  // a cell took more memory than it may
	ForGood     Status = 42 // a cell of a shard failed, and would fail again
	Stopped     Status = 75 // a run with --shard or --stop-before was stopped, or another process runs the shard; it can continue
	Interrupted Status = 130
)

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// With returns the error that ends the command with a status, nil for 0.
func With(status int) error {
	if status == 0 {
		return nil
	}
	return Status(status)
}
