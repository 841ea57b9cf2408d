package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/builds"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// A Trouble is a file of an output folder that does not agree with the others.
type Trouble struct {
	Path   string
	What   string
	Orphan bool // no run owns it: nothing would read it again
}

// CheckFolder reads everything that runs leave in an output folder but the records themselves, which a Store has read: whether every record is
// in its place, the files of predictions have their checksums, checkpoints belong to interrupted records and can be read, and reports of failures
// belong to failed cells. What changed only just now may be of a living run, and is no orphan.
func CheckFolder(out string, store *records.Store) ([]Trouble, error) {
	c := folderCheck{out: out, cells: map[[2]string]records.Found{}, named: map[string]bool{}, experiments: map[string]bool{}}
	for _, r := range store.Records {
		c.record(r)
	}
	for _, part := range []struct {
		name  string
		check func(path, experiment, name string) (what string, orphan bool)
	}{{"predictions", c.prediction}, {"checkpoints", c.checkpoint}, {"failures", c.failure}} {
		if err := c.walk(part.name, part.check); err != nil {
			return nil, err
		}
	}
	return c.all, nil
}

// A folderCheck is an output folder while it is checked.
type folderCheck struct {
	out         string
	cells       map[[2]string]records.Found // by experiment and cell
	named       map[string]bool             // paths of predictions that records name
	experiments map[string]bool
	all         []Trouble
}

// record notes a record, which is in its place if a run would find it.
func (c *folderCheck) record(r *records.Record) {
	h := r.Header
	c.experiments[h.Experiment] = true
	f := records.Find(c.out, h.Experiment, h.Cell, nil)
	c.cells[[2]string{h.Experiment, h.Cell}] = f
	path := records.Path(c.out, h.Experiment, h.Cell)
	switch {
	case f.State == records.ToDo, f.Record != nil && f.Header.Digest != r.Header.Digest:
		c.all = append(c.all, Trouble{path, fmt.Sprintf("the record of %s %s is in another file, where no run finds it; move it here, or remove it", h.Experiment, h.Cell), false})
	case f.State == records.Again && f.Err != nil:
		c.all = append(c.all, Trouble{path, fmt.Sprintf("%v; run the experiment again", f.Err), false})
	}
	if r.End != nil {
		for name := range r.End.Files {
			c.named[files.Path(c.out, "predictions", h.Experiment, name)] = true
		}
	}
}

// walk checks the files of a part of the folder.
func (c *folderCheck) walk(part string, check func(path, experiment, name string) (string, bool)) error {
	top := filepath.Join(c.out, part)
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			c.all = append(c.all, Trouble{path, "not a regular file", false})
			return nil
		case files.Temporary(d.Name()):
			return nil // files.Leftovers lists it
		}
		rel, err := filepath.Rel(top, filepath.Dir(path))
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if what, orphan := check(path, filepath.ToSlash(rel), d.Name()); what != "" && (!orphan || files.Abandoned(info)) {
			c.all = append(c.all, Trouble{path, what, orphan})
		}
		return nil
	})
}

// ofCell matches the files of a cell: its name, and what follows.
var ofCell = regexp.MustCompile(`^(.*-seed\d+)\.`)

// prediction checks a file of predictions. Cells share some files, which only the records of cells on the experiment's data name.
func (c *folderCheck) prediction(path, experiment, name string) (string, bool) {
	m := ofCell.FindStringSubmatch(name)
	switch {
	case c.named[path]:
		return "", false
	case !c.experiments[experiment]:
		return "no record of " + experiment + " is here", true
	case m == nil:
		return "", false
	}
	f, ok := c.cells[[2]string{experiment, m[1]}]
	if ok && !f.Complete() {
		return "", false // its run may have written it, and writes it again
	}
	return "no record names it", true
}

// checkpoint checks a checkpoint.
func (c *folderCheck) checkpoint(path, experiment, name string) (string, bool) {
	cell, ok := strings.CutSuffix(name, ".gob")
	f, known := c.cells[[2]string{experiment, cell}]
	switch {
	case !ok:
		return "", false
	case !known:
		return "a checkpoint without a record", true
	case f.State != records.Begun && f.State != records.Limited:
		return "the checkpoint of a cell that has ended", true
	}
	kept, err := openCheckpoint(path)
	if err != nil {
		return fmt.Sprintf("%v; the cell starts again", err), true
	}
	defer kept.file.Close()
	switch {
	case kept.Digest != f.Header.Digest:
		return "a checkpoint of other settings than its record; the cell starts again", true
	case kept.Build != thisBuild():
		return "a checkpoint of another build of the program (" + kept.Build + "), with which the cell continues; with this one it starts again", false
	}
	return "", false
}

