// Package baseline has the results of earlier runs that modules ship: the verdicts at the published sizes and the accepted
// numbers at profile ci. Those of repro are registered here. Beside them are the records of its runs at profile smoke.
package baseline

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/results/builds"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
)

// An Accepted is a folder of accepted snapshots, a file <paper>/<name>.json for each experiment, and behind it what modules ship.
type Accepted struct {
	Dir    string // the folder
	behind []shipped
}

// OpenAccepted opens the accepted baseline in a folder, which need not exist. Without a name it is DefaultDir; of experiments
// that it does not have, the modules whose checkout this is not may have shipped snapshots.
func OpenAccepted(dir string) (Accepted, error) {
	a := Accepted{Dir: dir}
	if dir == "" {
		_, here := builds.Checkout()
		a.Dir = DefaultDir()
		a.behind = slices.DeleteFunc(slices.Clone(modules), func(s shipped) bool { return s.module == here })
	}
	if info, err := os.Stat(a.Dir); err == nil && !info.IsDir() {
		return a, fmt.Errorf("%s is a file; name a folder with --baseline", a.Dir)
	}
	return a, nil
}

// DefaultDir returns the folder of the accepted baseline in that of Folder.
func DefaultDir() string { return filepath.Join(Folder(), "ci") }

// Experiments lists the ids of the experiments with a snapshot in the folder, in alphabetical order.
func (a Accepted) Experiments() ([]string, error) {
	files, err := fs.Glob(os.DirFS(a.Dir), "*/*.json")
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".json")
	}
	return files, err
}

// find returns what has the snapshot of an experiment, and how messages name that: the folder, unless only a module has one.
func (a Accepted) find(experiment string) (fsys fs.FS, dir string) {
	fsys = os.DirFS(a.Dir)
	if _, err := fs.Stat(fsys, experiment+".json"); !errors.Is(err, fs.ErrNotExist) {
		return fsys, a.Dir
	}
	for _, m := range a.behind {
		if _, err := fs.Stat(m.fsys, path.Join("ci", experiment+".json")); err == nil {
			sub, err := fs.Sub(m.fsys, "ci")
			if err == nil {
				return sub, "the baseline that comes with " + m.module
			}
		}
	}
	return fsys, a.Dir
}

// From names what has the snapshots of experiments.
func (a Accepted) From(experiments []string) string {
	var dirs []string
	for _, id := range experiments {
		if _, dir := a.find(id); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return a.Dir
	}
	return printed.List(dirs)
}

// Read returns the accepted snapshot of an experiment, an empty one if there is none. Errors name the file and, if it can be told,
// the line.
func (a Accepted) Read(experiment string) (changes.Snapshot, error) {
	fsys, dir := a.find(experiment)
	name := experiment + ".json"
	text, err := fs.ReadFile(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return changes.Snapshot{}, nil
	}
	if err != nil {
		return changes.Snapshot{}, err
	}
	s, err := parse(filepath.Join(dir, filepath.FromSlash(name)), text)
	if err == nil && s.Experiment != experiment {
		err = fmt.Errorf("%s: holds experiment %s; a file is named after its experiment", filepath.Join(dir, name), s.Experiment)
	}
	return s, err
}

// Write writes the accepted snapshot of an experiment: a line for each key of what a claim says, for the cells of each method, for
// each number and for each curve; and the seal.
func (a Accepted) Write(s changes.Snapshot) error {
	text, _, err := format(s)
	if err != nil {
		return err
	}
	return files.Keep(a.Dir, filepath.Join(a.Dir, filepath.FromSlash(s.Experiment)+".json"), text)
}

// Seal returns the seal of the file that Write writes.
func Seal(s changes.Snapshot) (string, error) {
	_, seal, err := format(s)
	return seal, err
}

func format(s changes.Snapshot) (_ []byte, seal string, err error) {
	var errs []error
	text := func(v any) string {
		line, err := printed.JSON(v, "")
		errs = append(errs, err)
		return strings.TrimSuffix(string(line), "\n")
	}
	cells := printed.Each(s.Cells.Runs(), func(r changes.Runs) string { return "\n  " + text(r) })
	numbers := printed.Each(s.Numbers, func(n changes.Number) string { return "\n  " + text(n) })
	series := printed.Each(s.Series, func(c changes.Series) string { return "\n  " + text(c) })
	var defined []string
	for _, id := range slices.Sorted(maps.Keys(s.Claims)) { // a key a line, so that a diff shows what changed
		var keys []string
		for _, key := range slices.Sorted(maps.Keys(s.Claims[id])) {
			keys = append(keys, "\n   "+text(key)+": "+text(s.Claims[id][key]))
		}
		defined = append(defined, "\n  "+text(id)+": {"+strings.Join(keys, ",")+"\n  }")
	}
	sealed := fmt.Appendf(nil, `{
 "schema": %s,
 "experiment": %s,
 "profile": %s,
 "commit": %s,
 "comparable_since": %s,
 "claims": {%s
 },
 "cells": [%s
 ],
 "numbers": [%s
 ],
 "series": [%s
 ],`, text(s.Schema), text(s.Experiment), text(s.Profile), text(s.Commit), text(s.ComparableSince),
		strings.Join(defined, ","), strings.Join(cells, ","), strings.Join(numbers, ","), strings.Join(series, ","))
	seal = sealOf(sealed)
	return fmt.Appendf(sealed, "\n %s%q\n}\n", sealKey, seal), seal, errors.Join(errs...)
}

