// Package compute is the compute core of all algorithms: dense matrices, kernel and random-feature operators,
// counter-based random streams, threads and cost counters. Algorithms leave to it all loops over matrix entries, all
// goroutines for arithmetic and all random numbers. docs/compute.md explains how it works.
//
// Results do not depend on the number of threads: the partition of the work depends only on shapes, and the terms of
// each sum are added in a fixed order. Functions panic if the shapes of their operands do not fit.
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
	return Matrix{Rows: rows, Cols: cols, Stride: cols, Data: allocate[float64](rows * cols)}
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

// Row returns row i. It shares the memory of m.
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

// RowRange returns rows lo ≤ i < hi. It shares the memory of m, and panics if there are no such rows.
func (m Matrix) RowRange(lo, hi int) Matrix {
	if lo < 0 || hi < lo || hi > m.Rows {
		panic(fmt.Sprintf("compute: row range [%d, %d) of a matrix with %d rows", lo, hi, m.Rows))
	}
	if lo == hi {
		return Matrix{Cols: m.Cols, Stride: m.Stride}
	}
	return Matrix{Rows: hi - lo, Cols: m.Cols, Stride: m.Stride, Data: m.Data[lo*m.Stride : (hi-1)*m.Stride+m.Cols]}
}

// ColRange returns columns lo ≤ j < hi. It shares the memory of m, and panics if there are no such columns.
func (m Matrix) ColRange(lo, hi int) Matrix {
	if lo < 0 || hi < lo || hi > m.Cols {
		panic(fmt.Sprintf("compute: column range [%d, %d) of a matrix with %d columns", lo, hi, m.Cols))
	}
	if m.Rows == 0 || lo == hi {
		return Matrix{Rows: m.Rows, Cols: hi - lo, Stride: m.Stride}
	}
	return Matrix{Rows: m.Rows, Cols: hi - lo, Stride: m.Stride, Data: m.Data[lo : (m.Rows-1)*m.Stride+hi]}
}

// Select returns a len(rows) × m.Cols copy, without gaps between its rows, whose row i is row rows[i] of m.
func (m Matrix) Select(rows []int) Matrix {
	s := NewMatrix(len(rows), m.Cols)
	for i, r := range rows {
		copy(s.Row(i), m.Row(r))
	}
	return s
}

// Clone returns a copy without gaps between its rows.
func (m Matrix) Clone() Matrix {
	c := NewMatrix(m.Rows, m.Cols)
	c.CopyFrom(m)
	return c
}

// Transposed returns the transpose, without gaps between its rows.
func (m Matrix) Transposed() Matrix {
	t := NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			t.Set(j, i, v)
		}
	}
	return t
}

// CopyFrom sets the entries of m to those of a. It panics if the shapes differ.
func (m Matrix) CopyFrom(a Matrix) {
	m.mustMatch("CopyFrom", a)
	for i := range m.Rows {
		copy(m.Row(i), a.Row(i))
	}
}

// inOneRow returns the matrix as one row if its rows follow each other: loops over many short rows take several times as long.
func (m Matrix) inOneRow() Matrix {
	if m.Stride != m.Cols || m.Rows == 0 {
		return m
	}
	n := m.Rows * m.Cols
	return Matrix{Rows: 1, Cols: n, Stride: n, Data: m.Data}
}

// Scale multiplies every entry by s.
func (m Matrix) Scale(s float64) {
	m = m.inOneRow()
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			row[j] *= s
		}
	}
}

// AddScaled sets m to m + s·a. It panics if the shapes differ.
func (m Matrix) AddScaled(s float64, a Matrix) {
	m.mustMatch("AddScaled", a)
	if m.Stride == a.Stride {
		m, a = m.inOneRow(), a.inOneRow()
	}
	for i := range m.Rows {
		dst, src := m.Row(i), a.Row(i)
		for j, v := range src {
			dst[j] += s * v
		}
	}
}

// AddToDiagonal adds v to the entries of the diagonal.
func (m Matrix) AddToDiagonal(v float64) {
	for i := range min(m.Rows, m.Cols) {
		m.Data[i*m.Stride+i] += v
	}
}

// Norm1 returns the largest sum of magnitudes of a row: of a symmetric matrix ‖m‖₁.
func (m Matrix) Norm1() float64 {
	largest := 0.0
	for i := range m.Rows {
		sum := 0.0
		for _, v := range m.Row(i) {
			sum += math.Abs(v)
		}
		largest = max(largest, sum)
	}
	return largest
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

// mustShape panics if m is not r×c.
func mustShape(op string, m Matrix, r, c int) {
	if m.Rows != r || m.Cols != c {
		panic(fmt.Sprintf("compute: %s: operand is %d×%d, must be %d×%d", op, m.Rows, m.Cols, r, c))
	}
}
