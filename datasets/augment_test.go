package datasets

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// indexed makes rows that tell which unit and which copy they are.
type indexed struct{}

func (indexed) Inputs() int               { return 2 }
func (indexed) Put(u, k int, x []float64) { x[0], x[1] = float64(u), float64(k) }

func TestAugmentedRows(t *testing.T) {
	a := &transforms.Copies{Maker: indexed{}, Units: []int{5, 2, 9}, Count: 4, Y: vector([]float64{105, 102, 109})}
	assert.Equal(t, 12, a.Len())
	x, y := transforms.Gather(a, []int{0, 2, 3, 11})
	assert.Equal(t, []float64{5, 0, 9, 0, 5, 1, 9, 3}, x.Data)
	assert.Equal(t, []float64{105, 109, 105, 109}, y.Data)
	_, y = transforms.Gather(a, transforms.Span(0, 12))
	assert.Equal(t, y.Data, a.Labels())
	assert.Panics(t, func() { transforms.Gather(a, []int{12}) })
	assert.Panics(t, func() { transforms.Gather(a, []int{-1}) })

	x, _ = transforms.Gather(grouped(a), transforms.Span(0, 12))
	assert.Equal(t, []float64{5, 0, 5, 1, 5, 2, 5, 3, 2, 0}, x.Data[:10], "the copies of a unit follow each other")

	l, c := &Library{SearchPath: []string{t.TempDir()}}, &Copies{Change: "none, version 1", Train: 2, Test: 4}
	require.NoError(t, os.WriteFile(filepath.Join(l.SearchPath[0], "units"), nil, 0o644))
	registry["units"] = &Source{Name: "units", Task: taskRegression, Files: []RemoteFile{{Name: "units"}}, Copies: c,
		Load: func(context.Context, []*Input, Options) (train, test *Part, err error) {
			train, test = c.Of(Units{Y: compute.NewMatrix(10, 1), Train: []int{1, 3}, Test: []int{5, 2, 9}, Maker: func([]int) transforms.Maker { return indexed{} }})
			return train, test, nil
		}}
	defer delete(registry, "units")
	set := mustOpenTask(t, l, registry["units"], Options{}, taskRegression)
	assert.Equal(t, []float64{5, 0, 5, 1, 5, 2, 5, 3, 2, 0}, set.TestX.Data[:10])
	assert.Equal(t, []int{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}, set.Groups)
}

// The digest of copies is that of their change, their seed and their numbers.
func TestDigestOfCopies(t *testing.T) {
	digest := func(c Copies, seed uint64) string { return c.file(&Source{Name: "units"}, seed).SHA256 }
	copies := digest(Copies{"c", 2, 3}, 1)
	for _, other := range []string{digest(Copies{"d", 2, 3}, 1), digest(Copies{"c", 4, 3}, 1), digest(Copies{"c", 2, 4}, 1), digest(Copies{"c", 2, 3}, 2)} {
		assert.NotEqual(t, copies, other)
	}
	assert.Equal(t, copies, digest(Copies{"c", 2, 3}, 1))
	assert.Equal(t, 10, (&Copies{"c", 2, 3}).file(&Source{Rows: 10}, 1).Rows, "those of the source")
}

func TestVirtualDigits(t *testing.T) {
	l, s := smallDigits(t, "mnist8m-8v6", 100, 50)
	set := mustOpenTask(t, l, s, Options{}, taskBinary)
	in, out := set.Train.Dims()
	require.Equal(t, []int{20 * mnist8mCopies, 784, 1}, []int{set.Train.Len(), in, out})
	assert.Nil(t, set.Groups)
	assert.Contains(t, set.Substitute, "not the rows of MNIST8M")
	assert.Len(t, set.Files, 5, "four files and what was made of them")

	x, y := transforms.Gather(set.Train, transforms.Span(0, 100))
	d := scribbles(100).of(8, 6)
	for u := range 20 {
		for j, p := range d.image(u) {
			require.Equal(t, shades[p], x.At(u, j), "the first copies are the images")
		}
		assert.Equal(t, map[byte]float64{8: 1, 6: -1}[d.labels[u]], y.At(u, 0))
		assert.Equal(t, y.At(u, 0), y.At(u+20, 0), "a copy keeps its label")
		assert.NotEqual(t, x.Row(u), x.Row(u+20))
	}
	assert.Equal(t, []float64{-1, 1, -1, 1, -1, 1, -1, 1, -1, 1}, set.TestY.Data)
	for j, p := range scribbles(50).image(8) {
		require.Equal(t, shades[p], set.TestX.At(1, j), "test rows are not deformed")
	}
}

