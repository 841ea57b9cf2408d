package formats

import (
	"bytes"
	"io"
)

// Count returns the number of rows and of inputs of a file without reading its numbers: of an array from its header, of
// csv from the first row and the number of lines, of libsvm from the largest index. A malformed row is counted; Rows
// reports it.
func Count(r io.Reader, path string, l Layout) (rows, inputs int, err error) {
	switch l.Format {
	case "npy":
		a, err := NewNpyRows(r, path, l.Target, l.Most)
		if err != nil {
			return 0, 0, err
		}
		return a.n, a.cols - 1, nil
	case "csv":
		c, err := NewCSV(r, path, l.Target, l.Header)
		if err != nil {
			return 0, 0, err
		}
		if _, err := c.Read(); err != nil && err != io.EOF {
			return 0, 0, err
		} else if err == nil {
			rows, inputs = 1, c.Width()
		}
		more, err := c.lines(func([]byte) {})
		return rows + more, inputs, err
	case "libsvm":
		inputs = l.Inputs
		rows, err = newText(r, path).lines(func(line []byte) {
			colon := bytes.LastIndexByte(line, ':')
			if colon < 0 {
				return
			}
			word := line[bytes.LastIndexAny(line[:colon], " \t")+1 : colon]
			if i, ok := parseIndex(word); ok {
				inputs = max(inputs, i)
			}
		})
		return rows, inputs, err
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
