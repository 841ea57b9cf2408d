package formats

import (
	"bytes"
	"io"
)

// LIBSVM reads lines of the form "label index:value index:value …", indices from 1 and
// increasing, with absent values zero. It leaves out comments behind # and the qid:value that may follow the label.
type LIBSVM struct {
	*text
	dims  int // largest index allowed, 0 for no limit
	index []int
	value []float64
}

func NewLIBSVM(r io.Reader, path string, dims int) *LIBSVM {
	return &LIBSVM{text: newText(r, path), dims: dims}
}

func (l *LIBSVM) Width() int {
	if len(l.index) == 0 {
		return 0
	}
	return l.index[len(l.index)-1]
}

func (l *LIBSVM) Inputs() (index []int, values []float64) { return l.index, l.value }

func (l *LIBSVM) Read() (float64, error) {
	line, err := l.next()
	for err == nil && len(uncommented(line)) == 0 {
		line, err = l.next()
	}
	if err != nil {
		return 0, err
	}
	if y, ok := l.plain(line); ok {
		return y, nil
	}
	l.index, l.value = l.index[:0], l.value[:0]
	word, rest := cutWord(uncommented(line))
	if bytes.IndexByte(word, ':') >= 0 {
		return 0, l.Errorf("the label is missing: the line begins with the pair %s", clip(word))
	}
	y, err := parseNumber(word)
	if err != nil {
		return 0, l.Errorf("the label %s is %w", clip(word), err)
	}
	if word, more := cutWord(rest); bytes.HasPrefix(word, []byte("qid:")) {
		rest = more
	}
	for word, rest = cutWord(rest); len(word) > 0; word, rest = cutWord(rest) {
		if err := l.pair(word); err != nil {
			return 0, err
		}
	}
	return y, nil
}

// uncommented returns a line without its comment.
func uncommented(line []byte) []byte {
	line, _, _ = bytes.Cut(line, []byte("#"))
	return bytes.TrimSpace(line)
}

// plain reads a row without mistakes, comment and qid, as most are. ok is false for any other row.
func (l *LIBSVM) plain(line []byte) (y float64, ok bool) {
	l.index, l.value = l.index[:0], l.value[:0]
	y, n := leadingNumber(line)
	if n == 0 {
		return 0, false
	}
	line = line[n:]
	for last := 0; ; {
		blanks := 0
		for blanks < len(line) && (line[blanks] == ' ' || line[blanks] == '\t') {
			blanks++
		}
		if line = line[blanks:]; len(line) == 0 {
			return y, true
		}
		colon := bytes.IndexByte(line, ':')
		if blanks == 0 || colon < 0 {
			return 0, false
		}
		i, ok := parseIndex(line[:colon])
		if !ok || i <= last || l.dims > 0 && i > l.dims {
			return 0, false
		}
		v, n := leadingNumber(line[colon+1:])
		if n == 0 {
			return 0, false
		}
		line, last = line[colon+1+n:], i
		l.index, l.value = append(l.index, i), append(l.value, v)
	}
}

// pair parses index:value.
func (l *LIBSVM) pair(word []byte) error {
	index, value, ok := bytes.Cut(word, []byte(":"))
	if !ok {
		return l.Errorf("%s is not a pair index:value", clip(word))
	}
	i, ok := parseIndex(index)
	if !ok {
		return l.Errorf("the index of %s is not a whole number from 1 to %d", clip(word), MaxColumns)
	}
	switch last := l.Width(); {
	case l.dims > 0 && i > l.dims:
		return l.Errorf("index %d is beyond the %d inputs the data has: correct the file or state more columns", i, l.dims)
	case i == last:
		return l.Errorf("index %d occurs twice", i)
	case i < last:
		return l.Errorf("index %d comes after %d: sort the pairs by index", i, last)
	}
	v, err := parseNumber(value)
	if err != nil {
		return l.Errorf("the value of %s is %w", clip(word), err)
	}
	l.index, l.value = append(l.index, i), append(l.value, v)
	return nil
}

// parseIndex parses decimal digits, at most nine so that nothing overflows, greater than zero.
func parseIndex(b []byte) (i int, ok bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = 10*i + int(c-'0')
	}
	return i, i > 0
}

// cutWord returns the first word of b and what follows it.
func cutWord(b []byte) (word, rest []byte) {
	i := 0
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	b = b[i:]
	for i = 0; i < len(b) && b[i] != ' ' && b[i] != '\t'; i++ {
	}
	return b[:i], b[i:]
}