// failure checks the report of a failure.
func (c *folderCheck) failure(_, experiment, name string) (string, bool) {
	cell, ok := strings.CutSuffix(name, ".txt")
	f, known := c.cells[[2]string{experiment, cell}]
	if ok && (!known || f.Record == nil || f.Status() != records.Failed) {
		return "the report of a failure, and the cell has not failed", true
	}
	return "", false
}

// maxReplaced is the longest training time in seconds of a record that a run replaces without being told to.
const maxReplaced = 60

// A replacement sums up the records of one experiment that a run would replace.
type replacement struct {
	records  int
	profiles []string
	seconds  float64 // of training
}

// Guard returns an error if running the cells would replace complete records of other settings that took more than a
// minute of training each, unless Options.Fresh is set. Run calls it first; a caller that prints something before a run
// can call it earlier. The notes say, a line each, which files changed since cells ran on them, which therefore run again, and
// how many complete cells another build of the program made.
func Guard(cells []experiments.Cell, o Options) (notes []string, err error) {
	if o.Fresh {
		return nil, nil
	}
	all := map[string]*replacement{}
	var ids []string
	found := make([]records.Found, len(cells))
	records.Parallel(len(cells), func(i int) { found[i] = o.find(&cells[i]) })
	for i, f := range found {
		if f.State != records.Other || f.Trained() <= maxReplaced {
			continue
		}
		c := &cells[i]
		e := all[c.Experiment]
		if e == nil {
			e = &replacement{}
			all[c.Experiment] = e
			ids = append(ids, c.Experiment)
		}
		e.records++
		e.seconds += f.Trained()
		if !slices.Contains(e.profiles, f.Header.Profile) {
			e.profiles = append(e.profiles, f.Header.Profile)
		}
	}
	notes = append(changedFiles(cells, found), otherBuilds(found)...)
	if len(ids) == 0 {
		return notes, nil
	}
	var parts []string
	for _, id := range ids {
		parts = append(parts, all[id].of(id))
	}
	return notes, fmt.Errorf("%s holds complete records of other settings, which this run would replace: %s; choose another folder with --out, or replace them with --fresh",
		o.Out, strings.Join(parts, ", "))
}

// changedFiles says of every file that has another content than the one on which complete cells ran.
func changedFiles(cells []experiments.Cell, found []records.Found) (notes []string) {
	count := map[[2]string]int{} // by experiment and file
	var order [][2]string
	for i, r := range found {
		if !r.Complete() {
			continue
		}
		for _, name := range r.Header.OtherContent(cells[i].Settings) {
			key := [2]string{cells[i].Experiment, name}
			if count[key]++; count[key] == 1 {
				order = append(order, key)
			}
		}
	}
	for _, key := range order {
		notes = append(notes, fmt.Sprintf("%s: %s changed since %s ran on it; all that need it run again", key[0], key[1], printed.Count(count[key], "cell")))
	}
	return notes
}

// otherBuilds says how many complete cells another build of the program made, in one line.
func otherBuilds(found []records.Found) []string {
	here := builds.This()
	n := 0
	var builds []string
	for _, r := range found {
		if !r.State.Ended() || !r.Complete() {
			continue
		}
		p := r.Header.Provenance.Program
		if p.Go, p.Dirty = here.Go, here.Dirty; p != here {
			n++
			if name := p.Version + " " + p.Commit[:min(12, len(p.Commit))]; !slices.Contains(builds, name) {
				builds = append(builds, name)
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of another build (%s) kept; --fresh runs them again with this one", printed.Count(n, "complete cell"), printed.List(builds))}
}

// of returns in words what would be replaced of the experiment with the given id.
func (e *replacement) of(id string) string {
	profile := "profile"
	if len(e.profiles) > 1 {
		profile += "s"
	}
	took := fmt.Sprintf("%.0f min", e.seconds/60)
	if e.seconds >= 90*60 {
		took = fmt.Sprintf("%.1f h", e.seconds/3600)
	}
	return fmt.Sprintf("%d of %s at %s %s (%s of training)", e.records, id, profile, strings.Join(e.profiles, ", "), took)
}
