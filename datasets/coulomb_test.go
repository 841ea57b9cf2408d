package datasets

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

// water has its oxygen at the origin and hydrogens 1.8 Bohr away on two axes.
func water(t *testing.T) *molecule {
	t.Helper()
	charges, positions := make([]float64, atoms), make([]float64, 3*atoms)
	copy(charges, []float64{1, 8, 1})
	copy(positions, []float64{1.8, 0, 0, 0, 0, 0, 0, 1.8, 0})
	m, err := newMolecule(charges, positions)
	require.NoError(t, err)
	return m
}

func TestCoulombMatrix(t *testing.T) {
	m := water(t)
	oh, hh, o := 8/1.8, 1/math.Sqrt(2*1.8*1.8), math.Pow(8, 2.4)/2
	want := [][]float64{{0.5, oh, hh, 0}, {oh, o, oh, 0}, {hh, oh, 0.5, 0}, {0, 0, 0, 0}}
	for i, row := range want {
		for j, c := range row {
			assert.Equal(t, float32(c), m.entries[i*atoms+j], "entry %d, %d", i, j)
		}
		norm := math.Sqrt(row[0]*row[0] + row[1]*row[1] + row[2]*row[2])
		assert.InDelta(t, norm, m.norms[i], 1e-5, "entries are rounded to 2⁻²⁴ of at most 74")
	}
}

func TestMoleculeErrors(t *testing.T) {
	for _, c := range []struct {
		charges, positions []float64
		want               string
	}{
		{[]float64{6, 1.5}, nil, "the charge of atom 2 is 1.5"},
		{[]float64{-1}, nil, "the charge of atom 1 is -1"},
		{[]float64{119}, nil, "the charge of atom 1 is 119"},
		{[]float64{math.NaN()}, nil, "the charge of atom 1 is NaN"},
		{[]float64{6, 0, 1}, make([]float64, 9), "atoms 1 and 3 are at the same place"},
		{[]float64{6, 1}, []float64{0, 0, 0, math.NaN(), 0, 0}, "atoms 1 and 2 are at the same place or nowhere"},
	} {
		charges, positions := make([]float64, atoms), make([]float64, 3*atoms)
		copy(charges, c.charges)
		copy(positions, c.positions)
		_, err := newMolecule(charges, positions)
		assert.ErrorContains(t, err, c.want)
	}
}

// The rows of a realisation are those of the matrix in another order, and each order is as likely as its
// noise says: the hydrogens of water have equal norms, so that either comes first half of the time.
func TestRealisations(t *testing.T) {
	m := water(t)
	const n = 2000
	var x [triangle]float64
	hydrogenFirst, paddingInFront := 0, 0
	for k := range n {
		m.realise(compute.NewStream(1, "order", uint64(k)), x[:])
		diagonal := []float64{x[0], x[atoms], x[2*atoms-1]}
		require.Equal(t, float64(m.entries[atoms+1]), diagonal[0], "oxygen is 69 noises ahead")
		sum := 0.0
		for i, v := range x {
			sum += v
			if i == 1 && v == float64(m.entries[1]) && diagonal[1] == 0.5 {
				hydrogenFirst++
			}
		}
		require.InDelta(t, m.entries[0]+m.entries[atoms+1]+m.entries[2*atoms+2]+2*m.entries[1]+m.entries[2], sum, 1e-4)
		if diagonal[1] == 0 {
			paddingInFront++
		}
	}
	// The norm of a hydrogen is 4.49, and the largest noise of 20 rows of padding exceeds the larger of
	// two such norms with noise seldom: with probability 1.4e-3 by quadrature, 2.8 times of 2000.
	// More than 12 has probability 3e-5.
	assert.Less(t, paddingInFront, 12)
	assert.Greater(t, hydrogenFirst, n-12)
}

