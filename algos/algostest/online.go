package algostest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
)

// online is the law of algos.Online: a fit asks for the inputs of one example after another, once each, predicts each before
// it sees the targets, and never looks at the training rows. The numbers that it predicts do not change when the targets of
// later examples do.
func online(t *testing.T, a algos.Algorithm) {
	if _, ok := a.(algos.Online); !ok {
		t.Skip("the method is not online")
	}
	const rounds, changed = 40, 25
	predict := func(change float64) [][]float64 {
		p := Problem(lawPoints, losses.Square{})
		d := p.Train.(*Samples)
		s := &strictStream{d: d, changed: changed, change: change}
		p.Train, p.Stream = blind{d}, s
		f, err := a.Start(p)
		require.NoError(t, err)
		Steps(t, f, rounds)
		assert.Len(t, s.u, rounds, "predictions")
		return s.u
	}
	u, v := predict(0), predict(1)
	assert.Equal(t, u[:changed+1], v[:changed+1], "the target of example %d is known before its prediction", changed)
	assert.NotEqual(t, u[changed+1:], v[changed+1:], "nothing is learnt of example %d", changed)
}

// A strictStream panics where a fit breaks the protocol. It adds change to the targets of the example changed.
type strictStream struct {
	d       *Samples
	u       [][]float64
	asked   bool
	changed int
	change  float64
}

func (s *strictStream) Inputs(t int64) []float64 {
	if s.asked || t != int64(len(s.u)) {
		panic(fmt.Sprintf("the inputs of example %d are asked for after %d predictions", t, len(s.u)))
	}
	s.asked = true
	return s.d.X.Row(int(t))
}

func (s *strictStream) Reveal(t int64, u []float64) []float64 {
	if !s.asked || t != int64(len(s.u)) {
		panic(fmt.Sprintf("the targets of example %d are asked for after %d predictions", t, len(s.u)))
	}
	s.asked = false
	s.u = append(s.u, append([]float64(nil), u...))
	y := append([]float64(nil), s.d.Y.Row(int(t))...)
	if int(t) == s.changed {
		for c := range y {
			y[c] += s.change
		}
	}
	return y
}

// blind are samples that nobody may look at.
type blind struct{ *Samples }

func (blind) Gather([]int, compute.Matrix, compute.Matrix) {
	panic("an online fit looks at the training rows")
}
