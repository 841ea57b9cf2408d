package tracing

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"
)

// An operand is what stands before an operator: a number, a name or a string, or a list of these.
type operand struct {
	number float64
	name   string
	text   string // of a string
	list   []operand
	kind   byte // n, /, s or [
}

// Bounds of the content of a page: bytes of a string, operands before an operator, and how deep lists lie in each other.
const (
	mostString   = 1 << 16
	mostOperands = 1 << 12
	mostLists    = 8
)

// A lexer reads content: operands, then their operator.
type lexer struct {
	in       *bufio.Reader
	operands []operand
	open     [][]operand // what stands before each open list
}

var errContent = errors.New("its content is damaged")

// interpret calls do for every operator of content.
func interpret(r io.Reader, do func(op string, args []operand)) error {
	l := lexer{in: bufio.NewReader(r)}
	for {
		c, err := l.in.ReadByte()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case blank(c):
			continue
		}
		op, err := l.token(c)
		switch {
		case err == io.EOF:
			return errContent // within a string
		case err != nil:
			return err
		case op == "":
			continue
		}
		if op == "ID" {
			if op = "EI"; l.image() != nil {
				return nil
			}
		}
		do(op, l.operands)
		l.operands, l.open = l.operands[:0], nil
	}
}

func blank(c byte) bool { return c <= ' ' }

func delimiter(c byte) bool { return strings.IndexByte("()<>[]{}/%", c) >= 0 }

// token reads a token that begins with c. It returns an operator, and the empty string for an operand, which it keeps.
func (l *lexer) token(c byte) (op string, err error) {
	switch c {
	case '%':
		for c != '\n' && c != '\r' && err == nil {
			c, err = l.in.ReadByte()
		}
		return "", nil
	case '(':
		return "", l.literal()
	case '<':
		return "", l.hex()
	case '[':
		if len(l.open) >= mostLists {
			return "", errContent
		}
		l.open, l.operands = append(l.open, l.operands), nil
		return "", nil
	case ']':
		if n := len(l.open); n > 0 {
			list := l.operands
			l.operands, l.open = l.open[n-1], l.open[:n-1]
			l.keep(operand{kind: '[', list: list})
		}
		return "", nil
	case '/':
		name, err := l.word(nil)
		l.keep(operand{kind: '/', name: name})
		return "", err
	case ')', '>', '{', '}':
		return "", nil
	}
	word, err := l.word([]byte{c})
	if err != nil {
		return "", err
	}
	if c <= '9' && c != '\'' && c != '"' && c != '*' {
		v, err := strconv.ParseFloat(word, 64)
		if err == nil {
			l.keep(operand{kind: 'n', number: v})
			return "", nil
		}
	}
	return word, nil
}

func (l *lexer) keep(o operand) {
	if len(l.operands) < mostOperands {
		l.operands = append(l.operands, o)
	}
}

// word reads up to a blank or a delimiter.
func (l *lexer) word(begun []byte) (string, error) {
	for {
		c, err := l.in.ReadByte()
		switch {
		case err == io.EOF:
			return string(begun), nil
		case err != nil:
			return "", err
		case blank(c) || delimiter(c):
			return string(begun), l.in.UnreadByte()
		case len(begun) >= 128:
			return "", errContent
		}
		begun = append(begun, c)
	}
}

// escapes are the letters behind a backslash.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f'}

// literal reads a string in brackets.
func (l *lexer) literal() error {
	var text []byte
	for depth := 1; ; {
		c, err := l.in.ReadByte()
		if err != nil || len(text) > mostString {
			return errors.Join(err, errContent)
		}
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				l.keep(operand{kind: 's', text: string(text)})
				return nil
			}
		case '\\':
			if c, err = l.escaped(); err != nil {
				return err
			}
		}
		text = append(text, c)
	}
}

// escaped reads what stands behind a backslash.
func (l *lexer) escaped() (byte, error) {
	c, err := l.in.ReadByte()
	if to, ok := escapes[c]; ok || err != nil {
		return to, err
	}
	if c < '0' || c > '7' {
		return c, nil
	}
	v := int(c - '0')
	for range 2 {
		next, err := l.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if next < '0' || next > '7' {
			return byte(v), l.in.UnreadByte()
		}
		v = v*8 + int(next-'0')
	}
	return byte(v), nil
}

// hex reads a string of hexadecimal digits. A table, which begins alike, is skipped mark by mark.
func (l *lexer) hex() error {
	var digits []byte
	for {
		c, err := l.in.ReadByte()
		switch {
		case err != nil || len(digits) > 2*mostString:
			return errors.Join(err, errContent)
		case c == '<' && len(digits) == 0:
			return nil
		case c == '>':
			if len(digits)%2 == 1 {
				digits = append(digits, '0')
			}
			text := make([]byte, len(digits)/2)
			if _, err := hex.Decode(text, digits); err != nil {
				return errContent
			}
			l.keep(operand{kind: 's', text: string(text)})
			return nil
		case !blank(c):
			digits = append(digits, c)
		}
	}
}

// image skips the bytes of a picture in the content, up to EI between blanks.
func (l *lexer) image() error {
	var last [4]byte
	for {
		c, err := l.in.ReadByte()
		if err != nil {
			return err
		}
		last = [4]byte{last[1], last[2], last[3], c}
		if blank(last[0]) && last[1] == 'E' && last[2] == 'I' && blank(last[3]) {
			return nil
		}
	}
}
