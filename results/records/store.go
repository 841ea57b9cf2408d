package records

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// A NoRecords is the error if there are no records to read. Its text says what to do. It is an fs.ErrNotExist.
type NoRecords string

func (e NoRecords) Error() string { return string(e) }

// Is reports whether the error stands for target.
func (e NoRecords) Is(target error) bool { return target == fs.ErrNotExist }

// A Store is the records below one output folder.
type Store struct {
	Dir      string
	Records  []*Record // by experiment, method, seed and cell
	Warnings []error   // records that could not be read, or were left out
}

// Open reads every record below dir/records. A file there holds one record, as a run writes it, or several, as Join writes
// them. A record that cannot be read becomes a warning. If there is no such folder, the error is a NoRecords.
func Open(dir string) (*Store, error) {
	s := &Store{Dir: dir}
	err := walk(dir, func(r *Record, _ []byte) error {
		s.Records = append(s.Records, r)
		return nil
	}, func(warning error) { s.Warnings = append(s.Warnings, warning) })
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.Records, byExperiment)
	return s, nil
}

// A Text is a record with the bytes that it was read from.
type Text struct {
	*Record
	Bytes []byte
}

// Texts reads every record below dir/records with its bytes, sorted as in a Store. If one cannot be read, Texts returns an
// error that names its file. If there is no such folder, the error is a NoRecords.
func Texts(dir string) ([]Text, error) {
	var all []Text
	var unread []error
	err := walk(dir, func(r *Record, data []byte) error {
		all = append(all, Text{r, data})
		return nil
	}, func(fault error) { unread = append(unread, fault) })
	if err = errors.Join(append(unread, err)...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Text) int { return byExperiment(a.Record, b.Record) })
	return all, nil
}

// walk visits the records below dir/records with the bytes that they were read from. It calls warn for a record that cannot
// be read, and for one of a cell and profile that it has visited.
func walk(dir string, visit func(*Record, []byte) error, warn func(error)) error {
	files, err := recordFiles(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return NoRecords(fmt.Sprintf("there are no records in %s: run an experiment first, or name the folder of its records with --out", dir))
	}
	if err != nil {
		return err
	}
	seen := map[[3]string]string{}
	for some := range slices.Chunk(files, 256) {
		for i, parts := range readFiles(some) {
			for _, part := range parts {
				if part.err != nil {
					warn(part.err)
					continue
				}
				key := cellKey(part.record)
				if first, ok := seen[key]; ok {
					warn(fmt.Errorf("%s: holds the same cell as %s; remove one of them", some[i], first))
					continue
				}
				seen[key] = some[i]
				if err := visit(part.record, part.text); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// recordFiles returns the paths of the files below dir/records that hold records.
func recordFiles(dir string) (files []string, err error) {
	top := filepath.Join(dir, "records")
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == top && !d.IsDir():
			return fmt.Errorf("%s: not a folder; remove it, or name another folder with --out", path)
		case !d.IsDir() && filepath.Ext(path) == ".jsonl":
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// A part is one record of a file with the bytes that it was read from, or why it cannot be read.
type part struct {
	record *Record
	text   []byte
	err    error
}

// readFiles reads the records of files, several files at a time.
func readFiles(files []string) [][]part {
	all := make([][]part, len(files))
	Parallel(len(files), func(i int) { all[i] = readParts(files[i]) })
	return all
}

func readParts(path string) (parts []part) {
	data, err := ReadFile(path)
	if err != nil {
		return []part{{err: err}}
	}
	line := 1
	for _, text := range split(data) {
		r, err := parseRecord(path, line, text)
		line += bytes.Count(text, []byte("\n"))
		parts = append(parts, part{r, text, err})
	}
	return parts
}

func byExperiment(a, b *Record) int {
	return cmp.Or(cmp.Compare(a.Header.Experiment, b.Header.Experiment), ByMethodAndSeed(a, b))
}

// Join writes the records below from/records that keep accepts, byte for byte, as one file an experiment:
// to/records/<experiment>.jsonl, and returns the number of records written. It does not change files of other experiments.
// If a record below from cannot be read, Join writes nothing and returns an error that names the file.
func Join(from, to string, keep func(*Record) bool) (int, error) {
	all, err := Texts(from)
	if err != nil {
		return 0, err
	}
	kept := slices.DeleteFunc(all, func(t Text) bool { return !keep(t.Record) })
	files := map[string][]byte{}
	for _, k := range kept {
		files[k.Header.Experiment] = append(files[k.Header.Experiment], k.Bytes...)
	}
	for experiment, data := range files {
		if err := WriteFile(to, joined(to, experiment), data); err != nil {
			return 0, err
		}
	}
	return len(kept), nil
}

// Of returns the records of an experiment at all profiles, sorted by method, seed and cell.
// claims.Experiment.Records chooses those of one profile.
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
