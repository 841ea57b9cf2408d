package runner

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/parts"
	"repro/datasets"
	"repro/experiments"
	"repro/results/files"
)

// played is a spec of every online method against the adversary.
const played = `
[data]
name = "adversary"
inputs = 2
train = 14
starts = 2
stream = true
[problem]
loss = "square"
nu_n = 1.0
kernel = { name = "gaussian", bandwidth = 1.0 }
[budget]
epochs = 1
[evaluate]
points = 14
spacing = "linear"
metrics = ["regret-refit", "regret", "regret-bound", "regret-share"]
[repeat]
seeds = 2
[[method]]
id = "phi"
algorithm = "phi-awv"
[[method]]
id = "kernel"
algorithm = "kernel-awv"
[[method]]
id = "krr"
algorithm = "online-krr"
[[method]]
id = "fogd"
algorithm = "fogd"
[[method]]
id = "pros"
algorithm = "pros-n-kons"
[[method]]
id = "released"
algorithm = "pros-n-kons"
variant = "released"
[[method]]
id = "nystrom"
algorithm = "nystrom-awv"
`

// refit is R_t(f_t) by definition for predictions u of rows x, y: a direct solve of ridge regression with λ = 1.
func refit(t *testing.T, p *algos.Problem, x compute.Matrix, y, u []float64) (regret float64) {
	t.Helper()
	n := x.Rows
	k := mat.NewDense(n, n, append([]float64(nil), p.Engine.KernelMatrix(p.Kernel, x, x).Data...))
	var ridge mat.Dense
	ridge.CloneFrom(k)
	for i := range n {
		ridge.Set(i, i, ridge.At(i, i)+1)
	}
	var alpha, f mat.VecDense
	require.NoError(t, alpha.SolveVec(&ridge, mat.NewVecDense(n, y)))
	f.MulVec(k, &alpha)
	for i := range n {
		regret += (y[i]-u[i])*(y[i]-u[i]) - (y[i]-f.AtVec(i))*(y[i]-f.AtVec(i))
	}
	return regret
}

// The adversary plays against each method: its rows are in the box, differ between methods, and are at least as bad for the
// method as the points from which it started. They are kept with the cell, and run as a stream of their own they give the
// same curve.
func TestAdversary(t *testing.T) {
	s := spec(t, played)
	out := ran(t, s, Options{})
	files := map[string]bool{}
	for _, c := range s.Expand() {
		rec := record(t, out, s, c.Name)
		name := filepath.Join(out, "predictions", s.ID, c.Name+".stream.csv")
		require.Contains(t, rec.End.Files, c.Name+".stream.csv")
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.False(t, files[string(text)], "%s has the rows of another cell", c.Name)
		files[string(text)] = true

		set, err := datasets.NewLibrary().Open(context.Background(), datasets.Options{File: name, Header: true, Target: "y", Stream: true, Order: "file"}, "regression", 1, "")
		require.NoError(t, err)
		p := instanceOf(t, s).problem
		p.Seed, p.Train, p.FileOrder = c.Seed, set.Train, true
		p.Engine = compute.NewEngine(compute.Options{Threads: 1, Precision: c.Precision()})
		x, targets := p.Dense()
		require.Equal(t, 14, x.Rows)
		y := make([]float64, x.Rows)
		var u []float64
		fit, err := c.Method.Configured.Start(&p)
		require.NoError(t, err)
		starts := func(i int) compute.Matrix {
			random, m := compute.NewStream(c.Seed, "adversary", uint64(i)), compute.NewMatrix(2, 2)
			for k := range m.Data {
				m.Data[k] = 2*random.Float64() - 1
			}
			return m
		}
		for i := range y {
			y[i] = targets.At(i, 0)
			assert.Equal(t, 1.0, y[i]*y[i], "the regret is convex in y")
			for _, v := range x.Row(i) {
				assert.LessOrEqual(t, v*v, 1.0)
			}
			model := fit.Model()
			u = append(u, model.Predict(x.RowRange(i, i+1)).At(0, 0))
			regret := refit(t, &p, x.RowRange(0, i+1), y[:i+1], u)
			// Sums of 14 terms in another order.
			assert.InDelta(t, regret, *rec.Points[i].Values["regret-refit"], 1e-9, "%s after %d rounds", c.Name, i+1)
			for _, start := range [][]float64{starts(i).Row(0), starts(i).Row(1)} {
				other, rows := append(append([]float64{}, y[:i]...), 0), compute.NewMatrix(i+1, 2)
				copy(rows.Data, x.Data[:2*i])
				copy(rows.Row(i), start)
				at := append(append([]float64{}, u[:i]...), model.Predict(rows.RowRange(i, i+1)).At(0, 0))
				for _, v := range []float64{-1, -0.3, 0.6, 1} {
					other[i] = v
					assert.GreaterOrEqual(t, regret, refit(t, &p, rows, other, at)-1e-9, "%s, round %d", c.Name, i+1)
				}
			}
			_, err := fit.Step()
			require.NoError(t, err)
		}
	}
}

// streamOf returns the file of the examples that the adversary of a cell chose.
func streamOf(t *testing.T, out string, c experiments.Cell) string {
	t.Helper()
	text, err := os.ReadFile(files.Path(out, "predictions", c.Experiment, c.Name+".stream.csv"))
	require.NoError(t, err)
	return string(text)
}

