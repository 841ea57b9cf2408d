package runner

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/records"
	"repro/runner/programs"
)

var _ = algos.Register[*conjugate]("test-cg", "the conjugate gradients of docs/examples, in Go", func() algos.Algorithm { return &conjugateGradients{} })

type conjugateGradients struct{}

// conjugate solves Ax = b, A tridiagonal with 2.1 and -1, b = 1.
type conjugate struct {
	X, R, P []float64
	RR      float64
}

func (*conjugateGradients) Traits() algos.Traits { return algos.Traits{Own: true} }

func (*conjugateGradients) Start(*algos.Problem) (algos.Fit, error) {
	const n = 100
	ones := func() []float64 { return slices.Repeat([]float64{1}, n) }
	return &conjugate{X: make([]float64, n), R: ones(), P: ones(), RR: n}, nil
}

func (f *conjugate) product(v []float64) []float64 {
	u := make([]float64, len(v))
	for i := range v {
		u[i] = 2.1 * v[i]
		if i > 0 {
			u[i] -= v[i-1]
		}
		if i < len(v)-1 {
			u[i] -= v[i+1]
		}
	}
	return u
}

func (f *conjugate) Step() (algos.Progress, error) {
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	q := f.product(f.P)
	alpha := f.RR / dot(f.P, q)
	for i := range q {
		f.X[i] += alpha * f.P[i]
		f.R[i] -= alpha * q[i]
	}
	before := f.RR
	f.RR = dot(f.R, f.R)
	for i := range q {
		f.P[i] = f.R[i] + f.RR/before*f.P[i]
	}
	return algos.Progress{}, nil
}

func (*conjugate) Model() algos.Model { return nil }
func (f *conjugate) State() any       { return f }

func (f *conjugate) Report() map[string]float64 {
	sum := 0.0
	for _, q := range f.product(f.X) {
		sum += (1 - q) * (1 - q)
	}
	return map[string]float64{"residual": math.Sqrt(sum / float64(len(f.X)))}
}

// copied copies a folder of docs/examples, and puts a Python that has the module first in PATH. It skips without one.
func copied(t *testing.T, folder, module string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "docs", "examples", folder))))
	if module == "" {
		return dir
	}
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import "+module).Run() == nil {
			bin := t.TempDir()
			require.NoError(t, os.Symlink(path, filepath.Join(bin, "python3")))
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			return dir
		}
	}
	t.Skipf("no python3 here has the module %s; on Debian it is in python3-%[1]s", module)
	return ""
}

// compiled compiles the example in C.
func compiled(t *testing.T) string {
	t.Helper()
	dir := copied(t, "c", "")
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler cc here")
	}
	out, err := exec.Command("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", filepath.Join(dir, "cg"), filepath.Join(dir, "cg.c"), "-lm").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

// loaded loads a spec.
func loaded(t *testing.T, file string, sets ...string) *experiments.Spec {
	t.Helper()
	refs, err := catalog.Resolve([]string{file})
	require.NoError(t, err)
	s, err := catalog.Load(refs[0], experiments.LoadOptions{Set: sets})
	require.NoError(t, err)
	return s
}

// example runs a spec and returns the record of a cell.
func example(t *testing.T, file, cell string, sets ...string) *records.Record {
	t.Helper()
	s := loaded(t, file, sets...)
	out := t.TempDir()
	execute(t, s, Options{Out: out, AllowExternal: true})
	r := record(t, out, s, cell)
	require.True(t, r.Status().Complete(), r.End.Reason)
	return r
}

// Conjugate gradients in NumPy, in C and in Go report the same at every step, but for rounding.
func TestConjugateGradientsAgree(t *testing.T) {
	s := spec(t, strings.ReplaceAll(strings.Split(own, "[[method]]")[0], "gap", "residual")+"[[method]]\nid = \"cg\"\nalgorithm = \"test-cg\"\n",
		"repeat.seeds=1", "budget.steps=40", `evaluate={points = 40, spacing = "linear"}`)
	out := t.TempDir()
	execute(t, s, Options{Out: out})
	want := record(t, out, s, "cg-seed1")
	require.Len(t, want.Points, 40)
	assert.Less(t, *want.Points[39].Values["residual"], 1e-3)
	agrees := func(t *testing.T, r *records.Record) {
		require.Len(t, r.Points, len(want.Points))
		largest := 0.0
		for i, p := range r.Points {
			assert.Equal(t, want.Points[i].Step, p.Step)
			largest = max(largest, math.Abs(*p.Values["residual"]-*want.Points[i].Values["residual"]))
		}
		t.Logf("the largest difference is %.2g", largest)
		assert.Less(t, largest, 1e-12)
	}
	t.Run("NumPy", func(t *testing.T) {
		agrees(t, example(t, filepath.Join(copied(t, "python", "numpy"), "cg.toml"), "cg-seed1"))
	})
	t.Run("C", func(t *testing.T) { agrees(t, example(t, filepath.Join(compiled(t), "cg.toml"), "cg-seed1")) })
}

