package formats

import (
	"bytes"
	"io"
)

// A Counted is the shape of a file: the numbers of rows and of inputs, and for libsvm the first row, from 1, with so many.
type Counted struct{ Rows, Inputs, Widest int }

// Count returns the shape of a file without reading its numbers: of an array from its header, of
// csv from the first row and the number of lines, of libsvm from the largest index. A malformed row is counted; Rows
// reports it.
func Count(r io.Reader, path string, l Layout) (n Counted, err error) {
	switch l.Format {
	case "npy":
		a, err := NewNpyRows(r, path, l.Target, l.Most)
		if err != nil {
			return n, err
		}
		return Counted{Rows: a.n, Inputs: a.cols - 1}, nil
	case "csv":
		c, err := NewCSV(r, path, l.Target, l.Header)
		if err != nil {
			return n, err
		}
		if _, err := c.Read(); err != nil && err != io.EOF {
			return n, err
		} else if err == nil {
			n = Counted{Rows: 1, Inputs: c.Width()}
		}
		more, err := c.lines(func([]byte) {})
		n.Rows += more
		return n, err
	case "libsvm":
		n.Inputs = l.Inputs
		row := 0
		n.Rows, err = newText(r, path).lines(func(line []byte) {
			row++
			colon := bytes.LastIndexByte(line, ':')
			if colon < 0 {
				return
			}
			word := line[bytes.LastIndexAny(line[:colon], " \t")+1 : colon]
			if i, ok := parseIndex(word); ok && i > n.Inputs {
				n.Inputs, n.Widest = i, row
			}
		})
		return n, err
	}
	panic("formats: unknown format " + l.Format)
}

// lines calls visit on all lines that are left and returns their number.
func (t *text) lines(visit func(line []byte)) (n int, err error) {
	for {
		line, err := t.next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n++
		visit(line)
	}
}
