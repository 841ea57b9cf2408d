package compute

import (
	"math"
)

// An update is the eigenproblem of diag(d) + ρzzᵀ, ρ > 0, which stedc solves to merge two parts.
type update struct {
	rows Matrix // of the divider; deflation rotates them
	lo   int
	hi   int
	rho  float64
	d, z []float64 // d ascending
	row  []int     // of d_i
	kind []int

	kept, dropped []int // indices of d, ascending

	poles, weights []float64 // d and z of those kept
	shift          []int     // root j is poles[shift[j]] + tau[j]
	tau            []float64
	gaps           Matrix // row j: poles_i - root j
}

// newUpdate returns the update that joins the parts of a divider: ρ(0, …, 0, 1, ±1, 0, …, 0) in the basis of their eigenvectors,
// with z of norm one.
func newUpdate(v *divider, lo, mid, hi int, rho float64) *update {
	n := hi - lo
	u := &update{rows: v.rows, lo: lo, hi: hi, rho: 2 * math.Abs(rho), d: make([]float64, n), z: make([]float64, n), row: make([]int, n), kind: make([]int, n)}
	sign := math.Copysign(math.Sqrt(0.5), rho)
	for i, a, b := 0, lo, mid; i < n; i++ {
		from, at, kind, factor := a, mid-1, left, math.Sqrt(0.5)
		if a == mid || b < hi && v.t.diagonal[b] < v.t.diagonal[a] {
			from, at, kind, factor = b, mid, right, sign
			b++
		} else {
			a++
		}
		u.d[i], u.z[i], u.row[i], u.kind[i] = v.t.diagonal[from], factor*v.rows.At(from, at), from, kind
	}
	return u
}

// deflate divides the indices into those kept and those dropped, as LAPACK's dlaed2 does: an index whose z_i is negligible is
// dropped, and of two whose d_i are so close that a rotation of them makes one z_i zero at the cost of a rounding error, the
// first.
func (u *update) deflate() {
	largest := 0.0
	for i := range u.d {
		largest = max(largest, math.Abs(u.d[i]), math.Abs(u.z[i]))
	}
	tolerance := 8 * epsilon * largest
	last := -1
	for j := range u.d {
		if u.rho*math.Abs(u.z[j]) <= tolerance {
			u.drop(j)
			continue
		}
		if last >= 0 && u.rotate(last, j, tolerance) {
			u.drop(last)
		} else if last >= 0 {
			u.kept = append(u.kept, last)
		}
		last = j
	}
	if last >= 0 {
		u.kept = append(u.kept, last)
	}
}

func (u *update) drop(i int) {
	u.dropped = append(u.dropped, i)
	u.kind[i] = deflated
}

// rotate rotates the eigenvectors i and j so that z_i becomes zero, if the entry next to the diagonal that this leaves is
// negligible, and reports whether it did.
func (u *update) rotate(i, j int, tolerance float64) bool {
	norm := math.Hypot(u.z[i], u.z[j])
	c, s := u.z[j]/norm, -u.z[i]/norm
	if math.Abs((u.d[j]-u.d[i])*c*s) > tolerance {
		return false
	}
	u.z[i], u.z[j] = 0, norm
	if u.kind[i] != u.kind[j] {
		u.kind[j] = both
	}
	a, b := u.rows.Row(u.row[i])[u.lo:u.hi], u.rows.Row(u.row[j])[u.lo:u.hi]
	for l, v := range a {
		a[l], b[l] = c*v+s*b[l], c*b[l]-s*v
	}
	di, dj := u.d[i], u.d[j]
	u.d[i], u.d[j] = di*c*c+dj*s*s, di*s*s+dj*c*c
	return true
}

// value returns root j.
func (u *update) value(j int) float64 { return u.poles[u.shift[j]] + u.tau[j] }

// solve finds all roots λ_j of the secular equation 1 + ρ Σ z_i²/(d_i - λ) = 0 of the indices kept. Root j lies between poles j
// and j+1, the last one above the last pole.
func (u *update) solve(e *Engine) {
	k := len(u.kept)
	u.poles, u.weights = make([]float64, k), make([]float64, k)
	for j, i := range u.kept {
		u.poles[j], u.weights[j] = u.d[i], u.z[i]
	}
	u.shift, u.tau, u.gaps = make([]int, k), make([]float64, k), e.Unset(k, k)
	const roots = 8
	e.parallel((k+roots-1)/roots, 16*k*k, func(job int) {
		for j := job * roots; j < min((job+1)*roots, k); j++ {
			u.root(j)
		}
	})
}

