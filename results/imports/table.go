package imports

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
	"repro/results/records"
)

// A table is a file read row by row.
type table struct {
	path    string
	columns []string
	fields  []string // of the row, one for each column; the text of a JSON value
	line    int      // of the row, from 1
	late    bool     // columns may come with any row
	grown   bool     // one did since the last row
	read    func() error
}

// mostRow bounds the bytes of a row, so that a quote that is never closed does not take the whole file into memory.
const mostRow = 1 << 24

// mostColumns bounds the columns of a file, and mostName the bytes of the name of a method, a seed or a JSON value.
const (
	mostColumns = 10_000
	mostName    = 1000
)

var errLong = fmt.Errorf("the row is longer than %d MiB: this is not a table of curves, or a quote is not closed", mostRow>>20)

// strangers are files that are often given in place of text, by their first bytes.
var strangers = []struct{ begins, what string }{
	{"PAR1", "a Parquet file; write it as CSV, such as with pandas.read_parquet(…).to_csv(…)"},
	{"\x1f\x8b", "compressed; uncompress it"},
	{"PK\x03\x04", "a zip file or a workbook; unpack it, or save the sheet as CSV"},
	{"\xff\xfe", "in UTF-16; save it as UTF-8"},
	{"\xfe\xff", "in UTF-16; save it as UTF-8"},
	{"SQLite format 3", "a database; export a table as CSV"},
}

// look is how many bytes of a file are looked at before it is read.
const look = 1 << 16

// array matches the beginning of an array of objects.
var array = regexp.MustCompile(`^\s*\[\s*(\{|$)`)

// open begins to read a table and reads its header.
func open(r io.Reader, path, format string) (*table, error) {
	limit := &io.LimitedReader{R: r, N: mostRow}
	in := bufio.NewReaderSize(limit, look)
	start, err := in.Peek(look)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, s := range strangers {
		if bytes.HasPrefix(start, []byte(s.begins)) {
			return nil, fmt.Errorf("%s is %s", path, s.what)
		}
	}
	if bytes.IndexByte(start, 0) >= 0 {
		return nil, fmt.Errorf("%s is not a text file; export the curves as CSV or JSON lines", path)
	}
	if trimmed, ok := bytes.CutPrefix(start, []byte("\xef\xbb\xbf")); ok {
		_, _ = in.Discard(3)
		start = trimmed
	}
	if len(bytes.TrimSpace(start)) == 0 && len(start) < look-3 {
		return nil, fmt.Errorf("%s is empty; it has no curve", path)
	}
	if lone := bytes.IndexByte(start, '\r'); lone >= 0 && lone < len(start)-1 && bytes.IndexByte(start, '\n') < 0 {
		return nil, fmt.Errorf("%s has lines that end with a carriage return alone; write them with tr '\\r' '\\n'", path)
	}
	if array.Match(start) {
		return nil, fmt.Errorf("%s is one JSON array; write an object a line, as jq -c '.[]' does", path)
	}
	t := &table{path: path}
	if format == "json-lines" || bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")) {
		t.lines(in, limit)
		return t, nil
	}
	return t, t.separated(in, limit, separator(start, format))
}

