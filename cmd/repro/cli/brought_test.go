package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/cmd/repro/exits"
	"repro/results/claims"
	"repro/results/records"
)

// npyFile returns an array of float32 as NumPy writes it.
func npyFile(t *testing.T, rows, cols int, values []float32) string {
	t.Helper()
	require.Len(t, values, rows*cols)
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, cols)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	require.NoError(t, binary.Write(&b, binary.LittleEndian, uint16(len(header))))
	b.WriteString(header)
	require.NoError(t, binary.Write(&b, binary.LittleEndian, values))
	return b.String()
}

// standIn returns rows in four groups around points of their own, and the number of each row's group.
func standIn(rows, inputs int, seed uint64) (x, y []float32) {
	centres, r := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(2, seed))
	var mean [4][]float32
	for g := range mean {
		for range inputs {
			mean[g] = append(mean[g], centres.Float32())
		}
	}
	for i := range rows {
		g := i % len(mean)
		for _, m := range mean[g] {
			x = append(x, m+0.5*r.Float32())
		}
		y = append(y, float32(g))
	}
	return x, y
}

// Experiments on features that the user brings run once they are brought. What is learnt of four
// groups far apart must be better than a guess, which errs on three quarters of them.
func TestExperimentsOnBroughtFeatures(t *testing.T) {
	for _, c := range []struct {
		name, metric string
		inputs       int
		text         bool // LIBSVM in place of arrays
		below        float64
		claims       int
	}{
		{name: "mnist8m", inputs: 1568, metric: "test-error", below: 0.05, claims: 2},
		{name: "mnist8m", inputs: 1568, metric: "test-error", below: 0.05, claims: 2, text: true},
		{name: "cifar10", inputs: 2304, metric: "test-error", below: 0.05, claims: 1},
		{name: "imagenet", inputs: 9216, metric: "test-error", below: 0.05, claims: 3},
		{name: "molecularspace", inputs: 300, metric: "test-mae", below: 0.5, claims: 1}, // guessing the mean errs by 1
	} {
		form := "npy"
		if c.text {
			form = "libsvm"
		}
		t.Run(c.name+" "+form, func(t *testing.T) {
			if testing.Short() && c.inputs > 2000 {
				t.Skip("tens of megabytes: left out by -short")
			}
			workplace(t)
			t.Setenv("REPRO_DATA", "brought")
			for part, rows := range map[string]int{"train": 512, "test": 128} {
				x, y := standIn(rows, c.inputs, uint64(rows))
				file := filepath.Join("brought", c.name, part)
				if c.text {
					write(t, file+".libsvm", libsvm(x, y))
					continue
				}
				write(t, file+".npy", npyFile(t, rows, c.inputs, x))
				write(t, file+"-labels.npy", npyFile(t, rows, 1, y))
			}
			ok(t, "run", "dai2014/"+c.name, "--profile", "smoke")
			r, err := records.Read(records.Path("out", "dai2014/"+c.name, "dsg-seed1"))
			require.NoError(t, err)
			assert.EqualValues(t, records.Budget, r.End.Status)
			assert.Contains(t, r.Header.Provenance.Substitute, "features that the user brought")
			assert.Less(t, *r.Points[len(r.Points)-1].Values[c.metric], c.below)

			var verdicts []claims.Verdict
			require.NoError(t, json.Unmarshal([]byte(ok(t, "verify", "dai2014/"+c.name, "--json").out), &verdicts))
			require.Len(t, verdicts, c.claims)
			for _, v := range verdicts {
				assert.Equal(t, claims.NotComparable, v.Verdict, v.Claim)
			}
		})
	}
}

// libsvm returns rows as LIBSVM writes them.
func libsvm(x, y []float32) string {
	var b strings.Builder
	inputs := len(x) / len(y)
	for i, label := range y {
		fmt.Fprintf(&b, "%g", label)
		for j, v := range x[i*inputs:][:inputs] {
			fmt.Fprintf(&b, " %d:%g", j+1, v)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Without the data, what is missing is told and the other experiments run; if it is all that was asked
// for, that is a mistake.
func TestExperimentsWithoutBroughtFeatures(t *testing.T) {
	workplace(t)
	o := ok(t, "run", "dai2014/mnist8m", "dai2014/imagenet", "tiny.toml", "--profile", "smoke")
	assert.Contains(t, o.errors, "skipping dai2014/mnist8m: mnist8m: train.npy is not on this machine and nobody offers it: put train.npy (rows × 1568)")
	assert.Contains(t, o.errors, "skipping dai2014/imagenet: imagenet: train.npy")
	assert.Contains(t, read(t, "out/report.html"), "at the published size, shipped with repro")
	assert.Contains(t, o.out, "3 experiments at profile smoke, ")

	var verdicts []claims.Verdict
	require.NoError(t, json.Unmarshal([]byte(ok(t, "verify", "dai2014/imagenet", "--json").out), &verdicts))
	require.Len(t, verdicts, 3)
	for _, v := range verdicts {
		assert.Equal(t, claims.NotRun, v.Verdict)
		assert.Contains(t, v.Reason, "put train.npy (rows × 9216)")
	}

	o = repro(t, "run", "dai2014/mnist8m", "dai2014/imagenet", "--profile", "smoke")
	assert.Equal(t, int(exits.Mistake), o.status)
	assert.Equal(t, 2, strings.Count(o.errors, "\n"), o.errors)
}
