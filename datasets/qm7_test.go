package datasets

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// A table of molecules, and a MAT-file of the same.
func writeMolecules(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "qm7"), 0o755))
	var table strings.Builder
	fmt.Fprintln(&table, strings.Join(moleculeColumns(), ","))
	z, r := make([]float64, n*atoms), make([]float64, 3*n*atoms)
	energies, folds := make([]float64, n), make([]float64, n)
	for i := range n {
		s := compute.NewStream(1, "molecule", uint64(i))
		size := 3 + i%4
		energies[i] = -100 * float64(i+1)
		fmt.Fprintf(&table, "%d,%d,%d,%v", i, i%5, size, energies[i])
		for a := range atoms {
			if a < size {
				z[a*n+i] = []float64{6, 8, 7, 1, 1, 16}[a]
			}
			fmt.Fprintf(&table, ",%v", z[a*n+i])
		}
		for a := range atoms {
			for c := range 3 {
				v := float32(0)
				if a < size {
					v = float32(4 * s.Float64())
				}
				r[(c*atoms+a)*n+i] = float64(v)
				fmt.Fprintf(&table, ",%v", v)
			}
		}
		fmt.Fprintln(&table)
	}
	for k := range n { // column-major: five folds, the molecules of each
		folds[k] = float64(k)
	}
	w := newMatFile()
	w.Write(w.Compressed(w.Matrix("X", 7, 7, []int32{int32(n), 1}, make([]float64, n))))
	w.Write(w.Compressed(w.Matrix("R", 7, 7, []int32{int32(n), atoms, 3}, r)))
	w.Write(w.Compressed(w.Matrix("Z", 7, 7, []int32{int32(n), atoms}, z)))
	w.Write(w.Compressed(w.Matrix("T", 7, 7, []int32{1, int32(n)}, energies)))
	w.Write(w.Compressed(w.Matrix("P", 12, 12, []int32{5, int32(n / 5)}, folds)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "qm7", "qm7.mat"), w.Bytes(), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "qm7", "qm7.csv"), []byte(table.String()), 0o644))
	return dir
}

// smallQM7 is the source with n molecules.
func smallQM7(n int) *Source {
	s := *registry["qm7"]
	s.Files = []RemoteFile{{Name: "qm7.mat", Rows: n}}
	s.Others = []Form{{Format: "csv", Load: s.Load, Files: []RemoteFile{{Name: "qm7.csv", Rows: n}}}}
	return &s
}

func TestMolecules(t *testing.T) {
	const n = 40
	dir := writeMolecules(t, n)
	l, s := &Library{SearchPath: []string{dir}}, smallQM7(n)
	set := mustOpenTask(t, l, s, Options{}, taskRegression)
	assert.Equal(t, []int{40 * 32, 20 * 8}, []int{set.Train.Len(), set.TestX.Rows})
	assert.Equal(t, "qm7.mat", set.Files[0].Name)
	assert.Equal(t, 20*8, len(set.Groups))
	for i, g := range set.Groups {
		assert.Equal(t, i/20, g)
		assert.Equal(t, -100*float64(5*g+1), set.TestY.At(i, 0), "molecules 0, 5, 10, … are fold 0")
	}
	orders := map[string]bool{}
	for i := range set.TestX.Rows {
		orders[fmt.Sprint(set.TestX.Row(i))] = true
	}
	assert.Greater(t, len(orders), 8, "some molecules are there in several orders")
	assert.Less(t, len(orders), 20*8, "and the order of large differences is always the same")

	require.NoError(t, os.Remove(filepath.Join(dir, "qm7", "qm7.mat")))
	again := mustOpenTask(t, l, s, Options{}, taskRegression)
	assert.Equal(t, "qm7.csv", again.Files[0].Name)
	x, y := transforms.Gather(set.Train, transforms.Span(0, 1280))
	z, w := transforms.Gather(again.Train, transforms.Span(0, 1280))
	assert.True(t, bytes.Equal(fmt.Appendf(nil, "%v", x), fmt.Appendf(nil, "%v", z)), "either file gives the same rows")
	assert.Equal(t, y, w)

	// the first copies of the training molecules have mean 0 and together variance 1
	total := 0.0
	for j := range x.Cols {
		mean := 0.0
		for i := range 32 {
			mean += x.At(i, j) / 32
			total += x.At(i, j) * x.At(i, j) / float64(32*x.Cols)
		}
		assert.InDelta(t, 0, mean, 1e-12)
	}
	assert.InDelta(t, 1, total, 1e-12)

	fewer := mustOpenTask(t, l, s, Options{Test: 3, Train: 50, TargetScale: "zscore"}, taskRegression)
	assert.Equal(t, []int{50, 60}, []int{fewer.Train.Len(), fewer.TestX.Rows}, "data.test counts molecules")
	scaled := mustOpenTask(t, l, s, Options{TargetScale: "zscore"}, taskRegression)
	_, targets := transforms.Gather(scaled.Train, transforms.Span(0, 32))
	mean := 0.0
	for _, v := range targets.Data {
		mean += v / 32
	}
	assert.InDelta(t, 0, mean, 1e-12, "targets are scaled by the training molecules")
	held := mustOpenTask(t, l, s, Options{Holdout: 0.25}, taskRegression)
	assert.Equal(t, []int{40 * 24, 20 * 8}, []int{held.Train.Len(), held.TestX.Rows})
	for i := range held.TestY.Rows {
		assert.NotZero(t, math.Mod(held.TestY.At(i, 0)/-100-1, 5), "no test molecule is held out")
	}
}