// separator returns what separates the fields of the first line of a file.
func separator(start []byte, format string) rune {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	if format == "mlflow" && !bytes.ContainsAny(line, ",;\t") {
		return ' '
	}
	best, most := ',', 0
	for _, c := range ",;\t" {
		n, quoted := 0, false
		for _, b := range string(line) {
			quoted = quoted != (b == '"')
			if b == c && !quoted {
				n++
			}
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// separated reads separated fields under a header.
func (t *table) separated(in io.Reader, limit *io.LimitedReader, separator rune) error {
	r := csv.NewReader(in)
	r.Comma, r.ReuseRecord, r.TrimLeadingSpace = separator, true, separator != '\t' && separator != ' '
	read := func() error {
		limit.N = mostRow
		fields, err := r.Read()
		var bad *csv.ParseError
		switch {
		case err != nil && limit.N <= 0:
			t.line++
			return t.errorf("%w", errLong)
		case errors.Is(err, csv.ErrFieldCount):
			t.line, _ = r.FieldPos(0)
			return t.errorf("the row has %d fields, and the first line %d; give each row a field for each column", len(fields), len(t.columns))
		case errors.As(err, &bad):
			t.line = bad.Line
			return t.errorf("column %d: %w; close the quotes, double those within, and leave no blank between them and the separator", bad.Column, bad.Err)
		case err == io.EOF:
			return err
		case err != nil:
			t.line++
			return t.errorf("%w", err)
		}
		t.line, _ = r.FieldPos(0)
		t.fields = fields
		return nil
	}
	if t.read = read; separator == ' ' {
		t.columns, r.FieldsPerRecord = mlflowColumns, -1
		t.read = func() error {
			if err := read(); err != nil {
				return err
			}
			if n := len(t.fields); n != 2 && n != 3 {
				return t.errorf("the row has %d fields; MLflow writes timestamp, value and step", n)
			}
			t.fields = append(t.fields, "0")[:3]
			return nil
		}
		return nil
	}
	if err := read(); err != nil {
		return err
	}
	if len(t.fields) > mostColumns {
		return t.errorf("%d columns are more than the %d that can be read; choose columns when you export", len(t.fields), mostColumns)
	}
	numbers := 0
	for _, f := range t.fields {
		t.columns = append(t.columns, strings.Clone(strings.ToValidUTF8(strings.TrimSpace(f), "\ufffd")))
		if _, err := strconv.ParseFloat(strings.TrimSpace(f), 64); err == nil {
			numbers++
		}
	}
	if numbers > 0 && numbers == len(t.fields) {
		return t.errorf("the first line has numbers and no names of columns; add a line such as step,loss before it")
	}
	return nil
}

// lines reads a JSON object a line.
func (t *table) lines(in *bufio.Reader, limit *io.LimitedReader) {
	at := map[string]int{}
	t.late = true
	t.read = func() error {
		for {
			limit.N = mostRow
			line, err := in.ReadBytes('\n')
			t.line++
			switch {
			case err != nil && limit.N <= 0:
				return t.errorf("%w", errLong)
			case err != nil && err != io.EOF:
				return t.errorf("%w", err)
			}
			if len(bytes.TrimSpace(line)) > 0 {
				return t.object(line, at)
			}
			if err != nil {
				return err
			}
		}
	}
}

// object takes the fields of an object. Their places in the table are in at.
func (t *table) object(line []byte, at map[string]int) error {
	values := map[string]json.RawMessage{}
	err := json.Unmarshal(line, &values)
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
		err = json.Unmarshal(records.Lenient(line), &values)
	}
	if err != nil {
		return t.errorf("%w; write one JSON object a line", err)
	}
	for i := range t.fields {
		t.fields[i] = ""
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		raw := values[name]
		if raw[0] == '{' || raw[0] == '[' {
			continue
		}
		i, ok := at[name]
		if !ok {
			switch i = len(t.columns); {
			case i >= mostColumns:
				return t.errorf("the rows so far have more than %d names; choose those to export", mostColumns)
			case len(name) > mostName:
				return t.errorf("the name %s has more than %d bytes; shorten it", printed.Quote(name), mostName)
			}
			at[name], t.grown = i, true
			t.columns, t.fields = append(t.columns, name), append(t.fields, "")
		}
		t.fields[i] = string(raw)
		if raw[0] == '"' {
			if err := json.Unmarshal(raw, &t.fields[i]); err != nil {
				return t.errorf("%s: %w", printed.Quote(name), err)
			}
		}
	}
	return nil
}

func (t *table) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{t.path, t.line}, args...)...)
}

// headed is errorf about the header.
func (t *table) headed(format string, args ...any) error {
	header := *t
	header.line = 1
	return header.errorf(format, args...)
}