func TestOrderIsAsLikelyAsItsNoise(t *testing.T) {
	m := new(molecule)
	m.entries[0], m.entries[atoms+1] = 51, 50 // apart by one noise
	m.norms[0], m.norms[1] = 51, 50
	const n = 4000
	first := 0
	var x [triangle]float64
	for k := range n {
		m.realise(compute.NewStream(2, "order", uint64(k)), x[:])
		if x[0] == 51 {
			first++
		}
	}
	// P(1 + ε₁ - ε₂ > 0) = Φ(1/√2) = 0.7602, within 4.5 standard deviations: false alarm 7e-6.
	p := 0.5 * (1 + math.Erf(0.5))
	assert.InDelta(t, p, float64(first)/n, 4.5*math.Sqrt(p*(1-p)/n))
}

func TestStaircase(t *testing.T) {
	x := make([]float64, 60)
	for _, v := range []float64{0, 0.5, 1, 0.3, 19.999, 20, 53.36, 58.999, 59, 59.5, 400} {
		staircase(x, v)
		for k, got := range x {
			// twenty multiplications by e⁻² and a quotient; 1 where tanh differs from it by 2⁻⁵⁸
			assert.InDelta(t, math.Tanh(v-float64(k)), got, 1e-15, "tanh(%v - %d)", v, k)
		}
	}
	one := x[:1]
	staircase(one, 0)
	assert.Zero(t, one[0])
}

// A table of molecules, and a MAT-file of the same.
func writeMolecules(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "qm7"), 0o755))
	var table strings.Builder
	fmt.Fprintln(&table, strings.Join(tableColumns(), ","))
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
	w := newMatWriter(false)
	w.Write(w.compressed(w.matrix("X", 7, 7, []int32{int32(n), 1}, make([]float64, n))))
	w.Write(w.compressed(w.matrix("R", 7, 7, []int32{int32(n), atoms, 3}, r)))
	w.Write(w.compressed(w.matrix("Z", 7, 7, []int32{int32(n), atoms}, z)))
	w.Write(w.compressed(w.matrix("T", 7, 7, []int32{1, int32(n)}, energies)))
	w.Write(w.compressed(w.matrix("P", 12, 12, []int32{5, int32(n / 5)}, folds)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "qm7", "qm7.mat"), w.Bytes(), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "qm7", "qm7.csv"), []byte(table.String()), 0o644))
	return dir
}

// smallQM7 is the source with n molecules.
func smallQM7(n int) *Source {
	s := *registry["qm7"]
	s.Files = []RemoteFile{{Name: "qm7.mat", Rows: n}}
	s.others = []form{{format: "table", files: []RemoteFile{{Name: "qm7.csv", Rows: n}}, training: 1}}
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
	x, y := dense(set.Train, span(0, 1280))
	z, w := dense(again.Train, span(0, 1280))
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
	held := mustOpenTask(t, l, s, Options{Holdout: 0.25}, taskRegression)
	assert.Equal(t, []int{40 * 24, 20 * 8}, []int{held.Train.Len(), held.TestX.Rows})
	for i := range held.TestY.Rows {
		assert.NotZero(t, math.Mod(held.TestY.At(i, 0)/-100-1, 5), "no test molecule is held out")
	}
}

// What the rows are made of is fitted on training molecules: others may be as they like.
func TestStepsAreFittedOnTrainingMolecules(t *testing.T) {
	small, big := water(t), water(t)
	big.entries[atoms+1] = 500
	a := newCoulomb([]*molecule{small, small}, []int{0}, 1)
	b := newCoulomb([]*molecule{small, big}, []int{0}, 1)
	assert.Equal(t, a.steps, b.steps)
	assert.Equal(t, a.mean, b.mean)
	assert.Equal(t, a.scale, b.scale)
	// oxygen, 73.5, always comes first: thresholds 0 to 74
	assert.Equal(t, 75, a.steps[0])
	assert.Equal(t, 1, a.steps[triangle-1], "an entry that is always 0 has the threshold 0 alone")
}

