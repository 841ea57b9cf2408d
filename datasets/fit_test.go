package datasets

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// cloud returns n rows of d correlated numbers of decreasing spread about a mean far from zero.
func cloud(n, d int, offset float64) transforms.InMemory {
	s := transforms.InMemory{X: compute.NewMatrix(n, d), Y: compute.NewMatrix(n, 1)}
	for i := range n {
		g := compute.NewStream(5, "cloud", uint64(i))
		row, last := s.X.Row(i), 0.0
		for j := range row {
			last = 0.3*last + g.Normal()/float64(j+1)
			row[j] = last + offset
		}
	}
	return s
}

func TestTransformsThatCannotBeFitted(t *testing.T) {
	few, wild := write(t, "a.csv", "1,2,3,1\n4,5,6,1\n7,8,8,1\n1,1,1,1\n"), write(t, "a.csv", "0,-1e308,1\n1,1e308,1\n1,1,1\n1,1,1\n")
	for _, c := range []struct {
		path string
		o    Options
		want string
	}{
		{few, Options{PCA: 4}, "data.pca: 4 components of 3 rows with 3 inputs: there are at most 3"},
		{few, Options{PCA: 3, Train: 2}, "data.pca: 3 components of 2 rows with 3 inputs: there are at most 2"},
		{few, Options{PCAUncentred: true}, "data.pca_uncentred: it belongs to pca"},
		{few, Options{PCARows: 5}, "data.pca_rows: it belongs to pca"},
		{few, Options{PCA: 5, PCARows: 4}, "data.pca_rows: 4 rows have at most that many components, not 5"},
		{wild, Options{PCA: 1}, "data.pca: the squares of the inputs are beyond the range of float64: set scale"},
		{wild, Options{Scale: Scale{Rule: "zscore"}}, "data.scale: the values of column 2 are too far apart"},
		{wild, Options{Scale: Scale{Rule: "minmax"}}, "data.scale: the values of column 2 are too far apart"},
	} {
		c.o.File, c.o.TestRows = c.path, []int{4, 4}
		_, err := new(Library).Open(context.Background(), c.o, "", 1, "")
		require.ErrorContains(t, err, c.want)
	}
}

func TestTransformsAreFittedOnTrainingRowsAlone(t *testing.T) {
	train := cloud(200, 4, 0)
	wild := cloud(50, 4, 0)
	wild.X.Scale(1e6)
	for _, o := range []Options{{Scale: Scale{Rule: "zscore"}, PCA: 2}, {Scale: Scale{Rule: "minmax"}}} {
		a, b := new(Set), new(Set)
		require.NoError(t, o.finish(context.Background(), a, transforms.InMemory{X: train.X.Clone(), Y: train.Y}, cloud(50, 4, 0)))
		require.NoError(t, o.finish(context.Background(), b, transforms.InMemory{X: train.X.Clone(), Y: train.Y}, transforms.InMemory{X: wild.X.Clone(), Y: wild.Y}))
		assert.Equal(t, a.Train, b.Train)
	}
}

func TestTargetUnit(t *testing.T) {
	dir := filepath.Dir(write(t, "a.csv", "1,10\n2,30\n3,70\n"))
	o := Options{File: "a.csv", TestRows: []int{3, 3}}
	assert.Equal(t, 1., mustOpen(t, o, dir).TargetUnit)
	for scale, unit := range map[string]float64{"zscore": 10, "minmax": 20} {
		o.TargetScale = scale
		s := mustOpen(t, o, dir)
		_, y := transforms.Gather(s.Train, []int{0})
		assert.Equal(t, unit, s.TargetUnit)
		assert.Equal(t, 60., (s.TestY.At(0, 0)-y.At(0, 0))*s.TargetUnit)
	}
}

// What a row becomes must depend on nothing but the row, whichever others are asked for with it.
func TestMappedRowsAreTheSameInAnyOrder(t *testing.T) {
	s := transforms.Subset{Samples: cloud(300, 70, 1), Rows: transforms.Span(0, 300)}
	for _, o := range []Options{
		{Scale: Scale{Rule: "zscore"}}, {Scale: Scale{Rule: "unit-norm"}}, {Scale: Scale{Rule: "minmax"}},
		{PCA: 5}, {PCA: 60}, {PCA: 70}, {PCA: 50, PCAUncentred: true, Scale: Scale{Rule: "unit-norm"}},
	} {
		steps, err := o.fit(context.Background(), s)
		require.NoError(t, err)
		m := transforms.Mapped(s, steps)
		x, y := transforms.Gather(m, transforms.Span(0, 300))
		for _, rows := range [][]int{{7}, {299, 0, 150, 7}, transforms.Span(40, 141)} {
			part, z := transforms.Gather(m, rows)
			for k, i := range rows {
				require.Equal(t, x.Row(i), part.Row(k), "%+v", o)
				require.Equal(t, y.Row(i), z.Row(k))
			}
		}
	}
}

// The rows to which principal components are fitted are drawn with the seed of the data.
func TestRowsOfPCAAreDrawnWithTheSeed(t *testing.T) {
	x, s := compute.NewMatrix(40, 3), compute.NewStream(1, "test", 0)
	for i := range x.Data {
		x.Data[i] = s.Normal()
	}
	first := func(seed uint64) []float64 {
		steps, err := Options{PCA: 1, PCARows: 8, Seed: seed}.fit(t.Context(), transforms.InMemory{X: x, Y: compute.NewMatrix(40, 1)})
		require.NoError(t, err)
		out := compute.NewMatrix(40, 1)
		steps[0].Apply(out, x, compute.NewEngine(compute.Options{Threads: 1}))
		return out.Data
	}
	assert.Equal(t, first(1), first(1))
	assert.NotEqual(t, first(1), first(2))
}
