package parts

import (
	"gonum.org/v1/gonum/floats"
)

// SolvePacked replaces v by L⁻¹v. l holds the rows of the lower triangle L, one after another.
func SolvePacked(l, v []float64) {
	for i, at := 0, 0; i < len(v); i++ {
		row := l[at : at+i+1]
		v[i] = (v[i] - floats.Dot(row[:i], v[:i])) / row[i]
		at += i + 1
	}
}

// SolvePackedTransposed replaces v by (Lᵀ)⁻¹v.
func SolvePackedTransposed(l, v []float64) {
	for i, at := len(v)-1, len(v)*(len(v)-1)/2; i >= 0; i-- {
		row := l[at : at+i+1]
		v[i] /= row[i]
		floats.AddScaled(v[:i], -v[i], row[:i])
		at -= i
	}
}
