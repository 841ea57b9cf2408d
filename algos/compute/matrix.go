// Package compute is the compute core under every algorithm: dense matrices, kernel and
// random-feature operators, counter-based random streams, threads and cost counters. Nothing
// outside this package loops over matrix entries, starts goroutines for arithmetic or draws
// random numbers.
//
// Results do not depend on the number of threads: work is cut at fixed tile boundaries and every
// output entry is summed by one goroutine in a fixed order.
package compute

import (
	"fmt"
	"math"
)

// A Matrix is a dense row-major matrix of float64. Row i starts at Data[i*Stride].
// The zero value is an empty matrix.
type Matrix struct {
	Rows, Cols, Stride int
	Data               []float64
}

// NewMatrix returns a zero matrix of the given shape.
func NewMatrix(rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
}

// FromRows returns a matrix with copies of the given rows. It panics if they differ in length.
func FromRows(rows [][]float64) Matrix {
	if len(rows) == 0 {
		return Matrix{}
	}
	m := NewMatrix(len(rows), len(rows[0]))
	for i, row := range rows {
		if len(row) != m.Cols {
			panic(fmt.Sprintf("compute: FromRows: row %d has %d entries, row 0 has %d", i, len(row), m.Cols))
		}
		copy(m.Row(i), row)
	}
	return m
}

// Row returns row i, sharing storage.
func (m Matrix) Row(i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols : i*m.Stride+m.Cols]
}

// At returns entry (i, j).
func (m Matrix) At(i, j int) float64 { return m.Data[i*m.Stride+j] }

// Set sets entry (i, j).
func (m Matrix) Set(i, j int, v float64) { m.Data[i*m.Stride+j] = v }

// RowRange returns rows lo ≤ i < hi, sharing storage.
func (m Matrix) RowRange(lo, hi int) Matrix {
	if lo < 0 || hi < lo || hi > m.Rows {
		panic(fmt.Sprintf("compute: row range [%d, %d) of a matrix with %d rows", lo, hi, m.Rows))
	}
	if lo == hi {
		return Matrix{Cols: m.Cols, Stride: m.Stride}
	}
	return Matrix{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride, Data: m.Data[lo*m.Stride : (hi-1)*m.Stride+m.Cols]}
}

// ColRange returns columns lo ≤ j < hi, sharing storage.
func (m Matrix) ColRange(lo, hi int) Matrix {
	if lo < 0 || hi < lo || hi > m.Cols {
		panic(fmt.Sprintf("compute: column range [%d, %d) of a matrix with %d columns", lo, hi, m.Cols))
	}
	if m.Rows == 0 || lo == hi {
		return Matrix{Rows: m.Rows, Cols: hi - lo, Stride: m.Stride}
	}
	return Matrix{Rows: m.Rows, Cols: hi - lo, Stride: m.Stride, Data: m.Data[lo : (m.Rows-1)*m.Stride+hi]}
}

// Select returns a compact copy whose row i is row rows[i].
func (m Matrix) Select(rows []int) Matrix {
	s := NewMatrix(len(rows), m.Cols)
	for i, r := range rows {
		copy(s.Row(i), m.Row(r))
	}
	return s
}

// Clone returns a compact copy.
func (m Matrix) Clone() Matrix {
	c := NewMatrix(m.Rows, m.Cols)
	c.CopyFrom(m)
	return c
}

// CopyFrom copies the entries of a, which has m's shape.
func (m Matrix) CopyFrom(a Matrix) {
	m.mustMatch("CopyFrom", a)
	for i := range m.Rows {
		copy(m.Row(i), a.Row(i))
	}
}

// Scale multiplies every entry by s.
func (m Matrix) Scale(s float64) {
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			row[j] *= s
		}
	}
}

// AddScaled sets m to m + s·a.
func (m Matrix) AddScaled(s float64, a Matrix) {
	m.mustMatch("AddScaled", a)
	for i := range m.Rows {
		dst, src := m.Row(i), a.Row(i)
		for j, v := range src {
			dst[j] += s * v
		}
	}
}

// Finite reports whether every entry is a finite number.
func (m Matrix) Finite() bool {
	for i := range m.Rows {
		for _, v := range m.Row(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return false
			}
		}
	}
	return true
}

// Zero sets every entry to zero.
func (m Matrix) Zero() {
	for i := range m.Rows {
		clear(m.Row(i))
	}
}

func (m Matrix) mustMatch(op string, a Matrix) {
	if m.Rows != a.Rows || m.Cols != a.Cols {
		panic(fmt.Sprintf("compute: %s: shapes %d×%d and %d×%d differ", op, m.Rows, m.Cols, a.Rows, a.Cols))
	}
}
