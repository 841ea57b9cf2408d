package datasets

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets/transforms"
)

// openReal opens a downloaded data set, or skips the test with the reason why it is not here. A
// continuous-integration run that was given data must have it.
func openReal(t *testing.T, o Options, task string) *Set {
	t.Helper()
	l := NewLibrary()
	if ok, why := l.Ready(o, ""); !ok {
		require.False(t, os.Getenv("CI") != "" && os.Getenv("REPRO_DATA") != "", "REPRO_DATA is set, but %s", why)
		t.Skipf("%s; or set REPRO_DATA to a folder that holds it", why)
	}
	s, err := l.Open(context.Background(), o, task, 0, "")
	require.NoError(t, err)
	return s
}

func count(y []float64, label float64) (n int) {
	for _, v := range y {
		if v == label {
			n++
		}
	}
	return n
}

// The counts are those of the LIBSVM page and of the UCI documentation.
func TestRealData(t *testing.T) {
	for _, c := range []struct {
		name              string
		o                 Options
		rows, dims, pos   int
		testRows, testPos int
	}{
		{"a9a", Options{}, 32561, 123, 7841, 16281, 3846},
		{"cod-rna", Options{}, 59535, 8, 19845, 271617, 90539},
		{"ijcnn1", Options{}, 49990, 22, 4853, 91701, 8712},
		{"covtype", Options{TestRows: []int{1, 15120}}, 565892, 54, 283301 - 2160, 15120, 2160},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Name = c.name
			if testing.Short() && c.name != "a9a" {
				t.Skip("-short reads a9a alone")
			}
			s := openReal(t, c.o, taskBinary)
			in, out := s.Train.Dims()
			require.Equal(t, []int{c.rows, c.dims, 1}, []int{s.Train.Len(), in, out})
			require.Equal(t, []int{c.testRows, c.dims}, []int{s.TestX.Rows, s.TestX.Cols})
			y := s.Train.(transforms.InMemory).Y.Data
			assert.Equal(t, c.pos, count(y, 1))
			assert.Equal(t, c.testPos, count(s.TestY.Data, 1))
			assert.Equal(t, c.rows-c.pos, count(y, -1))
			assert.Equal(t, c.testRows-c.testPos, count(s.TestY.Data, -1))
		})
	}
}

func TestRealA9a(t *testing.T) {
	s := openReal(t, Options{Name: "a9a"}, taskBinary)
	x := s.Train.(transforms.InMemory).X
	assert.Equal(t, 451592, count(x.Data, 1), "stored entries of the file")
	assert.Equal(t, len(x.Data)-451592, count(x.Data, 0))
	// the first line of the file: -1 3:1 11:1 14:1 19:1 39:1 42:1 55:1 64:1 67:1 73:1 75:1 76:1 80:1 83:1
	var first []int
	for j, v := range x.Row(0) {
		if v == 1 {
			first = append(first, j+1)
		}
	}
	assert.Equal(t, []int{3, 11, 14, 19, 39, 42, 55, 64, 67, 73, 75, 76, 80, 83}, first)
	// distances are square roots of whole numbers, so the median is one, too
	assert.Equal(t, 4.0, transforms.MedianDistance(s.Train, 0, 0))
}

// dai2014 §7.5 prints σ = 60, the median distance of their rows; √(2d) = 64.7 of standardised rows with
// d = 2090 inputs agrees with it.
func TestRealMolecules(t *testing.T) {
	if testing.Short() {
		t.Skip("-short reads no molecules")
	}
	s := openReal(t, Options{Name: "qm7", Test: 50, Train: 500}, taskRegression)
	in, out := s.Train.Dims()
	require.Equal(t, []int{500, 1, 1000}, []int{s.Train.Len(), out, s.TestX.Rows})
	assert.Equal(t, registry["qm7"].Dims, in)
	assert.InDelta(t, 60, transforms.MedianDistance(s.Train, 0, 0), 3)
	for _, y := range s.TestY.Data {
		assert.True(t, y >= -2192 && y <= -404.88, "the range of the energies in the file")
	}
}
