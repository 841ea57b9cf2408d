package compute

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// stedcLeaf is the largest tridiagonal matrix that stedc leaves to the QL iteration. The bits of results depend on it.
const stedcLeaf = 32

const epsilon = 0x1p-53 // largest relative rounding error

// stedc returns the eigenvalues of a tridiagonal matrix in ascending order, and its eigenvectors in the rows of a matrix, by
// divide and conquer [Cuppen 1981; Gu & Eisenstat 1995], as LAPACK's dstedc does. It overwrites t. ok is false if the QL
// iteration of a leaf does not converge.
//
// The matrix is cut in two, T = diag(T_1, T_2) + ρzzᵀ. The eigenvalues of diag(D_1, D_2) + ρzzᵀ are the roots of a rational
// function; those that z hardly touches are kept as they are (deflation). The eigenvectors are products of those of the two
// parts with those of the update, which is where the time goes and what Gemm does.
func (e *Engine) stedc(t tridiagonal) (values []float64, rows Matrix, ok bool) {
	n := len(t.diagonal)
	d := &divider{e: e, t: t, rows: e.Zeroed(n, n), old: e.Unset(n, n)}
	defer e.Reuse(d.old)
	if !d.solve(0, n) {
		return nil, Matrix{}, false
	}
	return t.diagonal, d.rows, true
}

// A divider holds what all levels of stedc share: the eigenvalues replace the diagonal of t, and the eigenvectors of a part
// lo ≤ i < hi are in the rows and columns lo to hi of rows.
type divider struct {
	e         *Engine
	t         tridiagonal
	rows, old Matrix
}

// solve computes the eigenvalues of rows lo ≤ i < hi of t, in ascending order, and the eigenvectors.
func (d *divider) solve(lo, hi int) bool {
	n := hi - lo
	if n <= stedcLeaf {
		return d.leaf(lo, hi)
	}
	mid := lo + n/2
	rho := d.t.off[mid-1]
	d.t.diagonal[mid-1] -= math.Abs(rho)
	d.t.diagonal[mid] -= math.Abs(rho)
	if !d.solve(lo, mid) || !d.solve(mid, hi) {
		return false
	}
	d.merge(lo, mid, hi, rho)
	return true
}

// leaf is solve by the QL iteration.
func (d *divider) leaf(lo, hi int) bool {
	n := hi - lo
	if n == 0 {
		return true
	}
	values, off, z := d.t.diagonal[lo:hi], slices.Clone(d.t.off[lo:hi-1]), make([]float64, n*n)
	if n == 1 {
		z[0] = 1
	} else if !(lapackgonum.Implementation{}).Dsteqr(lapack.EVTridiag, n, values, off, z, n, make([]float64, 2*n-2)) {
		return false
	}
	for i := range n {
		row := d.rows.Row(lo + i)[lo:hi]
		for j := range row {
			row[j] = z[j*n+i]
		}
	}
	return true
}

// The kinds of rows of a merge: eigenvectors with entries in the left part only, in both, in the right part only, and those
// that are not changed.
const (
	left = iota
	both
	right
	deflated
	kinds
)

// merge computes the eigensystem of rows lo to hi from those of lo to mid and mid to hi, which are of T without the entry rho
// next to its diagonal.
func (d *divider) merge(lo, mid, hi int, rho float64) {
	n := hi - lo
	u := newUpdate(d, lo, mid, hi, rho)
	u.deflate()
	k := len(u.kept)
	u.solve(d.e)
	s := u.vectors(d.e)
	counts := d.byKind(u, lo, hi, s)

	// The eigenvalues, ascending, each with its place among the new rows.
	values, places := make([]float64, n), make([]int, n)
	for j := range k {
		values[j] = u.value(j)
	}
	for q, i := range u.dropped {
		values[k+q] = u.d[i]
	}
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	sorted := d.e.Unset(k, k) // rows of s in their final order
	final := make([]int, 0, k)
	for i, p := range places {
		d.t.diagonal[lo+i] = values[p]
		if p >= k {
			copy(d.rows.Row(lo + i)[lo:hi], d.old.Row(lo + p)[lo:hi])
			continue
		}
		copy(sorted.Row(len(final)), s.Row(p))
		final = append(final, lo+i)
	}
	if k == 0 {
		return
	}
	d.e.Reuse(s)
	product := d.e.Unset(k, n)
	a, b := counts[left]+counts[both], counts[both]+counts[right]
	d.e.multiply(product.ColRange(0, mid-lo), 1, sorted.ColRange(0, a), false, d.old.RowRange(lo, lo+a).ColRange(lo, mid), false, 0)
	d.e.multiply(product.ColRange(mid-lo, n), 1, sorted.ColRange(k-b, k), false, d.old.RowRange(lo+k-b, lo+k).ColRange(mid, hi), false, 0)
	for j, i := range final {
		copy(d.rows.Row(i)[lo:hi], product.Row(j))
	}
	d.e.Reuse(sorted)
	d.e.Reuse(product)
}

// byKind copies the rows of the old eigenvectors to d.old: those kept in the order of their kinds, so that zeros are not multiplied,
// then those dropped. It puts the columns of s in the same order, and returns the numbers of rows of each kind.
func (d *divider) byKind(u *update, lo, hi int, s Matrix) (counts [kinds]int) {
	order := make([]int, 0, len(u.kept)) // column of s of each row
	for kind := left; kind < deflated; kind++ {
		for j, i := range u.kept {
			if u.kind[i] == kind {
				copy(d.old.Row(lo + len(order))[lo:hi], d.rows.Row(u.row[i])[lo:hi])
				order = append(order, j)
				counts[kind]++
			}
		}
	}
	for q, i := range u.dropped {
		copy(d.old.Row(lo + len(u.kept) + q)[lo:hi], d.rows.Row(u.row[i])[lo:hi])
	}
	d.e.columns(s, order)
	return counts
}

// columns puts column order[j] of s in place of column j.
func (e *Engine) columns(s Matrix, order []int) {
	const rows = 16
	e.parallel((s.Rows+rows-1)/rows, s.Rows*s.Cols, func(job int) {
		space := e.double.tileSpace()
		defer e.double.giveBack(space)
		old := space.product.get(s.Cols)
		for i := job * rows; i < min((job+1)*rows, s.Rows); i++ {
			row := s.Row(i)
			copy(old, row)
			for j, from := range order {
				row[j] = old[from]
			}
		}
	})
}
