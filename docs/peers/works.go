package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/methods"
	"repro/algos/parts"
	"repro/datasets"
	"repro/datasets/transforms"
)

// sizes are the numbers of rows of the work, and of the leading eigenpairs.
type sizes struct{ gemm, kernel, wide, batch, eigen, leading, cholesky, ridge, svm, features, csv int }

var reportSizes = sizes{gemm: 2000, kernel: 10_000, wide: 784, batch: 1432, eigen: 2000, leading: 160, cholesky: 5000, ridge: 10_000, svm: 10_000, features: 2000, csv: 200_000}

// A work is what both sides do.
type work struct {
	name, shape string
	precision   compute.Precision
	bytes       float64 // of memory that both sides need together, if it is much
	tolerance   float64 // of the difference between the results
	peers       []candidate
	setup       func(ctx context.Context, dir string) (*task, error)
}

func (w work) title() string { return fmt.Sprintf("%s %s in %s", w.name, w.shape, w.precision) }

// A candidate is a peer for a work.
type candidate struct {
	label string
	op    string   // of peer.py
	needs []string // Python packages
}

// A task is a work with its inputs.
type task struct {
	arrays  map[string]compute.Matrix // what peers read
	numbers map[string]float64
	files   map[string]string
	// ours returns our side, given the first results of the peers.
	ours func(peers []compute.Matrix) side
	// comparable turns a peer's result into one that is comparable with ours; nil if it is.
	comparable func(result compute.Matrix) compute.Matrix
	note       string // for the row, once ours is called
}

// own is our side.
type own[T any] struct {
	fresh func()                 // before each run; nil for nothing
	do    func() (T, error)      // the work
	value func(T) compute.Matrix // what is compared; nil if the first result is not asked for again
	last  T
}

func (o *own[T]) run() (float64, error) {
	var none T
	o.last = none // frees its memory
	if o.fresh != nil {
		o.fresh()
	}
	begin := time.Now()
	last, err := o.do()
	seconds := time.Since(begin).Seconds()
	o.last = last
	return seconds, err
}

func (o *own[T]) result() (compute.Matrix, error) { return o.value(o.last), nil }

// ours is task.ours of work that does not depend on results of the peers and cannot fail.
func ours[T any](do func() T, value func(T) compute.Matrix, fresh func()) func([]compute.Matrix) side {
	return func([]compute.Matrix) side {
		return &own[T]{fresh: fresh, do: func() (T, error) { return do(), nil }, value: value}
	}
}

func itself(m compute.Matrix) compute.Matrix { return m }

// probes is the number of random vectors that large results are compared on.
const probes = 8

// normals returns a matrix of standard normal numbers.
func normals(rows, cols int, purpose string) compute.Matrix {
	m, s := compute.NewMatrix(rows, cols), compute.NewStream(1, "peers "+purpose, 0)
	for i := range m.Data {
		m.Data[i] = s.Normal()
	}
	return m
}

// gaussian is the kernel of work in d dimensions: between two of its points, ‖x - z‖²/2σ² is about 1.
func gaussian(d int) kernels.Gaussian { return kernels.Gaussian{Sigma: math.Sqrt(float64(d))} }

var (
	numpy = []string{"numpy"}
	scipy = []string{"numpy", "scipy"}
	learn = []string{"numpy", "scipy", "sklearn"}
	torch = []string{"numpy", "torch"}
)

// works returns all work in the order of the report. Differences of results are rounding errors, unless a tolerance says
// otherwise: 2000 or more terms of a float64 sum and a condition number below 1e5 make less than 1e-8.
func works(o Options) []work {
	e := compute.NewEngine(compute.Options{Threads: o.Threads})
	const tolerance = 1e-8
	z := o.sizes
	all := []work{
		gemm(o.Threads, compute.Float32, z.gemm),
		gemm(o.Threads, compute.Float64, z.gemm),
		kernelProduct(e, z.kernel, z.wide),
		kernelProduct(e, z.kernel, 2),
		kernelBatches(o.Threads, z.kernel, z.wide, z.batch, false),
		kernelBatches(o.Threads, z.kernel, z.wide, (z.batch+4)/5, false),
		kernelBatches(o.Threads, z.kernel, z.wide, z.batch, true),
		kernelBatches(o.Threads, z.kernel, z.wide, (z.batch+4)/5, true),
		eigen(e, z.eigen),
		leading(e, z.eigen, z.leading),
		cholesky(e, z.cholesky),
		ridge(e, z.ridge),
		svm(e, o.Library, z.svm),
		features(e, z.kernel, z.wide, z.features),
		csv(z.csv),
	}
	for i := range all {
		if all[i].precision == "" {
			all[i].precision = compute.Float64
		}
		if all[i].tolerance == 0 {
			all[i].tolerance = tolerance
		}
	}
	return all
}

