package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"repro/results/records"
)

// makeWay moves the record at the cell's path aside if the cell must not replace it: one that cannot be judged because it is
// damaged or no regular file, one of a newer format, and a complete one of these settings that took long. With
// Options.Fresh a damaged one and a complete one are replaced.
func (x *log) makeWay() error {
	path := x.recordPath(x.cell)
	why, err := x.worthKeeping(path)
	if why == "" || err != nil {
		return err
	}
	for n := 1; ; n++ {
		to := fmt.Sprintf("%s.aside-%d", path, n)
		if _, err := os.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.Rename(path, to); err != nil {
			return fmt.Errorf("%s is in the way of a new record: %w", path, err)
		}
		x.warn("%s; it is now %s", why, to)
		return nil
	}
}

// worthKeeping returns in words why the file at a record's path must not be replaced, "" if it may be.
func (x *log) worthKeeping(path string) (string, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return path + " is not a regular file", nil
	}
	switch f := x.find(x.cell); {
	case errors.Is(f.Err, records.ErrNewer), f.State == records.Unread && !x.Fresh:
		return f.Err.Error(), nil
	case f.State >= records.Again && f.Trained() > maxReplaced && !x.Fresh:
		return "the complete record of this cell took more than a minute", nil
	}
	return "", nil
}
