package parts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// Rows are drawn from streams of their own, of the problem's seed, uniformly from all of them.
func TestStreamsOfDraws(t *testing.T) {
	const n, r = 40, 5
	p := algostest.Problem(n, losses.Square{})
	p.Seed = 7
	drawn := func(purpose string) []int { return compute.NewStream(7, purpose, 0).Perm(n)[:r] }
	rows, err := SelectLandmarks("test", p, r, Uniform)
	require.NoError(t, err)
	assert.Equal(t, drawn("landmarks"), rows)
	assert.Equal(t, drawn("subsample"), Subsample(p, r))
	x, _ := p.Dense()
	assert.Equal(t, drawn("pivots"), Approximate(p, x, Uniform, r, 0).Rows)
	pivots, _ := PivotedLandmarks(p, x, r)
	assert.Equal(t, int(n*compute.NewStream(7, "pivots", 0).Float64()), pivots[0], "the diagonal is 1")
	order, err := NewSampling("test", p, true)
	require.NoError(t, err)
	s := compute.NewStream(7, "replacement", 0)
	for _, row := range order.Rows(0, r) {
		assert.Equal(t, s.IntN(n), row)
	}
	kors := KORSSettings{}.Choice(7, 1)
	assert.Equal(t, compute.NewSource(7, "kors"), kors.Coins)
	assert.InDelta(t, 2, kors.Weight(0.25), 1e-15)
}

// A proposed row is accepted with the share of its diagonal that is left.
func TestProposalsAreAcceptedByWhatIsLeft(t *testing.T) {
	p := algostest.Problem(10, losses.Square{})
	x, _ := p.Dense()
	c := newPivoted(p, x, 5)
	c.d[3] = 1
	accepted := 0
	for k := range uint64(1000) {
		h := compute.NewMatrix(1, 1)
		h.Set(0, 0, 0.5)
		accepted += len(c.accept(compute.NewStream(7, "test", k), []int{3}, h))
	}
	assert.InDelta(t, 500, accepted, 79, "five standard deviations")
}

// A witness keeps the first matrix that an operator is multiplied with.
type witness struct {
	compute.Operator
	v compute.Matrix
}

func (w *witness) MulTo(dst, v compute.Matrix) {
	if w.v.Data == nil {
		w.v = v.Clone()
	}
	w.Operator.MulTo(dst, v)
}

// Sketches are normal, from a stream of their own; that of a subsample is multiplied with its rows. Block Lanczos begins with the span of normal
// columns, which are the same for all seeds.
func TestSketchesAreNormal(t *testing.T) {
	const n, k, columns, m = 40, 2, 6, 20
	p := algostest.Problem(n, losses.Square{})
	p.Seed = 7
	e, g := p.Engine, NewGram(p)
	normal := func(s *compute.Stream, columns int) compute.Matrix {
		v := compute.NewMatrix(n, columns)
		for i := range v.Data {
			v.Data[i] = s.Normal()
		}
		return v
	}
	sketch := func() *compute.Stream { return compute.NewStream(7, "sketch", 0) }

	z, err := NewFeatureOperator("test", p, 30)
	require.NoError(t, err)
	rows := Subsample(p, m)
	for a, decompose := range map[compute.Operator]func(k, p, m int) (Eigensystem, error){g.Rows(rows): g.Eigensystem, z.At(g.X.Select(rows)): z.Eigensystem} {
		want, err := RSVD(e, a, k, columns, sketch())
		require.NoError(t, err)
		got, err := decompose(k, columns, m)
		require.NoError(t, err)
		assert.Equal(t, want.Vectors, got.Vectors)
	}

	w := &witness{Operator: g.K}
	g.K = w
	_, err = g.Sketch(k, columns)
	require.NoError(t, err)
	assert.Equal(t, normal(sketch(), columns), w.v)

	w.v = compute.Matrix{}
	g.Leading(k)
	start := normal(compute.NewStream(0, "krylov", 0), w.v.Cols)
	e.Gemm(start, -1, w.v, false, e.Mul(w.v, start, true), false, 1)
	for _, v := range start.Data {
		assert.InDelta(t, 0, v, 1e-12)
	}
}

// A round without a pivot lowers the diagonal at its proposals to what K - FFᵀ is there, and not below 0.
func TestProposalsThatAreRoundingErrors(t *testing.T) {
	p := algostest.Problem(10, losses.Square{})
	x, _ := p.Dense()
	for f, left := range map[float64]float64{0.5: 0.75, 2: 0} { // F at row 3, where K is 1
		c := newPivoted(p, x, 5)
		clear(c.d)
		c.d[3], c.rows = 1e9, []int{7}
		c.f.Set(0, 3, f)
		assert.False(t, c.round(compute.NewStream(7, "test", 0), 1))
		assert.Equal(t, left, c.d[3])
	}
}

// Sines and cosines of D frequencies and 2D features of the same seed are no more the same for an engine that has drawn the others.
func TestPairsAreOtherFeatures(t *testing.T) {
	p := algostest.Problem(10, losses.Square{})
	x, _ := p.Dense()
	at := func(draw func(string, *algos.Problem, int) (Features, error), r int) []float64 {
		z, err := draw("test", p, r)
		require.NoError(t, err)
		return z.At(x).Data
	}
	want := at(DrawFeatures, 8)
	p.Engine = compute.NewEngine(compute.Options{Threads: 1})
	at(DrawPairs, 4)
	assert.Equal(t, want, at(DrawFeatures, 8))
}
