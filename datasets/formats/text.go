package formats

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"repro/results/printed"
)

// maxLine bounds the length of a line: a file with longer ones is not text.
const maxLine = 1 << 26

// text reads a file by lines and knows where it is.
type text struct {
	lines *bufio.Scanner
	path  string
	line  int // of the line last returned, from 1
}

func newText(r io.Reader, path string) *text {
	t := &text{lines: bufio.NewScanner(r), path: path}
	t.lines.Buffer(make([]byte, 1<<16), maxLine)
	t.lines.Split(func(data []byte, ended bool) (int, []byte, error) {
		return bufio.ScanLines(data, ended && t.lines.Err() == nil) // where reading failed, what follows the last whole line is no line
	})
	return t
}

// Errorf returns an ErrFormat that names the current line.
func (t *text) Errorf(format string, args ...any) error {
	return Faultf(ErrFormat, "%s:%d: "+format, append([]any{t.path, t.line}, args...)...)
}

// next returns the next line that is not blank, valid until the following call, or io.EOF. Blank
// lines are accepted at the end of the file only.
func (t *text) next() ([]byte, error) {
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
	if !t.lines.Scan() {
		switch err := t.lines.Err(); {
		case err == nil:
			return nil, io.EOF
		case errors.Is(err, bufio.ErrTooLong):
			return nil, t.Errorf("the line is longer than %d MiB: this is not a text file", maxLine>>20)
		default:
			return nil, t.Errorf("%w", Broken(err))
		}
	}
	line := t.lines.Bytes()
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
// (Clinger, PLDI 1990); all others go to strconv. strconv alone takes twice as long on numbers of 6 digits.
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
