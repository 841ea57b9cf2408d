package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
)

// arraysOf writes rows in four groups, with targets made of the number of a row's group, as arrays.
func arraysOf(t *testing.T, dir string, inputs, outputs int, target func(group, output int) float32) {
	t.Helper()
	for part, rows := range map[string]int{"train": 512, "test": 128} {
		x, groups := standIn(rows, inputs, uint64(rows))
		var y []float32
		for _, g := range groups {
			for c := range outputs {
				y = append(y, target(int(g), c))
			}
		}
		write(t, filepath.Join(dir, part+".npy"), npyFile(t, rows, inputs, x))
		write(t, filepath.Join(dir, part+"-labels.npy"), npyFile(t, rows, outputs, y))
	}
}

// picturesOf writes rows in four groups as the files of CIFAR-10.
func picturesOf(t *testing.T, dir string) {
	t.Helper()
	for i, name := range []string{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"} {
		x, groups := standIn(100, 1024, uint64(i))
		var b strings.Builder
		for k, g := range groups {
			b.WriteByte(byte(g))
			for range 3 {
				for _, v := range x[k*1024:][:1024] {
					b.WriteByte(byte(170 * v)) // of 1.5 at most
				}
			}
		}
		write(t, filepath.Join(dir, name+".bin"), b.String())
	}
}

// collisionsOf writes rows in four groups as SUSY.csv.
func collisionsOf(t *testing.T, dir string) {
	t.Helper()
	x, groups := standIn(500, 18, 1)
	var b strings.Builder
	for k, g := range groups {
		fmt.Fprintf(&b, "%.18e", float64(int(g)%2))
		for _, v := range x[k*18:][:18] {
			fmt.Fprintf(&b, ",%.18e", v)
		}
		b.WriteByte('\n')
	}
	write(t, filepath.Join(dir, "SUSY.csv"), b.String())
}

// Every spec of ma2017 whose data this project does not bring runs from end to end once data of the same form
// is there: all claims are judged, and none counts as a comparison with the paper. Groups of rows far
// apart are told from each other.
func TestExperimentsOnStandIns(t *testing.T) {
	number := func(group, _ int) float32 { return float32(group) }
	digit := func(group, _ int) float32 { return float32(1 + group) }
	mask := func(group, c int) float32 { return float32((group >> (c % 2)) % 2) }
	ratio := func(group, c int) float32 { return float32(group*(c%8)) / 21 }
	data := map[string]func(t *testing.T, dir string){
		"cifar10-images": picturesOf,
		"svhn":           func(t *testing.T, dir string) { arraysOf(t, dir, 1024, 1, digit) },
		"mnist8m-images": func(t *testing.T, dir string) { arraysOf(t, dir, 784, 1, number) },
		"timit":          func(t *testing.T, dir string) { arraysOf(t, dir, 440, 1, number) },
		"hint-s":         func(t *testing.T, dir string) { arraysOf(t, dir, 425, 64, mask) },
		"hint-m":         func(t *testing.T, dir string) { arraysOf(t, dir, 246, 64, ratio) },
		"susy":           collisionsOf,
	}
	for _, c := range []struct {
		spec, data, cell, metric string
		below                    float64
		claims                   int
	}{
		{"cifar10", "cifar10-images", "gaussian-eigenpro-seed1", "test-error", 0.05, 12},
		{"cifar10-spectrum", "cifar10-images", "spectrum-seed1", "eigenvalue", 0.01, 4},
		{"svhn", "svhn", "cauchy-eigenpro-seed1", "test-error", 0.05, 12},
		{"svhn-spectrum", "svhn", "spectrum-seed2", "eigenvalue", 0.01, 4},
		{"hint-s", "hint-s", "laplace-eigenpro-seed1", "test-error", 0.05, 12},
		{"hint-s-large", "hint-s", "eigenpro-rf-seed1", "test-error", 0.05, 6},
		{"hint-s-spectrum", "hint-s", "spectrum-seed1", "eigenvalue", 0.01, 4},
		{"timit", "timit", "pegasos-seed1", "test-error", 0.05, 7},
		{"timit-spectrum", "timit", "spectrum-seed1", "eigenvalue", 0.01, 4},
		{"mnist8m", "mnist8m-images", "eigenpro-rf-8m-seed1", "test-error", 0.05, 13},
		{"hint-m", "hint-m", "eigenpro-seed1", "test-mse", 0.02, 6},
		{"hint-m-large", "hint-m", "sgd-rf-seed1", "test-mse", 0.05, 3},
		{"hint-m-10k", "hint-m", "gd-seed1", "train-mse", 0.01, 11},
		{"susy", "susy", "eigenpro-seed1", "test-error", 0.05, 2},
	} {
		t.Run(c.spec, func(t *testing.T) {
			workplace(t)
			t.Setenv("REPRO_DATA", "brought")
			data[c.data](t, filepath.Join("brought", c.data))
			spec := "ma2017/" + c.spec
			ok(t, "run", spec, "--profile", "smoke")
			r, err := records.Read(records.Path("out", spec, c.cell))
			require.NoError(t, err)
			assert.EqualValues(t, records.Budget, r.End.Status)
			assert.NotEmpty(t, r.Header.Provenance.Substitute)
			assert.Less(t, *r.Points[len(r.Points)-1].Values[c.metric], c.below)

			var verdicts []claims.Verdict
			require.NoError(t, json.Unmarshal([]byte(ok(t, "verify", spec, "--json").out), &verdicts))
			require.Len(t, verdicts, c.claims)
			for _, v := range verdicts {
				assert.Equal(t, claims.NotComparable, v.Verdict, v.Claim)
			}
		})
	}
}
