package records

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"repro/results/files"
	"repro/results/printed"
)

// A Writer appends the lines of one record, each with its checksum. It writes each line with one call, so that a killed run
// leaves whole lines and at most one that is cut. It is not safe for concurrent use.
type Writer struct {
	path   string
	f      *files.File
	offset int64
	body   int64  // the bytes before the end line, 0 if there is none yet
	dir    string // the output folder
	named  bool   // the name is on the disk
	sums   chain
}

// Create starts a record at path with its header. It replaces a record there and makes the folders above it. It sets
// Header.Line and Header.Schema. It refuses a path that is a symbolic link or no regular file, and one that leads out of the
// output folder through a symbolic link.
func Create(path string, h Header) (*Writer, error) {
	dir := folderOf(path, h)
	f, err := files.OpenForWriting(dir, path, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Size() > 0 { // ext4 writes a file that was cut to no length to the disk when it is closed
		if err := f.Truncate(0); err != nil {
			return nil, errors.Join(files.CannotWrite(path, err), f.Close())
		}
	}
	w := &Writer{path: path, dir: dir, f: f, sums: newChain()}
	h.Line, h.Schema = "header", Schema
	if err := w.line(h); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// folderOf returns the output folder of the record at path: the path without what Path adds, or the record's own folder if
// Path would put the record elsewhere.
func folderOf(path string, h Header) string {
	path = filepath.Clean(path)
	if dir, ok := strings.CutSuffix(path, Path("", h.Experiment, h.Cell)); ok && (dir == "" || os.IsPathSeparator(dir[len(dir)-1])) {
		return filepath.Clean(dir)
	}
	return filepath.Dir(path)
}

// Resume continues the record at path after its first offset bytes, an Offset that a checkpoint stored. It deletes the
// lines written after the checkpoint. It reads the lines before it again and checks their checksums; if one does not match,
// or the record has none, the error is an ErrDamaged and the file is left as it is: the cell must start again.
func Resume(path string, offset int64) (*Writer, error) {
	data, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; its checkpoint is stale: run again with --fresh", err)
	}
	if err != nil {
		return nil, err
	}
	r, sums, err := upTo(path, data, offset)
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w; run again with --fresh", path, err)
	}
	dir := folderOf(path, r.Header)
	f, err := files.OpenForWriting(dir, path, 0)
	if err != nil {
		return nil, err
	}
	err = f.Truncate(offset)
	if err == nil {
		_, err = f.Seek(offset, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(files.CannotWrite(path, err), f.Close())
	}
	return &Writer{path: path, dir: dir, f: f, offset: offset, sums: sums}, nil
}

// upTo verifies the first offset bytes of a record, which must be whole lines without an end line. It returns the record
// and the chain of their checksums.
func upTo(path string, data []byte, offset int64) (*Record, chain, error) {
	if offset <= 0 || offset > int64(len(data)) {
		return nil, chain{}, damage{fmt.Errorf("it has %d bytes, its checkpoint continues after byte %d", len(data), offset)}
	}
	if data[offset-1] != '\n' {
		return nil, chain{}, damage{fmt.Errorf("byte %d, after which its checkpoint continues, is not the end of a line", offset)}
	}
	r, sums, err := parse(path, 1, data[:offset], unlimited())
	switch {
	case err != nil:
		return nil, chain{}, err
	case r.End != nil:
		return nil, chain{}, damage{errors.New("it has an end line")}
	}
	return r, sums, nil
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
	e.Line, w.body = "end", w.offset
	return w.line(e)
}

// Sync returns when the lines and the name of the record are on the disk. If it cannot put them there, it takes the end line back, so
// that nobody believes a record that a loss of power would damage.
func (w *Writer) Sync() (err error) {
	if w.named {
		err = w.f.Sync()
	} else {
		err = files.Settle(w.dir, w.path)
	}
	w.named = err == nil
	if err == nil {
		return nil
	}
	err = files.CannotWrite(w.path, err)
	if w.body > 0 {
		err = errors.Join(err, w.f.Truncate(w.body))
	}
	return err
}

// Offset returns the number of bytes written so far. A checkpoint stores it.
func (w *Writer) Offset() int64 { return w.offset }

// Close closes the file.
func (w *Writer) Close() error { return w.f.Close() }

// line appends v as one JSON line with its checksum: keys of maps sorted, so equal values give equal bytes.
func (w *Writer) line(v any) error {
	b, err := printed.JSON(v, "")
	if err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	n, err := w.f.Write(w.sums.seal(b))
	w.offset += int64(n)
	if err != nil {
		return files.CannotWrite(w.path, err)
	}
	return nil
}

// Value returns v as a record stores it: nil if it is not finite.
func Value(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// InPlace returns an error unless the path of the record still names the file that the writer writes, with all its bytes.
func (w *Writer) InPlace() error {
	open, err := w.f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(w.path)
	if err != nil || !os.SameFile(open, named) || named.Size() != w.offset {
		return fmt.Errorf("another program removed, replaced or changed %s during the run; run the same command again", w.path)
	}
	return nil
}

// Varying lists the keys of a line in which two runs of one cell may differ: the clock and the machine, and the checksum,
// which covers them.
var Varying = []string{"timing", "sum"}

// sumKey begins the last key of every line.
const sumKey = `,"sum":"`

// closing follows the digits of a checksum.
const closing = "\"}\n"

// A chain computes the checksums of a record: a running SHA-256 of its bytes. The checksum of a line covers every byte of
// the record before its own key "sum", so a change of any line changes the checksums of all lines after it.
type chain struct {
	hash.Hash
	room *[3 * sha256.Size]byte // for a sum and its digits
}

func newChain() chain { return chain{sha256.New(), new([3 * sha256.Size]byte)} }

// digits returns how many hexadecimal digits of the hash a line keeps: all of them in the end line.
func digits(line []byte) int {
	if bytes.HasPrefix(line, []byte(`{"line":"end"`)) {
		return 2 * sha256.Size
	}
	return 16
}

// seal returns a line, a JSON object and a newline, with its checksum as the last key, and covers the result.
func (c chain) seal(line []byte) []byte {
	body := bytes.TrimSuffix(line, []byte("}\n"))
	c.Write(body)
	sealed := make([]byte, 0, len(body)+len(sumKey)+2*sha256.Size+len(closing))
	sealed = append(append(sealed, body...), sumKey...)
	sealed = append(hex.AppendEncode(sealed, c.Sum(nil))[:len(body)+len(sumKey)+digits(line)], closing...)
	c.Write(sealed[len(body):])
	return sealed
}

// check returns an error if a line does not end with its checksum, and covers it.
func (c chain) check(line []byte) error {
	at := bytes.LastIndex(line, []byte(sumKey))
	if at < 0 {
		return errors.New("the line has no checksum")
	}
	c.Write(line[:at])
	sum := c.Sum(c.room[:0])
	hex.Encode(c.room[sha256.Size:], sum)
	rest, right := bytes.CutPrefix(line[at+len(sumKey):], c.room[sha256.Size:][:digits(line)])
	if !right || string(rest) != closing {
		return errors.New("the checksum does not match: this line or one before it was changed, removed or added after it was written")
	}
	c.Write(line[at:])
	return nil
}

// lastSum returns the checksum of the end line, which is that of the whole record. It is zero if there is none.
func lastSum(text []byte) (sum [sha256.Size]byte) {
	at := bytes.LastIndex(text, []byte(sumKey)) + len(sumKey)
	if len(text)-at == 2*sha256.Size+len(closing) {
		_, _ = hex.Decode(sum[:], text[at:len(text)-len(closing)]) // a record whose checksum is none cannot be read
	}
	return sum
}

// beyondSum returns how many bytes follow the checksum of a line: negative if it is cut, or if there is no checksum.
func beyondSum(line []byte) int {
	at := bytes.LastIndex(line, []byte(sumKey))
	if at < 0 {
		return -1
	}
	return len(line) - at - len(sumKey) - digits(line) - len(closing)
}
