package records

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"repro/results/files"
	"repro/results/printed"
)

// Path returns where the record of a cell lies below the output folder dir: dir/records/<experiment>/<cell>.jsonl.
func Path(dir, experiment, cell string) string {
	return files.Path(dir, "records", experiment, cell+".jsonl")
}

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

// Open reads every record below dir/records. A file there holds one record, as a run writes it, or several, one after
// the other. A record that cannot be read becomes a warning. If there is no such folder, the error is a NoRecords. What this process
// has read before, and nobody has changed, is not read again: nobody may change a Record.
func Open(dir string) (*Store, error) {
	s := &Store{Dir: dir}
	err := walk(dir, known, knownPack, func(p *part) error {
		if s.Records = append(s.Records, p.record); len(s.Records) == Many {
			saveMemory()
		}
		return nil
	}, func(warning error) { s.Warnings = append(s.Warnings, warning) })
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.Records, ByExperiment)
	return s, nil
}

// saveMemory makes the collector run more often: garbage is at most half of what is in use. It is for a process with very many records,
// which are nearly all its memory.
func saveMemory() {
	const percent = 50
	if usual := debug.SetGCPercent(percent); usual >= 0 && usual < percent {
		debug.SetGCPercent(usual)
	}
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
	err := walk(dir, readParts, readPack, func(p *part) error {
		all = append(all, Text{p.record, p.text})
		return nil
	}, func(fault error) { unread = append(unread, fault) })
	if err = errors.Join(append(unread, err)...); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Text) int { return ByExperiment(a.Record, b.Record) })
	return all, nil
}

