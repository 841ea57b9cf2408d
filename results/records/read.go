package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// ErrNoHeader is wrapped by Read when a run was killed before its header was on disk.
var ErrNoHeader = errors.New("no whole header line: the run was interrupted before it began; run it again")

// Read reads the record at path. It leaves out a last line without its newline or with broken JSON, so that the record is
// partial. Any other fault is an error with file and line.
func Read(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseRecord(path, 1, data)
}

// split cuts data into the text of single records. A header line after an end line begins the next record.
func split(data []byte) [][]byte {
	var parts [][]byte
	start, at, ended := 0, 0, false
	for line := range bytes.Lines(data) {
		if ended && bytes.HasPrefix(line, []byte(`{"line":"header"`)) {
			parts, start = append(parts, data[start:at]), at
		}
		ended = bytes.HasPrefix(line, []byte(`{"line":"end"`))
		at += len(line)
	}
	return append(parts, data[start:])
}

// parseRecord reads one record from data, which begins at the given line of the file of that name.
func parseRecord(name string, first int, data []byte) (*Record, error) {
	r := &Record{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		data = data[len(line):]
		if len(data) == 0 && r.End == nil && (!bytes.HasSuffix(line, []byte("\n")) || !json.Valid(line)) {
			break
		}
		if err := r.add(line, n); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, first+n-1, err)
		}
	}
	if r.Header.Line == "" {
		return nil, fmt.Errorf("%s:%d: %w", name, first, ErrNoHeader)
	}
	return r, nil
}

// add appends line n of the record, counted from 1.
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
