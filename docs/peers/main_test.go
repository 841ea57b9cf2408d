package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func someReport() Report {
	return Report{
		CPU: "A CPU", ISA: "avx2", Threads: 2,
		Python: Python{
			Path: "/usr/bin/python3", Version: "3.11.2",
			Packages: map[string]Package{"numpy": {Version: "1.24.2"}, "scipy": {Error: "ModuleNotFoundError: no"}},
			BLAS:     []BLAS{{Name: "openblas", Version: "0.3.21", Core: "Zen", Threads: 2}},
		},
		Rows: []Row{
			{Work: "matrix product", Shape: "2×2×2", Precision: "float32", Peer: "NumPy", Repetitions: 3, Seconds: 0.04, PeerSeconds: 0.0812345,
				Ratio: 0.5, Low: 0.45, High: 0.55, Difference: 8e-7, Tolerance: 1e-5},
			{Work: "exact SVM", Shape: "n=9", Precision: "float64", Peer: "LIBSVM", Repetitions: 1, Seconds: 2, PeerSeconds: 1,
				Ratio: 2, Low: 2, High: 2, Difference: 1e-4, Tolerance: 1e-2, Note: "to a gap"},
		},
	}
}

// printed returns what print writes.
func printed(r Report, asJSON bool) (stdout, notes string, err error) {
	var out, said bytes.Buffer
	err = r.print(&out, func(format string, a ...any) { fmt.Fprintf(&said, format, a...) }, asJSON)
	return out.String(), said.String(), err
}

func TestMarkdown(t *testing.T) {
	out, notes, err := printed(someReport(), false)
	require.NoError(t, err)
	assert.Empty(t, notes)
	assert.Equal(t, `A CPU, vector code avx2, threads on each side: 2; Python 3.11.2, NumPy 1.24.2; BLAS openblas 0.3.21, core type Zen, threads: 2.

| Work | Peer | repro | Peer's | Ratio | Quartiles | Difference |
|---|---|--:|--:|--:|--:|--:|
| matrix product, 2×2×2, float32 | NumPy | 40ms | 81.2ms | 0.50 | 0.45–0.55 | 8e-07 |
| exact SVM, n=9, float64, to a gap | LIBSVM | 2s | 1s | 2.00 | - | 1e-04 |
`, out)
}

func TestDifferentResults(t *testing.T) {
	r := someReport()
	r.Rows[0].Difference = 0.5
	out, _, err := printed(r, false)
	assert.EqualError(t, err, "matrix product 2×2×2, NumPy: the results differ by 5.0e-01, more than 1e-05, so the times are not comparable")
	assert.Contains(t, out, "| different results | - |")
}

func TestCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	var stdout, stderr bytes.Buffer
	require.NoError(t, command(t.Context(), []string{"-filter", "svm", "-json"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "there is no Python in PATH: on Debian, apt-get install python3-numpy python3-scipy python3-sklearn;")
	assert.Regexp(t, `left out: exact SVM .*, scikit-learn SVC \(LIBSVM, 1 thread\) \(no numpy, no scipy, no sklearn\)`, stderr.String())
	var r struct {
		Rows    []any
		LeftOut []string `json:"left_out"`
	}
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &r))
	assert.NotNil(t, r.Rows, "an empty list, not null")
	assert.Len(t, r.LeftOut, 1)
}

func TestCommandRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"precision", []string{"-precision", "half"}, `invalid value "half" for flag -precision: choose float32 or float64`},
		{"an argument", []string{"gemm"}, `peers takes no arguments, got "gemm"`},
		{"no such Python", []string{"-python", "/none"}, "-python /none: "},
		{"no such work", []string{"-filter", "fft"}, `-filter: no work with these precisions matches "fft"; choose a part of one of matrix product, `},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			assert.ErrorContains(t, command(t.Context(), c.args, &stdout, &stderr), c.want)
			assert.Empty(t, stdout.String())
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	assert.EqualError(t, command(ctx, nil, &stdout, &stderr), "interrupted")
}