// Rows must be the same whoever asks, in which order and beside which others.
func TestVirtualDigitsInAnyOrder(t *testing.T) {
	l, s := smallDigits(t, "mnist8m-8v6", 100, 50)
	for _, o := range []Options{{}, {Scale: Scale{Rule: "unit-norm"}}} {
		set := mustOpenTask(t, l, s, o, taskBinary)
		want, labels := transforms.Gather(set.Train, transforms.Span(0, set.Train.Len()))
		other := mustOpenTask(t, l, s, o, taskBinary)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				rows := compute.NewStream(1, "rows", uint64(g)).Perm(set.Train.Len())[:300]
				x, y := transforms.Gather([]*Set{set, other}[g%2].Train, rows)
				for k, i := range rows {
					if !assert.Equal(t, want.Row(i), x.Row(k)) || !assert.Equal(t, labels.Row(i), y.Row(k)) {
						return
					}
				}
			})
		}
		wg.Wait()
		o.InMemory = true
		kept := mustOpenTask(t, l, s, o, taskBinary)
		require.IsType(t, transforms.InMemory{}, kept.Train)
		assert.Equal(t, want, kept.Train.(transforms.InMemory).X)
	}
	a := mustOpenTask(t, l, s, Options{}, taskBinary)
	b := mustOpenTask(t, l, s, Options{Seed: 1}, taskBinary)
	x, _ := transforms.Gather(a.Train, []int{0, 20})
	z, _ := transforms.Gather(b.Train, []int{0, 20})
	assert.Equal(t, x.Row(0), z.Row(0))
	assert.NotEqual(t, x.Row(1), z.Row(1), "data.seed decides the copies")
	assert.NotEqual(t, a.Files[4], b.Files[4])
}

// Shape must tell what Open gives.
func TestShape(t *testing.T) {
	l, virtual := smallDigits(t, "mnist8m-8v6", 100, 50)
	_, plain := smallDigits(t, "mnist", 100, 50)
	virtual.Rows, virtual.TestRows = 20*mnist8mCopies, 10
	plain.Rows, plain.TestRows = 100, 50
	for c := range plain.Counts {
		plain.Counts[c] = slices.Repeat([]int{10 / (c + 1)}, 10)
	}
	for _, c := range []struct {
		s *Source
		o Options
	}{
		{virtual, Options{}}, {virtual, Options{Holdout: 0.1}}, {virtual, Options{Train: 77, Test: 3}},
		{virtual, Options{Holdout: 0.2, Train: 100, Test: 1}},
		{plain, Options{Classes: []int{1, 2}}}, {plain, Options{Classes: []int{1, 2}, Holdout: 0.25, Train: 7}},
		{plain, Options{Classes: []int{1, 2, 3}, Test: 3}},
	} {
		saved := registry[c.s.Name]
		registry[c.s.Name] = c.s
		task := taskBinary
		if len(c.o.Classes) > 2 {
			task = taskMulticlass
		}
		set := mustOpenTask(t, l, c.s, c.o, task)
		c.o.Name = c.s.Name
		train, test, in := c.o.Shape()
		registry[c.s.Name] = saved
		assert.Equal(t, []int{set.Train.Len(), set.TestX.Rows, set.TestX.Cols}, []int{train, test, in}, "%+v", c.o)
	}
	for _, c := range []struct {
		o    Options
		want []int
	}{
		{Options{Name: "covtype", TestPart: 0.1}, []int{522911, 58101, 54}},
		{Options{Name: "covtype", TestPart: 0.1, Holdout: 0.2}, []int{418329, 104582, 54}},
		{Options{Name: "covtype", TestRows: []int{1, 15120}}, []int{565892, 15120, 54}},
		{Options{Name: "qm7", Test: 100}, []int{229280, 2000, 2090}},
		{Options{Name: "mnist", PCA: 40, Classes: []int{8, 6}}, []int{11769, 1932, 40}},
		{Options{Name: "mnist8m-8v6"}, []int{1588815, 1932, 784}},
		{Options{Name: "mnist", Classes: []int{9, 0}, Stream: true}, []int{5949 + 5923 + 1009 + 980, 0, 784}},
		{Options{Name: "mnist", Classes: []int{8, 6}, Rows: []int{1, 60_000}}, []int{11769, 1932, 784}},
		{Options{Name: "dai2014-synthetic", Train: 100, Holdout: 0.2}, []int{80, 20, 2}},
		{Options{Name: "dai2014-synthetic", Train: 100, Holdout: 0.2, Test: 5}, []int{80, 5, 2}},
		{Options{File: "my.csv"}, []int{0, 0, 0}},
	} {
		train, test, in := c.o.Shape()
		assert.Equal(t, c.want, []int{train, test, in}, "%+v", c.o)
	}
	assert.Equal(t, 10, Options{Name: "mnist", Task: taskMulticlass}.outputs())

	s, rows := &Source{Name: "s", Rows: 2, TestRows: 1}, func(n int) *Part { return &Part{Y: compute.NewMatrix(n, 1)} }
	assert.Empty(t, s.altered(rows(3), nil, true))
	assert.Equal(t, "s has 2 rows, not 3", s.altered(rows(2), nil, true))
	assert.Equal(t, "s has 2 test rows, not 1", s.altered(rows(2), rows(2), false))
}
