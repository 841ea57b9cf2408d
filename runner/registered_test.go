package runner

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/results/records"
	"repro/results/stats"
)

// rational is a kernel that a program registers.
type rational struct{ sigma, alpha float64 }

func (rational) Name() string { return "test-rational" }

func (k rational) At(x, z []float64) float64 {
	sum := 0.0
	for l, v := range x {
		sum += (v - z[l]) * (v - z[l])
	}
	return math.Pow(1+sum/(k.sigma*k.sigma), -k.alpha)
}

// scaled is a loss that a program registers.
type scaled struct {
	losses.Square
	by float64
}

func (scaled) Name() string { return "test-scaled" }
func (l scaled) Gradient(dst, u, y []float64) {
	for i, v := range u {
		dst[i] = l.by * (v - y[i])
	}
}

// halving is a schedule that a program registers.
type halving struct {
	Every float64 `toml:"every" want:"> 0" doc:"iterations between halvings"`
}

func (s *halving) Gamma(t int) float64 { return math.Exp2(-math.Floor(float64(t) / s.Every)) }

func init() {
	kernels.Register("test-rational", kernels.Family{
		Doc: "for a test", Keys: []kernels.Key{{Name: "bandwidth"}, kernels.Positive("alpha")},
		Make: func(c kernels.Config, sigma float64) kernels.Kernel {
			return kernels.Of(rational{sigma, c.Params["alpha"]})
		},
	})
	losses.Register("test-scaled", losses.Family{
		Doc: "for a test", Keys: []losses.Key{{Name: "by"}},
		Make: func(c losses.Config) losses.Loss { return scaled{by: c.Params["by"]} },
	})
	schedules.Register("test-halving", "for a test", func() schedules.Schedule { return &halving{Every: 100} })
	metrics.Register(metrics.Metric{
		Name: "test-engine", Doc: "for a test", Words: "for a test", Better: metrics.Neither, Training: true,
		Value: func(e *metrics.Evaluation) (float64, error) {
			x, _ := e.Problem.Dense()
			engine := e.Problem.Engine
			return engine.Mul(engine.KernelMatrix(e.Problem.Kernel, x, x), e.F, false).Norm1(), nil
		},
	})
	for name, v := range map[string]float64{"test-undefined": math.NaN(), "test-infinite": math.Inf(1)} {
		metrics.Register(metrics.Metric{Name: name, Doc: "for a test", Words: "for a test", Better: metrics.Neither,
			Value: func(*metrics.Evaluation) (float64, error) { return v, nil }})
	}
	source, err := datasets.Describe("dai2014-synthetic")
	if err != nil {
		panic(err)
	}
	datasets.Register(datasets.Source{
		Name: "test-data", Title: "for a test", Task: "regression", Dims: 2, Rows: 64, TestRows: 16, Generate: source.Generate,
	})
}

const registered = `[data]
name = "test-data"
[problem]
loss = { name = "test-scaled", params = { by = 0.5 } }
nu = 0.01
kernel = { name = "test-rational", bandwidth = 2.0, params = { alpha = 1.0 } }
[evaluate]
metrics = ["test-mse"]
[budget]
epochs = 2.0
[[method]]
id = "norma"
algorithm = "norma"
step = { schedule = "test-halving", every = 50.0 }
`

// With α = 1 the kernel is the built-in Cauchy kernel, and both runs give the same errors.
func TestRegisteredNamesRun(t *testing.T) {
	last := func(text string) records.Point {
		out := t.TempDir()
		s := spec(t, text)
		execute(t, s, Options{Out: out, Threads: 1})
		r, err := records.Read(records.Path(out, s.Expand()[0].Experiment, s.Expand()[0].Name))
		require.NoError(t, err)
		return r.Points[len(r.Points)-1]
	}
	mine := last(registered)
	builtin := last(strings.NewReplacer(`"test-rational"`, `"cauchy"`, ", params = { alpha = 1.0 }", "").Replace(registered))
	assert.InEpsilon(t, *builtin.Values["test-mse"], *mine.Values["test-mse"], 1e-9)

	settings, err := json.Marshal(spec(t, registered).Expand()[0].Settings)
	require.NoError(t, err)
	for _, want := range []string{`"alpha":1`, `"by":0.5`, `"every":50`, `"test-data"`} {
		assert.Contains(t, string(settings), want)
	}
}

// A metric computes with the engine of its cell: it has the same bits at any thread count, and changes nothing else.
func TestAMetricMayUseTheEngine(t *testing.T) {
	small := spec(t, head+compared)
	without := ran(t, small, Options{Threads: 1})
	s := spec(t, strings.Replace(head, `"test-mse", `, `"test-engine", "test-mse", `, 1)+compared)
	one := ran(t, s, Options{Threads: 1})
	for _, c := range s.Expand() {
		want, got := record(t, without, small, c.Name), record(t, one, s, c.Name)
		require.Len(t, got.Points, len(want.Points), "%s: %s", c.Name, got.End.Reason)
		for i, p := range got.Points {
			require.NotNil(t, p.Values["test-engine"], c.Name)
			assert.Positive(t, *p.Values["test-engine"], c.Name)
			delete(p.Values, "test-engine")
			delete(p.Values, "test-engine@average")
			assert.Equal(t, want.Points[i].Values, p.Values, c.Name)
			assert.Equal(t, want.Points[i].Counters, p.Counters, c.Name)
		}
	}
	assert.Equal(t, canonical(t, one, s), canonical(t, ran(t, s, Options{Threads: 3}), s), "three threads")
}

// A metric that does not apply is not measured, so that no figure says that its runs diverged. An infinite one is null.
func TestAMetricThatDoesNotApply(t *testing.T) {
	s := spec(t, strings.Replace(head, `"test-mse", `, `"test-undefined", "test-infinite", "test-mse", `, 1)+compared)
	out := ran(t, s, Options{})
	store, err := records.Open(out)
	require.NoError(t, err)
	for _, r := range store.Records {
		require.True(t, r.Status().Complete())
		for _, p := range r.Points {
			assert.NotContains(t, p.Values, "test-undefined")
			assert.Contains(t, p.Values, "test-infinite")
			assert.Nil(t, p.Values["test-infinite"])
			assert.NotNil(t, p.Values["test-mse"])
		}
		assert.Empty(t, stats.CurveOf([]*records.Record{r}, "test-undefined", "step", "").Diverged)
	}
}

func TestRegisteredNamesAreChecked(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"alpha = 1.0", "alpha = -1", "problem.kernel.params.alpha: must be > 0 and finite, got -1"},
		{"alpha = 1.0", "beta = 1", "problem.kernel.params.beta: is not a parameter of test-rational; remove it"},
		{"{ alpha = 1.0 }", "{}", "problem.kernel.params.alpha: missing; kernel test-rational needs a number > 0 and finite"},
		{"{ alpha = 1.0 }", "3", "problem.kernel.params: want a table, got 3"},
		{"by = 0.5", `by = "x"`, "problem.loss.params.by: want a number"},
		{"every = 50.0", "often = 50.0", "unknown key"},
	} {
		require.Equal(t, 1, strings.Count(registered, c.old))
		_, err := load(t, strings.Replace(registered, c.old, c.new, 1))
		assert.ErrorContains(t, err, c.want)
	}
}
