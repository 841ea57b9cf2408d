package algostest

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// Samples are samples in memory that record which rows were gathered.
type Samples struct {
	X, Y     compute.Matrix
	Gathered [][]int
}

func (d *Samples) Len() int            { return d.X.Rows }
func (d *Samples) Dims() (in, out int) { return d.X.Cols, d.Y.Cols }

func (d *Samples) Gather(rows []int, x, y compute.Matrix) {
	d.Gathered = append(d.Gathered, append([]int(nil), rows...))
	for i, r := range rows {
		copy(x.Row(i), d.X.Row(r))
		copy(y.Row(i), d.Y.Row(r))
	}
}

// Whole returns the rows themselves: Problem.Dense shares them.
func (d *Samples) Whole() (x, y compute.Matrix, ok bool) { return d.X, d.Y, true }

// Loss returns the named loss, with parameters that suit the data of Draw.
func Loss(t *testing.T, name string) losses.Loss {
	t.Helper()
	c := losses.Config{Name: name, Params: losses.ValidParams(name)}
	for _, key := range losses.Keys(name) {
		switch key {
		case "delta":
			c.Delta = 0.5
		case "epsilon":
			c.Epsilon = 0.1
		case "tau":
			c.Tau = 0.4
		}
	}
	l, err := losses.New(c)
	require.NoError(t, err)
	return l
}

// Draw returns n points uniform in [-1, 1]^3 with two targets: smooth functions of mean zero with some noise. For the task
// losses.Binary the targets are their signs; for losses.Multiclass the sign of the first gives one of two classes. Another
// purpose gives other points of the same distribution.
func Draw(purpose string, n int, task string) *Samples {
	d := &Samples{X: compute.NewMatrix(n, 3), Y: compute.NewMatrix(n, 2)}
	s := compute.NewStream(1, purpose, 0)
	for i := range n {
		x := d.X.Row(i)
		for j := range x {
			x[j] = 2*s.Float64() - 1
		}
		y := d.Y.Row(i)
		y[0] = 1.5*math.Sin(3*x[0]) + 0.1*s.Normal()
		y[1] = 2*x[1]*x[2] + x[0] + 0.1*s.Normal()
		switch task {
		case losses.Binary:
			y[0], y[1] = math.Copysign(1, y[0]), math.Copysign(1, y[1])
		case losses.Multiclass:
			y[0] = (1 + math.Copysign(1, y[0])) / 2
			y[1] = 1 - y[0]
		}
	}
	return d
}

// Problem returns a new problem of n points of Draw, with an engine of its own.
func Problem(n int, l losses.Loss) *algos.Problem {
	return &algos.Problem{
		Train:  Draw("train", n, l.Task()),
		Kernel: kernels.Gaussian{Sigma: 0.8},
		Loss:   l,
		Nu:     0.125,
		Seed:   5,
		Engine: compute.NewEngine(compute.Options{Threads: 1}),
	}
}

// Single returns a problem with one output whose rows are visited in order.
func Single(x [][]float64, y []float64, l losses.Loss, nu float64) *algos.Problem {
	p := Problem(1, l)
	d := &Samples{X: compute.NewMatrix(len(x), len(x[0])), Y: compute.NewMatrix(len(x), 1)}
	for i, row := range x {
		copy(d.X.Row(i), row)
		d.Y.Set(i, 0, y[i])
	}
	p.Train, p.Nu, p.FileOrder = d, nu, true
	return p
}

// Queries returns the points at which predictions are compared.
func Queries(in int) compute.Matrix {
	x := compute.NewMatrix(11, in)
	s := compute.NewStream(1, "queries", 0)
	for i := range x.Rows {
		s.Row(i, x.Row(i))
	}
	return x
}

// Start starts a method and fails the test if that returns an error.
func Start(t *testing.T, a algos.Algorithm, p *algos.Problem) algos.Fit {
	t.Helper()
	f, err := a.Start(p)
	require.NoError(t, err)
	return f
}

// Steps makes n steps, fewer if the fit is done.
func Steps(t *testing.T, f algos.Fit, n int) {
	t.Helper()
	require.NoError(t, steps(f, n))
}

// steps makes n steps, fewer if the fit is done or one fails.
func steps(f algos.Fit, n int) error {
	for range n {
		if p, err := f.Step(); err != nil || p.Done {
			return err
		}
	}
	return nil
}

// KernelTargets returns the problem of the posterior variance at the rows of at, with the inputs of p.
func KernelTargets(p *algos.Problem, at compute.Matrix) *algos.Problem {
	q := *p
	q.Train = algos.KernelTargets{Samples: p.Train, Kernel: p.Kernel, At: at}
	return &q
}

// StartAny starts a method on the first of these problems that it solves: p, p with ν = 0, the posterior variance at two
// points. It returns that problem.
func StartAny(a algos.Algorithm, p *algos.Problem) (f algos.Fit, of *algos.Problem, err error) {
	plain := *p
	plain.Nu = 0
	at := compute.Matrix{Rows: 2, Cols: 3, Stride: 3, Data: []float64{0.3, -0.2, 0.1, -0.5, 0.4, 0.2}}
	for _, of = range []*algos.Problem{p, &plain, KernelTargets(p, at)} {
		if f, err = a.Start(of); !errors.Is(err, algos.ErrUnsupported) {
			break
		}
	}
	return f, of, err
}

// LikeTargets returns test with targets of the same kind as those of p.
func LikeTargets(p *algos.Problem, test *Samples) *Samples {
	t, ok := p.Train.(algos.KernelTargets)
	if !ok {
		return test
	}
	t.Samples = test
	x, y := (&algos.Problem{Train: t}).Dense()
	return &Samples{X: x, Y: y}
}

