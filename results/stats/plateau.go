package stats

import (
	"errors"
	"fmt"

	"repro/results/printed"
	"repro/results/records"
)

// Plateau returns, for each seed, from which value of a setting on more of it helps no more. The methods of recs are those of
// a grid that varies the setting; the metric is read at the given place of each curve. It is the smallest value x_k of the grid
// whose metric is within a factor of the best at x_k or beyond,
//
//	y_k ≤ (1 + within) min_{j≥k} y_j,
//
// or, if larger values are better, y_k ≥ max_{j≥k} y_j/(1 + within). Between x_{k-1}, which is not, and x_k it interpolates as
// Reach does. If only the largest x of the grid qualifies, which every grid has, no plateau is reached, and X is the value
// before it: a lower bound. The seeds are in the order of recs.
func Plateau(recs []*records.Record, metric, key string, at records.At, within float64, larger bool) ([]Crossing, error) {
	points, err := across(recs, metric, key, at)
	if err != nil {
		return nil, err
	}
	var all []Crossing
	for _, seed := range seedsOf(points) {
		var xs, ys []float64
		for _, p := range points {
			if p.seed != seed || len(xs) > 0 && p.x <= xs[len(xs)-1] {
				continue
			}
			if p.x <= 0 || p.y <= 0 {
				return nil, fmt.Errorf("seed %d: %s is %s at %s %s; a plateau is one of positive numbers", seed, metric, printed.Number(p.y), key, printed.Number(p.x))
			}
			if larger {
				p.y = 1 / p.y
			}
			xs, ys = append(xs, p.x), append(ys, p.y)
		}
		if len(xs) < RatePoints {
			return nil, fmt.Errorf("seed %d: %d values of %s, a plateau needs %d; give the grid more values", seed, len(xs), key, RatePoints)
		}
		place := levelling(xs, ys, within)
		place.Seed = seed
		all = append(all, place)
	}
	if len(all) == 0 {
		return nil, errors.New("no records")
	}
	return all, nil
}

// levelling is Plateau of one seed, of which smaller y are better.
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
	return Crossing{X: between(xs[k-1], xs[k], ys[k-1], ys[k], level, false), Reached: true}
}

// seedsOf lists the seeds of points in the order in which they first appear.
func seedsOf(points []acrossPoint) []uint64 {
	var seeds []uint64
	known := map[uint64]bool{}
	for _, p := range points {
		if !known[p.seed] {
			known[p.seed] = true
			seeds = append(seeds, p.seed)
		}
	}
	return seeds
}
