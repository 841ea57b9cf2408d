// Package scaling predicts what a step of a stochastic kernel method takes on many nodes, from the measured time of a kernel or
// feature value on one core and a model of the network. docs/scale.md has its predictions, which its tests compute.
package scaling

import (
	"math"
	"slices"
)

// A Network connects nodes that all send at the same time without slowing each other down. A message of m bytes takes
// α + mβ [Hockney 1994].
type Network struct {
	Name      string
	Latency   float64 // α, seconds
	Bandwidth float64 // 1/β, bytes per second
}

// AllReduce returns the seconds in which p nodes add m bytes each and all have the sum: the least of three algorithms
// [Thakur, Rabenseifner, Gropp 2005]. It leaves out the additions.
//
//	recursive doubling  ⌈log₂p⌉ (α + mβ)
//	halving, doubling   2⌈log₂p⌉ α + 2 (p-1)/p mβ
//	ring                2(p-1) α + 2 (p-1)/p mβ
//
// The ring is never the least in this model. Libraries use it for long messages because only neighbours exchange data.
func (n Network) AllReduce(p int, m float64) float64 {
	if p < 2 {
		return 0
	}
	q, rounds := float64(p), math.Ceil(math.Log2(float64(p)))
	transfer := 2 * (q - 1) / q * m / n.Bandwidth
	return min(rounds*(n.Latency+m/n.Bandwidth), 2*rounds*n.Latency+transfer, 2*(q-1)*n.Latency+transfer)
}

// AllGather returns the seconds in which p nodes with m/p bytes each all get the m bytes, by recursive doubling
// [Thakur, Rabenseifner, Gropp 2005]: ⌈log₂p⌉ α + (p-1)/p mβ.
func (n Network) AllGather(p int, m float64) float64 {
	if p < 2 {
		return 0
	}
	q := float64(p)
	return math.Ceil(math.Log2(q))*n.Latency + (q-1)/q*m/n.Bandwidth
}

// A Speed is the measured time of one value on one core when so many rows are evaluated together. With few rows most of it is
// the drawing of features, or the loading of centres.
type Speed struct {
	Rows        float64 `json:"rows"`
	Nanoseconds float64 `json:"nanoseconds"`
}

// A Node has equal cores that evaluate side by side without slowing each other down.
type Node struct {
	Cores  float64
	Memory float64 // bytes
	Speeds []Speed // by increasing rows
}

// Value returns the seconds of one value on one core when so many rows are evaluated together. The time is linear in 1/rows
// between measurements; beyond them it is constant.
func (n Node) Value(rows float64) float64 {
	s := n.Speeds
	i, _ := slices.BinarySearchFunc(s, rows, func(s Speed, rows float64) int {
		if s.Rows < rows {
			return -1
		}
		return 1
	})
	if i == 0 {
		return s[0].Nanoseconds * 1e-9
	}
	if i == len(s) {
		return s[i-1].Nanoseconds * 1e-9
	}
	a, b := s[i-1], s[i]
	share := (1/a.Rows - 1/rows) / (1/a.Rows - 1/b.Rows)
	return (a.Nanoseconds + share*(b.Nanoseconds-a.Nanoseconds)) * 1e-9
}

// A Step is what a method does between two updates: it sums Terms features or kernel values for the predictions on Rows
// examples, and then changes some coefficients.
type Step struct {
	Rows            float64 // examples of the batch
	Inputs, Outputs float64
	Terms           float64 // features or centres that a prediction sums, the mean over a run
	Values          float64 // feature or kernel values that are evaluated
	Changed         float64 // coefficients that change, for each output
	Summed          float64 // further sums over all terms, for each output
	Held            float64 // bytes that a node without any other would hold: coefficients at the end, centres
}

// Flops returns multiplications and additions of a step: for each value, an inner product of the inputs and a product with each
// output.
func (s Step) Flops() float64 { return 2 * s.Values * (s.Inputs + s.Outputs) }

// Bytes of numbers that are sent.
const (
	sumBytes   = 8 // of a prediction or coefficient
	inputBytes = 4
)

// A Grid divides the rows of a batch into Rows parts and the terms into Terms parts; each node has one part of both. Grid{p, 1}
// is data parallel: every node has all coefficients. In Grid{1, p} every coefficient is on one node.
type Grid struct{ Rows, Terms int }

