package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
	_ "repro/datasets/sources"
)

// A scripted side takes these seconds in turn, and has one result.
type scripted struct {
	name    string
	seconds []float64
	value   compute.Matrix
	ran     *[]string
}

func (s *scripted) run() (float64, error) {
	*s.ran = append(*s.ran, s.name)
	v := s.seconds[0]
	if len(s.seconds) > 1 {
		s.seconds = s.seconds[1:]
	}
	return v, nil
}

func (s *scripted) result() (compute.Matrix, error) { return s.value, nil }

func column(v ...float64) compute.Matrix {
	return compute.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// TestMeasure has repetitions of 2, 3 and 8 s against 1, 2 and 2 s: ratios 2, 1.5 and 4.
func TestMeasure(t *testing.T) {
	var ran []string
	a := &scripted{"a", []float64{1, 2, 2}, column(3, 4), &ran}
	b := &scripted{"b", []float64{4}, column(3, 4), &ran}
	var given []compute.Matrix
	task := &task{
		ours: func(peers []compute.Matrix) side {
			given = peers
			return &scripted{"ours", []float64{100, 2, 3, 8}, column(6, 8), &ran}
		},
		comparable: func(m compute.Matrix) compute.Matrix {
			m = m.Clone()
			m.Scale(2)
			return m
		},
	}
	rows, err := measure(task, []side{a, b}, schedule{least: 2, limit: 17})
	require.NoError(t, err)
	assert.Equal(t, []string{"ours", "ours", "a", "b", "ours", "a", "b", "ours", "a", "b"}, ran,
		"a warm-up, then in turn until all sides took 17 s: 7, 9 and 14")
	assert.Len(t, given, 2)
	assert.Equal(t, row{repetitions: 3, seconds: 3, peerSeconds: 2, ratio: 2, low: 1.75, high: 3}, rows[0])
	assert.Equal(t, 0.75, rows[1].ratio)
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b compute.Matrix
		want float64
	}{
		{"the same", column(3, 4), column(3, 4), 0},
		{"relative to the peer's norm", column(3, 9), column(3, 4), 1},
		{"another shape", column(3, 4), column(3), math.Inf(1)},
		{"not a number", column(3, math.NaN()), column(3, 4), math.Inf(1)},
		{"the peer has no number", column(3, 4), column(3, math.NaN()), math.Inf(1)},
		{"the peer has zeros", column(3, 4), column(0, 0), math.Inf(1)},
		{"both have zeros", column(0, 0), column(0, 0), 0},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, difference(c.a, c.b)) })
	}
}

func TestPeerEnvironment(t *testing.T) {
	env := peerEnvironment([]string{"HOME=/home/a", "OPENBLAS_CORETYPE=Haswell", "OPENBLAS_L2_SIZE=512", "OPENBLAS_NUM_THREADS=7", "OMP_NUM_THREADS=7"}, 3)
	assert.Equal(t, []string{
		"HOME=/home/a", "OMP_NUM_THREADS=3", "OPENBLAS_NUM_THREADS=3", "GOTO_NUM_THREADS=3", "MKL_NUM_THREADS=3", "BLIS_NUM_THREADS=3", "VECLIB_MAXIMUM_THREADS=3",
	}, env)
}

// program writes a script for the shell with the given name into a new folder, and returns the folder.
func program(t *testing.T, name, text string) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stub is a script for a Unix shell")
	}
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o700))
	return dir
}

const hello = `echo '{"python": "3.1", "packages": {"numpy": {"version": "2.0"}, "scipy": {"error": "ImportError: no BLAS"}}, "blas": [{"name": "openblas", "core": "Zen", "threads": 2}]}'
`

func start(t *testing.T, text string) (*session, error) {
	s, err := startPython(t.Context(), filepath.Join(program(t, "python3", text), "python3"), 2)
	if err == nil {
		t.Cleanup(s.close)
	}
	return s, err
}

