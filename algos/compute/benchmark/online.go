package benchmark

import (
	"fmt"
	"slices"

	"repro/algos/compute"
	"repro/algos/compute/internal/simd"
	"repro/algos/parts"
)

// onlineRounds is how many rounds a run makes: as many as there are between two updates of A.
const onlineRounds = 64

// online adds rounds of φ̃-AWV on one thread: the Taylor functions v, the product A⁻¹v, and the update of A⁻¹. A round is
// compared with two passes that only read a packed triangle of r(r+1)/2 numbers, from memory and from where the round finds it.
func (b *bench) online() {
	for _, c := range []struct{ inputs, order int }{{8, 2}, {18, 2}, {9, 4}, {22, 3}} {
		r := int(parts.TaylorFunctions(c.inputs, c.order))
		op := b.add("online round", fmt.Sprintf("r=%d d=%d M=%d", r, c.inputs, c.order), 0, nil)
		op.threads, op.own, op.rounds = 1, true, onlineRounds
		op.setup = func() runs {
			n := r * (r + 1) / 2
			return runs{run: rounds(c.inputs, c.order), alone: passes(n, largerThanCaches), cached: passes(n, 0)}
		}
	}
}

// rounds returns a function that makes onlineRounds rounds on rows drawn from [-1, 1]^inputs.
func rounds(inputs, order int) func() {
	functions, err := parts.NewTaylor(inputs, order, 1)
	if err != nil {
		panic(err)
	}
	rows := compute.NewMatrix(1<<8, inputs)
	s := compute.NewStream(1, "benchmark", 0)
	for i := range rows.Data {
		rows.Data[i] = 2*s.Float64() - 1
	}
	engine := compute.NewEngine(compute.Options{Threads: 1})
	inverse := parts.NewRidgeInverse(engine, functions.Len(), 1, &parts.RidgeInverseState{})
	v, p, t := make([]float64, functions.Len()), make([]float64, functions.Len()), 0
	return func() {
		for range onlineRounds {
			functions.At(v, rows.Row(t%rows.Rows))
			inverse.Apply(p, v)
			inverse.Add(v, p)
			t++
		}
	}
}

// passes returns a function that reads n numbers twice for each of onlineRounds rounds. Each pass reads the numbers after those of
// the pass before, in an array of at least so many numbers, from whose end it returns to the beginning.
func passes(n, least int) func() {
	const part = 1 << 13 // numbers read by one call
	n = (n + simd.BrickSize - 1) / simd.BrickSize * simd.BrickSize
	x, at := fill(max(1, least/n)*n), 0
	weights, out := fill(part/simd.Brick), make([]float64, simd.Brick)
	return func() {
		for range 2 * onlineRounds {
			for now := range slices.Chunk(x[at:at+n], part) {
				simd.BrickDots(out, now, weights[:len(now)/simd.Brick])
			}
			at = (at + n) % len(x)
		}
	}
}
