// Package baseline holds the results of earlier runs: the verdicts at the papers' size and the accepted numbers at profile ci,
// which are embedded in the program, and the records of runs at profile smoke, with which later runs are compared.
package baseline

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/results/changes"
	"repro/results/claims"
	"repro/results/files"
)

//go:embed ci
var ci embed.FS

// DefaultDir is the folder of the accepted baseline in a checkout.
const DefaultDir = "results/baseline/ci"

// An Accepted is a folder of accepted snapshots, a file <paper>/<name>.json for each experiment.
type Accepted struct {
	Dir   string // as messages name it
	fsys  fs.FS
	fixed bool // it is embedded in the program
}

// OpenAccepted opens the accepted baseline in a folder, which need not exist. Without a name it is DefaultDir, if the current
// folder has it, and else the baseline that is embedded in the program and cannot be written.
func OpenAccepted(dir string) (Accepted, error) {
	if dir == "" {
		if info, err := os.Stat(DefaultDir); err != nil || !info.IsDir() {
			fsys, err := fs.Sub(ci, "ci")
			return Accepted{Dir: "the baseline that comes with repro", fsys: fsys, fixed: true}, err
		}
		dir = DefaultDir
	}
	return Accepted{Dir: dir, fsys: os.DirFS(dir)}, nil
}

// Experiments lists the ids of the experiments with an accepted snapshot, in alphabetical order.
func (a Accepted) Experiments() ([]string, error) {
	files, err := fs.Glob(a.fsys, "*/*.json")
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".json")
	}
	return files, err
}

// Read returns the accepted snapshot of an experiment, an empty one if there is none. Errors name the file and, if it can be told,
// the line.
func (a Accepted) Read(experiment string) (changes.Snapshot, error) {
	name := experiment + ".json"
	text, err := fs.ReadFile(a.fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return changes.Snapshot{}, nil
	}
	if err != nil {
		return changes.Snapshot{}, err
	}
	s, err := parse(filepath.Join(a.Dir, filepath.FromSlash(name)), text)
	if err == nil && s.Experiment != experiment {
		err = fmt.Errorf("%s: holds experiment %s; a file is named after its experiment", filepath.Join(a.Dir, name), s.Experiment)
	}
	return s, err
}

// Write writes the accepted snapshot of an experiment, a line for the cells of each method, one for each number and one for each curve.
func (a Accepted) Write(s changes.Snapshot) error {
	if a.fixed {
		return fmt.Errorf("%s cannot be changed; name a folder with --baseline, or run in a checkout with %s", a.Dir, DefaultDir)
	}
	text, err := format(s)
	if err != nil {
		return err
	}
	return files.Write(a.Dir, filepath.Join(a.Dir, filepath.FromSlash(s.Experiment)+".json"), text)
}

func format(s changes.Snapshot) ([]byte, error) {
	var errs []error
	text := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		errs = append(errs, e.Encode(v))
		return strings.TrimSuffix(b.String(), "\n")
	}
	var cells, numbers, series []string
	for _, r := range s.Cells.Runs() {
		cells = append(cells, "\n  "+text(r))
	}
	for _, n := range s.Numbers {
		numbers = append(numbers, "\n  "+text(n))
	}
	for _, c := range s.Series {
		series = append(series, "\n  "+text(c))
	}
	return fmt.Appendf(nil, `{
 "schema": %s,
 "experiment": %s,
 "profile": %s,
 "commit": %s,
 "comparable_since": %s,
 "cells": [%s
 ],
 "numbers": [%s
 ],
 "series": [%s
 ]
}
`, text(s.Schema), text(s.Experiment), text(s.Profile), text(s.Commit), text(s.ComparableSince),
		strings.Join(cells, ","), strings.Join(numbers, ","), strings.Join(series, ",")), errors.Join(errs...)
}