// TestUnknownProcessor starts an OpenBLAS again that took the routines of Prescott, with those of this processor.
func TestUnknownProcessor(t *testing.T) {
	if coreType() == "" {
		t.Skip("this processor has no instructions that Prescott has not")
	}
	s, err := start(t, strings.Replace(hello, `"Zen"`, `"'"${OPENBLAS_CORETYPE-Prescott}"'"`, 1)+"read line\n")
	require.NoError(t, err)
	assert.Equal(t, []BLAS{{Name: "openblas", Core: coreType(), Threads: 2}}, s.BLAS)
}

// TestSession speaks the protocol with a stub: one answer a request, an answer that is an error, and one that is no JSON.
func TestSession(t *testing.T) {
	s, err := start(t, hello+`
read line; echo "$line" > "$0.1"; echo '{}'
read line; echo "$line" > "$0.2"; echo '{"seconds": 1.5}'
read line; printf '\0\0\0\0\0\0\370\077' > "$(dirname "$0")/result"; echo '{"rows": 1, "cols": 1}'
read line; echo '{"error": "MemoryError: no"}'
read line; echo 'Traceback'
read line; echo "out of luck" >&2
`)
	require.NoError(t, err)
	assert.Equal(t, "3.1", s.Version)
	assert.Equal(t, []BLAS{{Name: "openblas", Core: "Zen", Threads: 2}}, s.BLAS)
	path := s.cmd.Path
	dir := filepath.Dir(path)

	files, err := writeArrays(dir, map[string]compute.Matrix{"x": column(1, 2)})
	require.NoError(t, err)
	p, err := s.load("gemm", dir, files, &task{numbers: map[string]float64{"k": 3}})
	require.NoError(t, err)
	sent, err := os.ReadFile(path + ".1")
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(`{"do": "load", "op": "gemm", "arrays": {"x": {"file": %q, "rows": 2, "cols": 1}}, "numbers": {"k": 3}}`,
		filepath.Join(dir, "x.f64")), string(sent))

	seconds, err := p.run()
	require.NoError(t, err)
	assert.Equal(t, 1.5, seconds)
	sent, err = os.ReadFile(path + ".2")
	require.NoError(t, err)
	assert.JSONEq(t, `{"do": "run", "op": "gemm"}`, string(sent))

	m, err := p.result()
	require.NoError(t, err)
	assert.Equal(t, column(1.5), m)

	_, err = p.run()
	assert.Equal(t, peerError("MemoryError: no"), err)
	_, err = p.run()
	assert.ErrorContains(t, err, `Python answered "Traceback"`)
	_, err = p.run()
	assert.ErrorContains(t, err, "Python ended before it had answered: out of luck")
	assert.False(t, errors.As(err, new(peerError)), "the session is over")
}

// tiny are sizes of a test.
var tiny = sizes{gemm: 30, kernel: 300, wide: 20, batch: 64, eigen: 40, leading: 5, cholesky: 50, ridge: 60, svm: 200, features: 30, csv: 40}

// TestRelativeGap has one row x with f = c k(x, ·), ‖f‖² = c² and b = 0: with y = 1, C = 2 and c = 0.5, P = 0.125 + 2·0.5 and
// D = 0.5 - 0.125.
func TestRelativeGap(t *testing.T) {
	e := compute.NewEngine(compute.Options{Threads: 1})
	gap := relativeGap(e, kernels.Gaussian{Sigma: 1}, column(7), column(1), column(0.5, 0), 2)
	assert.InDelta(t, (1.125-0.375)/1.125, gap, 1e-15) // a few roundings
	for name, coef := range map[string]float64{"above C": 2.1, "of the wrong sign": -0.1} {
		assert.Equal(t, math.Inf(1), relativeGap(e, kernels.Gaussian{Sigma: 1}, column(7), column(1), column(coef, 0), 2), name)
	}
}

