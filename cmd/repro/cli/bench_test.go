package cli

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
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
		{"threads", []string{"--threads", "-1"}, "--threads: must be 1 or more"},
		{"a filter of nothing", []string{"--filter", "fft"}, `--filter: no operation matches "fft"; choose a part of one of memory read, `},
		{"an argument", []string{"gemm"}, "gemm"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := repro(t, append([]string{"bench", "--quick"}, c.args...)...)
			assert.Equal(t, int(exits.Mistake), o.status)
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
	assert.Equal(t, int(exits.Interrupted), Run(ctx, &stdout, &stderr, []string{"bench", "--quick"}))
	assert.Equal(t, "interrupted\n", stderr.String())
	assert.Empty(t, stdout.String())
}
