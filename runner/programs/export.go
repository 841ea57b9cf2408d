package programs

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"repro/algos"
	"repro/algos/compute"
)

// exportRows is the number of training rows that are in memory at a time.
const exportRows = 1024

// export writes the training rows and the test inputs into dir, with the values that the fits of other methods get. It
// does not write the targets of test rows.
func (r Rows) export(ctx context.Context, dir, format string) error {
	if r.Train == nil {
		return nil
	}
	_, targets := r.Train.Dims()
	if r.Classes > 0 {
		targets = 1
	}
	err := r.share(dir, "train."+format, "train", func(path string) error { return exportSamples(ctx, path, format, r.Train, targets) })
	if err != nil {
		return err
	}
	return r.share(dir, "test."+format, "test", func(path string) error { return exportInputs(ctx, path, format, r.Test) })
}

// exportFitted writes the inputs of the training rows.
func (r Rows) exportFitted(ctx context.Context, dir, name, format string) error {
	return r.share(dir, name+"."+format, "fitted", func(path string) error { return exportSamples(ctx, path, format, r.Train, 0) })
}

// share puts a file of these rows into dir, which other programs may share.
func (r Rows) share(dir, name, what string, write func(path string) error) error {
	key := r.Key
	if key != "" {
		key += " " + what + filepath.Ext(name)
	}
	return r.Folder.share(key, filepath.Join(dir, name), write)
}

// exportInputs writes a file of rows without targets.
func exportInputs(ctx context.Context, path, format string, x compute.Matrix) error {
	return writeRows(path, format, x.Rows, 0, x.Cols, func(e *exporter) error {
		for i := range x.Rows {
			e.row(nil, x.Row(i))
		}
		return ctx.Err()
	})
}

// exportSamples writes a file of samples with the given number of columns of targets: 0, 1 or all.
func exportSamples(ctx context.Context, path, format string, s algos.Samples, targets int) error {
	n := s.Len()
	in, _ := s.Dims()
	return writeRows(path, format, n, targets, in, func(e *exporter) error {
		for lo := 0; lo < n; lo += exportRows {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a, y := algos.Between(s, lo, min(lo+exportRows, n))
			for i := range a.Rows {
				e.row(target(y.Row(i), targets), a.Row(i))
			}
		}
		return nil
	})
}

// target returns a row of targets as it is exported: as it is, not at all or, if one column is written for several classes, as
// the number from 1 of its class.
func target(y []float64, columns int) []float64 {
	switch columns {
	case len(y):
		return y
	case 0:
		return nil
	}
	for c, v := range y {
		if v == 1 {
			return []float64{float64(c + 1)}
		}
	}
	return []float64{0}
}

// An exporter writes rows in one format, targets before inputs. It writes a number as the shortest decimal that reads
// back the same or, in npy, as its bits.
type exporter struct {
	*bufio.Writer
	format string
	number []byte // scratch
}

// writeRows writes a file of n rows.
func writeRows(path, format string, n, targets, in int, rows func(*exporter) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	e := &exporter{Writer: bufio.NewWriterSize(f, 1<<16), format: format}
	switch format {
	case "csv":
		e.names(targets, in)
	case "npy":
		e.npyHeader(n, targets+in)
	}
	// A bufio.Writer keeps its first error, which Flush returns.
	if err := errors.Join(rows(e), e.Flush(), f.Close()); err != nil {
		return fmt.Errorf("writing rows for the program: %w", err)
	}
	return nil
}

// row writes one row.
func (e *exporter) row(y, x []float64) {
	switch e.format {
	case "libsvm":
		e.libsvm(y, x)
	case "csv":
		for j, v := range append(append([]float64(nil), y...), x...) {
			if j > 0 {
				e.WriteByte(',')
			}
			e.float(v)
		}
		e.WriteByte('\n')
	case "npy":
		for _, v := range append(append([]float64(nil), y...), x...) {
			e.number = binary.LittleEndian.AppendUint64(e.number[:0], math.Float64bits(v))
			e.Write(e.number)
		}
	}
}

// libsvm writes a row as "label index:value …", with indices from 1 and without zeros. A test row gets the label 0,
// because the format needs one.
func (e *exporter) libsvm(y, x []float64) {
	if len(y) == 0 {
		e.WriteByte('0')
	} else {
		e.float(y[0])
	}
	for j, v := range x {
		if v == 0 {
			continue
		}
		e.WriteByte(' ')
		e.WriteString(strconv.Itoa(j + 1))
		e.WriteByte(':')
		e.float(v)
	}
	e.WriteByte('\n')
}

func (e *exporter) float(v float64) {
	e.number = strconv.AppendFloat(e.number[:0], v, 'g', -1, 64)
	e.Write(e.number)
}

// names writes the first line of a csv file: y, or y1, y2, …, then x1, x2, ….
func (e *exporter) names(targets, in int) {
	var names []string
	for j := range targets {
		names = append(names, "y"+strconv.Itoa(j+1))
	}
	if targets == 1 {
		names[0] = "y"
	}
	for j := range in {
		names = append(names, "x"+strconv.Itoa(j+1))
	}
	e.WriteString(strings.Join(names, ",") + "\n")
}

// npyHeader writes the header of a version 1 npy file of float64 in C order: magic, version, length,
// a Python dictionary padded so that the data starts at a multiple of 64 bytes.
func (e *exporter) npyHeader(n, columns int) {
	const fixed = 10 // bytes before the dictionary
	dict := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", n, columns)
	dict += strings.Repeat(" ", 63-(fixed+len(dict))%64) + "\n"
	e.WriteString("\x93NUMPY\x01\x00")
	e.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(dict))))
	e.WriteString(dict)
}
