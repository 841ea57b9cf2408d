package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// A Writer appends the lines of one record. Every line is one write call, so that a killed run
// leaves whole lines and at most one cut one. It is not safe for concurrent use.
type Writer struct {
	f      *os.File
	offset int64
}

// Create starts the record at path with its header, replacing any record there and making the
// folders above it. It fills in Header.Line and Header.Schema.
func Create(path string, h Header) (*Writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, cannotWrite(path, err)
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	w := &Writer{f: f}
	h.Line, h.Schema = "header", Schema
	if err := w.line(h); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Resume continues the record at path after its first offset bytes, an Offset that a checkpoint stored. It deletes the
// lines written after the checkpoint.
func Resume(path string, offset int64) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w; its checkpoint is stale: run again with --fresh", err)
		}
		return nil, cannotWrite(path, err)
	}
	if err := cutAt(f, offset); err != nil {
		return nil, errors.Join(fmt.Errorf("resume %s: %w", path, err), f.Close())
	}
	return &Writer{f: f, offset: offset}, nil
}

// cutAt truncates f to offset, which must be the end of a line, and seeks there.
func cutAt(f *os.File, offset int64) error {
	last := make([]byte, 1)
	if offset > 0 {
		if _, err := f.ReadAt(last, offset-1); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	if last[0] != '\n' {
		return fmt.Errorf("byte %d, which its checkpoint stores, is not the end of a line; run again with --fresh", offset)
	}
	if err := f.Truncate(offset); err != nil {
		return err
	}
	_, err := f.Seek(offset, io.SeekStart)
	return err
}

// Point appends one evaluation. It fills in Point.Line; values that are not finite become null.
func (w *Writer) Point(p Point) error {
	p.Line = "point"
	values := make(map[string]*float64, len(p.Values))
	for k, v := range p.Values {
		if v != nil {
			v = Value(*v)
		}
		values[k] = v
	}
	p.Values = values
	return w.line(p)
}

// End appends the end line. It fills in End.Line; Partial is not a status that can be written.
func (w *Writer) End(e End) error {
	if e.Status == Partial || e.Status == "" {
		panic(fmt.Sprintf("records: a record cannot end as %q", e.Status))
	}
	e.Line = "end"
	return w.line(e)
}

// Offset returns the number of bytes written so far. A checkpoint stores it.
func (w *Writer) Offset() int64 { return w.offset }

// Close closes the file.
func (w *Writer) Close() error { return w.f.Close() }

// line appends v as one JSON line: keys of maps sorted, so equal values give equal bytes.
func (w *Writer) line(v any) error {
	b, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", w.f.Name(), err)
	}
	n, err := w.f.Write(b)
	w.offset += int64(n)
	if err != nil {
		return cannotWrite(w.f.Name(), err)
	}
	return nil
}

// marshal returns v as one JSON line with its newline.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Value returns v as a record stores it: nil if it is not finite.
func Value(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
