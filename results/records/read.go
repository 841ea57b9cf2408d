package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"repro/results/files"
)

// ErrNoHeader is wrapped by Read when a run was killed before its header was on disk.
var ErrNoHeader = errors.New("no whole header line: the run was interrupted before it began; run it again")

// ErrDamaged matches, with errors.Is, the error of a record that is not what a run wrote: a line was changed, removed or
// added, or the file is no record. The error names the file and the line.
var ErrDamaged = errors.New("damaged record")

// ErrNewer matches, with errors.Is, the error of a record that a newer version of repro wrote.
var ErrNewer = errors.New("written by a newer repro")

// damage is the fault of a line, an ErrDamaged.
type damage struct{ error }

func (d damage) Error() string {
	cause := d.error.Error()
	if len(cause) > 300 { // it may quote the line
		cause = strings.ToValidUTF8(cause[:300], "") + "…"
	}
	return cause + "; run it again, or restore the file from a copy"
}

func (d damage) Is(target error) bool { return target == ErrDamaged }

// Read reads the record at path and checks its checksums. It leaves out a last line without its newline, so that the
// record is partial. Any other fault is an error with file and line.
func Read(path string) (*Record, error) {
	data, err := files.Read(path)
	if err != nil {
		return nil, err
	}
	return parseRecord(path, 1, data)
}

// ErrRoom matches, with errors.Is, the error of ParseWithin if the record takes more memory than is left.
var ErrRoom = errors.New("it takes more memory than is left")

// ParseWithin reads the record that data holds, as Read reads a file. name is the file that errors name. It takes at most
// room bytes of memory beside data, and returns how many the record keeps.
func ParseWithin(name string, data []byte, room int64) (r *Record, kept int64, err error) {
	left := room
	r, _, err = parse(name, 1, data, &left)
	return r, room - left, err
}

// Decoded is at least the bytes that decoding JSON text takes, if an object or a list in it takes at most object bytes and
// what a comma separates at most 96: an entry of a map, whose table is up to twice as long as its entries.
func Decoded(text []byte, object int) int64 {
	objects := bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("["))
	return int64(len(text) + object*objects + 96*bytes.Count(text, []byte(",")))
}

// objectBytes is what an object in a line takes at most: a map of up to eight entries.
const objectBytes = 384

// bytes is at least the memory of a point among others.
func (p *Point) bytes() int64 {
	n := 3*int(unsafe.Sizeof(*p))/2 + objectBytes // a slice grows by a quarter, or doubles while it is short
	for key := range p.Values {
		n += len(key) + 64
	}
	return int64(n)
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
	r, _, err := parse(name, first, data, unlimited())
	return r, err
}

// unlimited is the room of a file of the user's own.
func unlimited() *int64 { return new(int64(math.MaxInt64)) }

// parse is parseRecord. It also returns the chain of checksums after the last line, and takes what it keeps off left.
func parse(name string, first int, data []byte, left *int64) (*Record, chain, error) {
	r, sums := &Record{}, newChain()
	n := 0
	if k := bytes.Count(data, []byte("\n"+pointStart)); k > 0 {
		r.Points = make([]Point, 0, k)
	}
	for line := range bytes.Lines(data) {
		n++
		data = data[len(line):]
		if len(data) == 0 && r.cut(line) {
			break
		}
		if err := r.add(line, n, sums, left); err != nil {
			return nil, sums, fmt.Errorf("%s:%d: %w", name, first+n-1, err)
		}
	}
	if r.Header.Line == "" {
		return nil, sums, fmt.Errorf("%s:%d: %w", name, first, ErrNoHeader)
	}
	return r, sums, nil
}

// cut reports whether the last line of the file is one that a killed run left half written: it has no newline, and nothing
// follows its checksum.
func (r *Record) cut(line []byte) bool {
	return r.End == nil && !bytes.HasSuffix(line, []byte("\n")) && beyondSum(line) < 0
}

