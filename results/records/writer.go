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

// A Writer appends the lines of one record, each with its checksum. It writes each line with one call, so that a killed run
// leaves whole lines and at most one that is cut. It is not safe for concurrent use.
type Writer struct {
	f      *os.File
	offset int64
	sums   chain
}

// Create starts a record at path with its header. It replaces a record there and makes the folders above it. It sets
// Header.Line and Header.Schema.
func Create(path string, h Header) (*Writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, cannotWrite(path, err)
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	w := &Writer{f: f, sums: newChain()}
	h.Line, h.Schema = "header", Schema
	if err := w.line(h); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// Resume continues the record at path after its first offset bytes, an Offset that a checkpoint stored. It deletes the
// lines written after the checkpoint. It reads the lines before it again and checks their checksums; if one does not match,
// or the record has none, the error is an ErrDamaged and the file is left as it is: the cell must start again.
func Resume(path string, offset int64) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w; its checkpoint is stale: run again with --fresh", err)
		}
		return nil, cannotWrite(path, err)
	}
	sums, err := cutAt(f, offset)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("resume %s: %w; run again with --fresh", path, err), f.Close())
	}
	return &Writer{f: f, offset: offset, sums: sums}, nil
}

// cutAt verifies the first offset bytes of f, which must be whole lines without an end line, truncates f after them and
// seeks there. It returns the chain of their checksums.
func cutAt(f *os.File, offset int64) (chain, error) {
	info, err := f.Stat()
	if err != nil {
		return chain{}, err
	}
	if offset <= 0 || offset > info.Size() {
		return chain{}, damage{fmt.Errorf("it has %d bytes, its checkpoint continues after byte %d", info.Size(), offset)}
	}
	data := make([]byte, offset)
	if _, err := io.ReadFull(f, data); err != nil {
		return chain{}, err
	}
	if data[offset-1] != '\n' {
		return chain{}, damage{fmt.Errorf("byte %d, after which its checkpoint continues, is not the end of a line", offset)}
	}
	r, sums, err := parse(f.Name(), 1, data)
	switch {
	case err != nil:
		return sums, err
	case !r.Verified():
		return sums, damage{errors.New("it was written before records had checksums")}
	case r.End != nil:
		return sums, damage{errors.New("it has an end line")}
	}
	if err := f.Truncate(offset); err != nil {
		return sums, err
	}
	_, err = f.Seek(offset, io.SeekStart)
	return sums, err
}

// Point appends one evaluation. It sets Point.Line; values that are not finite become null.
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

// End appends the end line. It sets End.Line. It panics if the status is Partial.
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

// line appends v as one JSON line with its checksum: keys of maps sorted, so equal values give equal bytes.
func (w *Writer) line(v any) error {
	b, err := marshal(v)
	if err != nil {
		return fmt.Errorf("%s: %w", w.f.Name(), err)
	}
	n, err := w.f.Write(w.sums.seal(b))
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