func gemm(threads int, p compute.Precision, n int) work {
	w := work{name: "matrix product", shape: fmt.Sprintf("%d×%d×%d", n, n, n), precision: p, peers: []candidate{{"NumPy", "gemm", numpy}}}
	single := 0.0
	if p == compute.Float32 {
		single, w.tolerance = 1, 1e-5 // 2000 terms of a float32 sum
	}
	w.setup = func(context.Context, string) (*task, error) {
		e := compute.NewEngine(compute.Options{Threads: threads, Precision: p})
		a, b, c := normals(n, n, "a"), normals(n, n, "b"), compute.NewMatrix(n, n)
		return &task{
			arrays:  map[string]compute.Matrix{"a": a, "b": b},
			numbers: map[string]float64{"single": single},
			ours: ours(func() compute.Matrix {
				e.Gemm(c, 1, a, false, b, false, 0)
				return c
			}, itself, nil),
		}, nil
	}
	return w
}

func kernelProduct(e *compute.Engine, n, d int) work {
	const columns = 10
	return work{
		name: "kernel times vectors", shape: fmt.Sprintf("n=%d d=%d columns=%d", n, d, columns), peers: []candidate{{"NumPy", "kernel_product", numpy}},
		setup: func(context.Context, string) (*task, error) {
			x, v, u := normals(n, d, "x"), normals(n, columns, "v"), compute.NewMatrix(n, columns)
			return &task{
				arrays:  map[string]compute.Matrix{"x": x, "v": v},
				numbers: map[string]float64{"sigma": gaussian(d).Sigma},
				ours: ours(func() compute.Matrix {
					e.Kernel(gaussian(d), x, x).MulTo(u, v)
					return u
				}, itself, nil),
			}, nil
		},
	}
}

// pixels returns generated pixels of 256 shades, and the kernel of work with them.
func pixels(rows, cols int) (compute.Matrix, kernels.Gaussian) {
	m, s := compute.NewMatrix(rows, cols), compute.NewStream(1, "peers pixels", 0)
	for i := range m.Data {
		m.Data[i] = math.Floor(256*s.Float64()) / 255
	}
	return m, kernels.Gaussian{Sigma: math.Sqrt(float64(cols) / 12)}
}

// kernelBatches is an epoch of EigenPro 2.0 without its corrections: a product for a batch of rows after the other.
func kernelBatches(threads, n, d, batch int, ofPixels bool) work {
	const columns = 10
	kind := ""
	if ofPixels {
		kind = " pixels"
	}
	return work{
		name: "kernel times vectors", shape: fmt.Sprintf("n=%d d=%d%s columns=%d, %d rows at a time", n, d, kind, columns, batch), precision: compute.Float32,
		tolerance: 1e-4, // the float32 sums of squared distances, of which the exponential is taken
		peers:     []candidate{{"NumPy", "batches_numpy", numpy}, {"PyTorch", "batches_torch", torch}},
		setup: func(context.Context, string) (*task, error) {
			e := compute.NewEngine(compute.Options{Threads: threads, Precision: compute.Float32})
			x, kernel := normals(n, d, "x"), gaussian(d)
			if ofPixels {
				x, kernel = pixels(n, d)
			}
			v, u := normals(n, columns, "v"), compute.NewMatrix(n, columns)
			return &task{
				arrays:  map[string]compute.Matrix{"x": x, "v": v},
				numbers: map[string]float64{"sigma": kernel.Sigma, "batch": float64(batch)},
				ours: ours(func() compute.Matrix {
					k := compute.KeepPacked(e.Kernel(kernel, x, x))
					for lo := 0; lo < n; lo += batch {
						hi := min(lo+batch, n)
						rows := make([]int, hi-lo)
						for i := range rows {
							rows[i] = lo + i
						}
						k.Select(rows).MulTo(u.RowRange(lo, hi), v)
					}
					return u
				}, itself, nil),
			}, nil
		},
	}
}

