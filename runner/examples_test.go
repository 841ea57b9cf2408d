package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/records"
)

// copied copies a folder of docs/examples, and puts a Python that has the module first in PATH. It skips without one.
func copied(t *testing.T, folder, module string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "docs", "examples", folder))))
	if module == "" {
		return dir
	}
	require.NoError(t, os.CopyFS(filepath.Join(dir, "repro"), os.DirFS(filepath.Join("..", "docs", "python", "repro"))))
	path := pythonWith(module)
	if path == "" {
		t.Skipf("no python3 here has the module %s; on Debian it is in python3-%[1]s", module)
	}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(path, filepath.Join(bin, "python3")))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return dir
}

var pythons = map[string]string{} // by module

// pythonWith returns the path of a Python that has the module, "" if there is none. It asks once: imports take a second.
func pythonWith(module string) string {
	if path, known := pythons[module]; known {
		return path
	}
	pythons[module] = ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if path, err := exec.LookPath(name); err == nil && pythons[module] == "" && exec.Command(path, "-c", "import "+module).Run() == nil {
			pythons[module] = path
		}
	}
	return pythons[module]
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
	out := ran(t, s, Options{AllowExternal: true})
	r := record(t, out, s, cell)
	require.True(t, r.Status().Complete(), r.End.Reason)
	return r
}

// Conjugate gradients in NumPy and in C report the same at every step, but for rounding.
func TestConjugateGradientsAgree(t *testing.T) {
	numpy := example(t, filepath.Join(copied(t, "python", "numpy"), "cg.toml"), "cg-seed1")
	c := example(t, filepath.Join(compiled(t), "cg.toml"), "cg-seed1")
	require.Len(t, numpy.Points, len(c.Points))
	for i, p := range numpy.Points {
		assert.Equal(t, c.Points[i].Step, p.Step)
		assert.InDelta(t, *c.Points[i].Values["residual"], *p.Values["residual"], 1e-12)
	}
	assert.Less(t, *c.Points[len(c.Points)-1].Values["residual"], 1e-3)
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
		out := ran(t, s, Options{AllowExternal: true})
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