// parse reads a snapshot strictly.
func parse(file string, text []byte) (changes.Snapshot, error) {
	var s changes.Snapshot
	fail := func(at int, err error) (changes.Snapshot, error) {
		line := 1 + bytes.Count(text[:min(at, len(text))], []byte("\n"))
		return s, fmt.Errorf("%s:%d: %w; restore the file from git, or accept the experiment again", file, line, err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		wrong := &json.SyntaxError{}
		errors.As(err, &wrong)
		return fail(int(wrong.Offset), err)
	}
	var cells, numbers, series []json.RawMessage
	known := map[string]any{"schema": &s.Schema, "experiment": &s.Experiment, "profile": &s.Profile, "commit": &s.Commit,
		"comparable_since": &s.ComparableSince, "cells": &cells, "numbers": &numbers, "series": &series}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		err := fmt.Errorf("unknown key %q", key)
		if known[key] != nil {
			err = json.Unmarshal(fields[key], known[key])
		}
		if err != nil {
			return fail(bytes.Index(text, fmt.Appendf(nil, "%q", key)), err)
		}
	}
	if s.Schema != changes.Schema {
		return s, fmt.Errorf("%s: has schema %d, and this program reads %d; accept the experiment again", file, s.Schema, changes.Schema)
	}
	seen := map[string]bool{}
	for _, of := range cells {
		all, err := parseCells(of, seen)
		if err != nil {
			return fail(bytes.Index(text, of), err)
		}
		s.Cells = append(s.Cells, all...)
	}
	s.Cells.Sort()
	for _, of := range numbers {
		var n changes.Number
		err := strict(of, &n)
		if err == nil {
			err = validNumber(n)
		}
		if err != nil {
			return fail(bytes.Index(text, of), err)
		}
		s.Numbers = append(s.Numbers, n)
	}
	for _, of := range series {
		var c changes.Series
		err := strict(of, &c)
		if err == nil {
			err = c.Valid()
		}
		if err != nil {
			return fail(bytes.Index(text, of), err)
		}
		s.Series = append(s.Series, c)
	}
	return s, nil
}

// strict reads JSON without unknown keys.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// parseCells reads the cells of one method. seen has the cells so far.
func parseCells(text []byte, seen map[string]bool) (changes.Cells, error) {
	var r changes.Runs
	if err := strict(text, &r); err != nil {
		return nil, err
	}
	all, err := r.Cells()
	for _, c := range all {
		if seen[c.Cell] {
			return nil, fmt.Errorf("cell %q is there twice", c.Cell)
		}
		seen[c.Cell] = true
		if err := validCell(c); err != nil {
			return nil, err
		}
	}
	return all, err
}

// validCell says what is wrong with a cell.
func validCell(c changes.Cell) error {
	for key, digest := range map[string]string{"settings": c.Settings, "values": c.Values, "counts": c.Counts} {
		if len(digest) != 16 || strings.Trim(digest, "0123456789abcdef") != "" {
			return fmt.Errorf("%s of cell %q is %q; want 16 hexadecimal digits", key, c.Cell, digest)
		}
	}
	return nil
}

// validNumber says what is wrong with a number.
func validNumber(n changes.Number) error {
	switch {
	case !slices.Contains(claims.Words, n.Word):
		return fmt.Errorf("verdict of claim %q is %q; want one of %q", n.Claim, n.Word, claims.Words)
	case len(n.Seeds) != len(n.Values):
		return fmt.Errorf("claim %q has %d values for %d seeds", n.Claim, len(n.Values), len(n.Seeds))
	case n.Why == "" && (len(n.Values) == 0 || n.Mean == nil):
		return fmt.Errorf("claim %q has no values and does not say why", n.Claim)
	case n.Margin < 0 || math.IsNaN(n.Margin):
		return fmt.Errorf("margin of claim %q is %v; want a positive number", n.Claim, n.Margin)
	case n.Log && slices.ContainsFunc(n.Values, func(v float64) bool { return v <= 0 }):
		return fmt.Errorf("claim %q has values that are not positive and have no logarithm", n.Claim)
	}
	return nil
}

//go:embed paper/*.json
var paper embed.FS

// Verdicts returns the verdicts of the runs at profile paper: paper by paper, in the order of each file.
func Verdicts() ([]claims.Verdict, error) {
	files, err := fs.Glob(paper, "paper/*.json")
	if err != nil {
		return nil, err
	}
	var all []claims.Verdict
	for _, name := range files {
		f, err := paper.Open(name)
		if err != nil {
			return nil, err
		}
		verdicts, err := claims.ReadVerdicts(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, verdicts...)
	}
	return all, nil
}