// Nodes returns the number of nodes.
func (g Grid) Nodes() int { return g.Rows * g.Terms }

// Sent returns the bytes that a node contributes to sums and gets of the inputs in one step: nothing without other nodes.
func (s Step) Sent(g Grid) float64 {
	sums, coefficients, inputs := s.messages(g)
	b := 0.0
	if g.Terms > 1 {
		b += sums + inputs
	}
	if g.Rows > 1 {
		b += coefficients
	}
	return b
}

// messages returns the bytes of the sums over parts of the terms, of the sums over parts of the rows, and of the inputs of a part
// of the rows.
func (s Step) messages(g Grid) (sums, coefficients, inputs float64) {
	rows := s.Rows / float64(g.Rows)
	return sumBytes * s.Outputs * (rows + s.Summed), sumBytes * s.Outputs * s.Changed / float64(g.Terms), inputBytes * s.Inputs * rows
}

// panel is the number of terms that a core evaluates together: see docs/compute.md.
const panel = 48

// Fits reports whether every node has a row, every core a panel of terms, and every node room for its part of the coefficients and
// centres.
func (s Step) Fits(g Grid, n Node) bool {
	return float64(g.Rows) <= s.Rows && float64(g.Terms)*n.Cores*panel <= s.Terms && s.Held/float64(g.Terms) <= n.Memory
}

// Compute returns the seconds that a node evaluates in one step.
func (s Step) Compute(g Grid, n Node) float64 {
	return n.Value(s.Rows/float64(g.Rows)) * s.Values / float64(g.Nodes()) / n.Cores
}

// Communicate returns the seconds of the sums of one step. The nodes with the same rows gather their inputs and add the
// predictions, b × outputs numbers; those with the same terms add the changes of their coefficients.
func (s Step) Communicate(g Grid, w Network) float64 {
	sums, coefficients, inputs := s.messages(g)
	return w.AllGather(g.Terms, inputs) + w.AllReduce(g.Terms, sums) + w.AllReduce(g.Rows, coefficients)
}

// Seconds returns the time of one step. If updates are stale by a step, the sums of one step run while the next one computes.
func (s Step) Seconds(g Grid, n Node, w Network, stale bool) float64 {
	a, b := s.Compute(g, n), s.Communicate(g, w)
	if stale {
		return max(a, b)
	}
	return a + b
}

// Efficiency returns the time of a step on one node, were its memory large enough, over p times that on the p nodes of a grid.
func (s Step) Efficiency(g Grid, n Node, w Network, stale bool) float64 {
	return s.Compute(Grid{1, 1}, n) / (float64(g.Nodes()) * s.Seconds(g, n, w, stale))
}

// A Division chooses the grid for p nodes, a power of two; ok is false if there is none that fits.
type Division func(s Step, p int, n Node, w Network) (g Grid, ok bool)

// ByRows divides the batch.
func ByRows(s Step, p int, n Node, _ Network) (Grid, bool) { g := Grid{p, 1}; return g, s.Fits(g, n) }

// ByTerms divides features or centres.
func ByTerms(s Step, p int, n Node, _ Network) (Grid, bool) { g := Grid{1, p}; return g, s.Fits(g, n) }

// Best divides both so that a step takes the least time.
func Best(s Step, p int, n Node, w Network) (best Grid, ok bool) {
	least := math.Inf(1)
	for rows := 1; rows <= p; rows *= 2 {
		g := Grid{rows, p / rows}
		if t := s.Seconds(g, n, w, false); s.Fits(g, n) && t < least {
			best, least, ok = g, t, true
		}
	}
	return best, ok
}

// mostNodes bounds the search for a limit: 2³⁰.
const mostNodes = 1 << 30

// Limit returns the largest number of nodes, a power of two, with an efficiency of one half or more, and the grid. It is 0 if there
// is none.
func Limit(s Step, divide Division, n Node, w Network, stale bool) (Grid, int) {
	best, most := Grid{}, 0
	for p := 1; p <= mostNodes; p *= 2 {
		if g, ok := divide(s, p, n, w); ok && s.Efficiency(g, n, w, stale) >= 0.5 {
			best, most = g, p
		}
	}
	return best, most
}