// sealKey begins the last line of a file, which has the digest of all lines before it. It shows an edit by hand, or a merge of two
// acceptances; it is no signature.
const sealKey = `"seal": `

func sealOf(text []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(sum[:8])
}

// checkSeal returns where the seal of a snapshot is and what is wrong with it. Version 1 has none.
func checkSeal(text []byte, s changes.Snapshot, seal string) (at int, err error) {
	at = max(0, bytes.LastIndex(text, []byte(sealKey)))
	switch {
	case s.Schema == 1 && (s.Claims != nil || seal != ""):
		return bytes.Index(text, []byte("schema")), errors.New("schema 1 has no claims and no seal")
	case s.Schema > 1 && seal != sealOf(bytes.TrimRight(text[:at], " \r\n")):
		return at, errors.New("the seal is not that of the text above it: it was edited by hand, or two acceptances were merged")
	}
	return at, nil
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
	var seal string
	known := map[string]any{"schema": &s.Schema, "experiment": &s.Experiment, "profile": &s.Profile, "commit": &s.Commit,
		"comparable_since": &s.ComparableSince, "claims": &s.Claims, "cells": &cells, "numbers": &numbers, "series": &series, "seal": &seal}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		err := fmt.Errorf("unknown key %q", key)
		if known[key] != nil {
			err = json.Unmarshal(fields[key], known[key])
		}
		if err != nil {
			return fail(bytes.Index(text, fmt.Appendf(nil, "%q", key)), err)
		}
	}
	if s.Schema != 1 && s.Schema != changes.Schema {
		return s, fmt.Errorf("%s: has schema %d, and this program reads %d; accept the experiment again", file, s.Schema, changes.Schema)
	}
	seen := map[string]bool{} // cells
	addCells := func(text []byte, to *changes.Snapshot) error { return addCells(text, to, seen) }
	for _, part := range []struct {
		all []json.RawMessage
		add func(text []byte, to *changes.Snapshot) error
	}{{cells, addCells}, {numbers, addNumber}, {series, addSeries}} {
		for _, of := range part.all {
			if err := part.add(of, &s); err != nil {
				return fail(bytes.Index(text, of), err)
			}
		}
	}
	s.Cells.Sort()
	if at, err := checkSeal(text, s, seal); err != nil {
		return fail(at, err)
	}
	return s, nil
}

// addNumber adds a number to a snapshot whose claims are known.
func addNumber(text []byte, to *changes.Snapshot) error {
	var n changes.Number
	if err := strict(text, &n); err != nil {
		return err
	}
	if err := validNumber(n); err != nil {
		return err
	}
	if to.Schema > 1 && to.Claims[n.Claim] == nil {
		return fmt.Errorf("claim %q has a number, and claims do not say what it is", n.Claim)
	}
	to.Numbers = append(to.Numbers, n)
	return nil
}

// addSeries adds the curve of a metric of a method.
func addSeries(text []byte, to *changes.Snapshot) error {
	var c changes.Series
	if err := strict(text, &c); err != nil {
		return err
	}
	to.Series = append(to.Series, c)
	return c.Valid()
}

// strict reads JSON without unknown keys.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// addCells adds the cells of one method. seen has the names of the cells so far.
func addCells(text []byte, to *changes.Snapshot, seen map[string]bool) error {
	var r changes.Runs
	if err := strict(text, &r); err != nil {
		return err
	}
	all, err := r.Cells()
	for _, c := range all {
		if seen[c.Cell] {
			return fmt.Errorf("cell %q is there twice", c.Cell)
		}
		seen[c.Cell] = true
		for key, digest := range map[string]string{"settings": c.Settings, "values": c.Values, "counts": c.Counts} {
			if len(digest) != 16 || strings.Trim(digest, "0123456789abcdef") != "" {
				return fmt.Errorf("%s of cell %q is %q; want 16 hexadecimal digits", key, c.Cell, digest)
			}
		}
		to.Cells = append(to.Cells, c)
	}
	return err
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