// walk visits the records below dir/records. It calls warn for a record that cannot be read, and for one of a cell and profile that it
// has visited.
func walk(dir string, read, readPack func(path string) []part, visit func(*part) error, warn func(error)) error {
	paths, folders, err := recordFiles(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return NoRecords(fmt.Sprintf("there are no records in %s: run an experiment first, or name the folder of its records with --out", dir))
	}
	if err != nil {
		return err
	}
	w := walked{visit: visit, warn: warn, seen: map[[3]string]place{}, gone: map[string]error{}}
	for some := range slices.Chunk(paths, 256) {
		all := make([][]part, len(some)) // several files at a time
		Parallel(len(some), func(i int) { all[i] = read(some[i]) })
		if err := w.files(all, w.own); err != nil {
			return err
		}
	}
	for path := range w.gone { // another process may have made its first pack meanwhile
		if folder := filepath.Join(filepath.Dir(path), packsFolder); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	own := map[string]bool{}
	for i := 0; i < len(paths) && len(folders) > 0; i++ {
		own[paths[i]] = w.gone[paths[i]] == nil
	}
	for _, folder := range folders {
		_, all, err := readPacks(folder, readPack)
		if err == nil {
			err = w.files(all, func(p *part) error { return w.packed(p, own) })
		}
		if err != nil {
			return err
		}
	}
	for _, path := range slices.Sorted(maps.Keys(w.gone)) {
		warn(w.gone[path])
	}
	return nil
}

// A walked is what walk has visited.
type walked struct {
	visit func(*part) error
	warn  func(error)
	seen  map[[3]string]place // by cell and profile
	gone  map[string]error    // files without a header, and those that are gone: a pack may have their records
}

// A place is where a record was found, with the digest of its bytes.
type place struct {
	path string
	sum  [sha256.Size]byte
}

// files takes in the records of files.
func (w *walked) files(all [][]part, take func(p *part) error) error {
	for _, parts := range all {
		for i := range parts {
			if err := take(&parts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// own takes in a record of a file that is no pack.
func (w *walked) own(p *part) error {
	if errors.Is(p.err, fs.ErrNotExist) || errors.Is(p.err, ErrNoHeader) {
		w.gone[p.path] = p.err
		return nil
	}
	return w.take(p)
}

// packed takes in a record of a pack, unless there is a file of its own.
func (w *walked) packed(p *part, own map[string]bool) error {
	path := p.ownPath()
	if own[path] {
		return nil
	}
	delete(w.gone, path)
	return w.take(p)
}

func (w *walked) take(p *part) error {
	if p.err != nil {
		w.warn(p.err)
		return nil
	}
	key := cellKey(p.record)
	if first, ok := w.seen[key]; ok {
		if first.sum != p.sum && !p.replaces(first.path) || !inPack(p.path) || !inPack(first.path) {
			w.warn(twice(p.path, first.path))
		}
		return nil
	}
	w.seen[key] = place{p.path, p.sum}
	return w.visit(p)
}

// recordFiles returns the paths of the files below dir/records that hold records, without packs, and the folders of packs.
func recordFiles(dir string) (paths, packs []string, err error) {
	top := filepath.Join(dir, "records")
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != top:
			return nil // gone meanwhile
		case err != nil:
			return err
		case path == top && !d.IsDir():
			return fmt.Errorf("%s: not a folder; remove it, or name another folder with --out", path)
		case d.IsDir() && d.Name() == packsFolder && path != top:
			packs = append(packs, path)
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".jsonl":
			paths = append(paths, path)
		}
		return nil
	})
	return paths, packs, err
}

// A part is one record of a file with the bytes that it was read from, or why it cannot be read.
type part struct {
	path   string
	cell   string
	record *Record
	sum    [sha256.Size]byte // of a complete record
	text   []byte
	err    error
}

// kept holds the records of the files that this process has read, of all folders.
var kept files.Cache[[]part]

// known is readParts without the bytes. It reads a file again only if it has changed, or was not right.
func known(path string) []part { return knownOf(&kept, path, readParts) }

func knownOf(cache *files.Cache[[]part], path string, read func(path string) []part) []part {
	parts, err := cache.Of(path, func(path string) ([]part, error) {
		parts := read(path)
		var errs []error
		for i := range parts {
			parts[i].text = nil
			errs = append(errs, parts[i].err)
		}
		return parts, errors.Join(errs...)
	})
	if parts == nil {
		return []part{{path: path, err: err}}
	}
	return parts
}

// readParts reads the records of a file.
func readParts(path string) (parts []part) {
	data, err := files.Read(path)
	if err != nil {
		return []part{{path: path, err: err}}
	}
	line := 1
	for _, text := range split(data) {
		p := part{path: path, text: text, sum: lastSum(text)}
		if p.record, p.err = parseRecord(path, line, text); p.err == nil {
			p.cell = p.record.Header.Cell
		}
		line += bytes.Count(text, []byte("\n"))
		parts = append(parts, p)
	}
	return parts
}

// ByExperiment orders records by experiment, and those of one as ByMethodAndSeed does.
func ByExperiment(a, b *Record) int {
	return cmp.Or(cmp.Compare(a.Header.Experiment, b.Header.Experiment), ByMethodAndSeed(a, b))
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

// Parallel calls do(0) … do(n-1), each once, on all processors. The calls must be independent.
func Parallel(n int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// Select returns the records of one method, sorted by seed.
func Select(recs []*Record, method string) []*Record {
	var out []*Record
	for _, r := range recs {
		if r.Header.Method == method {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, ByMethodAndSeed)
	return out
}

// Listing names the records that match, each with its ending. It shortens the list as printed.List does.
func Listing(recs []*Record, match func(*Record) bool) string {
	var names []string
	for _, r := range recs {
		if match(r) {
			names = append(names, fmt.Sprintf("%s seed %d %s", r.Header.Method, r.Header.Seed, r.Ending()))
		}
	}
	return printed.List(names)
}

// ByMethodAndSeed orders records by method, seed and cell.
func ByMethodAndSeed(a, b *Record) int {
	return cmp.Or(
		cmp.Compare(a.Header.Method, b.Header.Method),
		cmp.Compare(a.Header.Seed, b.Header.Seed),
		cmp.Compare(a.Header.Cell, b.Header.Cell),
	)
}

// A State says what an output folder has of a cell, as far as it decides whether the cell runs. How the cell of a record ended is its
// Status, and why a cell runs that has a record Found.Reason says.
type State string

const (
	ToDo    State = "to do"          // no record, one that cannot be read, or one of these settings after which the cell runs again
	Other   State = "other settings" // a record of other settings, or of other data
	Limited State = "limited"        // one of these settings that a limit ended: the cell runs on if the limit has grown
	Settled State = "complete"       // a complete one of these settings with its files: the cell need not run
	ToSkip  State = "skipped"        // in plans only: not Settled, and the method says that it does not solve the problem
)

// Settled reports whether the cell need not run, unless its limit has grown.
func (s State) Settled() bool { return s == Limited || s == Settled }

// Found is what an output folder has of a cell.
type Found struct {
	State
	*Record        // nil if there is none that can be read; nobody may change it
	Err     error  // why there is no record or, if there is one, what is wrong with the files that it names
	File    string // that holds it, or would: a file of its own, or a pack
}

// Ended reports whether there is a record of these settings that has ended.
func (f Found) Ended() bool { return f.State != Other && f.Record != nil && f.End != nil }

// Unread reports whether there is a record that cannot be read, or something else in its place.
func (f Found) Unread() bool {
	return f.Record == nil && f.Err != nil && !errors.Is(f.Err, fs.ErrNotExist) && !errors.Is(f.Err, ErrNoHeader)
}

// Reason says why the cell is ToDo although there is a file for it, empty if there is none.
func (f Found) Reason() string {
	switch {
	case f.State != ToDo || errors.Is(f.Err, fs.ErrNotExist):
		return ""
	case f.Err != nil:
		return f.Err.Error()
	case f.Record != nil:
		return f.Ending()
	}
	return ""
}

// Find returns what the output folder dir has of a cell. ran reports whether a record has the settings of the cell; nil stands
// for any settings. Find reads a file again only if it has changed.
func Find(dir, experiment, cell string, ran func(Header) bool) Found {
	path := Path(dir, experiment, cell)
	parts := known(path)
	for try := 0; errors.Is(parts[0].err, fs.ErrNotExist) || errors.Is(parts[0].err, ErrNoHeader); try++ {
		p, err := packed(dir, experiment, cell)
		switch {
		case errors.Is(err, errTwice) && try < 3: // perhaps another process is replacing one of the packs
			parts = known(path)
			continue
		case err != nil:
			return Found{ToDo, nil, err, path}
		case p == nil:
			return Found{ToDo, nil, parts[0].err, path}
		}
		path, parts = p.path, []part{*p}
	}
	if len(parts) > 1 {
		return Found{ToDo, nil, fmt.Errorf("%s: %w", path, damage{errors.New("it holds several records, not one")}), path}
	}
	r, err := parts[0].record, parts[0].err
	switch {
	case err != nil:
		return Found{ToDo, nil, err, path}
	case ran != nil && !ran(r.Header):
		return Found{Other, r, nil, path}
	case r.End != nil && r.End.Limit > 0:
		return Found{Limited, r, nil, path}
	case !r.Status().Complete():
		return Found{ToDo, r, nil, path}
	}
	if err := damagedFile(dir, r); err != nil {
		return Found{ToDo, r, err, path}
	}
	return Found{Settled, r, nil, path}
}

// Whole returns the record with all its points.
func (f Found) Whole() *Record {
	if f.Record != nil && inPack(f.File) {
		for _, p := range knownPack(f.File) {
			if p.record != nil && p.cell == f.Header.Cell {
				return p.record
			}
		}
	}
	return f.Record
}

// Unpack makes the record that was found a file of its own, if it is in a pack: for who moves or changes it.
func (f Found) Unpack(dir, experiment, cell string) error {
	if !inPack(f.File) {
		return nil
	}
	for _, p := range readPack(f.File) {
		if p.cell == cell && p.text != nil {
			return files.Keep(dir, Path(dir, experiment, cell), p.text)
		}
	}
	return nil
}

// sums are SHA-256 of the files that records name, of all folders that this process has looked at.
var sums files.Cache[string]

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
			sum, err = sums.Of(path, files.Sum)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is missing", path)
		case err != nil:
			return err
		case sum != r.End.Files[name]:
			return fmt.Errorf("%s is not as the run wrote it", path)
		}
	}
	return nil
}
