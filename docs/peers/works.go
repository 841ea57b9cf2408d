package main

import (
	"context"
	"errors"
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
	tolerance   float64 // of the difference between the results
	peers       []candidate
	setup       func() (*task, error)
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
	value func(T) compute.Matrix // what is compared
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

func (o *own[T]) ours([]compute.Matrix) side { return o }

// product is our side of work that fills a matrix.
func product(m compute.Matrix, do func()) func([]compute.Matrix) side {
	return (&own[compute.Matrix]{
		do:    func() (compute.Matrix, error) { do(); return m, nil },
		value: func(m compute.Matrix) compute.Matrix { return m },
	}).ours
}

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

const columns = 10 // of the vectors that kernels are multiplied with

// works returns all work in the order of the report. Differences of results are rounding errors, unless a tolerance says
// otherwise: 2000 or more terms of a float64 sum and a condition number below 1e5 make less than 1e-8.
func works(ctx context.Context, threads int, library *datasets.Library, dir string, z sizes) []work {
	const tolerance, single = 1e-8, compute.Float32
	e := compute.NewEngine(compute.Options{Threads: threads})
	e32 := compute.NewEngine(compute.Options{Threads: threads, Precision: single})
	numpy, scipy, learn := []string{"numpy"}, []string{"numpy", "scipy"}, []string{"numpy", "scipy", "sklearn"}
	pandas, torch := []string{"numpy", "pandas"}, []string{"numpy", "torch"}
	square := fmt.Sprintf("%d×%d×%d", z.gemm, z.gemm, z.gemm)
	all := []work{
		{"matrix product", square, single, 1e-5 /* 2000 terms of a float32 sum */, []candidate{{"NumPy", "gemm", numpy}}, func() (*task, error) { return gemm(e32, z.gemm) }},
		{"matrix product", square, "", 0, []candidate{{"NumPy", "gemm", numpy}}, func() (*task, error) { return gemm(e, z.gemm) }},
	}
	for _, d := range []int{z.wide, 2} {
		all = append(all, work{"kernel times vectors", fmt.Sprintf("n=%d d=%d columns=%d", z.kernel, d, columns), "", 0,
			[]candidate{{"NumPy", "kernel_product", numpy}}, func() (*task, error) { return kernelProduct(e, z.kernel, d) }})
	}
	for _, kind := range []string{"", " pixels"} {
		for _, batch := range []int{z.batch, (z.batch + 4) / 5} {
			all = append(all, work{"kernel times vectors", fmt.Sprintf("n=%d d=%d%s columns=%d, %d rows at a time", z.kernel, z.wide, kind, columns, batch), single,
				1e-4, // the float32 sums of squared distances, of which the exponential is taken
				[]candidate{{"NumPy", "batches_numpy", numpy}, {"PyTorch", "batches_torch", torch}},
				func() (*task, error) { return kernelBatches(e32, z.kernel, z.wide, batch, kind != "") }})
		}
	}
	all = append(all, []work{
		{"all eigenpairs", fmt.Sprintf("n=%d", z.eigen), "", 0, []candidate{{"NumPy eigh (LAPACK syevd)", "eigh", numpy}}, func() (*task, error) {
			return spectral(e, z.eigen, z.eigen, func(a compute.Matrix) ([]float64, compute.Matrix, error) {
				return parts.Symmetric(e, a.Clone(), z.eigen)
			})
		}},
		{"leading eigenpairs", fmt.Sprintf("%d of n=%d", z.leading, z.eigen), "", 0,
			[]candidate{{"SciPy eigsh (ARPACK)", "eigsh", scipy}, {"SciPy eigh (LAPACK syevr)", "eigh_part", scipy}}, func() (*task, error) {
				return spectral(e, z.eigen, z.leading, func(a compute.Matrix) ([]float64, compute.Matrix, error) { return parts.Leading(e, a, z.leading, 0) })
			}},
		{"Cholesky factor", fmt.Sprintf("n=%d", z.cholesky), "", 0, []candidate{{"SciPy (LAPACK potrf)", "cholesky", scipy}}, func() (*task, error) { return cholesky(e, z.cholesky) }},
		{"kernel ridge regression", fmt.Sprintf("n=%d d=%d", z.ridge, ridgeInputs), "", 0,
			[]candidate{{"SciPy solve (LAPACK posv)", "ridge_scipy", scipy}, {"scikit-learn KernelRidge", "ridge_sklearn", learn}}, func() (*task, error) { return ridge(e, z.ridge) }},
		svm(ctx, e, library, z.svm, []candidate{{"scikit-learn SVC (LIBSVM, 1 thread)", "svc", learn}}),
		{"random features", fmt.Sprintf("n=%d d=%d features=%d", z.kernel, z.wide, z.features), "", 0,
			[]candidate{{"NumPy", "features_numpy", numpy}, {"scikit-learn RBFSampler", "features_sklearn", learn}},
			func() (*task, error) { return features(e, z.kernel, z.wide, z.features) }},
		{"read CSV", fmt.Sprintf("%d×%d", z.csv, csvColumns), "", 0,
			[]candidate{{"NumPy loadtxt (1 thread)", "csv_numpy", numpy}, {"pandas read_csv (1 thread)", "csv_pandas", pandas}},
			func() (*task, error) { return csv(ctx, filepath.Join(dir, "rows.csv"), z.csv) }},
	}...)
	for i, w := range all {
		if w.precision == "" {
			all[i].precision = compute.Float64
		}
		if w.tolerance == 0 {
			all[i].tolerance = tolerance
		}
	}
	return all
}

func gemm(e *compute.Engine, n int) (*task, error) {
	single := 0.0
	if e.Precision() == compute.Float32 {
		single = 1
	}
	a, b, c := normals(n, n, "a"), normals(n, n, "b"), compute.NewMatrix(n, n)
	return &task{
		arrays:  map[string]compute.Matrix{"a": a, "b": b},
		numbers: map[string]float64{"single": single},
		ours:    product(c, func() { e.Gemm(c, 1, a, false, b, false, 0) }),
	}, nil
}

func kernelProduct(e *compute.Engine, n, d int) (*task, error) {
	x, v, u := normals(n, d, "x"), normals(n, columns, "v"), compute.NewMatrix(n, columns)
	return &task{
		arrays:  map[string]compute.Matrix{"x": x, "v": v},
		numbers: map[string]float64{"sigma": gaussian(d).Sigma},
		ours:    product(u, func() { e.Kernel(gaussian(d), x, x).MulTo(u, v) }),
	}, nil
}

// kernelBatches is an epoch of EigenPro 2.0 without its corrections: a product for a batch of rows after the other. Pixels are generated, of
// 256 shades.
func kernelBatches(e *compute.Engine, n, d, batch int, pixels bool) (*task, error) {
	x, kernel := normals(n, d, "x"), gaussian(d)
	if pixels {
		s := compute.NewStream(1, "peers pixels", 0)
		for i := range x.Data {
			x.Data[i] = math.Floor(256*s.Float64()) / 255
		}
		kernel.Sigma = math.Sqrt(float64(d) / 12)
	}
	v, u, rows := normals(n, columns, "v"), compute.NewMatrix(n, columns), upTo(n)
	return &task{
		arrays:  map[string]compute.Matrix{"x": x, "v": v},
		numbers: map[string]float64{"sigma": kernel.Sigma, "batch": float64(batch)},
		ours: product(u, func() {
			k := compute.KeepPacked(e.Kernel(kernel, x, x))
			for lo := 0; lo < n; lo += batch {
				hi := min(lo+batch, n)
				k.Select(rows[lo:hi]).MulTo(u.RowRange(lo, hi), v)
			}
		}),
	}, nil
}

// upTo returns 0 … n - 1.
func upTo(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// kernelMatrix returns the kernel matrix of n points in 10 dimensions, with ridge on its diagonal.
func kernelMatrix(e *compute.Engine, n int, ridge float64) compute.Matrix {
	const d = 10
	x := normals(n, d, "x")
	k := e.KernelMatrix(gaussian(d), x, x)
	k.AddToDiagonal(ridge)
	return k
}

// eigenpairs are eigenvalues and eigenvectors.
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
		ours: (&own[eigenpairs]{
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
		}).ours,
	}, nil
}

