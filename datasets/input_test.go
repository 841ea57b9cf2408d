package datasets

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/formats"
)

// write puts text into a new file and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestLIBSVM(t *testing.T) {
	in := Input{Path: write(t, "a.svm", "+1 1:0.5 3:-2e0 \r\n-1\t2:1\n1\n\n  \n"), Format: "libsvm", dims: 4}
	got, err := in.load(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 0, -2, 0, 0, 1, 0, 0, 0, 0, 0, 0}, got.X.Data)
	assert.Equal(t, []float64{1, -1, 1}, got.Y.Data)

	in.dims = 0
	got, err = in.load(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 3, got.X.Cols, "the largest index present is the dimension")

	ranked := strings.Repeat("# by http://x:99\n2 qid:7 1:0.5 3:4 # doc 9:9\n1 qid:7 2:1#\n", 2)
	in = Input{Path: write(t, "a.svm", ranked), Format: "libsvm"}
	got, err = in.load(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 0, 4, 0, 1, 0, 0.5, 0, 4, 0, 1, 0}, got.X.Data)
	assert.Equal(t, []float64{2, 1, 2, 1}, got.Y.Data)
}

// A source's file has as many rows as the source says.
func TestRowsOfASource(t *testing.T) {
	for n, want := range map[int]string{1: ": 1 rows, 2 expected", 2: "", 3: ":3: there are more than the 2 rows expected"} {
		text := strings.Repeat("1 1:1\n", n)
		in := Input{Path: write(t, "a.svm", text), Format: "libsvm", dims: 1, Remote: &RemoteFile{Name: "a.svm", Rows: 2, SHA256: sha(text)}}
		if _, err := in.load(t.Context()); want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}

func TestLabels(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []float64
		err        string
	}{
		{"signs", "1 1:1\n-1 1:1\n+1 1:1\n", []float64{1, -1, 1}, ""},
		{"zero and one", "1 1:1\n0 1:1\n", []float64{1, -1}, ""},
		{"three classes", "1 1:1\n0 1:1\n-1 1:1\n", nil, ":3: label -1, after 0 was used"},
		{"one and two", "1 1:1\n2 1:1\n", nil, ":2: label 2 of a binary task: write 1 and -1"},
		{"fraction", "0.5 1:1\n", nil, ":1: label 0.5 of a binary task"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{Path: write(t, "a.svm", c.text), Format: "libsvm", binary: true}
			got, err := in.load(context.Background())
			if c.err != "" {
				require.ErrorIs(t, err, formats.ErrFormat)
				assert.Contains(t, err.Error(), c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got.Y.Data)
		})
	}
	in := Input{Path: write(t, "a.svm", "2 1:1\n8 1:1\n"), Format: "libsvm", label: registry["covtype"].Label}
	_, err := in.load(context.Background())
	assert.ErrorContains(t, err, ":2: label 8 is unknown")
}

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name, text, target string
		header             bool
		x, y               []float64
	}{
		{"last column", "1,2,3\n4,5,6\n", "", false, []float64{1, 2, 4, 5}, []float64{3, 6}},
		{"by number", "1,2,3\n4,5,6", "1", false, []float64{2, 3, 5, 6}, []float64{1, 4}},
		{"by name", "\"RMSD\",\"F1\"\n1,2\n3,4\n", "RMSD", true, []float64{2, 4}, []float64{1, 3}},
		{"by number under a header", "a,b,c\n1,2,3\n", "2", true, []float64{1, 3}, []float64{2}},
		{"last under a header", "a,b\n1,2\n", "", true, []float64{1}, []float64{2}},
		{"names from 0", "0,1,2\n1,2,3\n", "", true, []float64{1, 2}, []float64{3}},
		{"names from 1 but one", "y,1,2\n1,2,3\n", "y", true, []float64{2, 3}, []float64{1}},
		{"0 and 1", "0,1\n1,2\n", "", false, []float64{0, 1}, []float64{1, 2}},
		{"quotes and blanks", "\xef\xbb\xbf \"1\" ,2\r\n3 , \"-4e1\"\r\n\r\n", "", false, []float64{1, 3}, []float64{2, -40}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{Path: write(t, "a.csv", c.text), Format: "csv", target: c.target, header: c.header}
			got, err := in.load(context.Background())
			require.NoError(t, err)
			assert.Equal(t, c.x, got.X.Data)
			assert.Equal(t, c.y, got.Y.Data)
		})
	}
}

