package records

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"repro/datasets/regular"
	"repro/results/files"
)

// A State says what an output folder has of a cell.
type State int

const (
	Absent  State = iota // no record, or one that was interrupted within its header
	Unread               // a record that cannot be read, or no regular file
	Other                // a record of other settings
	Begun                // one of these settings without an end line
	Again                // one that failed, was skipped or ran out of time, or whose files are missing or changed: the cell runs again
	Limited              // one that a limit ended: the cell runs on if the limit has grown
	Settled              // a complete one with its files: the cell need not run
)

// Found is what an output folder has of a cell.
type Found struct {
	State
	*Record       // nil if it is Absent or Unread; nobody may change it
	Err     error // why it is Absent or Unread or, if it is complete, Again
}

// Find returns what the output folder dir has of a cell. ran reports whether a record has the settings of the cell; nil stands
// for any settings. Find reads a file again only if it has changed.
func Find(dir, experiment, cell string, ran func(Header) bool) Found {
	path := Path(dir, experiment, cell)
	parts := known(path)
	r, err := parts[0].record, parts[0].err
	switch {
	case len(parts) > 1:
		return Found{Unread, nil, fmt.Errorf("%s: %w", path, damage{errors.New("it holds several records, not one")})}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrNoHeader):
		return Found{Absent, nil, err}
	case err != nil:
		return Found{Unread, nil, err}
	case ran != nil && !ran(r.Header):
		return Found{Other, r, nil}
	case r.Status() == Partial:
		return Found{Begun, r, nil}
	case r.End.Limit > 0:
		return Found{Limited, r, nil}
	case !r.Status().Complete():
		return Found{Again, r, nil}
	}
	if err := damagedFile(dir, r); err != nil {
		return Found{Again, r, err}
	}
	return Found{Settled, r, nil}
}

// sums are SHA-256 of the files that records name, of all folders that this process has looked at.
var sums regular.Cache[string]

// Complete reports whether there is a complete record, perhaps of other settings or without its files.
func (f Found) Complete() bool { return f.Record != nil && f.Status().Complete() }

// Trained returns the seconds of setup and training of a complete record, 0 for any other.
func (f Found) Trained() float64 {
	if !f.Complete() || len(f.Points) == 0 {
		return 0
	}
	last := f.Points[len(f.Points)-1].Timing
	return last.Setup + last.Train
}

// damagedFile says what is wrong with the first file that a complete record names and that is missing or changed.
func damagedFile(dir string, r *Record) error {
	for _, name := range slices.Sorted(maps.Keys(r.End.Files)) {
		path := files.Path(dir, "predictions", r.Header.Experiment, name)
		info, err := os.Lstat(path)
		var sum string
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a regular file", path)
		} else if err == nil {
			sum, err = sums.Of(path, regular.Sum)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is missing", path)
		case err != nil:
			return err
		case sum != r.End.Files[name]:
			return fmt.Errorf("%s is not as the cell wrote it", path)
		}
	}
	return nil
}