func cholesky(e *compute.Engine, n int) (*task, error) {
	a, probe := kernelMatrix(e, n, 1), normals(n, probes, "probe")
	u := compute.NewMatrix(n, n)
	return &task{
		arrays: map[string]compute.Matrix{"a": a, "probe": probe},
		ours: (&own[bool]{
			fresh: func() { u.CopyFrom(a) },
			do: func() (bool, error) {
				if !e.Cholesky(u) {
					return false, errors.New("the matrix is not positive definite")
				}
				return true, nil
			},
			value: func(bool) compute.Matrix {
				for i := range n {
					clear(u.Row(i)[:i])
				}
				return e.Mul(u, probe, false)
			},
		}).ours,
	}, nil
}

const ridgeInputs = 50

func ridge(e *compute.Engine, n int) (*task, error) {
	const nu = 1.0 // nν, on the diagonal
	x, y, kernel := normals(n, ridgeInputs, "x"), normals(n, 1, "y"), gaussian(ridgeInputs)
	p := &algos.Problem{Train: transforms.InMemory{X: x, Y: y}, Kernel: kernel, Loss: losses.Square{}, Nu: nu / float64(n), Engine: e}
	return &task{
		arrays:  map[string]compute.Matrix{"x": x, "y": y},
		numbers: map[string]float64{"sigma": kernel.Sigma, "ridge": nu},
		ours:    fitted(p, &methods.KRR{}, x),
		// (K + nνI)α = y, so that the values at the rows follow from α without a product with K.
		comparable: func(alpha compute.Matrix) compute.Matrix {
			u := y.Clone()
			u.AddScaled(-nu, alpha)
			return u
		},
	}, nil
}

