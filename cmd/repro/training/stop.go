package training

import (
	"cmp"
	"context"
	"errors"

	"repro/cmd/repro/exits"
	"repro/runner/shards"
)

// A Stopped is why a resumable run ended its context, in words.
type Stopped string

func (s Stopped) Error() string { return string(s) }

// Cause returns why a resumable run ended its context, empty if something else did, such as Ctrl-C.
func Cause(ctx context.Context) string {
	var why Stopped
	errors.As(context.Cause(ctx), &why)
	return string(why)
}

// OrLeave returns what do returns, or ctx's error as soon as ctx is cancelled. Then do goes on until the process ends, which
// is safe because files are replaced in one step.
func OrLeave(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Releasing calls do and writes into the lease how it ended.
func Releasing(ctx context.Context, lease *shards.Lease, do func() error) error {
	err := do()
	ended := "complete"
	switch e := exits.Status(0); {
	case ctx.Err() != nil:
		ended = cmp.Or(Cause(ctx), "interrupted")
	case errors.As(err, &e) && e == exits.ForGood:
		ended = "a cell failed"
	case err != nil:
		ended = "error: " + err.Error()
	}
	if gone := lease.Release(ended); gone != nil && err == nil {
		return gone
	}
	return err
}