// root finds root j. It measures from the nearer of the two poles, so that the distances to all poles have small relative
// errors, and iterates on the rational function that has both poles, and the value and the slopes of the two sums at the last
// iterate [Li 1993, LAPACK Working Note 89: the middle way]. An iterate outside the bracket is replaced by the bracket's middle.
func (u *update) root(j int) {
	k, gap := len(u.poles), u.gaps.Row(j)
	low, high := 0.0, 0.0 // bracket, from the pole of the shift
	if j == k-1 {
		sum := 0.0
		for _, z := range u.weights {
			sum += z * z
		}
		u.shift[j], high = j, u.rho*sum
	} else {
		u.shift[j], high = j, u.poles[j+1]-u.poles[j]
		u.measure(gap, j, high/2)
		if f, _, _, _ := u.secular(gap, j); f >= 0 {
			high /= 2
		} else {
			u.shift[j], low, high = j+1, -high/2, 0
		}
	}
	// An open end of the bracket is a pole.
	tau := (low + high) / 2
	for range 100 {
		u.measure(gap, u.shift[j], tau)
		f, left, right, size := u.secular(gap, j)
		if math.Abs(f) <= 8*epsilon*size {
			break
		}
		if f < 0 {
			low = tau
		} else {
			high = tau
		}
		next := tau + step(gap, j, f, left, right)
		if !(low < next && next < high) {
			next = low + (high-low)/2
		}
		if next == tau || next == low || next == high {
			break
		}
		tau = next
	}
	u.measure(gap, u.shift[j], tau)
	u.tau[j] = tau
}

// measure sets gap_i to d_i - (d_s + τ).
func (u *update) measure(gap []float64, s int, tau float64) {
	from := u.poles[s]
	for i, p := range u.poles {
		gap[i] = (p - from) - tau
	}
}

// secular returns f(λ), the slopes of its sums over the poles up to j and beyond, and the sum of the magnitudes of its terms.
func (u *update) secular(gap []float64, j int) (f, left, right, size float64) {
	var below, above float64
	for i, g := range gap[:j+1] {
		q := u.weights[i] / g
		below += u.weights[i] * q
		left += q * q
	}
	for i := len(gap) - 1; i > j; i-- {
		q := u.weights[i] / gap[i]
		above += u.weights[i] * q
		right += q * q
	}
	return 1 + u.rho*(below+above), u.rho * left, u.rho * right, 1 + u.rho*(math.Abs(below)+math.Abs(above))
}

// step returns the zero η of c + s/(δ_j - η) + S/(δ_{j+1} - η) nearest to 0, with the value f and the slopes of the two sums
// at η = 0. The last root has no pole above it; then S = 0.
func step(gap []float64, j int, f, left, right float64) float64 {
	d := gap[j]
	if j == len(gap)-1 {
		// c + s/(δ - η) = 0 with s = δ²ψ' and c = f - δψ'
		c := f - d*left
		if c == 0 {
			return math.NaN()
		}
		return d * f / c
	}
	h := gap[j+1]
	a, b, c := (d+h)*f-d*h*(left+right), d*h*f, f-d*left-h*right
	root := math.Sqrt(max(a*a-4*b*c, 0))
	if a <= 0 {
		return (a - root) / (2 * c)
	}
	return 2 * b / (a + root)
}

// vectors returns the eigenvectors of the indices kept, in rows. They are those of the update with the weights ẑ that have the
// computed roots exactly [Gu & Eisenstat 1995, eq. (2.2)],
//
//	ẑ_i² = Π_j (λ_j - d_i) / Π_{j≠i} (d_j - d_i)
//
// up to the factor ρ, and therefore orthogonal however close the roots are.
func (u *update) vectors(e *Engine) Matrix {
	k := len(u.kept)
	z := make([]float64, k)
	const wide = 64
	e.parallel((k+wide-1)/wide, 8*k*k, func(job int) {
		lo, hi := job*wide, min((job+1)*wide, k)
		for i := lo; i < hi; i++ {
			z[i] = 1
		}
		for j := range k {
			gap, pole := u.gaps.Row(j), u.poles[j]
			for i := lo; i < hi; i++ {
				if i == j {
					z[i] *= -gap[i]
				} else {
					z[i] *= gap[i] / (u.poles[i] - pole)
				}
			}
		}
		for i := lo; i < hi; i++ {
			z[i] = math.Copysign(math.Sqrt(math.Abs(z[i])), u.weights[i])
		}
	})
	const rows = 16
	e.parallel((k+rows-1)/rows, 8*k*k, func(job int) {
		for j := job * rows; j < min((job+1)*rows, k); j++ {
			row, sum := u.gaps.Row(j), 0.0
			for i, g := range row {
				row[i] = z[i] / g
				sum += row[i] * row[i]
			}
			scale := 1 / math.Sqrt(sum)
			for i := range row {
				row[i] *= scale
			}
		}
	})
	return u.gaps
}
