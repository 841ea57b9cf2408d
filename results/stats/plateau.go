package stats

import (
	"errors"

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
		xs, ys, err := curveOf(points, seed, "plateau", metric, key)
		if err != nil {
			return nil, err
		}
		for i := range ys {
			if larger {
				ys[i] = 1 / ys[i]
			}
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
