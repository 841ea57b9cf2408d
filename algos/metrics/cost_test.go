package metrics

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/algostest"
	"repro/algos/compute"
	"repro/algos/losses"
)

// A hoard is a fit that holds memory in every way there is.
type hoard struct {
	algos.Fit
	problem *algos.Problem
	whole   []float64
	part    []float64 // of whole
	rows    compute.Matrix
	self    *hoard
	any     any
	pairs   map[int32]float64
	nested  [2][]*float64
}

func TestHeld(t *testing.T) {
	problem := &algos.Problem{Seed: 1}
	h := &hoard{problem: problem}
	bare := int64(unsafe.Sizeof(*h))
	assert.Equal(t, bare, held(h, problem), "what belongs to the problem does not count")
	h.self = h
	h.whole = make([]float64, 100, 300)
	h.part = h.whole[20:50]
	assert.Equal(t, bare+800, held(h, problem), "what is shared counts once, and room for growth does not")
	h.rows = compute.NewMatrix(3, 5)
	h.any = h.rows
	assert.Equal(t, bare+800+120, held(h, problem))
	h.pairs = map[int32]float64{1: 1, 2: 2}
	assert.Equal(t, bare+800+120+24, held(h, problem))
	h.nested[1] = []*float64{new(float64), nil, &h.whole[3]}
	assert.Equal(t, bare+800+120+24+24+8, held(h, problem))
	assert.Zero(t, held(nil, problem))
}

func TestPredictionFlops(t *testing.T) {
	cost := func(n int) float64 {
		p := algostest.Problem(n, losses.Square{})
		a, err := algos.New("krr")
		require.NoError(t, err)
		fit := algostest.Start(t, a, p)
		algostest.Steps(t, fit, 1)
		x, y := p.Dense()
		e := Evaluation{Problem: p, Fit: fit, X: x, Y: y}
		v := value(t, "prediction-flops", e, y)
		assert.Equal(t, v, value(t, "prediction-flops", e, y), "every time the same")
		in, _ := p.Train.Dims()
		assert.Greater(t, v, float64(n*in))
		e.X = compute.Matrix{}
		assert.True(t, math.IsNaN(value(t, "prediction-flops", e, y)), "a stream has no test inputs")
		return v
	}
	assert.Equal(t, 2*cost(32), cost(64), "the kernel values with all rows")
}