func TestMoleculeFileErrors(t *testing.T) {
	const n = 10
	dir := writeMolecules(t, n)
	path := filepath.Join(dir, "qm7", "qm7.csv")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(good), "\n")
	w := newMatWriter(false)
	head := w.String()
	zeros := make([]float64, 2*atoms*3)
	mat := func(t, z, r, p []byte) string { return head + string(slices.Concat(t, z, r, p)) }
	array := func(name string, values []float64, dims ...int32) []byte {
		return w.matrix(name, mxDouble, 9, dims, values)
	}
	energies, charges, places := array("T", zeros[:2], 1, 2), array("Z", zeros[:2*atoms], 2, atoms), array("R", zeros, 2, atoms, 3)
	folds := array("P", []float64{0, 1}, 2, 1)
	for _, c := range []struct{ name, file, text, want string }{
		{"other columns", "qm7.csv", strings.Replace(string(good), "Z1,", "Q1,", 1), "qm7.csv:1: the columns are not the 96 of this table"},
		{"no energies", "qm7.csv", strings.Replace(string(good), "T_kcal_mol", "T", 1), `qm7.csv:1: data.target: there is no column "T_kcal_mol"`},
		{"a molecule short", "qm7.csv", strings.Join(lines[:n], ""), "qm7.csv: 9 molecules, 10 expected"},
		{"cut line", "qm7.csv", string(good[:len(good)-20]), "qm7.csv:11: "},
		{"no number", "qm7.csv", strings.Replace(string(good), ",-200,", ",a lot,", 1), `qm7.csv:3: field 4 (T_kcal_mol): "a lot" is not a decimal number`},
		{"bad charge", "qm7.csv", strings.Replace(string(good), ",-200,6,", ",-200,6.5,", 1), "qm7.csv: molecule 2: the charge of atom 1 is 6.5"},
		{"no test fold", "qm7.csv", strings.ReplaceAll(string(good), ",0,3,-100,", ",1,3,-100,"), ""},
		{"not a MAT-file", "qm7.mat", "<html>", "qm7.mat: this is not a MAT-file"},
		{"array missing", "qm7.mat", mat(energies, charges, places, nil), "qm7.mat: there is no array P in it"},
		{"energies", "qm7.mat", mat(array("T", zeros[:4], 2, 2), charges, places, folds), "array T has dimensions [2 2]"},
		{"charges", "qm7.mat", mat(energies, array("Z", zeros[:4], 2, 2), places, folds), "array Z has dimensions [2 2], 2 × 23 expected"},
		{"positions", "qm7.mat", mat(energies, charges, array("R", zeros[:6], 2, 3), folds), "array R has dimensions [2 3], 2 × 23 × 3 expected"},
		{"folds", "qm7.mat", mat(energies, charges, places, array("P", zeros[:3], 3, 1)), "array P has dimensions [3 1]"},
		{"fold with a molecule twice", "qm7.mat", mat(energies, charges, places, array("P", []float64{1, 1}, 2, 1)), "array P: entry 2 is 1: every molecule from 0 to 1 must be there once"},
		{"fold of nobody", "qm7.mat", mat(energies, charges, places, array("P", []float64{0, 2}, 2, 1)), "array P: entry 2 is 2"},
		{"infinite energy", "qm7.mat", mat(array("T", []float64{0, math.Inf(1)}, 1, 2), charges, places, folds), "array T has an entry that is not finite"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "qm7"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "qm7", c.file), []byte(c.text), 0o644))
			s := smallQM7(n)
			_, err := (&Library{SearchPath: []string{dir}}).openSource(context.Background(), Options{Name: "qm7"}, s)
			if c.want == "" {
				require.NoError(t, err, "another molecule of fold 0 is left")
				return
			}
			require.ErrorIs(t, err, ErrFormat)
			assert.ErrorContains(t, err, c.want)
		})
	}
}
