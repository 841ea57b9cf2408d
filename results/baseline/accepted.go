package baseline

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Read returns the accepted snapshot of an experiment. The error is an fs.ErrNotExist if there is none. Others name the file
// and, if it can be told, the line.
func (a Accepted) Read(experiment string) (changes.Snapshot, error) {
	name := experiment + ".json"
	text, err := fs.ReadFile(a.fsys, name)
	if err != nil {
		return changes.Snapshot{}, err
	}
	s, err := parse(filepath.Join(a.Dir, filepath.FromSlash(name)), text)
	if err == nil && s.Experiment != experiment {
		err = fmt.Errorf("%s: holds experiment %s; a file is named after its experiment", filepath.Join(a.Dir, name), s.Experiment)
	}
	return s, err
}

// Write writes the accepted snapshot of an experiment, a line for the cells of each method and one for each number.
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

// format writes a snapshot as JSON.
func format(s changes.Snapshot) ([]byte, error) {
	var b bytes.Buffer
	line := func(v any) (string, error) {
		var one bytes.Buffer
		e := json.NewEncoder(&one)
		e.SetEscapeHTML(false)
		err := e.Encode(v)
		return strings.TrimSuffix(one.String(), "\n"), err
	}
	var errs []error
	pair := func(key string, v any) {
		text, err := line(v)
		errs = append(errs, err)
		fmt.Fprintf(&b, " %q: %s,\n", key, text)
	}
	b.WriteString("{\n")
	pair("schema", s.Schema)
	pair("experiment", s.Experiment)
	pair("profile", s.Profile)
	pair("commit", s.Commit)
	pair("comparable_since", s.ComparableSince)
	items := func(key string, n int, item func(int) any, end string) {
		fmt.Fprintf(&b, " %q: [", key)
		for i := range n {
			text, err := line(item(i))
			errs = append(errs, err)
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString("\n  " + text)
		}
		b.WriteString("\n ]" + end + "\n")
	}
	runs := s.Cells.Runs()
	items("cells", len(runs), func(i int) any { return runs[i] }, ",")
	items("numbers", len(s.Numbers), func(i int) any { return s.Numbers[i] }, "")
	b.WriteString("}\n")
	return b.Bytes(), errors.Join(errs...)
}

// parse reads a snapshot strictly.
func parse(file string, text []byte) (changes.Snapshot, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	fail := func(err error) error {
		at := d.InputOffset()
		if s := (*json.SyntaxError)(nil); errors.As(err, &s) {
			at = s.Offset
		}
		at = min(at, int64(len(text)))
		return fmt.Errorf("%s:%d: %w; restore the file from git, or accept the experiment again", file, 1+bytes.Count(text[:at], []byte("\n")), err)
	}
	var s changes.Snapshot
	targets := map[string]any{"schema": &s.Schema, "experiment": &s.Experiment, "profile": &s.Profile, "commit": &s.Commit, "comparable_since": &s.ComparableSince}
	seen := map[string]bool{}
	err := object(d, func(key string) error {
		switch key {
		case "cells":
			return array(d, func() error {
				all, err := parseCells(d, seen)
				s.Cells = append(s.Cells, all...)
				return err
			})
		case "numbers":
			return array(d, func() error {
				var n changes.Number
				if err := d.Decode(&n); err != nil {
					return err
				}
				s.Numbers = append(s.Numbers, n)
				return validNumber(n)
			})
		}
		if targets[key] == nil {
			return fmt.Errorf("unknown key %q", key)
		}
		return d.Decode(targets[key])
	})
	if err != nil {
		return s, fail(err)
	}
	s.Cells.Sort()
	if s.Schema != changes.Schema {
		return s, fmt.Errorf("%s: has schema %d, and this program reads %d; accept the experiment again", file, s.Schema, changes.Schema)
	}
	if _, err := d.Token(); err != io.EOF {
		return s, fail(errors.New("text after the end"))
	}
	return s, nil
}

// parseCells reads the cells of one method. seen has the cells so far.
func parseCells(d *json.Decoder, seen map[string]bool) (changes.Cells, error) {
	var r changes.Runs
	if err := d.Decode(&r); err != nil {
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

// object reads a JSON object and calls value for every key.
func object(d *json.Decoder, value func(key string) error) error {
	if err := delimiter(d, '{'); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if err := value(key.(string)); err != nil {
			return err
		}
	}
	return delimiter(d, '}')
}

// array reads a JSON array and calls item for every item.
func array(d *json.Decoder, item func() error) error {
	if err := delimiter(d, '['); err != nil {
		return err
	}
	for d.More() {
		if err := item(); err != nil {
			return err
		}
	}
	return delimiter(d, ']')
}

func delimiter(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err == nil && got != want {
		err = fmt.Errorf("want %v, got %v", want, got)
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
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
