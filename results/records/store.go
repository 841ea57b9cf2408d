package records

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

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
		r, err := Read(path)
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
		return cmp.Or(cmp.Compare(a.Header.Experiment, b.Header.Experiment), ByMethodAndSeed(a, b))
	})
	return s, nil
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
