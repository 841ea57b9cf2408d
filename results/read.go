package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ErrNoHeader is wrapped by ReadRecord when a run was killed before its header was on disk.
var ErrNoHeader = errors.New("no whole header line: the run was interrupted before it began; run it again")

// ReadRecord reads the record at path. A last line that was cut, that is one without its newline or
// with broken JSON, is left out, which leaves the record partial. Anything else wrong is an error
// with file and line.
func ReadRecord(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseRecord(path, data)
}

// parseRecord reads a record from data; name is for errors.
func parseRecord(name string, data []byte) (*Record, error) {
	r := &Record{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		data = data[len(line):]
		if len(data) == 0 && r.End == nil && (!bytes.HasSuffix(line, []byte("\n")) || !json.Valid(line)) {
			break
		}
		if err := r.add(line, n); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if r.Header.Line == "" {
		return nil, fmt.Errorf("%s:1: %w", name, ErrNoHeader)
	}
	return r, nil
}

// add appends line n, counted from 1, to the record.
func (r *Record) add(line []byte, n int) error {
	var kind struct {
		Line   string `json:"line"`
		Schema int    `json:"schema"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return fmt.Errorf("broken line: %w; remove the record and run the cell again", err)
	}
	switch {
	case r.End != nil:
		return fmt.Errorf("a line after the end line; remove the record and run the cell again")
	case (n == 1) != (kind.Line == "header"):
		return fmt.Errorf("line %q: a record has one header, at its start", kind.Line)
	case kind.Line == "header":
		if kind.Schema > Schema {
			return fmt.Errorf("written by a newer repro: schema %d, this one reads %d; update repro", kind.Schema, Schema)
		}
		if kind.Schema < 1 {
			return fmt.Errorf("schema %d: not a record of repro", kind.Schema)
		}
		return json.Unmarshal(line, &r.Header)
	case kind.Line == "point":
		var p Point
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		if k := len(r.Points); k > 0 && p.Step < r.Points[k-1].Step {
			return fmt.Errorf("step %d after step %d: two runs wrote this record; run the cell again with --fresh", p.Step, r.Points[k-1].Step)
		}
		r.Points = append(r.Points, p)
		return nil
	case kind.Line == "end":
		var e End
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		r.End = &e
		return nil
	}
	return fmt.Errorf("unknown kind of line %q", kind.Line)
}

// NoRecords is the error where there are no records to read; it says so and what to do. It is an
// fs.ErrNotExist.
type NoRecords string

func (e NoRecords) Error() string { return string(e) }

// Is reports whether the error stands for target.
func (e NoRecords) Is(target error) bool { return target == fs.ErrNotExist }

// A Store is the records below one output folder.
type Store struct {
	Dir      string
	Records  []*Record // by experiment, method, seed and cell
	Warnings []error   // files that could not be read, or were left out
}

// Open reads every record below dir/records. A file that is no record becomes a warning. If there
// is no such folder the error is a NoRecords.
func Open(dir string) (*Store, error) {
	s := &Store{Dir: dir}
	root := filepath.Join(dir, "records")
	seen := map[[3]string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		r, err := ReadRecord(path)
		if err != nil {
			s.Warnings = append(s.Warnings, err)
			return nil
		}
		key := [3]string{r.Header.Experiment, r.Header.Cell, r.Header.Profile}
		if first, ok := seen[key]; ok {
			s.Warnings = append(s.Warnings, fmt.Errorf("%s: left out: the same cell as %s", path, first))
			return nil
		}
		seen[key] = path
		s.Records = append(s.Records, r)
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, NoRecords(fmt.Sprintf("there are no records in %s: run an experiment first, or name the folder of its records with --out", dir))
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.Records, func(a, b *Record) int {
		return cmp.Or(cmp.Compare(a.Header.Experiment, b.Header.Experiment), byMethodAndSeed(a, b))
	})
	return s, nil
}

func byMethodAndSeed(a, b *Record) int {
	return cmp.Or(
		cmp.Compare(a.Header.Method, b.Header.Method),
		cmp.Compare(a.Header.Seed, b.Header.Seed),
		cmp.Compare(a.Header.Cell, b.Header.Cell),
	)
}

// Of returns the records of an experiment at all profiles, sorted by method, seed and cell. Those of
// one profile are chosen by Experiment.Records.
func (s *Store) Of(experiment string) []*Record {
	var recs []*Record
	for _, r := range s.Records {
		if r.Header.Experiment == experiment {
			recs = append(recs, r)
		}
	}
	return recs
}

// Experiments lists the ids of the experiments with records, in alphabetical order.
func (s *Store) Experiments() []string {
	var ids []string
	for _, r := range s.Records {
		if k := len(ids); k == 0 || ids[k-1] != r.Header.Experiment {
			ids = append(ids, r.Header.Experiment)
		}
	}
	return ids
}

// Select returns the records of one method, sorted by seed.
func Select(recs []*Record, method string) []*Record {
	var out []*Record
	for _, r := range recs {
		if r.Header.Method == method {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, byMethodAndSeed)
	return out
}
