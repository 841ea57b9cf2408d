package compute_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/algos/compute"
	"repro/algos/kernels"
)

func TestCountersAreExact(t *testing.T) {
	const n, m, d, width, blocks, k = 7, 11, 3, 4, 5, 2
	g := kernels.Gaussian{Sigma: 1}
	x, z := normalMatrix(1, n, d), normalMatrix(2, m, d)
	f, r := g.Features(1, d, width), compute.Range{Lo: 1, Hi: 1 + blocks}
	const c = width * blocks
	evaluated := Evaluated{Features{Size: width}}
	of := func(p int) [2]compute.Matrix {
		return [2]compute.Matrix{compute.NewMatrix(p, k), compute.NewMatrix(n, k)}
	}

	for name, test := range map[string]struct {
		spend func(e *compute.Engine)
		want  compute.Counters
	}{
		"nothing": {func(*compute.Engine) {}, compute.Counters{}},
		"making":  {func(e *compute.Engine) { e.Kernel(g, x, z); e.Features(f, x, r) }, compute.Counters{}},
		"kernel": {
			func(e *compute.Engine) { o := of(m); e.Kernel(g, x, z).MulTo(o[1], o[0]) },
			compute.Counters{KernelEvals: n * m, Flops: 2 * n * m * (d + k), Bytes: 8 * (n + m) * (d + k)},
		},
		"kernel transposed": {
			func(e *compute.Engine) { o := of(m); e.Kernel(g, x, z).MulTransTo(o[0], o[1]) },
			compute.Counters{KernelEvals: n * m, Flops: 2 * n * m * (d + k), Bytes: 8 * (n + m) * (d + k)},
		},
		"kernel matrix": {
			func(e *compute.Engine) { e.KernelMatrix(g, x, z) },
			compute.Counters{KernelEvals: n * m, Flops: 2 * n * m * d, Bytes: 8 * (n + m) * d},
		},
		"features": {
			func(e *compute.Engine) { o := of(c); e.Features(f, x, r).MulTo(o[1], o[0]) },
			compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * (d + k), Bytes: 8 * (n*(d+k) + c*(d+1+k))},
		},
		"features transposed": {
			func(e *compute.Engine) { o := of(c); e.Features(f, x, r).MulTransTo(o[0], o[1]) },
			compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * (d + k), Bytes: 8 * (n*(d+k) + c*(d+1+k))},
		},
		"evaluated features": {
			func(e *compute.Engine) { o := of(c); e.Features(evaluated, x, r).MulTo(o[1], o[0]) },
			compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * (d + k), Bytes: 8 * (n*(d+k) + c*k)},
		},
		"evaluated features transposed": {
			func(e *compute.Engine) { o := of(c); e.Features(evaluated, x, r).MulTransTo(o[0], o[1]) },
			compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * (d + k), Bytes: 8 * (n*(d+k) + c*k)},
		},
		"evaluated feature matrix": {
			func(e *compute.Engine) { e.FeatureMatrix(evaluated, x, r) },
			compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * d, Bytes: 8 * n * d},
		},
		"feature matrix": {
			func(e *compute.Engine) { e.FeatureMatrix(f, x, r) },
			compute.Counters{FeatureEvals: n * c, Flops: 2 * n * c * d, Bytes: 8 * (n*d + c*(d+1))},
		},
		"product": {
			func(e *compute.Engine) { e.Gemm(compute.NewMatrix(n, m), 2, x, false, z, true, 1) },
			compute.Counters{Flops: 2 * n * m * d, Bytes: 8 * (n*d + m*d + n*m)},
		},
		"product with a transpose": {
			func(e *compute.Engine) { e.Syrk(compute.NewMatrix(n, n), 1, x, false, 0) },
			compute.Counters{Flops: 2 * n * n * d, Bytes: 8 * (n*d + n*d + n*n)},
		},
		"symmetric product": {
			func(e *compute.Engine) {
				e.SymMulVec(make([]float64, compute.Whole(n)), compute.NewSymmetric(n), make([]float64, compute.Whole(n)))
			},
			compute.Counters{Flops: 2 * n * n, Bytes: 8*n*(n+1)/2 + 16*n},
		},
		"symmetric update": {
			func(e *compute.Engine) { e.SymAddOuter(compute.NewSymmetric(n), compute.NewRows(8, n), false) },
			compute.Counters{Flops: 8 * 2 * n * n, Bytes: 2*8*n*(n+1)/2 + 8*16*n},
		},
		"kernel rows": {
			func(e *compute.Engine) {
				rows := e.KernelRows(g, x, 1<<20)
				rows.Diagonal()
				rows.Fetch([]int{1, 4})
				rows.AddTo(make([]float64, n), []int{1, 4}, []float64{1, 2})
			},
			compute.Counters{KernelEvals: 2 * n, Flops: 2*2*n*d + 2*2*n, Bytes: 8*(2+n)*d + 8*n*(2+2)},
		},
		"product of vectors": {
			func(e *compute.Engine) { e.Mul(normalMatrix(1, n, 1), normalMatrix(2, n, 1), true) },
			compute.Counters{Flops: 2 * n, Bytes: 8 * (n + n + 1)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, threads := range []int{1, 3} {
				e := compute.NewEngine(compute.Options{Threads: threads})
				test.spend(e)
				assert.Equal(t, test.want, e.Counters())
				test.spend(e)
				assert.Equal(t, test.want.Add(test.want), e.Counters(), "cached features count as evaluated")
			}
		})
	}
}

