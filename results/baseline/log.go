package baseline

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"repro/results/changes"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// LogSchema is the version of the lines of a log.
const LogSchema = 1

// An Entry is a line of a log, to which every check of a commit appends one for each experiment: what its records said.
type Entry struct {
	Schema   int                  `json:"log"`
	Commit   string               `json:"commit"`          // that was checked out
	Dirty    bool                 `json:"dirty,omitempty"` // the files differed from the commit
	Time     string               `json:"time"`            // of the commit, RFC 3339
	Subject  string               `json:"subject"`
	CPU      string               `json:"cpu,omitempty"` // of the machine that ran it
	Seconds  map[string][]float64 `json:"seconds"`       // training time of every seed, by method
	Snapshot changes.Snapshot     `json:"snapshot"`
}

// Measure sets what the entry says of an experiment from its records: the snapshot, and the training times of runs that were
// complete.
func (e *Entry) Measure(s changes.Snapshot, recs []*records.Record) {
	e.Schema, e.Snapshot, e.Seconds = LogSchema, s, map[string][]float64{}
	for _, r := range recs {
		if r.Header.Experiment != s.Experiment || !r.Status().Complete() || len(r.Points) == 0 {
			continue
		}
		e.CPU = r.Header.Timing.CPU
		if v, ok := r.At("seconds", records.At{}); ok && v > 0 && !math.IsInf(v, 0) {
			e.Seconds[r.Header.Method] = append(e.Seconds[r.Header.Method], v)
		}
	}
}

// Append appends entries to a log, which it makes if it is not there. Of several processes that append to a log, one at a time
// does: it holds the lock of the file and writes all its lines at once. A last line that was cut off stays as it is; the new ones
// begin on a line of their own. Waiting is called with the holder of the lock if Append has to wait.
func Append(ctx context.Context, file string, entries []Entry, waiting func(by string)) (err error) {
	var text bytes.Buffer
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file, e.Snapshot.Experiment, err)
		}
		text.Write(append(line, '\n'))
	}
	dir := filepath.Dir(file)
	f, err := files.OpenForWriting(dir, file, os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lock, err := files.NewLocker().Wait(ctx, file+".lock", waiting)
	if err != nil {
		return err
	}
	defer lock.Release()
	all := text.Bytes()
	last := []byte{'\n'}
	if end, err := f.Seek(0, io.SeekEnd); err != nil {
		return err
	} else if end > 0 {
		if _, err := f.ReadAt(last, end-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		all = append([]byte{'\n'}, all...)
	}
	if _, err := f.Write(all); err != nil {
		return files.CannotWrite(file, err)
	}
	return files.Settle(dir, file)
}

// ReadLog returns the entries of a log in the order of its lines, and a warning for every line that cannot be read: a writer that
// was stopped leaves such a line. Keys that are unknown, as those of a later version of the program may be, are left out.
func ReadLog(file string) (all []Entry, warnings []error, err error) {
	text, err := files.Read(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s is not there; %s writes it", file, printed.Again("check", "--append", file))
	}
	if err != nil {
		return nil, nil, err
	}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var e Entry
		err := json.Unmarshal(line, &e)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case err != nil && !bytes.HasSuffix(line, []byte{'\n'}):
			warnings = append(warnings, fmt.Errorf("%s:%d: the line was cut off; it is left out", file, number))
		case err != nil:
			warnings = append(warnings, fmt.Errorf("%s:%d: %w; the line is left out", file, number, err))
		case !e.valid():
			warnings = append(warnings, fmt.Errorf("%s:%d: not a line of check --append, or one of another version; it is left out", file, number))
		default:
			all = append(all, e)
		}
	}
	return all, warnings, nil
}

var hash = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// valid reports whether an entry is one that Append wrote: pages are named after the experiment.
func (e Entry) valid() bool {
	_, err := time.Parse(time.RFC3339, e.Time)
	return e.Schema == LogSchema && err == nil && hash.MatchString(e.Commit) && fs.ValidPath(e.Snapshot.Experiment) && e.Snapshot.Experiment != "."
}
