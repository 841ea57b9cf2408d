package parts

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
)

// KORS, kernel online row sampling, decides which points of a stream enter a dictionary [Calandriello, Lazaric and Valko,
// ICML 2017; NeurIPS 2017]. S holds the weights of the points in the dictionary, K their kernel matrix, and k the kernel values
// of x_t with them. With x_t of weight 1 as a member,
//
//	τ̃_t = ((1+ε)/γ) [k(x_t, x_t) - kᵀS(SᵀKS + γI)⁻¹Sᵀk],  p_t = min(βτ̃_t, 1),
//
// and x_t enters with probability p_t and the weight 1/√p_t. The coin of round t is that of the stream (seed, "kors", t).
//
// With the Cholesky factor G of SᵀKS + γI without x_t, c = G⁻¹Sᵀk and e = k(x_t, x_t) - |c|², the bracket is γe/(e + γ): one
// substitution a round. A dictionary of Most points takes no more of them; the algorithm of the paper has no such bound.
type KORS struct {
	Gamma, Beta, Epsilon float64
	Most                 int
	Coins                compute.Source
	Weight               func(p float64) float64
}

// KORSState is a dictionary.
type KORSState struct {
	S []float64 // weights
	G []float64 // rows of the lower triangle, one after another
}

// Choose decides about point t, for its kernel values with the points of the dictionary and, last, itself. If the point is to
// enter, enter adds it to the dictionary; otherwise it is nil.
func (k KORS) Choose(d *KORSState, t int64, values []float64) (enter func()) {
	m := len(d.S)
	c, e := make([]float64, m), values[m]
	floats.MulTo(c, d.S, values[:m])
	SolvePacked(d.G, c)
	e = max(e-compute.Dot(c, c), 0)
	p := min(k.Beta*(1+k.Epsilon)*e/(e+k.Gamma), 1)
	coins := k.Coins.Stream(uint64(t))
	if m >= k.Most || !(coins.Float64() < p) {
		return nil
	}
	return func() {
		s := k.Weight(p)
		floats.Scale(s, c)
		d.G = append(append(d.G, c...), math.Sqrt(s*s*e+k.Gamma))
		d.S = append(d.S, s)
	}
}

// Numbers returns how many numbers the dictionary holds.
func (d *KORSState) Numbers() int { return len(d.S) + len(d.G) }

// KORSSettings are the settings of methods whose dictionary KORS chooses.
type KORSSettings struct {
	Beta    float64 `toml:"beta" want:"> 0" doc:"factor β of the probability to enter the dictionary"`
	Epsilon float64 `toml:"epsilon" want:">= 0" doc:"ε of the estimated leverage scores"`
	Points  int     `toml:"points" want:"> 0" most:"65536 a triangle of numbers for all pairs takes 17 GB then" doc:"largest number of points in the dictionary"`
}

// Choice returns KORS with γ and the weight 1/√p.
func (s KORSSettings) Choice(seed uint64, gamma float64) KORS {
	return KORS{
		Gamma: gamma, Beta: s.Beta, Epsilon: s.Epsilon, Most: s.Points,
		Coins:  compute.NewSource(seed, "kors"),
		Weight: func(p float64) float64 { return 1 / math.Sqrt(p) },
	}
}

// Expected returns the kernel values that t rounds are expected to need, the points of the dictionary that they are expected to leave,
// and the most that they can leave. How many enter depends on the data; 4β√t was within a quarter for an adversary's 80 examples in
// 5 dimensions and for 1,500 in 18.
func (s KORSSettings) Expected(t float64) (values, points, most float64) {
	most = min(t, float64(s.Points))
	points = min(most, 4*s.Beta*math.Sqrt(t))
	return points*(points-1)/2 + (t-points)*points + t, points, most
}

// A Basis is an orthonormal one of the span of the kernel functions of a growing set of points, with the coordinates
// φ̃(x) = L⁻¹(k(x_1, x), …, k(x_m, x)), LLᵀ the kernel matrix of the points. They are those of Σ^(-1/2)Uᵀk with K = UΣUᵀ up to
// a rotation. A point whose function is in the span up to rounding adds no coordinate.
type Basis struct {
	Members []int     // points that have added a coordinate, by their number in the set
	L       []float64 // rows of the lower triangle, one after another
}

// spanTolerance is the part of k(x, x) that must be left outside of the span for x to add a coordinate.
const spanTolerance = 1e-12

// Coordinates returns φ̃(x) for the kernel values of x with all points of the set.
func (s *Basis) Coordinates(values []float64) []float64 {
	phi := make([]float64, len(s.Members))
	for i, member := range s.Members {
		phi[i] = values[member]
	}
	SolvePacked(s.L, phi)
	return phi
}

// Beyond returns the coordinate of x in the direction that it would add, for its other coordinates φ̃(x) and k(x, x). It is 0
// if x would add none.
func (s *Basis) Beyond(phi []float64, self float64) float64 {
	if d2 := self - compute.Dot(phi, phi); d2 > spanTolerance*self {
		return math.Sqrt(d2)
	}
	return 0
}

// Add adds point number member with the coordinates φ̃(x) and the new one, which Beyond returned.
func (s *Basis) Add(member int, phi []float64, beyond float64) {
	s.Members = append(s.Members, member)
	s.L = append(append(s.L, phi...), beyond)
}

// Numbers returns how many numbers the basis holds.
func (s *Basis) Numbers() int { return len(s.Members) + len(s.L) }