// The joint search of the released code ends at examples with y in [-1, 1], too, and finds others.
func TestJointAdversary(t *testing.T) {
	s := spec(t, played, "data.search=joint", "data.starts=1", "repeat.seeds=1")
	out, signs := t.TempDir(), t.TempDir()
	execute(t, s, Options{Out: out})
	execute(t, spec(t, played, "data.starts=1", "repeat.seeds=1"), Options{Out: signs})
	for _, c := range s.Expand() {
		text := streamOf(t, out, c)
		assert.NotEqual(t, streamOf(t, signs, c), text)
		for line := range strings.Lines(strings.TrimPrefix(text, "x1,x2,y\n")) {
			for word := range strings.SplitSeq(strings.TrimSpace(line), ",") {
				v, err := strconv.ParseFloat(word, 64)
				require.NoError(t, err)
				assert.LessOrEqual(t, v*v, 1.0)
			}
		}
	}
}

// The bound of Prop. 2.1 holds for every sequence, hence against the adversary, whose search is no cost of the method.
func TestAdversaryObeysTheBoundAndCostsNothing(t *testing.T) {
	s := spec(t, played, "data.train=30", "repeat.seeds=1")
	out := ran(t, s, Options{})
	points := record(t, out, s, "kernel-seed1").Points
	for _, p := range points {
		assert.LessOrEqual(t, *p.Values["regret"], *p.Values["regret-bound"])
		assert.InDelta(t, *p.Values["regret"] / *p.Values["regret-bound"], *p.Values["regret-share"], 1e-12)
	}
	assert.EqualValues(t, 30*31/2, points[len(points)-1].Counters.KernelEvals)
	points = record(t, out, s, "fogd-seed1").Points
	assert.EqualValues(t, 30*200, points[len(points)-1].Counters.FeatureEvals)
}

// Regret metrics agree with direct solves on the examples in the order in which methods see them, for methods that are
// online and for methods of batches.
func TestRegretByDefinition(t *testing.T) {
	text := strings.Replace(streamed, `"progressive-mse"`, `"progressive-mse", "regret", "regret-refit", "regret-bound", "regret-dimension-bound", "effective-dimension"`, 1)
	s := spec(t, text, "repeat.seeds=1")
	out := ran(t, s, Options{})
	p := instanceOf(t, s).problem
	p.Engine = compute.NewEngine(compute.Options{Threads: 1})
	order := parts.NewOrder(&p)
	for _, id := range []string{"phi", "kernel", "norma"} {
		for _, point := range record(t, out, s, id+"-seed1").Points {
			n := int(point.Seen)
			ridge := parts.NewGrowingRidge(&p) // agrees with direct solves
			for i := range n {
				_, x, y := order.Batch(int64(i), 1)
				ridge.Add(x.Row(0), y.Row(0))
			}
			h, v := ridge.Hindsight(), point.Values
			assert.InDelta(t, *v["cumulative-loss"]-h.Penalised, *v["regret"], 1e-9, id)
			assert.InDelta(t, *v["cumulative-loss"]-h.Squares, *v["regret-refit"], 1e-9, id)
			assert.InDelta(t, h.Dimension, *v["effective-dimension"], 1e-9, id)
			assert.LessOrEqual(t, *v["regret-bound"], *v["regret-dimension-bound"]*(1+1e-12), "Prop. 2.2")
			if id == "kernel" {
				assert.LessOrEqual(t, *v["regret"], *v["regret-bound"], "Prop. 2.1")
			}
		}
	}
}

// The loader refuses what cannot be played against an adversary, and regret of streams that are too long.
func TestAdversaryErrors(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"data.stream=false", "data.stream: adversary chooses one example after another against the method that learns them: set stream = true"},
		{"data.starts=0", "data.starts: missing: the number of random points from which adversary searches every example, such as 4"},
		{"data.rows=[3, 5]", "data.rows: adversary chooses its examples in turn: set train to their number"},
		{"data.in_memory=true", "data.in_memory: adversary chooses its examples in turn: remove it"},
		{"data.name=two-bumps", "data.starts: it belongs to data that an adversary chooses: remove it"},
		{"data.search=wide", `data.search: unknown value "wide"; choose one of signs, joint`},
		{"budget.epochs=2", "budget: adversary chooses 14 examples, each once; set epochs = 1, or data.train to more"},
		{`problem.kernel.bandwidth={ rule = "median" }`, "problem.kernel.bandwidth: the rows of adversary are not known before a method learns them; write a number"},
		{"precision=float32", "precision: adversary takes differences of predictions, which float32 is too coarse for; remove it"},
		{`evaluate.metrics=["train-mse"]`, `evaluate.metrics: "train-mse" needs all rows at once, and those of adversary are chosen in turn; remove it`},
		{"method.fogd={ id = \"fogd\", algorithm = \"norma\" }", `method "fogd".algorithm: norma is not online, and adversary chooses each example against a method that predicts it first; remove the method, or choose other data`},
		{"data.train=8193", `evaluate.metrics: "regret-refit" compares with a regression on all examples so far, and 8193 are more than 8192; set data.train to fewer, or remove the metric`},
		{"problem.nu_n=0", `evaluate.metrics: "regret-refit" compares with ridge regression, which needs nu or nu_n > 0`},
		{"problem.loss=absolute", `evaluate.metrics: "regret-refit" is of the square loss, and method "phi" has absolute; remove one of them`},
		{`evaluate.metrics=["regret-embedding-share"]`, `"regret-embedding-share" needs a method that predicts with fixed features of the RKHS (such as phi-awv), and method "kernel" is kernel-awv`},
	} {
		_, err := load(t, played, c.set)
		assert.ErrorContains(t, err, c.want, c.set)
	}
}
