package formats

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// everything reads all rows of a text: targets, inputs, line numbers and the error.
func everything(r Rows) string {
	var all strings.Builder
	for {
		y, err := r.Read()
		if err != nil {
			fmt.Fprintln(&all, err)
			return all.String()
		}
		index, x := r.Inputs()
		fmt.Fprintln(&all, y, index, x, r.Errorf("here"))
	}
}

// inBothWays reads a text with small windows and parts, and line by line.
func inBothWays(content string, libsvm bool, window int) (ahead, plain string, err error) {
	open := func(r io.Reader) (Rows, *text, error) {
		if libsvm {
			l := NewLIBSVM(r, "x", 50)
			return l, l.text, nil
		}
		c, err := NewCSV(r, "x", "", strings.HasPrefix(content, "a"))
		if err != nil {
			return nil, nil, err
		}
		return c, c.text, nil
	}
	a, small, err := open(iotest.HalfReader(strings.NewReader(content)))
	if err != nil {
		return "", "", err
	}
	small.least, small.most, small.ahead.least = window, 2*window, window/3+1
	b, one, err := open(strings.NewReader(content))
	if err != nil {
		return "", "", err
	}
	one.ahead.parse = nil
	return everything(a), everything(b), nil
}

var aheadTexts = []struct {
	libsvm bool
	text   string
}{
	{false, "1,2,3\n4,5,6\n7,8,9\n10,11,12\n-1e3,.5,1.\n"},
	{false, "1,2,3\r\n4,5,6\r\n\"7\",8,9\r\n10,11,12\r\n10, 11,12\n1,2,3"},
	{false, "a,b\n1,2\n3,4\n\n\n"},
	{false, "1,2\n3,4\n\n5,6\n"},
	{false, "1,2\n3,4\n5,6,7\n8,9\n"},
	{false, "1,2\n3,4\n5,x\n8,9\n"},
	{false, "1,2\n3,4\n5,nan\n8,9\n"},
	{false, "\xef\xbb\xbf1,2\n3,4\n"},
	{false, "1,2\n" + strings.Repeat("0", 300) + "3,4\n5,6\n7,8\n"},
	{true, "1 1:2 3:4\n-1 2:0.5\n1\n-1 1:1 2:2 3:3 4:4\n"},
	{true, "1 1:2 3:4\n-1 2:0.5 2:1\n1 3:1\n"},
	{true, "1 1:2\n-1 3:1 2:1\n"},
	{true, "1 1:2 \t\n +1 5:1\n-1\t7:1e2\n0 0:1\n"},
	{true, "1 1:2\n1 1234567890:1\n"},
	{true, "1 1:2\n1 50:1\n1 51:1\n"},
	{true, "1 1:2\n1 01:1 2:x\n"},
}

// Rows that are parsed ahead are those read line by line, with the same line numbers and mistakes, wherever windows and their
// parts end.
func TestAhead(t *testing.T) {
	for _, c := range aheadTexts {
		for window := 1; window < 60; window++ {
			for _, content := range []string{c.text, c.text + c.text} {
				ahead, plain, err := inBothWays(content, c.libsvm, window)
				require.NoError(t, err)
				require.Equal(t, plain, ahead, "window %d of %q", window, content)
			}
		}
	}
}

func FuzzAhead(f *testing.F) {
	for _, c := range aheadTexts {
		f.Add(c.text, c.libsvm, uint8(7))
	}
	f.Fuzz(func(t *testing.T, content string, libsvm bool, window uint8) {
		ahead, plain, err := inBothWays(content, libsvm, 1+int(window))
		if err == nil {
			require.Equal(t, plain, ahead)
		}
	})
}

// A reader that fails is a mistake behind the rows before it.
func TestAheadOfAFault(t *testing.T) {
	rows := strings.Repeat("1,2,3\n", 50000)
	c, err := NewCSV(io.MultiReader(strings.NewReader(rows), iotest.ErrReader(io.ErrUnexpectedEOF)), "x", "", false)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(everything(c)), "\n")
	require.Len(t, lines, 50001)
	require.Contains(t, lines[50000], "x:50001: ")
}
