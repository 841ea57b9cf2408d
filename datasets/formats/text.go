package formats

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strconv"
	"sync"

	"repro/results/printed"
)

// maxLine bounds the length of a line: a file with longer ones is not text.
const maxLine = 1 << 26

// text reads a file by lines and knows where it is.
type text struct {
	r      io.Reader
	path   string
	line   int    // of the line last returned, from 1
	window []byte // what was read and is not returned yet begins at pos
	pos    int
	err    error // of r
	least  int   // bytes of the first window
	most   int   // bytes of the largest window, except for longer lines: it doubles as long as the file goes on
	ahead  ahead
}

func newText(r io.Reader, path string) *text {
	return &text{r: r, path: path, least: 1 << 16, most: 1 << 21, ahead: ahead{least: 1 << 15}}
}

// fill reads on, until the window is full or the file ends.
func (t *text) fill() {
	left := copy(t.window, t.window[t.pos:])
	t.window, t.pos = t.window[:left], 0
	if size := cap(t.window); left > size/2 || size < t.most {
		t.window = append(make([]byte, 0, max(t.least, 2*size)), t.window...)
	}
	for len(t.window) < cap(t.window) && t.err == nil {
		var n int
		n, t.err = t.r.Read(t.window[len(t.window):cap(t.window)])
		t.window = t.window[:len(t.window)+n]
	}
}

// Errorf returns an ErrFormat that names the current line.
func (t *text) Errorf(format string, args ...any) error {
	return Faultf(ErrFormat, "%s:%d: "+format, append([]any{t.path, t.line}, args...)...)
}

// next returns the next line that is not blank, valid until the following call, or io.EOF. Blank
// lines are accepted at the end of the file only.
func (t *text) next() ([]byte, error) {
	t.forget()
	blank := 0
	for {
		line, err := t.read()
		if err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if blank > 0 {
				t.line = blank
				return nil, t.Errorf("the line is blank: remove it")
			}
			return line, nil
		}
		if blank == 0 {
			blank = t.line
		}
	}
}

// read returns the next line without its end.
func (t *text) read() ([]byte, error) {
	t.line++
	end := bytes.IndexByte(t.window[t.pos:], '\n')
	for end < 0 && t.err == nil {
		seen := len(t.window) - t.pos
		if seen >= maxLine {
			return nil, t.Errorf("the line is longer than %d MiB: this is not a text file", maxLine>>20)
		}
		t.fill()
		if end = bytes.IndexByte(t.window[seen:], '\n'); end >= 0 {
			end += seen
		}
	}
	if end < 0 && t.err != io.EOF {
		return nil, t.Errorf("%w", Broken(t.err))
	}
	line := t.window[t.pos:]
	switch {
	case end >= 0:
		line = line[:end]
		t.pos += end + 1
	case len(line) == 0:
		return nil, io.EOF
	default:
		t.pos = len(t.window)
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	if t.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}

var errNotNumber = errors.New("not a decimal number")

// parseNumber parses a finite decimal number. Go's other spellings (hexadecimal, underscores) are
// refused; so are NaN and infinities, which come with a reason of their own.
func parseNumber(b []byte) (float64, error) {
	if v, n := leadingNumber(b); n > 0 && n == len(b) {
		return v, nil
	}
	for _, c := range b {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			switch _, is := printed.ReadCell(string(b), '.'); is {
			case printed.IsNotFinite:
				return 0, errors.New("not finite: remove the row or fill the value in")
			case printed.IsMissing:
				return 0, errors.New("no value: remove the row or fill the value in")
			}
			return 0, errNotNumber
		}
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, errors.New("beyond the range of float64: rescale the column")
	}
	if err != nil {
		return 0, errNotNumber
	}
	return v, nil
}

// exact are the powers of ten that a float64 holds without rounding.
var exact = [23]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// leadingNumber returns the number that b begins with and its length, 0 if parseNumber would refuse it. It gives parseNumber's
// bits: digits below 2⁵³ and a power of ten up to 10²² are exact, so their product or quotient is rounded once
// (Clinger, PLDI 1990); all others go to strconv. By strconv alone, BenchmarkCSV takes twice as long for numbers of 6 digits.
func leadingNumber(b []byte) (v float64, n int) {
	i := 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	digits, point, mantissa := 0, -1, uint64(0)
	for ; i < len(b); i++ {
		if c := b[i] - '0'; c <= 9 {
			mantissa = 10*mantissa + uint64(c) // meaningless beyond 19 digits
			digits++
			continue
		}
		if b[i] != '.' || point >= 0 {
			break
		}
		point = digits
	}
	if digits == 0 {
		return 0, 0
	}
	power := 0
	if point >= 0 {
		power = point - digits
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		e, n := exponent(b[i+1:])
		if n == 0 {
			return 0, 0
		}
		power, i = power+e, i+1+n
	}
	if digits > 19 || mantissa >= 1<<53 || power < -22 || power > 22 {
		v, err := strconv.ParseFloat(string(b[:i]), 64)
		if err != nil {
			return 0, 0
		}
		return v, i
	}
	v = float64(mantissa)
	if power < 0 {
		v /= exact[-power]
	} else {
		v *= exact[power]
	}
	if b[0] == '-' {
		v = -v
	}
	return v, i
}

