package training

import (
	"context"
	"errors"
	"fmt"

	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/results/printed"
)

// Fetch downloads the missing files of data sets. If it cannot get one data set, it still fetches the others.
func Fetch(ctx context.Context, t *terminal.Terminal, lib *datasets.Library, names []string) error {
	var errs []error
	for _, name := range names {
		live, file := t.Live(), ""
		err := lib.Fetch(ctx, name, func(now string, done, total int64) {
			if file != now && !t.Interactive() {
				t.Note("%s: downloading %s, %s", name, now, Size(total))
			}
			file = now
			live.Set(fmt.Sprintf("%s: %s: %s of %s", name, file, printed.Bytes(float64(done)), Size(total)))
		})
		live.Close()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.Note("%s: here", name)
	}
	if len(names) == 0 {
		t.Note("there is nothing to fetch: the data is generated or your own")
	}
	return errors.Join(errs...)
}

// Size writes a number of bytes, of which 0 is unknown.
func Size(total int64) string {
	if total <= 0 {
		return "size unknown"
	}
	return printed.Bytes(float64(total))
}
