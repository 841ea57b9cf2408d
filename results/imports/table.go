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
	again   int      // the last line that was the header once more, 0 if none was
	read    func() error

	separator rune // of the fields, 0 of JSON
	pointed   bool // a point is always the decimal mark
	notation  *notation
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
	{"BZh", "compressed; uncompress it"},
	{"\xfd7zXZ\x00", "compressed; uncompress it"},
	{"\x28\xb5\x2f\xfd", "compressed; uncompress it"},
	{"PK\x03\x04", "a zip file or a workbook; unpack it, or save the sheet as CSV"},
	{"\xff\xfe", "in UTF-16; save it as UTF-8"},
	{"\xfe\xff", "in UTF-16; save it as UTF-8"},
	{"SQLite format 3", "a database; export a table as CSV"},
}

// look is how many bytes of a file are looked at before it is read.
const look = 1 << 16

// array matches the beginning of an array of objects, and history that of a file of Hugging Face's Trainer, which has one.
var (
	array   = regexp.MustCompile(`^\s*\[\s*(\{|$)`)
	history = regexp.MustCompile(`^\s*\{[^\x00]*"log_history"\s*:\s*\[`)
)

// mostArray bounds the bytes of a file that is one JSON value.
const mostArray = 1 << 26

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
	t := &table{path: path}
	if array.Match(start) || history.Match(start) {
		limit.N = mostArray
		return t, t.entries(in)
	}
	if format == "json-lines" || bytes.HasPrefix(bytes.TrimSpace(start), []byte("{")) {
		t.lines(in, limit)
		return t, nil
	}
	skip, lines := comments(start)
	_, _ = in.Discard(skip)
	by := separator(start[skip:], format)
	if by == ' ' && format != "mlflow" {
		return t, t.blanks(in, limit, lines)
	}
	return t, t.separated(in, limit, by, lines)
}

// comment matches a line before the header, such as that of Stable-Baselines' monitor.csv or NumPy's savetxt.
var comment = regexp.MustCompile(`^#[ \t]*(?:([^\s,;#"][^\r\n]*))?\r?\n`)

// comments returns the bytes and the lines of comments that a file begins with. One above numbers that names their columns is the header.
func comments(start []byte) (skip, lines int) {
	for {
		m := comment.FindSubmatchIndex(start[skip:])
		if m == nil {
			return skip, lines
		}
		next, _, _ := bytes.Cut(start[skip+m[1]:], []byte("\n"))
		if m[2] >= 0 {
			title := start[skip+m[2] : skip+m[3]]
			by := separator(start[skip+m[2]:], "")
			fields := strings.FieldsFunc(string(next), func(r rune) bool { return r == by })
			if by == ' ' || named(fields) == 0 && len(fields) > 0 && bytes.Count(title, []byte(string(by))) == len(fields)-1 {
				return skip + m[2], lines
			}
		}
		skip, lines = skip+m[1], lines+1
	}
}

// named returns how many fields are no numbers.
func named(fields []string) (n int) {
	for _, f := range fields {
		if _, is := printed.ReadCell(strings.TrimSpace(f), '.'); is == printed.IsText || is == printed.IsMissing {
			n++
		}
	}
	return n
}

// ruler matches a line between the header and the rows of a printed table.
var ruler = regexp.MustCompile(`^[-=+|:\s]*$`)

// tabulated reports whether the first line of a file has the names of columns that blanks or bars separate on the next one.
func tabulated(line, rest []byte) bool {
	next, rest, _ := bytes.Cut(rest, []byte("\n"))
	for len(rest) > 0 && ruler.Match(next) {
		next, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	titles, fields := words(string(line)), words(string(next))
	numbers := len(fields) - named(fields)
	return len(titles) > 1 && named(titles) > 0 && (numbers > 1 || numbers > 0 && len(titles) == len(fields))
}

// separator returns what separates the fields of the first line of a file.
func separator(start []byte, format string) rune {
	line, rest, _ := bytes.Cut(start, []byte("\n"))
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
	if most == 0 && tabulated(line, rest) {
		return ' '
	}
	return best
}

// fortran matches a number in Fortran's notation, such as 1.5D-03.
var fortran = regexp.MustCompile(`^([-+]?(?:\d+\.?\d*|\.\d+))[dD]([-+]?\d+)$`)

// words returns the fields of a line that blanks or, where it has some, bars separate, with numbers of Fortran in the notation of others.
func words(line string) []string {
	fields := strings.Fields(line)
	if strings.Contains(line, "|") {
		fields = strings.Split(strings.Trim(line, "| \t\r\n"), "|")
	}
	return printed.Each(fields, func(f string) string { return fortran.ReplaceAllString(strings.TrimSpace(f), "${1}e$2") })
}

// blanks reads a table that a program printed: fields with blanks or bars between them, and lines between the header and the rows, or comments, anywhere.
func (t *table) blanks(in *bufio.Reader, limit *io.LimitedReader, skipped int) error {
	t.separator, t.pointed, t.line = ' ', true, skipped
	return t.header(func() error {
		for {
			limit.N = mostRow
			line, err := in.ReadString('\n')
			t.line++
			switch {
			case err != nil && limit.N <= 0:
				return t.errorf("%w", errLong)
			case err != nil && (err != io.EOF || line == ""):
				return err
			case ruler.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "#"):
				continue
			}
			t.fields = words(line)
			if n := len(t.columns); n > 0 && len(t.fields) != n {
				return t.errorf("the row has %d fields, and the header %d; write - where there is no value, and names without blanks", len(t.fields), n)
			}
			return nil
		}
	})
}