// npy returns a file in version 1 or 2 of the format.
func npy(version byte, descr, order, shape string, data any) string {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	var b bytes.Buffer
	b.WriteString("\x93NUMPY")
	b.Write([]byte{version, 0})
	var err error
	if version == 1 {
		err = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	} else {
		err = binary.Write(&b, binary.LittleEndian, uint32(len(header)))
	}
	b.WriteString(header)
	if err == nil {
		err = binary.Write(&b, binary.LittleEndian, data)
	}
	if err != nil {
		panic(err)
	}
	return b.String()
}

func TestNpy(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"float64", npy(1, "<f8", "False", "(2, 3)", []float64{1, 2, 3, 4, 5, 6})},
		{"float32, version 2", npy(2, "<f4", "False", "(2, 3)", []float32{1, 2, 3, 4, 5, 6})},
		{"int32", npy(1, "<i4", "False", "(2, 3)", []int32{1, 2, 3, 4, 5, 6})},
		{"int64", npy(1, "<i8", "False", "(2, 3)", []int64{1, 2, 3, 4, 5, 6})},
		{"uint8", npy(1, "|u1", "False", "(2, 3)", []uint8{1, 2, 3, 4, 5, 6})},
		{"Fortran order", npy(1, "<f4", "True", "(2, 3)", []float32{1, 4, 2, 5, 3, 6})},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{Path: write(t, "a.npy", c.text), Format: "npy"}
			got, err := in.load(context.Background())
			require.NoError(t, err)
			assert.Equal(t, []float64{1, 2, 4, 5}, got.X.Data)
			assert.Equal(t, []float64{3, 6}, got.Y.Data)

			in.target = "1"
			got, err = in.load(context.Background())
			require.NoError(t, err)
			assert.Equal(t, []float64{2, 3, 5, 6}, got.X.Data)
			assert.Equal(t, []float64{1, 4}, got.Y.Data)
		})
	}
}