// Predictions returns the running predictions of a fit with two outputs after step 0: zeros.
func Predictions(f algos.Fit, points int) algos.Predictions {
	p := algos.Predictions{Last: compute.NewMatrix(points, 2)}
	if a, ok := f.(algos.Averager); ok && a.Average() != nil {
		p.Average = compute.NewMatrix(points, 2)
	}
	return p
}

// Number returns a number that a fit says of itself. It fails the test if the fit does not say it, or cannot compute it.
func Number(t *testing.T, f algos.Fit, name string) float64 {
	t.Helper()
	of := algos.NumberOf(f, name)
	require.NotNil(t, of, "the fit does not say %s", name)
	v, err := of()
	require.NoError(t, err)
	return v
}

// Set sets the hyperparameter with a toml key, if the method has it.
func Set(a algos.Algorithm, key string, value any) {
	if f := fieldOf(a, key); f.IsValid() {
		f.Set(reflect.ValueOf(value).Convert(f.Type()))
	}
}

// has says whether the method has a hyperparameter with a toml key.
func has(a algos.Algorithm, key string) bool { return fieldOf(a, key).IsValid() }

// fieldOf returns the field of the hyperparameter with a toml key, the zero Value if the method has none.
func fieldOf(a algos.Algorithm, key string) reflect.Value {
	v := reflect.ValueOf(a).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if keyOf(f) == key {
			return v.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}

// keyOf returns a field's key in specs.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return key
}

// With returns a copy of a method with other hyperparameters, given by their keys in specs. Keys that the method does not
// have are ignored.
func With(a algos.Algorithm, settings map[string]any) algos.Algorithm {
	c := reflect.New(reflect.TypeOf(a).Elem())
	c.Elem().Set(reflect.ValueOf(a).Elem())
	b := c.Interface().(algos.Algorithm)
	for k, v := range settings {
		Set(b, k, v)
	}
	return b
}

// Encode encodes the state of a fit as the runner does.
func Encode(t *testing.T, f algos.Fit) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, algos.SaveState(&b, f.State()))
	return b.Bytes()
}

// Restore sets the state of a fit to an encoded one.
func Restore(t *testing.T, f algos.Fit, state []byte) {
	t.Helper()
	require.NoError(t, algos.RestoreState(bytes.NewReader(state), int64(len(state)), f.State()))
}

// Inputs are seven rows for computations by hand, with real targets.
var (
	Inputs  = [][]float64{{0.3, -0.2}, {-0.7, 0.5}, {0.1, 0.9}, {0.8, 0.8}, {-0.4, -0.6}, {0, 0.2}, {0.6, -0.9}}
	Targets = []float64{1.5, -0.7, 0.4, 2.2, -1.1, 0.9, 0.3}
)

// Gaussian returns k(x, z) for the kernel of Problem, from its formula.
func Gaussian(x, z []float64) float64 {
	d2 := 0.0
	for i := range x {
		d2 += (x[i] - z[i]) * (x[i] - z[i])
	}
	return math.Exp(-d2 / (2 * 0.8 * 0.8))
}

// ExactGram is the kernel matrix K of the training inputs with its eigenvalues, in descending order, and eigenvectors.
type ExactGram struct {
	K, Vectors *mat.Dense
	Values     []float64
}

// NewExactGram computes K of a problem of Problem or Single, and its spectrum by gonum.
func NewExactGram(t *testing.T, p *algos.Problem) ExactGram {
	t.Helper()
	x, _ := p.Dense()
	n := x.Rows
	g := ExactGram{K: mat.NewDense(n, n, nil)}
	g.K.Apply(func(i, j int, _ float64) float64 { return Gaussian(x.Row(i), x.Row(j)) }, g.K)
	g.Values, g.Vectors = Spectrum(t, g.K)
	return g
}

// Spectrum returns the eigenvalues of a symmetric matrix by gonum, in descending order, and its eigenvectors.
func Spectrum(t *testing.T, m mat.Matrix) (values []float64, vectors *mat.Dense) {
	t.Helper()
	var e mat.EigenSym
	var v mat.Dense
	n, _ := m.Dims()
	require.True(t, e.Factorize(mat.NewSymDense(n, mat.DenseCopyOf(m).RawMatrix().Data), true))
	e.VectorsTo(&v)
	values, vectors = e.Values(nil), mat.NewDense(n, n, nil)
	slices.Reverse(values)
	vectors.Apply(func(i, j int, _ float64) float64 { return v.At(i, n-1-j) }, vectors)
	return values, vectors
}

// SmallSquare returns the problem of Inputs and Targets with the square loss and ν = 0. Its rows are visited in order.
func SmallSquare() *algos.Problem { return Single(Inputs, Targets, losses.Square{}, 0) }

// SmoothGram returns a problem of n normal inputs and its kernel matrix, whose eigenvalues decay fast, with the spectrum
// by gonum.
func SmoothGram(t *testing.T, n int) (*algos.Problem, ExactGram) {
	t.Helper()
	s := compute.NewStream(3, "inputs", 0)
	d := &Samples{X: compute.NewMatrix(n, 2), Y: compute.NewMatrix(n, 1)}
	for i := range d.X.Data {
		d.X.Data[i] = s.Normal()
	}
	p := &algos.Problem{Train: d, Kernel: kernels.Gaussian{Sigma: 0.8}, Loss: losses.Square{}, Seed: 5,
		Engine: compute.NewEngine(compute.Options{Threads: 1})}
	return p, NewExactGram(t, p)
}
