package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// MedianRuns returns the number of runs whose mean spreads as the median of k does, for normal runs: at k = 1 and 2, k; as k grows,
// 2k/π. Between, it is right to 2.5 %.
func MedianRuns(k int) float64 {
	if k%2 == 0 { // the mean of two values
		return 2 / math.Pi * (float64(k) + math.Pi - 2)
	}
	return 2 / math.Pi * (float64(k) + math.Pi/2 - 1)
}

// A JointBand is the mean of positive curves of n seeds at some places, with the band that holds a further curve, or the mean of k,
// at all places together with a probability, its level. It is on the scale of logarithms.
type JointBand struct {
	Mean []float64 // at each place the logarithm of the geometric mean or, for means of curves, of the arithmetic one
	SD   []float64 // of the logarithms
	N    int       // seeds

	means          bool
	logs, straight jointScale
}

// A jointScale is one of two scales on which the values are taken to be normal; the band is the smallest that holds those of both.
type jointScale struct {
	centre, sd []float64
	critical   float64
}

// NewJointBand returns the band of curves[i][j] > 0, seed i at place j, of which there must be two and one at least. Curves are nearly
// normal on the scale of logarithms or, as gamma values are, on that of cube roots [Wilson & Hilferty 1931]; means of them are on
// their own scale or on that of logarithms.
func NewJointBand(curves [][]float64, means bool, level float64) JointBand {
	b := JointBand{N: len(curves), means: means}
	on := func(of func(float64) float64) jointScale {
		rows := make([][]float64, len(curves))
		for i, row := range curves {
			for _, v := range row {
				rows[i] = append(rows[i], of(v))
			}
		}
		return newJointScale(rows, level)
	}
	b.logs = on(math.Log)
	b.Mean, b.SD = b.logs.centre, b.logs.sd
	if !means {
		b.straight = on(math.Cbrt)
		return b
	}
	b.straight = on(func(v float64) float64 { return v })
	b.Mean = logsOf(b.straight.centre)
	return b
}

// newJointScale returns the mean and the spread at each place, and the critical distance of all places together.
//
// The distances T_j of a further curve at the places, each with Student's t distribution of ν = n − 1 degrees of freedom, are a
// process along x. The critical distance is the smaller of two bounds c with P(max |T_j| > c) = 1 − level: that of Bonferroni for the
// places, and P(|t_ν| > c) + κ/π·(1 + c²/ν)^(−(ν−1)/2), in which κ is the length of the path of correlations between neighbours,
// Σ arccos ρ [Worsley 1994, Advances in Applied Probability 26, the density of upcrossings of a t field].
func newJointScale(curves [][]float64, level float64) jointScale {
	n, places := len(curves), len(curves[0])
	s := jointScale{centre: make([]float64, places), sd: make([]float64, places)}
	columns := make([][]float64, places)
	path := 0.0
	for j := range columns {
		columns[j] = make([]float64, n)
		for i := range curves {
			columns[j][i] = curves[i][j]
		}
		s.centre[j], s.sd[j] = meanStdDev(columns[j])
		if j > 0 && s.sd[j] > 0 && s.sd[j-1] > 0 {
			path += math.Acos(max(-1, min(1, stat.Correlation(columns[j-1], columns[j], nil))))
		}
	}
	s.critical = jointCritical(n, places, path, level)
	return s
}

// jointCritical returns the critical distance of curves of n seeds at some places whose correlations make a path of a length.
func jointCritical(n, places int, path, level float64) float64 {
	nu := float64(n - 1)
	t := distuv.StudentsT{Sigma: 1, Nu: nu}
	low, high := quantile(n, level), t.Quantile(1-(1-level)/2/float64(places))
	for range 60 {
		c := (low + high) / 2
		if 2*t.Survival(c)+path/math.Pi*math.Pow(1+c*c/nu, -(nu-1)/2) > 1-level {
			low = c
		} else {
			high = c
		}
	}
	return high
}

// Around returns how far the band for the mean of k further curves reaches below and above the mean at a place, on the scale of
// logarithms; with k = +Inf it is that of the mean. Below may be infinite.
func (b JointBand) Around(place int, k float64) (below, above float64) {
	root := math.Sqrt(1/float64(b.N) + 1/k)
	half := b.logs.critical * b.logs.sd[place] * root
	centre, other := b.straight.centre[place], b.straight.critical*b.straight.sd[place]*root
	power := 3.0
	if b.means {
		power = 1
	}
	low := math.Inf(-1)
	if centre > other {
		low = power * math.Log(centre-other)
	}
	return max(half, b.Mean[place]-low), max(half, power*math.Log(centre+other)-b.Mean[place])
}

// Farthest returns the place at which the mean lies farthest from 0 beyond a margin of each place, in halves of the band for the mean
// of k further curves on the side of 0: above 1, such a mean at 0 ± margin is outside. Where curves do not spread, the distance is 0
// or infinite.
func (b JointBand) Farthest(margins []float64, k float64) (place int, distance float64) {
	distance = math.Inf(-1)
	for j, mean := range b.Mean {
		below, above := b.Around(j, k)
		half := above
		if mean > 0 {
			half = below
		}
		beyond := math.Abs(mean) - margins[j]
		d := beyond / half
		switch {
		case math.IsInf(half, 1):
			d = 0
		case b.logs.sd[j] == 0 && beyond > 1e-12:
			d = math.Inf(1)
		case b.logs.sd[j] == 0:
			d = 0
		}
		if d > distance {
			place, distance = j, d
		}
	}
	return place, max(0, distance)
}

// Visible returns by which constant factor, as its logarithm, a published curve must differ so that it leaves the band for the mean of
// k further curves at a place, beyond a margin, with probability Power.
func (b JointBand) Visible(place int, k, margin float64) float64 {
	below, above := b.Around(place, k)
	half := b.logs.critical * b.logs.sd[place] * math.Sqrt(1/float64(b.N)+1/k)
	if half == 0 {
		return margin
	}
	shift := jointShift(jointTest{b.N, b.logs.critical}) / b.logs.critical
	return margin + shift*max(half, min(below, above))
}

// A jointTest is a t test of n values with a critical distance.
type jointTest struct {
	n        int
	critical float64
}

var jointShift = cached(func(t jointTest) float64 { return newTTest(t.n, t.critical).noncentrality() })
