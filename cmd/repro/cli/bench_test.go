package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute/peers"
)

func TestBenchTable(t *testing.T) {
	o := ok(t, "bench", "--quick", "--filter", "cos", "--threads", "1")
	assert.Regexp(t, `, vector code (avx512|avx2|generic)\n`, o.out)
	assert.Regexp(t, `(?m)^OPERATION +SHAPE +PRECISION +THREADS +TIME +GFLOP/S +OF PEAK +QUARTILES +ALSO$`, o.out)
	for _, precision := range []string{"float32", "float64"} {
		assert.Regexp(t, `(?m)^cos +4608 +`+precision+` +1 +\S+ [mµn]?s +- +- +- +\S+ ns a value$`, o.out)
	}
	assert.Contains(t, o.out, "but not cosines, exponentials", "what the figures do not count")
	assert.Empty(t, o.errors, "no progress where there is no terminal")
}

func TestBenchJSON(t *testing.T) {
	all := array(t, ok(t, "bench", "--quick", "--filter", "d=2 columns=1", "--precision", "float32", "--threads", "1", "--json").out)
	require.NotEmpty(t, all)
	for _, m := range all {
		for _, key := range []string{
			"operation", "shape", "precision", "threads", "cpu", "seconds", "gflops", "fraction", "low", "high", "isa", "gbytes_per_second",
		} {
			assert.Contains(t, m, key)
		}
		assert.Equal(t, "float32", m["precision"])
		assert.EqualValues(t, 1, m["threads"])
		assert.Contains(t, m["shape"], "d=2 columns=1")
		assert.Positive(t, m["seconds"])
		assert.Positive(t, m["gflops"])
		assert.Positive(t, m["fraction"])
		assert.LessOrEqual(t, m["low"], m["fraction"])
		assert.GreaterOrEqual(t, m["high"], m["fraction"])
	}
}

func TestBenchRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"precision", []string{"--precision", "half"}, `--precision: unknown precision "half"; choose float32 or float64`},
		{"threads", []string{"--threads", "-1"}, "--threads must be 1 or more"},
		{"a filter of nothing", []string{"--filter", "fft"}, `--filter: no operation matches "fft"; choose a part of one of memory read, `},
		{"an argument", []string{"gemm"}, "gemm"},
		{"Markdown without peers", []string{"--markdown"}, "--markdown and --python belong to --peers; add it"},
		{"Python without peers", []string{"--python", "python3"}, "--markdown and --python belong to --peers; add it"},
		{"two forms", []string{"--peers", "--markdown", "--json"}, "markdown"},
		{"no such Python", []string{"--peers", "--python", "/none"}, "--python /none: "},
		{"no such work", []string{"--peers", "--filter", "fft"}, `--filter: no work with these precisions matches "fft"; choose a part of one of matrix product, `},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := repro(t, append([]string{"bench", "--quick"}, c.args...)...)
			assert.Equal(t, statusError, o.status)
			assert.Contains(t, o.errors, c.want)
			assert.Empty(t, o.out)
		})
	}
}

func TestBenchTakesNoMoreThreadsThanThereAre(t *testing.T) {
	o := ok(t, "bench", "--quick", "--filter", "exp", "--threads", "100000")
	assert.Contains(t, o.errors, "--threads 100000: this machine has ")
}

func TestBenchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, statusInterrupted, Run(ctx, &stdout, &stderr, []string{"bench", "--quick"}))
	assert.Equal(t, "interrupted\n", stderr.String())
	assert.Empty(t, stdout.String())
}

func TestShortTime(t *testing.T) {
	for want, s := range map[string]float64{
		"1.00 s": 1, "12.3 s": 12.34, "999 ms": 0.9994, "1.00 ms": 1e-3, "12.3 µs": 12.34e-6, "100 ns": 99.96e-9, "0.12 ns": 0.12e-9,
	} {
		assert.Equal(t, want, shortTime(s))
	}
}

