package datasets

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// smallSplits returns a set of ten splits whose row i, of n, is a test row of split i mod 10, and its source.
func smallSplits(t *testing.T, n int, mask func(line string) string) (*Library, *Source) {
	t.Helper()
	var rows, marks strings.Builder
	for i := range n {
		fmt.Fprintf(&rows, "%d,0,%d\n", i, 10*i)
		fmt.Fprintln(&marks, mask(strings.Repeat("0,", i%10)+"1"+strings.Repeat(",0", 9-i%10)))
	}
	s := *registry["uci-bike"]
	s.Dims, s.Rows = 2, n
	s.Files = []RemoteFile{{Name: "bike.csv.gz", Rows: n}, {Name: "bike.test_mask.csv.gz", Rows: n}}
	return put(t, "uci", map[string]string{"bike.csv.gz": zipped(t, rows.String()), "bike.test_mask.csv": marks.String()}), &s
}

// data.seed chooses a published split, and rows are held out of its training rows alone.
func TestPublishedSplits(t *testing.T) {
	l, s := smallSplits(t, 40, func(line string) string { return line })
	for seed, want := range map[uint64][]float64{0: {0, 10, 20, 30}, 3: {3, 13, 23, 33}, 19: {9, 19, 29, 39}} {
		set := mustOpenTask(t, l, s, Options{Seed: seed}, taskRegression)
		assert.Equal(t, want, column(set.TestX, 0))
		assert.Len(t, trainX(set), 36)
		assert.NotSubset(t, trainX(set), want[:1])
		assert.Equal(t, "", set.Substitute)
		assert.Equal(t, "bike.test_mask.csv.gz", set.Files[1].Name)

		held := mustOpenTask(t, l, s, Options{Seed: seed, Holdout: 0.25}, taskRegression)
		assert.ElementsMatch(t, trainX(set), append(trainX(held), column(held.TestX, 0)...))
	}
	assert.Equal(t, 40, mustOpenTask(t, l, s, Options{Stream: true}, taskRegression).Train.Len())
	assert.Equal(t, []float64{5}, column(mustOpenTask(t, l, s, Options{TestRows: []int{6, 6}}, taskRegression).TestX, 0))

	for want, mask := range map[string]func(string) string{
		"9 columns, 10 expected, one for each split":                   func(line string) string { return line[2:] },
		"it needs a row for each of the 40 rows of":                    func(line string) string { return line + "\n" + line },
		"bike.test_mask.csv:2: field 3: \"x\" is not a decimal number": func(line string) string { return strings.Replace(line, "0,1,0", "0,1,x", 1) },
	} {
		l, s := smallSplits(t, 40, mask)
		_, err := openTask(l, s, Options{}, taskRegression)
		require.ErrorIs(t, err, formats.ErrFormat)
		assert.ErrorContains(t, err, want)
	}
}

// The test sets of the ten splits are all rows, none of them twice.
func TestRealSplits(t *testing.T) {
	for _, name := range []string{"bike", "elevators", "keggdirected", "keggundirected", "kin40k", "parkinsons", "pol", "pumadyn32nm"} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "parkinsons" {
				t.Skip("-short reads parkinsons alone")
			}
			s, tested := registry["uci-"+name], 0
			for seed := range uint64(s.Splits) {
				o := Options{Name: s.Name, Seed: seed}
				set := openReal(t, o, taskRegression)
				train, test, in := o.Shape()
				assert.InDelta(t, test, set.TestX.Rows, 1)
				assert.InDelta(t, train, set.Train.Len(), 1)
				assert.Equal(t, in, set.TestX.Cols)
				assert.Equal(t, s.Rows, set.Train.Len()+set.TestX.Rows)
				tested += set.TestX.Rows
				_, y := transforms.Gather(set.Train, []int{0})
				assert.Len(t, y.Data, 1)
			}
			assert.Equal(t, s.Rows, tested)
		})
	}
}

// Every piece of one to four characters counts once in the column of its hash.
func TestPieces(t *testing.T) {
	s := *registry["cep"]
	s.Rows, s.Files = 3, []RemoteFile{{Name: "cep-processed.csv", Rows: 3}}
	l := put(t, "cep", map[string]string{"cep-processed.csv.gz": zipped(t, "smiles,PCE\nc1ccoc1,1.5\nCC,0\nc,13\n")})
	set := mustOpenTask(t, l, &s, Options{TestRows: []int{1, 1}}, taskRegression)
	x, y := transforms.Gather(set.Train, []int{0, 1})
	assert.Equal(t, []float64{0, 13}, y.Data)
	assert.Equal(t, []float64{1.5}, set.TestY.Data)
	sum := func(row []float64) (n float64) {
		for _, v := range row {
			n += v
		}
		return n
	}
	assert.Equal(t, []float64{3, 1, 4 + 4 + 4 + 4 + 3 + 2 + 1}, []float64{sum(x.Row(0)), sum(x.Row(1)), sum(set.TestX.Row(0))})
	assert.Equal(t, 2.0, x.Row(0)[fnv32("C")%1024])
	assert.Equal(t, 4.0, set.TestX.Row(0)[fnv32("c")%1024])

	l = put(t, "cep", map[string]string{"cep-processed.csv": "smiles,PCE\nC,1\nCC;2\n"})
	_, err := openTask(l, &s, Options{TestRows: []int{1, 1}}, taskRegression)
	assert.ErrorContains(t, err, "cep-processed.csv:3: a SMILES and a number expected")
}

// fnv32 is the hash FNV-1a of a text, by its definition.
func fnv32(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