// separated reads separated fields under a header, behind some lines that were skipped.
func (t *table) separated(in io.Reader, limit *io.LimitedReader, separator rune, skipped int) error {
	t.separator, t.pointed = separator, separator == ' '
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
			t.line += skipped
			return t.errorf("the row has %d fields, and the first line %d; give each row a field for each column", len(fields), len(t.columns))
		case errors.As(err, &bad):
			t.line = bad.Line + skipped
			return t.errorf("column %d: %w; close the quotes, double those within, and leave no blank between them and the separator", bad.Column, bad.Err)
		case err == io.EOF:
			return err
		case err != nil:
			t.line++
			return t.errorf("%w", err)
		}
		t.line, _ = r.FieldPos(0)
		t.line += skipped
		t.fields = fields
		return nil
	}
	if separator == ' ' {
		r.FieldsPerRecord = -1
		t.plain(read)
		return nil
	}
	return t.header(read)
}

// plain reads the files in which MLflow keeps a metric. Old versions wrote no steps.
func (t *table) plain(read func() error) {
	rows := 0
	t.columns = mlflowColumns
	t.read = func() error {
		if err := read(); err != nil {
			return err
		}
		if n := len(t.fields); n != 2 && n != 3 {
			return t.errorf("the row has %d fields; MLflow writes timestamp, value and step", n)
		}
		t.fields = append(t.fields, strconv.Itoa(rows))[:3]
		rows++
		return nil
	}
}

// header reads the names of the columns. Where they stand again, rows leave them out.
func (t *table) header(read func() error) error {
	if err := read(); err == io.EOF {
		return fmt.Errorf("%s has comments and nothing else; it has no curve", t.path)
	} else if err != nil {
		return err
	}
	if len(t.fields) > mostColumns {
		return t.errorf("%d columns are more than the %d that can be read; choose columns when you export", len(t.fields), mostColumns)
	}
	header := slices.Clone(t.fields)
	for i, f := range header {
		header[i] = strings.Clone(f)
		t.columns = append(t.columns, strings.Clone(strings.ToValidUTF8(strings.TrimSpace(f), "\ufffd")))
	}
	if named(header) == 0 {
		return t.errorf("the first line has numbers and no names of columns; add a line such as step,loss before it")
	}
	t.read = func() error {
		err := read()
		for err == nil && slices.Equal(t.fields, header) {
			t.again = t.line
			err = read()
		}
		return err
	}
	return nil
}

// lines reads a JSON object a line.
func (t *table) lines(in *bufio.Reader, limit *io.LimitedReader) {
	at := map[string]int{}
	t.late, t.pointed = true, true
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

// entries reads the objects of a JSON array: that of the whole file, or of its log_history.
func (t *table) entries(in io.Reader) error {
	text, err := io.ReadAll(in)
	if err == nil && len(text) >= mostArray {
		err = fmt.Errorf("a JSON array of more than %d MiB cannot be read; write an object a line, as jq -c '.[]' does", mostArray>>20)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	text = records.Lenient(text)
	d := json.NewDecoder(bytes.NewReader(text))
	for token, err := d.Token(); token != json.Delim('['); token, err = d.Token() {
		var value json.RawMessage
		if name, is := token.(string); is && name != "log_history" {
			err = d.Decode(&value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
	}
	at, passed := map[string]int{}, 0
	t.late, t.pointed, t.line = true, true, 1
	t.read = func() error {
		var entry json.RawMessage
		if !d.More() {
			if _, err := d.Token(); err != nil {
				return t.errorf("the JSON array does not end: %w", err)
			}
			t.read = func() error { return io.EOF }
			return io.EOF
		}
		err := d.Decode(&entry)
		begin := int(d.InputOffset()) - len(entry)
		t.line += bytes.Count(text[passed:begin], []byte("\n"))
		if passed = begin; err != nil {
			return t.errorf("%w", err)
		}
		return t.object(entry, at)
	}
	return nil
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
