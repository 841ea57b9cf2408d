package kernels

import (
	"math"

	"repro/algos/compute"
)

// blocks are the streams that a feature map draws its blocks from.
type blocks struct {
	source compute.Source
	width  int
	id     any // of the frequencies
}

// newBlocks returns blocks whose frequencies are those of any other map of the same id.
func newBlocks(seed uint64, width int, id any) blocks {
	return blocks{compute.NewSource(seed, "features"), width, id}
}

func (b blocks) Width() int { return b.width }

// Stream implements compute.ProjectionMap.
func (b blocks) Stream() any { return b.id }

// stream returns that of block i.
func (b blocks) stream(i int) *compute.Stream { return b.source.Stream(uint64(i)) }

// projections are functions of ω·x whose frequencies are made of standard normal variates, some for each input.
type projections struct {
	blocks
	normals    int
	component  func(l int, z []float64) float64 // ω_l
	activation compute.Step
}

func (f projections) Draw(i int, omega compute.Matrix, phase []float64) {
	s, z := f.stream(i), make([]float64, f.normals*omega.Rows)
	for j := range phase {
		s.Row(j, z)
		phase[j] = 0
		for l := range omega.Rows {
			omega.Set(l, j, f.component(l, z))
		}
	}
}

func (f projections) Activation() compute.Step { return f.activation }

// signs is φ_ω(x) = ω·[x/σ, √c], ω uniform on {-1, 1}^(d+1): E[φ_ω(x) φ_ω(z)] = x·z/σ² + c.
type signs struct {
	blocks
	scale, offset float64 // 1/σ and √c
	identity
}

func newSigns(seed uint64, width int, scale, offset float64) signs {
	return signs{blocks: newBlocks(seed, width, [...]any{"signs", seed, scale, offset}), scale: scale, offset: offset}
}

func (f signs) Draw(i int, omega compute.Matrix, phase []float64) {
	c := coin{stream: f.stream(i)}
	for j := range phase {
		for l := range omega.Rows {
			omega.Set(l, j, f.scale*c.sign())
		}
		phase[j] = f.offset * c.sign()
	}
}

// identity is the activation of features that are projections.
type identity struct{}

func (identity) Activation() compute.Step { return compute.Step{Function: compute.Identity} }

// A coin is tossed with the bits of a stream's words, the lowest first.
type coin struct {
	stream *compute.Stream
	word   uint32
	left   int // bits of it
}

// sign returns 1 or -1.
func (c *coin) sign() float64 {
	if c.left == 0 {
		c.word, c.left = c.stream.Uint32(), 32
	}
	s := 1 - 2*float64(c.word&1)
	c.word >>= 1
	c.left--
	return s
}

// mapped returns f of every entry.
func mapped(x compute.Matrix, f func(float64) float64) compute.Matrix {
	m := compute.NewMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		row := m.Row(i)
		for l, v := range x.Row(i) {
			row[l] = f(v)
		}
	}
	return m
}

// roots is the map √x.
type roots struct{}

func (roots) Map(x compute.Matrix) compute.Matrix { return mapped(x, math.Sqrt) }
