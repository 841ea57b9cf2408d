package datasets

import (
	"bytes"
	"io"
)

// rows reads a file row by row. After read returned nil, width, put and errorf speak of the row it read.
type rows interface {
	// read reads the next row and returns its target, or io.EOF.
	read() (y float64, err error)
	// width returns the number of inputs the row needs.
	width() int
	// put copies the inputs to x, whose length is at least width.
	put(x []float64)
	// errorf returns an ErrFormat that names the row.
	errorf(format string, args ...any) error
}

// libsvmRows reads lines of the form "label index:value index:value …", indices from 1 and
// increasing, with absent values zero.
type libsvmRows struct {
	*text
	dims  int // largest index allowed, 0 for no limit
	index []int
	value []float64
}

// maxIndex bounds the number of columns of a file.
const maxIndex = 999_999_999

func newLibsvm(r io.Reader, path string, dims int) *libsvmRows {
	return &libsvmRows{text: newText(r, path), dims: dims}
}

func (l *libsvmRows) width() int {
	if len(l.index) == 0 {
		return 0
	}
	return l.index[len(l.index)-1]
}

func (l *libsvmRows) put(x []float64) {
	clear(x)
	for k, i := range l.index {
		x[i-1] = l.value[k]
	}
}

func (l *libsvmRows) read() (float64, error) {
	line, err := l.next()
	if err != nil {
		return 0, err
	}
	l.index, l.value = l.index[:0], l.value[:0]
	word, rest := cutWord(line)
	if bytes.IndexByte(word, ':') >= 0 {
		return 0, l.errorf("the label is missing: the line begins with the pair %s", clip(word))
	}
	y, err := parseNumber(word)
	if err != nil {
		return 0, l.errorf("the label %s is %w", clip(word), err)
	}
	for word, rest = cutWord(rest); len(word) > 0; word, rest = cutWord(rest) {
		if err := l.pair(word); err != nil {
			return 0, err
		}
	}
	return y, nil
}

// pair parses index:value.
func (l *libsvmRows) pair(word []byte) error {
	index, value, ok := bytes.Cut(word, []byte(":"))
	if !ok {
		return l.errorf("%s is not a pair index:value", clip(word))
	}
	i, ok := parseIndex(index)
	if !ok {
		return l.errorf("the index of %s is not a whole number from 1 to %d", clip(word), maxIndex)
	}
	switch last := l.width(); {
	case l.dims > 0 && i > l.dims:
		return l.errorf("index %d is beyond the %d inputs the data has: correct the file or state more columns", i, l.dims)
	case i == last:
		return l.errorf("index %d occurs twice", i)
	case i < last:
		return l.errorf("index %d comes after %d: sort the pairs by index", i, last)
	}
	v, err := parseNumber(value)
	if err != nil {
		return l.errorf("the value of %s is %w", clip(word), err)
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
