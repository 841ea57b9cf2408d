package benchmark

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Times of an online round are those of a run divided by its rounds, beside those of two passes.
func TestRoundsAgainstPasses(t *testing.T) {
	c := &fakeClock{}
	op := operation{rounds: 4, own: true, setup: func() runs { return runs{c.takes(12 * ms), c.takes(8 * ms), c.takes(4 * ms)} }}
	m := fakeStopwatch(c, 1).measure(op)
	assert.InDelta(t, 3e-3, m.Seconds, 1e-12)
	assert.InDelta(t, 2e-3, *m.TwoPasses, 1e-12)
	assert.InDelta(t, 1.5, *m.OfTwoPasses, 1e-12)
	assert.InDelta(t, 1e-3, *m.CachedPasses, 1e-12)
	assert.InDelta(t, 3, *m.OfCachedPasses, 1e-12)
	assert.Nil(t, m.Speedup)
}

// The rounds are of the numbers of features that the papers' data have, and run.
func TestOnlineOperations(t *testing.T) {
	var shapes []string
	b := &bench{}
	b.online()
	for _, op := range b.all {
		shapes = append(shapes, op.shape)
	}
	assert.Equal(t, []string{"r=45 d=8 M=2", "r=190 d=18 M=2", "r=715 d=9 M=4", "r=2300 d=22 M=3"}, shapes)
	r := b.all[0].setup()
	r.run()
	r.alone()
	r.cached()
}
