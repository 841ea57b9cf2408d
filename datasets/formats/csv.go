package formats

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// CSV reads comma-separated numbers, one row a line; a field may stand in double quotes.
type CSV struct {
	*text
	Names  []string // of all columns, nil without a header
	target int      // column of the target, from 0
	fields [][]byte
	values []float64 // of all columns but the target
}

// NewCSV reads the header if there is one and finds the target: a name, a number from 1, or "" for
// the last column.
func NewCSV(r io.Reader, path, target string, header bool) (*CSV, error) {
	c := &CSV{text: newText(r, path), target: -1}
	if target != "" && !header {
		c.target, _ = strconv.Atoi(target)
		c.target--
	}
	if !header {
		return c, nil
	}
	line, err := c.next()
	if err == io.EOF {
		return nil, c.Errorf("the file is empty")
	}
	if err != nil {
		return nil, err
	}
	if err := c.split(line); err != nil {
		return nil, err
	}
	c.Names = make([]string, len(c.fields))
	numbers := 0
	for i, f := range c.fields {
		if c.Names[i] = string(f); c.Names[i] == "" || i == 0 && c.Names[i] == "Unnamed: 0" {
			return nil, c.Errorf("data.header: column %d has no name: pandas and R write the number of the row there. Write the file without it (index = False, row.names = FALSE), or name the column if it is an input", i+1)
		}
		if _, err := parseNumber(f); err == nil {
			numbers++
		}
	}
	if numbers == len(c.fields) && !c.counted(0) && !c.counted(1) {
		return nil, c.Errorf("data.header: the first line has numbers, and header = true takes it for names: remove header, or write a line of names above it")
	}
	if target == "" {
		return c, nil
	}
	if c.target, err = findColumn(c.Names, target); err != nil {
		return nil, Faultf(ErrFormat, "%s:%d: %w", path, c.line, err)
	}
	return c, nil
}

// counted reports whether the fields are the numbers of the columns from a first one on.
func (c *CSV) counted(first int) bool {
	for i, f := range c.fields {
		if string(f) != strconv.Itoa(first+i) {
			return false
		}
	}
	return true
}

// findColumn returns the column of the given name, or of the given number from 1.
func findColumn(names []string, target string) (int, error) {
	i := slices.Index(names, target)
	if i >= 0 && slices.Contains(names[i+1:], target) {
		return 0, fmt.Errorf("data.target: two columns are named %q: give the target by its number", target)
	}
	if i >= 0 {
		return i, nil
	}
	if n, err := strconv.Atoi(target); err == nil && n >= 1 && n <= len(names) {
		return n - 1, nil
	}
	shown := strings.Join(names[:min(len(names), 12)], ", ")
	if len(names) > 12 {
		shown += ", …"
	}
	return 0, fmt.Errorf("data.target: there is no column %q among the %d of the file: %s", target, len(names), shown)
}

func (c *CSV) Width() int                              { return len(c.values) }
func (c *CSV) Inputs() (index []int, values []float64) { return nil, c.values }

func (c *CSV) Read() (float64, error) {
	line, err := c.next()
	if err != nil {
		return 0, err
	}
	if y, ok := c.plain(line); ok {
		return y, nil
	}
	want := len(c.fields)
	if err := c.split(line); err != nil {
		return 0, err
	}
	switch n := len(c.fields); {
	case want > 0 && n != want:
		return 0, c.Errorf("%d fields, the lines before have %d", n, want)
	case c.target >= n:
		return 0, c.Errorf("%d fields, so there is no target column %d", n, c.target+1)
	case n < 2:
		return 0, c.Errorf("one field: a row needs a target and at least one input, separated by commas")
	case c.line == 1 && n >= 3 && c.counted(0):
		return 0, c.Errorf("data.header: the first line has the numbers of the columns, 0 to %d, as pandas names them: set header = true, or if it is a row, move it down", n-1)
	case c.target < 0:
		c.target = n - 1
	}
	return c.parse()
}

// plain reads a row of as many fields as the rows before, without quotes and blanks, as most are. ok is false for any other row.
func (c *CSV) plain(line []byte) (y float64, ok bool) {
	columns := len(c.fields)
	if columns < 2 || c.target < 0 || c.target >= columns {
		return 0, false
	}
	c.values = c.values[:0]
	for i := range columns {
		v, n := leadingNumber(line)
		switch {
		case n == 0, i == columns-1 && n != len(line), i < columns-1 && (n == len(line) || line[n] != ','):
			return 0, false
		case i == c.target:
			y = v
		default:
			c.values = append(c.values, v)
		}
		line = line[min(n+1, len(line)):]
	}
	return y, true
}

// parse turns the fields into numbers and returns the target.
func (c *CSV) parse() (y float64, err error) {
	c.values = slices.Grow(c.values[:0], len(c.fields))
	for i, f := range c.fields {
		v, err := parseNumber(f)
		if err != nil {
			return 0, c.badField(i, err)
		}
		if i == c.target {
			y = v
		} else {
			c.values = append(c.values, v)
		}
	}
	return y, nil
}

func (c *CSV) badField(i int, err error) error {
	hint := ""
	if c.line == 1 && c.Names == nil {
		hint = "; if the first line names the columns set header = true"
	}
	name := ""
	if c.Names != nil {
		name = " (" + c.Names[i] + ")"
	}
	if len(c.fields[i]) == 0 {
		return c.Errorf("field %d%s is empty: remove the row or fill the value in%s", i+1, name, hint)
	}
	return c.Errorf("field %d%s: %s is %w%s", i+1, name, clip(c.fields[i]), err, hint)
}

// split cuts line into fields, without blanks around them and quotes.
func (c *CSV) split(line []byte) error {
	c.fields = slices.Grow(c.fields[:0], bytes.Count(line, []byte(","))+1)
	for {
		line = bytes.TrimLeft(line, " \t")
		var field []byte
		if len(line) > 0 && line[0] == '"' {
			end := bytes.IndexByte(line[1:], '"')
			if end < 0 {
				return c.Errorf("the quote of field %d is not closed", len(c.fields)+1)
			}
			field, line = line[1:1+end], bytes.TrimLeft(line[end+2:], " \t")
			if len(line) > 0 && line[0] != ',' {
				return c.Errorf("field %d goes on after its closing quote", len(c.fields)+1)
			}
		} else if end := bytes.IndexByte(line, ','); end >= 0 {
			field, line = line[:end], line[end:]
		} else {
			field, line = line, nil
		}
		c.fields = append(c.fields, bytes.TrimSpace(field))
		if len(line) == 0 {
			return nil
		}
		line = line[1:]
	}
}
