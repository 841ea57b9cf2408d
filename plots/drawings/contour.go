package drawings

import (
	"math"
	"slices"
)

// A gridEdge joins two neighbouring points of a grid: that of row i and column j, and the one above it or right of it.
type gridEdge struct {
	i, j  int
	above bool
}

// contour returns the lines at which a function on a grid has the value level, in drawing coordinates. z[i][j] is the value at
// ys[i] and xs[j]. Between two points the function is linear; in a cell whose opposite corners are on the same side of level
// and the others on the other side, the mean of the corners says which two are joined (marching squares). Cells with a value
// that is not finite have no line. A closed line ends where it starts. The order of the lines depends on the values alone.
func contour(xs, ys []float64, z [][]float64, level float64) [][]vertex {
	joined := map[gridEdge][]gridEdge{} // the one or two edges that follow in the cells beside an edge
	var edges []gridEdge
	join := func(a, b gridEdge) {
		for _, e := range []gridEdge{a, b} {
			if joined[e] == nil {
				edges = append(edges, e)
			}
		}
		joined[a], joined[b] = append(joined[a], b), append(joined[b], a)
	}
	for i := range len(ys) - 1 {
		for j := range len(xs) - 1 {
			corners := [4]float64{z[i][j], z[i][j+1], z[i+1][j+1], z[i+1][j]} // against the clock
			if slices.ContainsFunc(corners[:], func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
				continue
			}
			sides := [4]gridEdge{{i, j, false}, {i, j + 1, true}, {i + 1, j, false}, {i, j, true}} // sides[k] joins corners k and k+1
			var crossed []gridEdge
			for k, side := range sides {
				if (corners[k] >= level) != (corners[(k+1)%4] >= level) {
					crossed = append(crossed, side)
				}
			}
			switch mean := (corners[0] + corners[1] + corners[2] + corners[3]) / 4; {
			case len(crossed) == 2:
				join(crossed[0], crossed[1])
			case len(crossed) == 4 && (mean >= level) == (corners[0] >= level): // the middle belongs to corners 0 and 2
				join(crossed[0], crossed[1])
				join(crossed[2], crossed[3])
			case len(crossed) == 4:
				join(crossed[3], crossed[0])
				join(crossed[1], crossed[2])
			}
		}
	}
	at := func(e gridEdge) vertex {
		from, here := z[e.i][e.j], vertex{xs[e.j], ys[e.i]}
		if e.above {
			share := (level - from) / (z[e.i+1][e.j] - from)
			return vertex{here.x, here.y + share*(ys[e.i+1]-here.y)}
		}
		share := (level - from) / (z[e.i][e.j+1] - from)
		return vertex{here.x + share*(xs[e.j+1]-here.x), here.y}
	}
	done := map[gridEdge]bool{}
	follow := func(e gridEdge) []vertex {
		line := []vertex{at(e)}
		for first := e; ; {
			done[e] = true
			k := slices.IndexFunc(joined[e], func(next gridEdge) bool { return !done[next] })
			if k < 0 {
				if len(line) > 2 && slices.Contains(joined[e], first) {
					line = append(line, line[0])
				}
				return line
			}
			e = joined[e][k]
			line = append(line, at(e))
		}
	}
	var lines [][]vertex
	for _, open := range []bool{true, false} { // lines that end at the edge of the grid, then closed ones
		for _, e := range edges {
			if !done[e] && (len(joined[e]) == 1) == open {
				lines = append(lines, follow(e))
			}
		}
	}
	return lines
}