// add appends line n of the record, counted from 1, and takes what it keeps off left.
func (r *Record) add(line []byte, n int, sums chain, left *int64) error {
	var kind struct {
		Line   string `json:"line"`
		Schema int    `json:"schema"`
	}
	if r.End != nil {
		return damage{errors.New("a line after the end line")}
	}
	if n > 1 {
		if err := sums.check(line); err != nil {
			return damage{err}
		}
	}
	l, plain := r.plain(line)
	if plain {
		kind.Line, kind.Schema = l.kind, Schema
	} else if err := json.Unmarshal(line, &kind); err != nil {
		return damage{fmt.Errorf("broken line: %w", err)}
	}
	switch {
	case (n == 1) != (kind.Line == "header"):
		return damage{fmt.Errorf("line %q: a record has one header, at its start", kind.Line)}
	case kind.Line == "header" && kind.Schema > Schema:
		return fmt.Errorf("%w: schema %d, this one reads %d; update repro", ErrNewer, kind.Schema, Schema)
	case kind.Line == "header" && kind.Schema < Schema:
		return damage{fmt.Errorf("schema %d: not a record of repro", kind.Schema)}
	case kind.Line == "header":
		if err := sums.check(line); err != nil {
			return damage{err}
		}
	}
	takes := Decoded(line, objectBytes)
	if takes > *left {
		return ErrRoom
	}
	var err error
	if plain {
		err = r.put(l)
	} else {
		err = r.decode(kind.Line, line)
	}
	if err != nil {
		return damage{err}
	}
	if kind.Line == "point" {
		takes = r.Points[len(r.Points)-1].bytes()
	}
	*left -= takes
	return nil
}

// pointStart begins the line of a point.
const pointStart = `{"line":"point",`

// A plainLine is a line that is as the writer writes it.
type plainLine struct {
	kind   string
	header Header
	point  Point
	end    *End
}

// plain reads a line as the writer writes it. ok is false for another line, and for one that has too much in it to be read before
// that is known.
func (r *Record) plain(line []byte) (l plainLine, ok bool) {
	const most = 1 << 16
	switch {
	case len(line) > most:
	case bytes.HasPrefix(line, []byte(pointStart)):
		values := 0
		if k := len(r.Points); k > 0 {
			values = len(r.Points[k-1].Values)
		}
		l.kind = "point"
		l.point, ok = pointOf(line, values)
	case bytes.HasPrefix(line, []byte(`{"line":"header",`)):
		l.kind = "header"
		l.header, ok = headerOf(line)
	case bytes.HasPrefix(line, []byte(`{"line":"end",`)):
		l.kind, l.end = "end", &End{}
		ok = json.Unmarshal(line, l.end) == nil
	}
	return l, ok
}

// put adds a line.
func (r *Record) put(l plainLine) error {
	switch l.kind {
	case "header":
		r.Header = l.header
	case "point":
		return r.append(l.point)
	default:
		r.End = l.end
	}
	return nil
}

// brief returns a complete record with its last point only, without a look at its checksums. ok is false if a line of these is not as the
// writer writes it.
func brief(text []byte) (r *Record, ok bool) {
	after := func(text []byte) int { return bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n') + 1 }
	end := after(text)
	last := after(text[:end])
	header := text[:bytes.IndexByte(text, '\n')+1]
	r = &Record{}
	for _, line := range [][]byte{header, text[max(last, len(header)):end], text[end:]} {
		l, plain := r.plain(line)
		if len(line) > 0 && (!plain || r.put(l) != nil) {
			return nil, false
		}
	}
	return r, r.Header.Line != "" && r.End != nil
}

// append adds a point.
func (r *Record) append(p Point) error {
	if k := len(r.Points); k > 0 && p.Step < r.Points[k-1].Step {
		return fmt.Errorf("step %d after step %d: two runs wrote this record", p.Step, r.Points[k-1].Step)
	}
	r.Points = append(r.Points, p)
	return nil
}

// decode appends a line of the given kind.
func (r *Record) decode(kind string, line []byte) error {
	switch kind {
	case "header":
		return json.Unmarshal(line, &r.Header)
	case "point":
		var p Point
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}
		return r.append(p)
	case "end":
		r.End = &End{}
		return json.Unmarshal(line, r.End)
	}
	return fmt.Errorf("unknown kind of line %q", kind)
}

// token matches a string of JSON, or a number or a word.
var token = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|[^\s",:\[\]{}]+`)

// notFinite are the numbers that JSON has not, without their sign, as Python, R, Julia and C write them.
var notFinite = []string{"nan", "inf", "infinity"}

// Lenient returns JSON with numbers that are not finite, such as NaN and -Infinity, as strings. Strings stay as they are.
func Lenient(text []byte) []byte {
	return token.ReplaceAllFunc(text, func(t []byte) []byte {
		if !slices.Contains(notFinite, strings.ToLower(strings.TrimLeft(string(t), "+-"))) {
			return t
		}
		return strconv.AppendQuote(nil, string(t))
	})
}