// kernelMatrix returns the kernel matrix of n points in 10 dimensions, with ridge on its diagonal.
func kernelMatrix(e *compute.Engine, n int, ridge float64) compute.Matrix {
	const d = 10
	x := normals(n, d, "x")
	k := e.KernelMatrix(gaussian(d), x, x)
	for i := range n {
		k.Data[i*k.Stride+i] += ridge
	}
	return k
}

// eigenpairs are eigenvalues and eigenvectors, or why there are none.
type eigenpairs struct {
	values  []float64
	vectors compute.Matrix
}

// spectral is a task that finds the k largest eigenvalues of a kernel matrix, and their eigenvectors. V diag(w) VᵀP is compared
// instead of V, whose signs are free.
func spectral(e *compute.Engine, n, k int, find func(a compute.Matrix) ([]float64, compute.Matrix, error)) (*task, error) {
	a, probe := kernelMatrix(e, n, 0), normals(n, probes, "probe")
	return &task{
		arrays:  map[string]compute.Matrix{"a": a, "probe": probe},
		numbers: map[string]float64{"k": float64(k)},
		ours: func([]compute.Matrix) side {
			return &own[eigenpairs]{
				do: func() (eigenpairs, error) {
					values, vectors, err := find(a)
					return eigenpairs{values, vectors}, err
				},
				value: func(p eigenpairs) compute.Matrix {
					c := e.Mul(p.vectors, probe, true)
					for i, v := range p.values {
						c.RowRange(i, i+1).Scale(v)
					}
					return e.Mul(p.vectors, c, false)
				},
			}
		},
	}, nil
}

func eigen(e *compute.Engine, n int) work {
	return work{
		name: "all eigenpairs", shape: fmt.Sprintf("n=%d", n), peers: []candidate{{"NumPy eigh (LAPACK syevd)", "eigh", numpy}},
		setup: func(context.Context, string) (*task, error) {
			return spectral(e, n, n, func(a compute.Matrix) ([]float64, compute.Matrix, error) { return parts.Symmetric(e, a.Clone(), n) })
		},
	}
}

func leading(e *compute.Engine, n, k int) work {
	return work{
		name: "leading eigenpairs", shape: fmt.Sprintf("%d of n=%d", k, n),
		peers: []candidate{{"SciPy eigsh (ARPACK)", "eigsh", scipy}, {"SciPy eigh (LAPACK syevr)", "eigh_part", scipy}},
		setup: func(context.Context, string) (*task, error) {
			return spectral(e, n, k, func(a compute.Matrix) ([]float64, compute.Matrix, error) { return parts.Leading(e, a, k, 0) })
		},
	}
}

func cholesky(e *compute.Engine, n int) work {
	return work{
		name: "Cholesky factor", shape: fmt.Sprintf("n=%d", n), peers: []candidate{{"SciPy (LAPACK potrf)", "cholesky", scipy}},
		setup: func(context.Context, string) (*task, error) {
			a, probe := kernelMatrix(e, n, 1), normals(n, probes, "probe")
			u := compute.NewMatrix(n, n)
			return &task{
				arrays: map[string]compute.Matrix{"a": a, "probe": probe},
				ours: func([]compute.Matrix) side {
					return &own[bool]{
						fresh: func() { u.CopyFrom(a) },
						do: func() (bool, error) {
							if !e.Cholesky(u) {
								return false, fmt.Errorf("the matrix is not positive definite")
							}
							return true, nil
						},
						value: func(bool) compute.Matrix {
							for i := range n {
								clear(u.Row(i)[:i])
							}
							return e.Mul(u, probe, false)
						},
					}
				},
			}, nil
		},
	}
}