func peersReport() peers.Report {
	return peers.Report{
		CPU: "A CPU", ISA: "avx2", Threads: 2,
		Python: peers.Python{
			Path: "/usr/bin/python3", Version: "3.11.2",
			Packages: map[string]peers.Package{"numpy": {Version: "1.24.2"}, "scipy": {Error: "ModuleNotFoundError: no"}},
			BLAS:     []peers.BLAS{{Name: "openblas", Version: "0.3.21", Core: "Zen", Threads: 2}},
		},
		Rows: []peers.Row{
			{Work: "matrix product", Shape: "2×2×2", Precision: "float32", Peer: "NumPy", Repetitions: 3, Seconds: 0.04, PeerSeconds: 0.08,
				Ratio: 0.5, Low: 0.45, High: 0.55, Difference: 8e-7, Tolerance: 1e-5},
			{Work: "exact SVM", Shape: "n=9", Precision: "float64", Peer: "LIBSVM", Repetitions: 1, Seconds: 2, PeerSeconds: 1,
				Ratio: 2, Low: 2, High: 2, Difference: 1e-4, Tolerance: 1e-2, Note: "to a gap"},
		},
	}
}

// shownPeers returns what showPeers prints.
func shownPeers(r peers.Report, markdown, json bool) (stdout, stderr string, err error) {
	var out, notes bytes.Buffer
	a := &app{stdout: &output{to: &out}, stderr: &output{to: &notes}, json: json}
	err = a.showPeers(r, markdown)
	return out.String(), notes.String(), err
}

func TestBenchPeersTable(t *testing.T) {
	out, notes, err := shownPeers(peersReport(), false, false)
	require.NoError(t, err)
	assert.Empty(t, notes)
	assert.Equal(t, `A CPU, vector code avx2, 2 threads on each side
Python 3.11.2, NumPy 1.24.2
BLAS openblas 0.3.21, core type Zen, 2 threads

WORK            SHAPE  PRECISION  PEER      REPRO   PEER'S  RATIO  QUARTILES  RUNS  DIFFERENCE  NOTE
matrix product  2×2×2  float32    NumPy   40.0 ms  80.0 ms   0.50  0.45–0.55     3       8e-07
exact SVM       n=9    float64    LIBSVM   2.00 s   1.00 s   2.00          -     1       1e-04  to a gap

`+peersLegend, out)
}

func TestBenchPeersMarkdown(t *testing.T) {
	out, _, err := shownPeers(peersReport(), true, false)
	require.NoError(t, err)
	assert.Equal(t, `A CPU, vector code avx2, 2 threads on each side; Python 3.11.2, NumPy 1.24.2; BLAS openblas 0.3.21, core type Zen, 2 threads.

| Work | Peer | repro | Peer's | Ratio | Quartiles | Difference |
|---|---|--:|--:|--:|--:|--:|
| matrix product, 2×2×2, float32 | NumPy | 40.0 ms | 80.0 ms | 0.50 | 0.45–0.55 | 8e-07 |
| exact SVM, n=9, float64, to a gap | LIBSVM | 2.00 s | 1.00 s | 2.00 | - | 1e-04 |
`, out)
}

func TestBenchPeersDifferent(t *testing.T) {
	r := peersReport()
	r.Rows[0].Difference = 0.5
	out, _, err := shownPeers(r, false, false)
	assert.EqualError(t, err, "matrix product 2×2×2, NumPy: the results differ by 5.0e-01, more than 1e-05, so the times are not comparable")
	assert.Regexp(t, `(?m)^matrix product .* different results +- `, out)
}

func TestBenchPeersNothingInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	o := ok(t, "bench", "--peers", "--filter", "svm")
	assert.Empty(t, o.out)
	assert.Contains(t, o.errors, "there is no Python in PATH: on Debian, apt-get install python3-numpy python3-scipy python3-sklearn;")
	assert.Contains(t, o.errors, "there is no svm-train in PATH: on Debian, apt-get install libsvm-tools;")
	assert.Regexp(t, `left out: exact SVM .*, LIBSVM svm-train \(1 thread\) \(no svm-train\)`, o.errors)

	var r struct {
		Rows    []any
		Missing []string
		LeftOut []string `json:"left_out"`
	}
	require.NoError(t, json.Unmarshal([]byte(ok(t, "bench", "--peers", "--filter", "svm", "--json").out), &r))
	assert.NotNil(t, r.Rows, "an empty list, not null")
	assert.Len(t, r.Missing, 2)
	assert.Len(t, r.LeftOut, 2)
}