// A program that learns from rows gets them, the kernel and ν as the exact solver does.
func TestRidgeInNumPy(t *testing.T) {
	r := example(t, filepath.Join(copied(t, "python", "numpy"), "ridge.toml"), "cg-seed1")
	last := r.Points[len(r.Points)-1]
	assert.Equal(t, records.Done, r.Status())
	assert.Less(t, *last.Values["exact-distance"], 1e-20)
	assert.Greater(t, *r.Points[0].Values["exact-distance"], 1e-3)
}

func TestExamplesOfSGD(t *testing.T) {
	for _, c := range []struct{ folder, module, program, file, cell, metric string }{
		{"python", "numpy", "python3", "sgd.toml", "sgd-seed2", "gap"},
		{"python", "sklearn", "python3", "sklearn_sgd.toml", "sklearn-seed2", "test-mse"},
		{"r", "", "Rscript", "sgd.toml", "sgd-seed2", "gap"},
	} {
		t.Run(c.program+" "+c.file, func(t *testing.T) {
			dir := copied(t, c.folder, c.module)
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("there is no %s here", c.program)
			}
			r := example(t, filepath.Join(dir, c.file), c.cell, "repeat.seeds=2")
			first, last := *r.Points[0].Values[c.metric], *r.Points[len(r.Points)-1].Values[c.metric]
			assert.Less(t, last, first/2, "it learns")
			assert.NotEmpty(t, r.Header.Provenance.External.Version)
		})
	}
}

// The solvers of scikit-learn, and Nyström ridge regression in NumPy, learn two classes and three.
func TestSolversOfScikitLearn(t *testing.T) {
	file := filepath.Join(copied(t, "python", "sklearn"), "sklearn_solvers.toml")
	refs, err := catalog.Resolve([]string{file})
	require.NoError(t, err)
	for _, c := range []struct{ method, data string }{
		{"sklearn-boosting", `{name = "two-classes", task = "binary", train = 400, test = 400}`},
		{"numpy-ridge", `{name = "two-classes", task = "binary", train = 1200, test = 400}`},
		{"sklearn-nystroem", `{name = "three-classes", task = "multiclass", coding = "zero-one", train = 400, test = 400}`},
	} {
		s, err := catalog.Load(refs[0], experiments.LoadOptions{Profile: "smoke", Methods: []string{c.method}, Set: []string{"data=" + c.data, "problem.kernel.bandwidth=0.5"}})
		require.NoError(t, err)
		out := t.TempDir()
		execute(t, s, Options{Out: out, AllowExternal: true})
		r := record(t, out, s, c.method+"-seed1")
		require.True(t, r.Status().Complete(), r.End.Reason)
		assert.Less(t, *r.Points[len(r.Points)-1].Values["test-error"], 0.25, c.method)
	}
}

// The specs of the examples load, and the manual shows the files that are there.
func TestExamplesAreThoseOfTheManual(t *testing.T) {
	specs, err := filepath.Glob("../docs/examples/*/*.toml") // the extension has others, for its own program
	require.NoError(t, err)
	for _, path := range specs {
		loaded(t, path)
	}
	manual, err := os.ReadFile("../docs/external-methods.md")
	require.NoError(t, err)
	for _, file := range []string{"sgd.py", "sgd.toml"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", "examples", "python", file))
		require.NoError(t, err)
		assert.Contains(t, string(manual), string(text)+"```", file)
	}
}

// One step of a served program costs less than a millisecond beside what it computes.
func TestOverheadOfServing(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	measure := func(t *testing.T, args ...string) {
		e := &experiments.External{Format: "npy", Timeout: 60, Command: experiments.Command{Serve: args}}
		p, err := programs.New(t.Context(), e, "cg", t.TempDir(), 1, nil, programs.Rows{Folder: &programs.Folder{}})
		require.NoError(t, err)
		s, _, err := p.Serve(t.Context(), programs.Start{Seed: 1})
		require.NoError(t, err)
		defer s.Close()
		var took []float64
		for range 2000 {
			i, seconds := s.Advance(1)
			require.NoError(t, i.Err)
			took = append(took, seconds)
		}
		slices.Sort(took)
		t.Logf("%s: 2000 requests for one step, median %.3g µs, 99th percentile %.3g µs, %d processors", filepath.Base(args[0]), 1e6*took[1000], 1e6*took[1980], runtime.NumCPU())
		assert.Less(t, took[1000], 1e-3)
	}
	t.Run("C", func(t *testing.T) { measure(t, filepath.Join(compiled(t), "cg")) })
	t.Run("Python", func(t *testing.T) { measure(t, "python3", filepath.Join(copied(t, "python", "numpy"), "cg.py")) })
}