// fitted is our side of an algorithm that fits in one step. The values at the rows of x are compared.
func fitted(p *algos.Problem, a algos.Algorithm, x compute.Matrix) func([]compute.Matrix) side {
	return (&own[algos.Fit]{
		do: func() (algos.Fit, error) {
			f, err := a.Start(p)
			if err == nil {
				_, err = f.Step()
			}
			return f, err
		},
		value: func(f algos.Fit) compute.Matrix { return f.Model().Predict(x) },
	}).ours
}

func features(e *compute.Engine, n, d, width int) (*task, error) {
	x, probe := normals(n, d, "x"), normals(width, probes, "probe")
	f := gaussian(d).Features(1, d, width)
	w, b := compute.NewMatrix(d, width), compute.NewMatrix(1, width)
	f.(compute.ProjectionMap).Draw(0, w, b.Data)
	w.Scale(2 * math.Pi) // from turns
	b.Scale(2 * math.Pi)
	return &task{
		arrays: map[string]compute.Matrix{"x": x, "w": w, "b": b, "probe": probe},
		ours: (&own[compute.Matrix]{
			do:    func() (compute.Matrix, error) { return e.FeatureMatrix(f, x, compute.Range{Lo: 0, Hi: 1}), nil },
			value: func(z compute.Matrix) compute.Matrix { return e.Mul(z, probe, false) },
		}).ours,
	}, nil
}

const csvColumns = 18

func csv(ctx context.Context, path string, rows int) (*task, error) {
	var text []byte
	m := normals(rows, csvColumns, "csv")
	for i := range rows {
		for j, v := range m.Row(i) {
			if j > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendFloat(text, v, 'g', 6, 64)
		}
		text = append(text, '\n')
	}
	options := datasets.Options{File: path, Stream: true, Order: "file"}
	return &task{
		files: map[string]string{"csv": path},
		ours: (&own[*datasets.Set]{
			do: func() (*datasets.Set, error) { // a new library, because libraries keep what they have read
				return new(datasets.Library).Open(ctx, options, "regression", 0, "")
			},
			value: func(s *datasets.Set) compute.Matrix {
				m, y := compute.NewMatrix(rows, csvColumns), compute.NewMatrix(rows, 1)
				s.Train.Gather(upTo(rows), m.ColRange(0, csvColumns-1), y)
				m.ColRange(csvColumns-1, csvColumns).CopyFrom(y)
				return m
			},
		}).ours,
	}, os.WriteFile(path, text, 0o600)
}
