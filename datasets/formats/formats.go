// Package formats reads the files that data sets come in: comma-separated and LIBSVM text, arrays of NumPy, of the
// idx format and of MAT-files; plain or compressed with gzip, bzip2, xz or zstd. It knows no data set: which columns are
// targets, and what checksum a file must have, the caller says.
package formats

import (
	"errors"
	"fmt"
	"io"
)

// ErrFormat says that a file cannot be read as what it should be.
var ErrFormat = errors.New("malformed data")

// fault is an error of a kind, such as ErrFormat, whose text does not repeat the kind.
type fault struct{ kind, err error }

func (f *fault) Error() string   { return f.err.Error() }
func (f *fault) Unwrap() []error { return []error{f.kind, f.err} }

// Faultf returns an error that errors.Is finds to be kind and that has the given text.
func Faultf(kind error, format string, args ...any) error {
	return &fault{kind, fmt.Errorf(format, args...)}
}

// Rows reads a file row by row. Width, Inputs and Errorf are about the row that the last Read read.
type Rows interface {
	// Read reads the next row and returns its target, or io.EOF after the last row.
	Read() (y float64, err error)
	// Width returns the number of inputs the row needs.
	Width() int
	// Inputs returns the inputs with their indices from 1, which increase, or nil for those of all inputs. Others are 0. Both are valid
	// until the next Read.
	Inputs() (index []int, values []float64)
	// Errorf returns an ErrFormat that names the row.
	Errorf(format string, args ...any) error
}

// MaxColumns bounds the number of columns of a file.
const MaxColumns = 999_999_999

// Names are the formats with a row a sample that NewRows reads.
var Names = []string{"csv", "libsvm", "npy"}

// A Layout says what the rows of a file look like.
type Layout struct {
	Format string // one of Names
	Target string // csv, npy: the target column, a number from 1 or a name in the header; "" for the last column
	Header bool   // csv: the first line names the columns
	Inputs int    // libsvm: the number of inputs, 0 if only the file says
	Most   int64  // bytes that the file can have, uncompressed
}

// NewRows starts reading rows. The path is for error messages.
func NewRows(r io.Reader, path string, l Layout) (Rows, error) {
	switch l.Format {
	case "libsvm":
		return NewLIBSVM(r, path, l.Inputs), nil
	case "csv":
		return NewCSV(r, path, l.Target, l.Header)
	case "npy":
		return NewNpyRows(r, path, l.Target, l.Most)
	}
	panic("formats: unknown format " + l.Format)
}
