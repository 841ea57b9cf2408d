package sources

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/datasets/formats"
	"repro/datasets/fuzztest"
)

// What reading n bytes of molecules may allocate; see the allowances of package formats.
func matAllowance(n int) uint64   { return 1<<20 + 160*uint64(n) }
func tableAllowance(n int) uint64 { return 1<<20 + 96*uint64(n) }

// moleculeFiles returns qm7.mat and qm7.csv with n molecules of zeros, in the layout of the real ones.
func moleculeFiles(n int) (mat, table []byte) {
	w := fuzztest.NewMatFile(false)
	folds := make([]float64, n)
	for i := range folds {
		folds[i] = float64(i)
	}
	w.Write(w.Compressed(w.Matrix("X", 7, 7, []int32{int32(n), 1}, make([]float64, n))))
	w.Write(w.Compressed(w.Matrix("R", 7, 7, []int32{int32(n), atoms, 3}, make([]float64, 3*n*atoms))))
	w.Write(w.Matrix("Z", 7, 7, []int32{int32(n), atoms}, make([]float64, n*atoms)))
	w.Write(w.Compressed(w.Matrix("T", 7, 7, []int32{1, int32(n)}, make([]float64, n))))
	w.Write(w.Matrix("P", 12, 12, []int32{1, int32(n)}, folds))
	var b bytes.Buffer
	fmt.Fprintln(&b, strings.Join(moleculeColumns(), ","))
	for i := range n {
		fmt.Fprintf(&b, "%d,0,5,-417.96%s\n", i, strings.Repeat(",0", 4*atoms))
	}
	return w.Bytes(), b.Bytes()
}

// checkMolecules fails unless err says why there are none, or m are whole molecules.
func checkMolecules(t *testing.T, m *molecules, err error) {
	if err != nil {
		require.ErrorIs(t, err, formats.ErrFormat)
		return
	}
	n := len(m.energies)
	require.Equal(t, [3]int{n * atoms, 3 * n * atoms, n}, [3]int{len(m.charges), len(m.positions), len(m.folds)})
	for _, v := range [][]float64{m.energies, m.charges, m.positions, m.folds} {
		for _, v := range v {
			if v-v != 0 {
				t.Fatalf("a molecule has %v", v)
			}
		}
	}
}

func FuzzMoleculesOfMat(f *testing.F) {
	mat, _ := moleculeFiles(2)
	f.Add(mat)
	f.Add(mat[:len(mat)/2])
	f.Fuzz(fuzztest.Corpus(f, func(t *testing.T, data []byte) {
		fuzztest.Within(t, matAllowance(len(data)), func() {
			m, err := moleculesOfMat(bytes.NewReader(data), "fuzz", int64(16*len(data)))
			checkMolecules(t, m, err)
		})
	}))
}

func FuzzMoleculesOfTable(f *testing.F) {
	_, table := moleculeFiles(2)
	f.Add(table, 2)
	f.Add(table[:len(table)-3], 2)
	f.Fuzz(fuzztest.Corpus(f, func(t *testing.T, data []byte, n int) {
		fuzztest.Within(t, tableAllowance(len(data)), func() {
			m, err := moleculesOfTable(bytes.NewReader(data), "fuzz", n)
			checkMolecules(t, m, err)
		})
	}))
}

func TestMemoryOfMolecules(t *testing.T) {
	mat, table := moleculeFiles(1 << 9)
	fuzztest.Within(t, matAllowance(len(mat)), func() {
		_, err := moleculesOfMat(bytes.NewReader(mat), "a", 1<<24)
		require.NoError(t, err)
	})
	fuzztest.Within(t, tableAllowance(len(table)), func() {
		_, err := moleculesOfTable(bytes.NewReader(table), "a", 1<<9)
		require.NoError(t, err)
	})
}