// drawCounter counts the blocks that are drawn.
type drawCounter struct {
	compute.ProjectionMap
	draws map[int]int
}

func (c drawCounter) Draw(i int, omega compute.Matrix, phase []float64) {
	c.draws[i]++
	c.ProjectionMap.Draw(i, omega, phase)
}

func TestCacheKeepsTheFirstBlocksThatFit(t *testing.T) {
	const d, width, blocks = 3, 48, 6 // a block fills a panel
	const size = 8 * width * (d + 1)
	x, v := normalMatrix(1, 4, d), normalMatrix(2, width*blocks, 1)
	for name, test := range map[string]struct {
		limit int64
		kept  int
	}{
		"all":     {64 << 20, blocks},
		"exactly": {size * blocks, blocks},
		"some":    {4*size - 1, 3},
		"none":    {-8, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for precision, number := range map[compute.Precision]int64{compute.Float64: 8, compute.Float32: 4} {
				f := drawCounter{kernels.Gaussian{Sigma: 1}.Features(1, d, width).(compute.ProjectionMap), map[int]int{}}
				e := compute.NewEngine(compute.Options{Threads: 1, Precision: precision, CacheBytes: test.limit * number / 8})
				for range 3 {
					e.Features(f, x, compute.Range{Lo: 0, Hi: blocks}).MulTo(compute.NewMatrix(4, 1), v)
				}
				for i := range blocks {
					want := 3
					if i < test.kept {
						want = 1
					}
					assert.Equal(t, want, f.draws[i], "block %d", i)
				}
			}
		})
	}
}

// TestCacheKeepsStreamsApart uses one engine for maps that differ in seed, bandwidth, width or inputs.
func TestCacheKeepsStreamsApart(t *testing.T) {
	e := compute.NewEngine(compute.Options{Threads: 1})
	blocks := compute.Range{Lo: 0, Hi: 2}
	for range 2 { // the second time from the cache
		for _, c := range []struct {
			sigma    float64
			seed     uint64
			d, width int
		}{{1, 1, 2, 4}, {2, 1, 2, 4}, {1, 2, 2, 4}, {1, 1, 3, 4}, {1, 1, 2, 5}} {
			f, x := kernels.Gaussian{Sigma: c.sigma}.Features(c.seed, c.d, c.width), normalMatrix(1, 3, c.d)
			got := e.FeatureMatrix(f, x, blocks)
			want := compute.NewEngine(compute.Options{Threads: 1, CacheBytes: -1}).FeatureMatrix(f, x, blocks)
			assert.Equal(t, want, got, "%+v", c)
		}
	}
}

func TestShapePanics(t *testing.T) {
	g, e := kernels.Gaussian{Sigma: 1}, compute.NewEngine(compute.Options{Threads: 1})
	x, z := normalMatrix(1, 4, 2), normalMatrix(2, 6, 2)
	f := g.Features(1, 2, 3)
	matrix := compute.NewMatrix
	operators := map[string]compute.Operator{"kernel": e.Kernel(g, x, z), "features": e.Features(f, x, compute.Range{Lo: 0, Hi: 2})}
	cases := map[string]func(){
		"points of different dimensions": func() { e.Kernel(g, x, normalMatrix(1, 3, 3)) },
		"matrix of different dimensions": func() { e.KernelMatrix(g, x, normalMatrix(1, 3, 3)) },
		"negative block":                 func() { e.Features(f, x, compute.Range{Lo: -1, Hi: 2}) },
		"reversed blocks":                func() { e.Features(f, x, compute.Range{Lo: 2, Hi: 1}) },
		"matrix of reversed blocks":      func() { e.FeatureMatrix(f, x, compute.Range{Lo: 2, Hi: 1}) },
	}
	for name, f := range map[string]func(c compute.Matrix){
		"result of a product":              func(c compute.Matrix) { e.Gemm(c, 1, x, false, z, true, 0) },
		"result of a symmetric product":    func(c compute.Matrix) { e.Syrk(c, 1, x, false, 0) },
		"inner dimensions of a product":    func(c compute.Matrix) { e.Gemm(c, 1, x, true, z, true, 0) },
		"result of a transposed symmetric": func(c compute.Matrix) { e.Syrk(c, 1, x, true, 0) },
	} {
		cases[name] = func() { f(matrix(5, 6)) }
	}
	for name, op := range operators { // all 4×6
		cases[name+": operand"] = func() { op.MulTo(matrix(4, 1), matrix(5, 1)) }
		cases[name+": result"] = func() { op.MulTo(matrix(3, 1), matrix(6, 1)) }
		cases[name+": columns"] = func() { op.MulTo(matrix(4, 2), matrix(6, 1)) }
		cases[name+": transposed operand"] = func() { op.MulTransTo(matrix(6, 1), matrix(5, 1)) }
		cases[name+": transposed result"] = func() { op.MulTransTo(matrix(4, 1), matrix(4, 1)) }
		cases[name+": transposed columns"] = func() { op.MulTransTo(matrix(6, 2), matrix(4, 1)) }
	}
	for name, f := range cases {
		t.Run(name, func(t *testing.T) {
			defer func() {
				m, _ := recover().(string)
				assert.True(t, strings.HasPrefix(m, "compute: "), "want a panic that starts with \"compute: \", got %q", m)
			}()
			f()
		})
	}
}