func ridge(e *compute.Engine, n int) work {
	const d, nu = 50, 1.0 // nν, on the diagonal
	return work{
		name: "kernel ridge regression", shape: fmt.Sprintf("n=%d d=%d", n, d), bytes: 4 * 8 * float64(n) * float64(n),
		peers: []candidate{{"SciPy solve (LAPACK posv)", "ridge_scipy", scipy}, {"scikit-learn KernelRidge", "ridge_sklearn", learn}},
		setup: func(context.Context, string) (*task, error) {
			x, y := normals(n, d, "x"), normals(n, 1, "y")
			p := &algos.Problem{Train: transforms.InMemory{X: x, Y: y}, Kernel: gaussian(d), Loss: losses.Square{}, Nu: nu / float64(n), Engine: e}
			return &task{
				arrays:  map[string]compute.Matrix{"x": x, "y": y},
				numbers: map[string]float64{"sigma": gaussian(d).Sigma, "ridge": nu},
				ours:    fitted(p, &methods.KRR{}, x),
				// (K + nνI)α = y, so that the values at the rows follow from α without a product with K.
				comparable: func(alpha compute.Matrix) compute.Matrix {
					u := y.Clone()
					u.AddScaled(-nu, alpha)
					return u
				},
			}, nil
		},
	}
}

// fitted is task.ours of an algorithm that fits in one step. The values at the rows of x are compared.
func fitted(p *algos.Problem, a algos.Algorithm, x compute.Matrix) func([]compute.Matrix) side {
	return func([]compute.Matrix) side {
		return &own[algos.Fit]{
			do: func() (algos.Fit, error) {
				f, err := a.Start(p)
				if err == nil {
					_, err = f.Step()
				}
				return f, err
			},
			value: func(f algos.Fit) compute.Matrix { return f.Model().Predict(x) },
		}
	}
}

func features(e *compute.Engine, n, d, width int) work {
	return work{
		name: "random features", shape: fmt.Sprintf("n=%d d=%d features=%d", n, d, width),
		peers: []candidate{{"NumPy", "features_numpy", numpy}, {"scikit-learn RBFSampler", "features_sklearn", learn}},
		setup: func(context.Context, string) (*task, error) {
			x, probe := normals(n, d, "x"), normals(width, probes, "probe")
			f := gaussian(d).Features(1, d, width)
			w, b := compute.NewMatrix(d, width), compute.NewMatrix(1, width)
			f.(compute.ProjectionMap).Draw(0, w, b.Data)
			w.Scale(2 * math.Pi) // from turns
			b.Scale(2 * math.Pi)
			return &task{
				arrays: map[string]compute.Matrix{"x": x, "w": w, "b": b, "probe": probe},
				ours: ours(func() compute.Matrix { return e.FeatureMatrix(f, x, compute.Range{Lo: 0, Hi: 1}) },
					func(z compute.Matrix) compute.Matrix { return e.Mul(z, probe, false) }, nil),
			}, nil
		},
	}
}

func csv(rows int) work {
	const columns = 18
	return work{
		name: "read CSV", shape: fmt.Sprintf("%d×%d", rows, columns),
		peers: []candidate{{"NumPy loadtxt (1 thread)", "csv_numpy", numpy}, {"pandas read_csv (1 thread)", "csv_pandas", []string{"numpy", "pandas"}}},
		setup: func(ctx context.Context, dir string) (*task, error) {
			path := filepath.Join(dir, "rows.csv")
			if err := writeCSV(path, normals(rows, columns, "csv")); err != nil {
				return nil, err
			}
			options := datasets.Options{File: path, Stream: true, Order: "file"}
			return &task{
				files: map[string]string{"csv": path},
				ours: func([]compute.Matrix) side {
					return &own[*datasets.Set]{
						do: func() (*datasets.Set, error) { // a new library, because libraries keep what they have read
							return new(datasets.Library).Open(ctx, options, "regression", 0, "")
						},
						value: func(s *datasets.Set) compute.Matrix {
							m, y := compute.NewMatrix(rows, columns), compute.NewMatrix(rows, 1)
							which := make([]int, rows)
							for i := range which {
								which[i] = i
							}
							s.Train.Gather(which, m.ColRange(0, columns-1), y)
							m.ColRange(columns-1, columns).CopyFrom(y)
							return m
						},
					}
				},
			}, nil
		},
	}
}

func writeCSV(path string, m compute.Matrix) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	var line []byte
	for i := range m.Rows {
		line = line[:0]
		for j, v := range m.Row(i) {
			if j > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'g', 6, 64)
		}
		_, _ = w.Write(append(line, '\n')) // Flush returns the error
	}
	if err := w.Flush(); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