// A malformed file is refused with where and why.
func TestMalformedFiles(t *testing.T) {
	type file struct {
		name, text, target string
		header             bool
		want               string
	}
	long := "1 1:" + strings.Repeat("1", 1<<17)
	nan := []float64{1, 2, 3, math.NaN()}
	good := npy(1, "<f8", "False", "(2, 2)", []float64{1, 2, 3, 4})
	for format, files := range map[string][]file{
		"libsvm": {
			{name: "duplicate index", text: "1 1:1\n1 2:1 2:1\n", want: ":2: index 2 occurs twice"},
			{name: "unordered index", text: "1 3:1 2:1\n", want: ":1: index 2 comes after 3: sort"},
			{name: "zero index", text: "1 0:1\n", want: `:1: the index of "0:1" is not a whole number from 1`},
			{name: "negative index", text: "1 -1:1\n", want: `:1: the index of "-1:1"`},
			{name: "fractional index", text: "1 1.5:1\n", want: `:1: the index of "1.5:1"`},
			{name: "index that overflows", text: "1 99999999999999999999:1\n", want: ":1: the index of"},
			{name: "index beyond the dimension", text: "1 1:1\n1 5:1\n", want: ":2: index 5 is beyond the 4 inputs"},
			{name: "NaN value", text: "1 1:nan\n", want: `:1: the value of "1:nan" is not finite`},
			{name: "infinite value", text: "1 1:-Inf\n", want: `:1: the value of "1:-Inf" is not finite`},
			{name: "value out of range", text: "1 1:1e999\n", want: ":1: the value of \"1:1e999\" is beyond the range of float64"},
			{name: "long value", text: long, want: ":1: the value of"},
			{name: "hexadecimal value", text: "1 1:0x10\n", want: "is not a decimal number"},
			{name: "underscore", text: "1 1:1_0\n", want: "is not a decimal number"},
			{name: "missing value", text: "1 1:\n", want: `:1: the value of "1:" is not a decimal number`},
			{name: "missing label", text: "1:1 2:1\n", want: `:1: the label is missing: the line begins with the pair "1:1"`},
			{name: "label that is a word", text: "spam 1:1\n", want: `:1: the label "spam" is not a decimal number`},
			{name: "label that is NaN", text: "nan 1:1\n", want: `:1: the label "nan" is not finite`},
			{name: "several labels", text: "1,2 1:1\n", want: `:1: the label "1,2"`},
			{name: "malformed pair", text: "1 1:1 2\n", want: `:1: "2" is not a pair index:value`},
			{name: "two colons", text: "1 1:2:3\n", want: `:1: the value of "1:2:3"`},
			{name: "blank line inside", text: "1 1:1\n\n1 1:1\n", want: ":2: the line is blank"},
			{name: "empty file", text: "", want: "the file has no rows"},
			{name: "only blank lines", text: "\n\n", want: "the file has no rows"},
			{name: "only comments", text: "# a\n# 1:1\n", want: "the file has no rows"},
			{name: "qid behind a pair", text: "1 1:1 qid:3\n", want: `:1: the index of "qid:3"`},
			{name: "a mistake behind a comment", text: "# a\n1 1:x\n", want: ":2: the value of"},
		},
		"csv": {
			{"too many fields", "1,2\n1,2,3\n", "", false, ":2: 3 fields, the lines before have 2"},
			{"too few fields", "a,b,c\n1,2\n", "", true, ":2: 2 fields, the lines before have 3"},
			{"trailing comma", "1,2\n1,2,\n", "", false, ":2: 3 fields"},
			{"one field", "1\n2\n", "", false, ":1: one field: a row needs a target"},
			{"empty field", "1,2\n,2\n", "", false, ":2: field 1 is empty"},
			{"empty quotes", "a,b\n1,\"\"\n", "", true, ":2: field 2 (b) is empty"},
			{"NaN", "1,2\nNaN,2\n", "", false, `:2: field 1: "NaN" is not finite`},
			{"infinity", "a,b\n1,+inf\n", "", true, `:2: field 2 (b): "+inf" is not finite`},
			{"missing value mark", "1,?\n", "", false, `:1: field 2: "?" is not a decimal number`},
			{"forgotten header", "a,b\n1,2\n", "", false, "set header = true"},
			{"wrong separator", "1;2\n", "", false, ":1: one field"},
			{"open quote", "1,\"2\n", "", false, ":1: the quote of field 2 is not closed"},
			{"text after quote", "1,\"2\"3\n", "", false, ":1: field 2 goes on after its closing quote"},
			{"unknown target", "a,b\n1,2\n", "c", true, `:1: data.target: there is no column "c" among the 2 of the file: a, b`},
			{"ambiguous target", "a,a\n1,2\n", "a", true, `two columns are named "a"`},
			{"target beyond", "1,2\n", "3", false, ":1: 2 fields, so there is no target column 3"},
			{"empty", "", "", false, "the file has no rows"},
			{"empty with header", "", "a", true, ":1: the file is empty"},
			{"header alone", "a,b\n", "", true, "the file has no rows"},
			{"no header", "0.5,2\n1,2\n", "", true, ":1: data.header: the first line has numbers, and header = true takes it for names: remove header"},
			{"names from 0 as a row", "0,1,2\n1.5,2,3\n", "", false, ":1: data.header: the first line has the numbers of the columns, 0 to 2"},
			{"the index of pandas", ",a,b\n0,1,2\n", "b", true, ":1: data.header: column 1 has no name"},
			{"that index, saved again", "Unnamed: 0,a,b\n0,1,2\n", "b", true, ":1: data.header: column 1 has no name"},
			{"a column without a name", "a,,b\n0,1,2\n", "b", true, ":1: data.header: column 2 has no name"},
			{"a word for no value", "1,2\n<NA>,2\n", "", false, `:2: field 1: "<NA>" is no value: remove the row`},
			{"-nan", "1,2\n-nan(ind),2\n", "", false, `:2: field 1: "-nan(ind)" is not finite`},
			{"thousands", "1,2\n\"50,000\",2\n", "", false, `:2: field 1: "50,000" is not a decimal number`},
			{"blank line inside", "1,2\n \n1,2\n", "", false, ":2: the line is blank"},
		},
		"npy": {
			{name: "not npy", text: "1,2\n3,4\n5,6\n", want: "this is not a npy file"},
			{name: "empty", text: "", want: "this is not a npy file"},
			{name: "version 3", text: npy(3, "<f8", "False", "(1, 2)", []float64{1, 2}), want: "version 3 of the npy format"},
			{name: "Fortran order, cut", text: npy(1, "<f8", "True", "(2, 2)", []float64{1, 2, 3, 4})[:100], want: "the file holds at most"},
			{name: "Fortran order, NaN", text: npy(1, "<f8", "True", "(2, 2)", nan), want: "row 2: column 2 is NaN"},
			{name: "big endian", text: npy(1, ">f8", "False", "(1, 2)", []float64{1, 2}), want: `elements of type ">f8" are not supported`},
			{name: "objects", text: npy(1, "|O", "False", "(1, 2)", []float64{1, 2}), want: "not supported"},
			{name: "one dimension", text: npy(1, "<f8", "False", "(2,)", []float64{1, 2}), want: "the shape (2,) is not rows by columns"},
			{name: "three dimensions", text: npy(1, "<f8", "False", "(1, 1, 2)", []float64{1, 2}), want: "the shape (1, 1, 2)"},
			{name: "one column", text: npy(1, "<f8", "False", "(2, 1)", []float64{1, 2}), want: "at least one input"},
			{name: "no rows", text: npy(1, "<f8", "False", "(0, 2)", []float64{}), want: "the file has no rows"},
			{name: "garbled header", text: npy(1, "<f8", "Maybe", "(1, 2)", []float64{1, 2}), want: "is not that of an array"},
			{name: "cut header", text: good[:30], want: "ends inside its header"},
			{name: "cut data", text: good[:len(good)-1], want: "the header states the shape (2, 2) of 8 bytes an element, and the file holds at most 31 bytes of data"},
			{name: "more data", text: good + "x", want: "there is data after the 2 rows"},
			{name: "NaN", text: npy(1, "<f8", "False", "(2, 2)", nan), want: "row 2: column 2 is NaN"},
			{name: "target beyond", text: good, target: "3", want: "there is no target column 3"},
		},
	} {
		for _, c := range files {
			t.Run(format+" "+c.name, func(t *testing.T) {
				in := Input{Path: write(t, "a."+format, c.text), Format: format, target: c.target, header: c.header}
				if format == "libsvm" {
					in.dims = 4
				}
				_, err := in.load(context.Background())
				require.ErrorIs(t, err, formats.ErrFormat)
				assert.Contains(t, err.Error(), filepath.Base(in.Path))
				assert.Contains(t, err.Error(), c.want)
			})
		}
	}
	in := Input{Path: write(t, "a.svm", "1\n2\n"), Format: "libsvm"}
	_, err := in.load(context.Background())
	assert.ErrorContains(t, err, "the rows have no inputs")
}
