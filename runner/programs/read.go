package programs

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"repro/algos/compute"
)

// A predictionReader reads a program's predictions: one line for each test row, which holds a label or one number for
// each output, separated by blanks or commas.
type predictionReader struct {
	rows, out int
	labels    bool
	classes   int // of a multi-class problem, whose labels are numbers from 1; 0 for others
}

// file reads the predictions at path. Errors name the file and the line.
func (r predictionReader) file(path string) (none compute.Matrix, err error) {
	name := filepath.Base(path)
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return none, fmt.Errorf("%s: the program ended without an error but did not write this file; pass it its path as {predictions}", name)
	case err != nil:
		return none, err
	case !info.Mode().IsRegular(): // reading a pipe would wait for ever
		return none, fmt.Errorf("%s: is not a regular file", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return none, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	longest := 64 * (1 + r.out) // bytes: twice what a number in any notation needs
	lines.Buffer(make([]byte, 0, longest), longest)
	p := compute.NewMatrix(r.rows, r.out)
	n := 0
	for ; lines.Scan(); n++ {
		if n == r.rows {
			return none, fmt.Errorf("%s:%d: there are only %d test rows; write one line for each test row, and nothing else", name, n+1, r.rows)
		}
		if err := r.line(p.Row(n), lines.Text()); err != nil {
			return none, fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return none, fmt.Errorf("%s:%d: the line has more than %d bytes; write one prediction a line", name, n+1, longest)
	case err != nil:
		return none, fmt.Errorf("%s:%d: %w", name, n+1, err)
	case n < r.rows:
		return none, fmt.Errorf("%s:%d: the file ends here, after %d predictions for %d test rows", name, n+1, n, r.rows)
	}
	return p, nil
}

// line reads the prediction of one row from text into u.
func (r predictionReader) line(u []float64, text string) error {
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r,", c) })
	want := len(u)
	if r.labels {
		want = 1
	}
	if len(words) != want {
		return fmt.Errorf("want %s, got %s", numbers(want), clip(text))
	}
	if r.labels {
		return r.label(u, words[0])
	}
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // a number out of range becomes infinity or zero
			return fmt.Errorf("want %s, got %s", numbers(want), clip(w))
		}
		u[i] = v
	}
	return nil
}

// label writes a label into u in the coding of the targets: 1 or -1, or 1 for its class and 0 for the others.
func (r predictionReader) label(u []float64, word string) error {
	v, err := strconv.ParseFloat(word, 64)
	switch {
	case r.classes == 0 && err == nil && (v == 1 || v == -1):
		u[0] = v
	case r.classes > 0 && err == nil && v >= 1 && v <= float64(r.classes) && v == float64(int(v)):
		u[int(v)-1] = 1
	case r.classes == 0:
		return fmt.Errorf("want a label, 1 or -1, got %s", clip(word))
	default:
		return fmt.Errorf("want a label, 1 to %d, got %s", r.classes, clip(word))
	}
	return nil
}

func numbers(n int) string {
	if n == 1 {
		return "a number"
	}
	return fmt.Sprintf("%d numbers", n)
}

// clip quotes the beginning of a text that a program wrote.
func clip(s string) string {
	const most = 40 // characters
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