// TestPeers compares with the real peers at tiny sizes.
func TestPeers(t *testing.T) {
	var stdout, stderr bytes.Buffer
	var err error
	for _, python := range []string{"python3", "/usr/bin/python3"} { // where packages of a system are
		stderr.Reset()
		err = command(t.Context(), []string{"-threads", "1", "-quick", "-python", python}, &stdout, &stderr, tiny) // two would spin for each other on a busy machine
		if err == nil || !strings.HasPrefix(err.Error(), "-python ") {
			break
		}
	}
	if err != nil && strings.HasPrefix(err.Error(), "-python ") {
		t.Skip(err)
	}
	require.NoError(t, err)
	for line := range strings.Lines(stderr.String()) {
		assert.Regexp(t, `^(\d+ of \d+: |the load average|left out: .* \(no )`, line, "rows are left out only if their peer is not installed")
	}
	all := 0
	for _, w := range works(t.Context(), 1, datasets.NewLibrary(), "", tiny) {
		all += len(w.peers)
	}
	assert.Equal(t, all, strings.Count(stdout.String(), "\n")-2+strings.Count(stderr.String(), "left out: "))
	assert.NotContains(t, stdout.String(), "different results")
}

func TestCommandRefuses(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	broken := program(t, "python3", "exit 3") + "/python3"
	without := program(t, "python3", `echo '{"python": "3.0", "packages": {"numpy": {"error": "ModuleNotFoundError: no"}}, "blas": []}'`) + "/python3"
	for _, c := range []struct {
		ctx  context.Context
		args []string
		want string
	}{
		{t.Context(), []string{"gemm"}, `peers takes no arguments, got "gemm"`},
		{t.Context(), []string{"-python", "/none"}, "-python /none: "},
		{t.Context(), []string{"-python", broken}, "Python ended before it had answered: exit status 3"},
		{t.Context(), []string{"-python", without}, "no numpy: run " + without + " -m pip install numpy"},
		{t.Context(), []string{"-filter", "fft"}, `-filter: no work matches "fft"; choose a part of one of matrix product, `},
		{cancelled, nil, "context canceled"},
	} {
		var stdout, stderr bytes.Buffer
		assert.ErrorContains(t, command(c.ctx, c.args, &stdout, &stderr, tiny), c.want)
		assert.Empty(t, stdout.String())
	}
	chosen, err := choose(works(t.Context(), 1, datasets.NewLibrary(), "", tiny), "libsvm")
	require.NoError(t, err)
	require.Len(t, chosen, 1)
	require.Len(t, chosen[0].peers, 1, "a filter of a peer leaves its rows only")
}

func TestRows(t *testing.T) {
	rows := []row{
		{work: "matrix product, 2×2×2, float32", peer: "NumPy", repetitions: 3, seconds: 0.04, peerSeconds: 0.0812345, ratio: 0.5, low: 0.45, high: 0.55,
			difference: 8e-7, tolerance: 1e-5},
		{work: "exact SVM, n=9, float64, to a gap", peer: "LIBSVM", repetitions: 1, seconds: 2, peerSeconds: 1, ratio: 2, difference: 1e-4, tolerance: 1e-2},
	}
	p := Python{
		Version: "3.11.2", Packages: map[string]Package{"numpy": {Version: "1.24.2"}, "scipy": {Error: "ImportError: no BLAS"}},
		BLAS: []BLAS{{Name: "openblas", Version: "0.3.21", Core: "Zen", Threads: 2}},
	}
	var out strings.Builder
	require.NoError(t, printRows(&out, p.String(), rows))
	assert.Equal(t, "# Python 3.11.2, NumPy 1.24.2; BLAS openblas 0.3.21, core type Zen, threads: 2\n"+
		"work\tpeer\trepro\tpeer's\tratio\tquartiles\tdifference\n"+
		"matrix product, 2×2×2, float32\tNumPy\t40ms\t81.2ms\t0.50\t0.45–0.55\t8e-07\n"+
		"exact SVM, n=9, float64, to a gap\tLIBSVM\t2s\t1s\t2.00\t-\t1e-04\n", out.String())
	assert.Equal(t, []string{"scipy: ImportError: no BLAS", "torch"}, p.missing([]string{"numpy", "scipy", "torch"}))
	rows[0].difference = 0.5
	assert.EqualError(t, printRows(&out, "", rows), "matrix product, 2×2×2, float32, NumPy: the results differ by 5.0e-01, more than 1e-05, so the times are not comparable")
	assert.Contains(t, out.String(), "\tdifferent results\t-\t")
}
