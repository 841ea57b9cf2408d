package main

import (
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
	m, err := measure(task, []side{a, b}, schedule{least: 2, limit: 17})
	require.NoError(t, err)
	assert.Equal(t, []string{"ours", "ours", "a", "b", "ours", "a", "b", "ours", "a", "b"}, ran,
		"a warm-up, then in turn until all sides took 17 s: 7, 9 and 14")
	assert.Len(t, given, 2)
	row := m.row(0)
	assert.Equal(t, Row{Repetitions: 3, Seconds: 3, PeerSeconds: 2, Ratio: 2, Low: 1.75, High: 3}, row)
	assert.True(t, row.Same())
	assert.Equal(t, 0.75, m.row(1).Ratio)
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
	assert.False(t, Row{Difference: math.Inf(1), Tolerance: 1}.Same())
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
	dir := filepath.Dir(s.Path)

	files, err := writeArrays(dir, map[string]compute.Matrix{"x": column(1, 2)})
	require.NoError(t, err)
	p, err := s.load("gemm", dir, files, &task{numbers: map[string]float64{"k": 3}})
	require.NoError(t, err)
	sent, err := os.ReadFile(s.Path + ".1")
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(`{"do": "load", "op": "gemm", "arrays": {"x": {"file": %q, "rows": 2, "cols": 1}}, "numbers": {"k": 3}}`,
		filepath.Join(dir, "x.f64")), string(sent))

	seconds, err := p.run()
	require.NoError(t, err)
	assert.Equal(t, 1.5, seconds)
	sent, err = os.ReadFile(s.Path + ".2")
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

func TestFindPython(t *testing.T) {
	without := program(t, "python3", `echo '{"python": "3.0", "packages": {"numpy": {"error": "ModuleNotFoundError: no"}}, "blas": []}'`)
	broken := program(t, "python3", "exit 3")
	with := program(t, "python", hello+"read line")
	path := func(dirs ...string) {
		t.Setenv("PATH", strings.Join(append(dirs, "/bin", "/usr/bin")[:len(dirs)], string(os.PathListSeparator)))
	}
	path(broken, without, with)
	s, err := findPython(t.Context(), "", 2)
	require.NoError(t, err)
	s.close()
	assert.Equal(t, filepath.Join(with, "python"), s.Path, "the first with NumPy")

	path(broken, without)
	s, err = findPython(t.Context(), "", 2)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(without, "python3"), s.Path, "the first that is one")

	path(broken)
	s, err = findPython(t.Context(), "", 2)
	require.NoError(t, err)
	assert.Empty(t, s.Path)

	_, err = findPython(t.Context(), filepath.Join(broken, "python3"), 2)
	assert.ErrorContains(t, err, "-python "+filepath.Join(broken, "python3")+": Python ended before it had answered: exit status 3")
}

func TestHowToInstall(t *testing.T) {
	absent := map[string]bool{"scipy": true, "sklearn": true}
	p := Python{Path: "/usr/bin/python3", Packages: map[string]Package{
		"numpy": {Version: "2.0"}, "scipy": {Error: "ValueError: numpy.dtype size changed"}, "sklearn": {Error: "ModuleNotFoundError: No module named 'sklearn'"},
	}}
	assert.Equal(t,
		"/usr/bin/python3 cannot import SciPy, scikit-learn (ValueError: numpy.dtype size changed): run /usr/bin/python3 -m pip install scipy scikit-learn, or on Debian apt-get install python3-scipy python3-sklearn; -python chooses another interpreter",
		howToInstall(absent, p))
	assert.Equal(t, "there is no Python in PATH: on Debian, apt-get install python3-numpy; elsewhere install Python and run python3 -m pip install numpy",
		howToInstall(map[string]bool{"numpy": true}, Python{}))
	assert.Empty(t, howToInstall(nil, p))
}

// tiny are sizes of a test.
var tiny = sizes{gemm: 30, kernel: 300, wide: 20, batch: 64, eigen: 40, leading: 5, cholesky: 50, ridge: 60, svm: 200, features: 30, csv: 40}

func TestNothingInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	r, err := Run(t.Context(), Options{Quick: true, sizes: tiny})
	require.NoError(t, err)
	assert.Empty(t, r.Rows)
	assert.Contains(t, r.Missing, "python3-numpy python3-scipy python3-sklearn python3-pandas python3-torch")
	assert.Contains(t, r.LeftOut, "exact SVM n=200 d=20 C=1 in float64, scikit-learn SVC (LIBSVM, 1 thread) (no numpy, no scipy, no sklearn)")
	assert.Contains(t, r.LeftOut, "Cholesky factor n=50 in float64, SciPy (LAPACK potrf) (no numpy, no scipy)")
}

func TestFilter(t *testing.T) {
	_, err := Run(t.Context(), Options{Filter: "fft", sizes: tiny})
	assert.ErrorContains(t, err, `no work with these precisions matches "fft"; choose a part of one of matrix product, kernel times vectors, `)
	chosen, err := Options{Filter: "libsvm"}.choose(works(Options{sizes: tiny}))
	require.NoError(t, err)
	require.Len(t, chosen, 1)
	require.Len(t, chosen[0].peers, 1, "a filter of a peer leaves its rows only")
	chosen, err = Options{Precisions: []compute.Precision{compute.Float32}}.choose(works(Options{sizes: tiny}))
	require.NoError(t, err)
	require.NotEmpty(t, chosen)
	for _, w := range chosen {
		assert.Equal(t, compute.Float32, w.precision, w.title())
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Run(ctx, Options{Quick: true, sizes: tiny})
	assert.ErrorIs(t, err, context.Canceled)
}

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
	s, err := findPython(t.Context(), "", 1)
	require.NoError(t, err)
	s.close()
	if s.Packages["numpy"].Version == "" {
		t.Skip("no Python in PATH has NumPy; on Debian, apt-get install python3-numpy python3-scipy python3-sklearn python3-pandas python3-torch")
	}
	r, err := Run(t.Context(), Options{Threads: 1, Quick: true, sizes: tiny}) // two would spin for each other on a busy machine
	require.NoError(t, err)
	assert.Equal(t, s.Path, r.Python.Path)
	for _, l := range r.LeftOut {
		assert.Contains(t, l, " (no ", "rows are left out only if their peer is not installed")
	}
	all := 0
	for _, w := range works(Options{sizes: tiny}) {
		all += len(w.peers)
	}
	assert.Equal(t, all, len(r.Rows)+len(r.LeftOut))
	for _, row := range r.Rows {
		assert.True(t, row.Same(), "%s, %s: %g", row.Work, row.Peer, row.Difference)
		assert.Positive(t, row.Seconds)
		assert.Positive(t, row.PeerSeconds)
		assert.Positive(t, row.Ratio)
		assert.Equal(t, 1, row.Repetitions)
	}
}
