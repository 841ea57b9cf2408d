package algos

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/algos/losses"
)

// dense are samples in memory that remember which rows were asked for.
type dense struct {
	x, y     compute.Matrix
	gathered [][]int
}

func (d *dense) Len() int            { return d.x.Rows }
func (d *dense) Dims() (in, out int) { return d.x.Cols, d.y.Cols }
func (d *dense) Gather(rows []int, x, y compute.Matrix) {
	d.gathered = append(d.gathered, append([]int(nil), rows...))
	for i, r := range rows {
		copy(x.Row(i), d.x.Row(r))
		copy(y.Row(i), d.y.Row(r))
	}
}

// named returns the loss of a name, with parameters that matter on the data of draw if it has any.
func named(t *testing.T, name string) losses.Loss {
	t.Helper()
	c := losses.Config{Name: name}
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

// draw returns n points uniform in [-1, 1]^3 with two targets: smooth functions with a mean of zero
// and some noise; for labels their signs; for two classes, by the sign of the first. Different
// purposes give different points of the same law.
func draw(purpose string, n int, task string) *dense {
	d := &dense{x: compute.NewMatrix(n, 3), y: compute.NewMatrix(n, 2)}
	s := compute.NewStream(1, purpose, 0)
	for i := range n {
		x := d.x.Row(i)
		for j := range x {
			x[j] = 2*s.Float64() - 1
		}
		y := d.y.Row(i)
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

// problem is a fresh problem of n points of draw, on an engine of its own.
func problem(n int, l losses.Loss) *Problem {
	return &Problem{
		Train:  draw("train", n, l.Task()),
		Kernel: kernels.Gaussian{Sigma: 0.8},
		Loss:   l,
		Nu:     0.125,
		Seed:   5,
		Engine: compute.NewEngine(compute.Options{Threads: 1}),
	}
}

// single is a problem with one output and the rows of x visited in order.
func single(x [][]float64, y []float64, l losses.Loss, nu float64) *Problem {
	p := problem(1, l)
	d := &dense{x: compute.NewMatrix(len(x), len(x[0])), y: compute.NewMatrix(len(x), 1)}
	for i, row := range x {
		copy(d.x.Row(i), row)
		d.y.Set(i, 0, y[i])
	}
	p.Train, p.Nu, p.FileOrder = d, nu, true
	return p
}

// inputs7 are inputs of the hand computations, targets7 real targets and labels7 labels.
var (
	inputs7  = [][]float64{{0.3, -0.2}, {-0.7, 0.5}, {0.1, 0.9}, {0.8, 0.8}, {-0.4, -0.6}, {0, 0.2}, {0.6, -0.9}}
	targets7 = []float64{1.5, -0.7, 0.4, 2.2, -1.1, 0.9, 0.3}
	labels7  = []float64{1, -1, 1, 1, -1, 1, -1}
)

// queries are the points at which predictions are compared.
func queries(in int) compute.Matrix {
	x := compute.NewMatrix(11, in)
	s := compute.NewStream(1, "queries", 0)
	for i := range x.Rows {
		s.Row(i, x.Row(i))
	}
	return x
}

func start(t *testing.T, a Algorithm, p *Problem) Fit {
	t.Helper()
	f, err := a.Start(p)
	require.NoError(t, err)
	return f
}

// steps makes n steps, fewer if the fit is done before.
func steps(t *testing.T, f Fit, n int) {
	t.Helper()
	for range n {
		p, err := f.Step()
		require.NoError(t, err)
		if p.Done {
			return
		}
	}
}

// gaussian is the naive k(x, z) of problem's kernel.
func gaussian(x, z []float64) float64 {
	d2 := 0.0
	for i := range x {
		d2 += (x[i] - z[i]) * (x[i] - z[i])
	}
	return math.Exp(-d2 / (2 * 0.8 * 0.8))
}

// naiveFeature is √2·cos(ω·x + b) for feature j of a block, with ω and b as the block draws them, in turns.
func naiveFeature(f compute.FeatureMap, block, j int, x []float64) float64 {
	omega, phase := compute.NewMatrix(len(x), f.Width()), make([]float64, f.Width())
	f.(compute.ProjectionMap).Draw(block, omega, phase)
	turns := phase[j]
	for l, v := range x {
		turns += omega.At(l, j) * v
	}
	return math.Sqrt2 * math.Cos(2*math.Pi*turns)
}

// column returns the single output of predictions.
func column(m compute.Matrix) []float64 {
	c := make([]float64, m.Rows)
	for i := range c {
		c[i] = m.At(i, 0)
	}
	return c
}