// exponent returns the whole number that b begins with, at most 1000 in magnitude, and its length, 0 if it has no digits.
func exponent(b []byte) (e, n int) {
	i := 0
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		i++
	}
	from := i
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		e = min(10*e+int(b[i]-'0'), 1000)
	}
	if i == from {
		return 0, 0
	}
	if b[0] == '-' {
		e = -e
	}
	return e, i
}

// clip shortens b for an error message.
func clip(b []byte) string {
	if len(b) > 40 {
		return strconv.Quote(string(b[:40])) + "…"
	}
	return strconv.Quote(string(b))
}

// ahead is rows parsed before they are asked for, on all threads. They are those that a row parser reads without looking at the
// lines before: nearly all of most files. The others, and all mistakes, are left to the line by line code of a format.
type ahead struct {
	parse     rowParser // nil to parse nothing ahead
	least     int       // bytes from which a part of the window is worth a goroutine
	parts     []batch   // of the window, in order
	part, row int       // of the next row
	wait      int       // lines to read before rows are parsed ahead again
	pause     int       // what wait was last
}

// A batch is the rows of some lines that follow one another.
type batch struct {
	y, x  []float64
	index []int // libsvm: of each number of x
	ends  []int // of the numbers of each row
	bytes int   // of the lines
	all   bool  // all of the part was parsed
}

// A row is one of a batch.
type row struct {
	y     float64
	x     []float64
	index []int
}

func (b *batch) reset() { *b = batch{y: b.y[:0], x: b.x[:0], index: b.index[:0], ends: b.ends[:0]} }

// at returns row i.
func (b *batch) at(i int) row {
	from := 0
	if i > 0 {
		from = b.ends[i-1]
	}
	r := row{y: b.y[i], x: b.x[from:b.ends[i]]}
	if len(b.index) > 0 {
		r.index = b.index[from:b.ends[i]]
	}
	return r
}

// A rowParser appends the row of a line, without its end, to a batch. It reports false, and leaves anything behind the rows of
// the batch, if the line is not of the simplest form. Several goroutines call it at a time.
type rowParser func(line []byte, b *batch) bool

// mostPause is the number of lines after which rows are parsed ahead again where that did not help.
const mostPause = 1 << 12

// nextAhead returns the next row if it is parsed ahead or can be. If not, text.next returns the next line.
func (t *text) nextAhead() (r row, ok bool) {
	a := &t.ahead
	for {
		if a.part < len(a.parts) {
			b := &a.parts[a.part]
			if a.row < len(b.y) {
				a.row++
				t.line++
				return b.at(a.row - 1), true
			}
			t.pos += b.bytes
			a.part, a.row = a.part+1, 0
			if !b.all {
				a.pause = min(2*max(a.pause, 1), mostPause)
				if len(b.y) > 0 {
					a.pause = 1
				}
				a.wait, a.parts = a.pause, a.parts[:0]
			}
			continue
		}
		if a.wait > 0 {
			a.wait--
			return row{}, false
		}
		if !t.parseAhead() {
			return row{}, false
		}
	}
}

// forget makes the lines of rows that are parsed ahead, and were not asked for, those that text.next returns next.
func (t *text) forget() {
	a := &t.ahead
	if a.part == len(a.parts) {
		return
	}
	for range a.row {
		t.pos += bytes.IndexByte(t.window[t.pos:], '\n') + 1
	}
	a.parts, a.part, a.row = a.parts[:0], 0, 0
}

// parseAhead parses the whole lines of the window, of which there is at least one if it returns true.
func (t *text) parseAhead() bool {
	if t.line == 0 || t.ahead.parse == nil {
		return false // the first line may begin with a byte order mark
	}
	end := bytes.LastIndexByte(t.window[t.pos:], '\n')
	if end < 0 && t.err == nil {
		t.fill()
		end = bytes.LastIndexByte(t.window[t.pos:], '\n')
	}
	if end < 0 {
		return false
	}
	lines := t.window[t.pos : t.pos+end+1]
	a := &t.ahead
	n := max(1, min(runtime.GOMAXPROCS(0), len(lines)/a.least))
	if cap(a.parts) < n {
		a.parts = append(a.parts[:cap(a.parts)], make([]batch, n-cap(a.parts))...)
	}
	a.parts, a.part, a.row = a.parts[:n], 0, 0
	var others sync.WaitGroup
	for i := range n {
		part := lines
		if i < n-1 {
			part = lines[:bytes.IndexByte(lines[len(lines)/(n-i):], '\n')+len(lines)/(n-i)+1]
			lines = lines[len(part):]
			others.Go(func() { a.parts[i].parse(part, a.parse) })
		} else {
			a.parts[i].parse(part, a.parse)
		}
	}
	others.Wait()
	return true
}

// parse appends the rows of lines, up to the first that parse refuses.
func (b *batch) parse(lines []byte, parse rowParser) {
	b.reset()
	all := len(lines)
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		line := lines[:end]
		if end > 0 && line[end-1] == '\r' {
			line = line[:end-1]
		}
		numbers := len(b.x)
		if !parse(line, b) {
			b.x, b.index = b.x[:numbers], b.index[:min(numbers, len(b.index))]
			break
		}
		b.ends = append(b.ends, len(b.x))
		lines = lines[end+1:]
	}
	b.bytes = all - len(lines)
	b.all = len(lines) == 0
}
