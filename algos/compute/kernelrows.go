package compute

import (
	"cmp"
	"slices"

	"repro/algos/compute/internal/simd"
)

// KernelRows evaluates rows of the symmetric matrix k(x, x) when they are asked for, and keeps as many as a number of bytes
// holds. Those that were not asked for the longest give way.
type KernelRows struct {
	e *Engine
	k KernelFunc
	x Matrix
	o Operator // k(x, x), of which rows are selected

	most  int         // rows that may be kept
	kept  [][]float64 // their numbers, by slot
	holds []int       // the row in each slot, -1 if it is empty
	empty []int       // slots that hold none
	used  []int       // the call of Fetch that last asked for each slot
	slot  []int       // of each row, -1 if it is not kept
	calls int
}

// rowsTogether is the size in bytes of the rows that are allocated together, in huge pages where the system has them.
const rowsTogether = hugePagesFrom

// KernelRows returns the rows of the x.Rows × x.Rows matrix of Kernel, of which none is evaluated yet.
func (e *Engine) KernelRows(k KernelFunc, x Matrix, bytes int64) *KernelRows {
	r := &KernelRows{e: e, k: k, x: x, o: e.Kernel(k, x, x), most: x.Rows, slot: slices.Repeat([]int{-1}, x.Rows)}
	if size := 8 * int64(x.Rows); size > 0 {
		r.most = int(min(int64(x.Rows), max(1, bytes/size)))
	}
	return r
}

// Fetch evaluates those of some rows, each named once, that are not kept, in one product. Until the next call all of them can
// be read. They may be more than the bytes of KernelRows hold: they stay then.
func (r *KernelRows) Fetch(rows []int) {
	r.calls++
	var missing []int
	for _, i := range rows {
		if at := r.slot[i]; at >= 0 {
			r.used[at] = r.calls
		} else {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return
	}
	to := make([][]float64, len(missing))
	for l, at := range r.slots(len(missing)) {
		r.holds[at], r.slot[missing[l]], r.used[at] = missing[l], at, r.calls
		to[l] = r.kept[at]
	}
	o := operatorOf(r.o.Select(missing))
	o.on.Entries(func(i int) []float64 { return to[i] })
	r.e.count(o.evaluation())
}

// slots returns n slots that this call of Fetch may fill: empty ones while rows may be added, then those not used for the longest.
func (r *KernelRows) slots(n int) []int {
	for len(r.empty) < n && len(r.kept) < r.most {
		r.add(r.most - len(r.kept))
	}
	if len(r.empty) < n {
		var old []int
		for at, used := range r.used {
			if r.holds[at] >= 0 && used < r.calls {
				old = append(old, at)
			}
		}
		slices.SortStableFunc(old, func(a, b int) int { return cmp.Compare(r.used[a], r.used[b]) })
		for _, at := range old[:min(len(old), n-len(r.empty))] {
			r.slot[r.holds[at]] = -1
			r.empty = append(r.empty, at)
		}
	}
	for len(r.empty) < n {
		r.add(n - len(r.empty))
	}
	slots := r.empty[:n:n]
	r.empty = r.empty[n:]
	return slots
}

// add allocates rowsTogether bytes and a part of a slot more, but at most the given number of slots.
func (r *KernelRows) add(most int) {
	n := r.x.Rows
	count := min(most, rowsTogether/(8*n)+1)
	data := allocate[float64](count * n)
	for l := range count {
		r.empty = append(r.empty, len(r.kept))
		r.kept, r.holds, r.used = append(r.kept, data[l*n:(l+1)*n]), append(r.holds, -1), append(r.used, 0)
	}
}

// Kept reports whether some rows are all kept, so that Fetch evaluates none.
func (r *KernelRows) Kept(rows []int) bool {
	return !slices.ContainsFunc(rows, func(i int) bool { return r.slot[i] < 0 })
}

// diagonalBlock is the number of points whose kernel with each other gives a part of the diagonal.
const diagonalBlock = 64

// Diagonal returns k(x_i, x_i) for all i. The counters do not include it.
func (r *KernelRows) Diagonal() []float64 {
	defer func(c Counters) { r.e.counters = c }(r.e.counters)
	diagonal := make([]float64, r.x.Rows)
	for lo := 0; lo < len(diagonal); lo += diagonalBlock {
		x := r.x.RowRange(lo, min(lo+diagonalBlock, len(diagonal)))
		k := r.e.KernelMatrix(r.k, x, x)
		for i := range k.Rows {
			diagonal[lo+i] = k.At(i, i)
		}
	}
	return diagonal
}

// Row returns row i, which Fetch must have been asked for.
func (r *KernelRows) Row(i int) []float64 { return r.kept[r.slot[i]] }

// rowsChunk is the number of columns that AddTo adds in one job. The bits of results do not depend on it.
const rowsChunk = 2048

// AddTo adds Σ_l w_l k(x_{rows l}, ·) to y, x.Rows numbers, in the order of the rows. Fetch must have been asked for them.
func (r *KernelRows) AddTo(y []float64, rows []int, w []float64) {
	n := len(y)
	r.e.parallel((n+rowsChunk-1)/rowsChunk, n*len(rows), func(job int) {
		lo := job * rowsChunk
		hi := min(lo+rowsChunk, n)
		for l, i := range rows {
			simd.AddScaled(y[lo:hi], r.Row(i)[lo:hi], w[l])
		}
	})
	r.e.counters.Flops += 2 * int64(n) * int64(len(rows))
	r.e.counters.Bytes += 8 * int64(n) * int64(len(rows)+2)
}
