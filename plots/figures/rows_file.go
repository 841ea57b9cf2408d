package figures

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxLine is the longest line of a file of predictions in bytes; three numbers need less than a hundred.
const maxLine = 4096

// readRows reads a file of predictions: one of the headers, then a line of numbers for each of its columns. It calls row
// with every line's number and its numbers, which it overwrites for the next.
func readRows(r io.Reader, headers []string, row func(line int, v []float64) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	header := ""
	if in.Scan() {
		header = in.Text()
	}
	if in.Err() == nil && !slices.Contains(headers, header) {
		return fmt.Errorf("line 1: header %.100q, want %q", header, headers)
	}
	columns := strings.Split(header, ",")
	v := make([]float64, len(columns))
	n := 1
	for ; in.Scan(); n++ {
		rest, more := in.Text(), true
		for i := range v {
			var field string
			if !more {
				return fmt.Errorf("line %d: %d numbers, want %d", n+1, i, len(v))
			}
			field, rest, more = strings.Cut(rest, ",")
			var err error
			if v[i], err = strconv.ParseFloat(field, 64); err != nil {
				return fmt.Errorf("line %d: %s %.100q is not a number", n+1, columns[i], field)
			}
		}
		if more {
			return fmt.Errorf("line %d: more than %d numbers", n+1, len(v))
		}
		if err := row(n+1, v); err != nil {
			return err
		}
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d: longer than %d bytes", n+1, maxLine)
	}
	return in.Err()
}
