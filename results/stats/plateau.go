package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"repro/results/records"
)

// Plateau returns from which value of a setting on more of it helps no more. The methods of recs are those of a grid that varies
// the setting; the metric is read at the given place of each curve. It is the smallest value x_k of the grid whose metric is within
// a factor of the best at x_k or beyond,
//
//	y_k ≤ (1 + within) min_{j≥k} y_j,
//
// or, if larger values are better, y_k ≥ max_{j≥k} y_j/(1 + within). Between x_{k-1}, which is not, and x_k it interpolates as
// Reach does. If only the largest x of the grid qualifies, which every grid has, no plateau is reached, and X is the value
// before it: a lower bound.
//
// The place of each seed is in the order of recs. The estimate is the place of the geometric mean over seeds, because the best of
// several noisy values is too good and makes the places of seeds worse the noisier they are. Its interval is that of placeInterval.
func Plateau(recs []*records.Record, metric, key string, at records.At, within float64, larger bool) ([]Crossing, Estimate, error) {
	points, err := across(recs, metric, key, at)
	if err != nil {
		return nil, Estimate{}, err
	}
	var all []Crossing
	var places, first []float64
	var logs [][]float64
	for _, seed := range seedsOf(points) {
		xs, ys, err := curveOf(points, seed, "plateau", metric, key, RatePoints)
		switch {
		case err != nil:
			return nil, Estimate{}, err
		case first == nil:
			first = xs
		case !slices.Equal(xs, first):
			return nil, Estimate{}, fmt.Errorf("seed %d has other values of %s than the first seed; run all seeds of all of them", seed, key)
		}
		if larger {
			for i := range ys {
				ys[i] = 1 / ys[i]
			}
		}
		place := levelling(xs, ys, within)
		place.Seed = seed
		all, places, logs = append(all, place), append(places, place.X), append(logs, logsOf(ys))
	}
	if len(all) == 0 {
		return nil, Estimate{}, errors.New("no records")
	}
	return all, estimatePlateau(first, logs, places, within), nil
}

// estimatePlateau estimates the place of curves in logarithms, of which smaller values are better; places are those of the seeds.
func estimatePlateau(xs []float64, logs [][]float64, places []float64, within float64) Estimate {
	e := GeometricInterval(places)
	e.Mean = levelling(xs, meanCurve(logs), within).X
	if !e.Bounded() {
		return e
	}
	p := plateau{logs, math.Log1p(within)}
	low, high := p.interval(xs)
	e = Summary(e.Mean, e.SD, e.N, true).Within(min(low, e.Mean), max(high, e.Mean))
	e.Values, e.Covers = places, Broad
	return e
}

// meanCurve returns the geometric mean of curves in logarithms.
func meanCurve(logs [][]float64) []float64 {
	mean := make([]float64, len(logs[0]))
	for j := range mean {
		for _, l := range logs {
			mean[j] += l[j] / float64(len(logs))
		}
		mean[j] = math.Exp(mean[j])
	}
	return mean
}

// A plateau is what decides where the curves of seeds, in logarithms, become level: where they are within the level of the best
// value beyond.
type plateau struct {
	logs  [][]float64
	level float64
}

// excess returns bounds at Level of how far the expected curve lies above its best value beyond a position, which is k at the k-th
// value of the grid and linear between. The excess over the value at j, one of m, is a mean over seeds with Student's interval. The
// expected excess is the largest of them: it lies below the largest upper end with probability (1 + Level)/2, and above the largest
// lower end if m times smaller errors are allowed there [Bonferroni].
func (p plateau) excess(position float64) (low, high float64) {
	k := int(math.Ceil(position))
	n, m := len(p.logs), len(p.logs[0])-k
	few := tQuantile(oneSided{n, (1 - Level) / 2 / float64(m)})
	low, high = math.Inf(-1), math.Inf(-1)
	column := make([]float64, n)
	for j := k; j < len(p.logs[0]); j++ {
		for i, l := range p.logs {
			column[i] = l[k] - l[j]
			if f := float64(k) - position; f > 0 {
				column[i] += f * (l[k-1] - l[k])
			}
		}
		mean, sd := stat.MeanStdDev(column, nil)
		se := sd / math.Sqrt(float64(n))
		low, high = max(low, mean-few*se), max(high, mean+quantile(n, Level)*se)
	}
	return low, high
}

// interval returns the places that the level may have: from the first at which the lower bound of the excess lies below the level
// to the last at which the upper bound lies above it. Low is 0 if the smallest value of the grid may be the place, and high is +Inf
// if there may be none.
func (p plateau) interval(xs []float64) (low, high float64) {
	const step = 0.25
	last := float64(len(xs) - 2) // the best value beyond is not known of the largest one
	may := func(position float64) bool { low, _ := p.excess(position); return low <= p.level }
	mayNot := func(position float64) bool { _, high := p.excess(position); return high >= p.level }
	at := func(position float64) float64 {
		k := int(position)
		return xs[k] * math.Pow(xs[k+1]/xs[k], position-float64(k))
	}
	if !may(0) {
		position := step
		for position < last && !may(position) {
			position += step
		}
		low = at(turn(position-step, position, may))
	}
	if mayNot(last) {
		return low, math.Inf(1)
	}
	position := last - step
	for position > 0 && !mayNot(position) {
		position -= step
	}
	return low, at(turn(position+step, position, mayNot))
}

// turn returns where a condition that holds at one position only, yes, begins to hold on the way there from no.
func turn(no, yes float64, holds func(float64) bool) float64 {
	for range 40 {
		if middle := (no + yes) / 2; holds(middle) {
			yes = middle
		} else {
			no = middle
		}
	}
	return yes
}

// levelling returns the place of a curve, of which smaller y are better.
func levelling(xs, ys []float64, within float64) Crossing {
	last := len(xs) - 1
	k, level := last, (1+within)*ys[last]
	for best, j := ys[last], last-1; j >= 0; j-- {
		if best = min(best, ys[j]); ys[j] <= (1+within)*best {
			k, level = j, (1+within)*best
		}
	}
	switch k {
	case last:
		return Crossing{X: xs[last-1]}
	case 0:
		return Crossing{X: xs[0], Reached: true, First: true}
	}
	return Crossing{X: between(xs[k-1], xs[k], ys[k-1], ys[k], level), Reached: true}
}
