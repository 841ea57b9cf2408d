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

// A crossing is what a level crosses: edges of the grid, in the order in which they are met, and the one or two that follow
// each in the cells beside it.
type crossing struct {
	edges  []gridEdge
	joined map[gridEdge][]gridEdge
}

// join notes that a line runs from one edge to another.
func (c *crossing) join(a, b gridEdge) {
	for _, e := range []gridEdge{a, b} {
		if c.joined[e] == nil {
			c.edges = append(c.edges, e)
		}
	}
	c.joined[a], c.joined[b] = append(c.joined[a], b), append(c.joined[b], a)
}

// cell notes what a level crosses of the cell above row i and right of column j. Cells with a value that is not finite have no
// line. Where opposite corners are on the same side of level and the others on the other side, the mean of the corners says
// which two are joined (marching squares).
func (c *crossing) cell(z [][]float64, level float64, i, j int) {
	corners := [4]float64{z[i][j], z[i][j+1], z[i+1][j+1], z[i+1][j]} // against the clock
	if slices.ContainsFunc(corners[:], func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return
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
		c.join(crossed[0], crossed[1])
	case len(crossed) == 4 && (mean >= level) == (corners[0] >= level): // the middle belongs to corners 0 and 2
		c.join(crossed[0], crossed[1])
		c.join(crossed[2], crossed[3])
	case len(crossed) == 4:
		c.join(crossed[3], crossed[0])
		c.join(crossed[1], crossed[2])
	}
}

// contour returns the lines at which a function on a grid has the value level, in drawing coordinates. z[i][j] is the value at
// ys[i] and xs[j]. Between two points the function is linear. A closed line ends where it starts. The order of the lines depends
// on the values alone.
func contour(xs, ys []float64, z [][]float64, level float64) [][]vertex {
	c := crossing{joined: map[gridEdge][]gridEdge{}}
	for i := range len(ys) - 1 {
		for j := range len(xs) - 1 {
			c.cell(z, level, i, j)
		}
	}
	at := func(e gridEdge) vertex {
		from, here := z[e.i][e.j], vertexAt(xs[e.j], ys[e.i])
		if e.above {
			share := (level - from) / (z[e.i+1][e.j] - from)
			return vertexAt(here.X, here.Y+share*(ys[e.i+1]-here.Y))
		}
		share := (level - from) / (z[e.i][e.j+1] - from)
		return vertexAt(here.X+share*(xs[e.j+1]-here.X), here.Y)
	}
	done := map[gridEdge]bool{}
	follow := func(e gridEdge) []vertex {
		line := []vertex{at(e)}
		for first := e; ; {
			done[e] = true
			k := slices.IndexFunc(c.joined[e], func(next gridEdge) bool { return !done[next] })
			if k < 0 {
				if len(line) > 2 && slices.Contains(c.joined[e], first) {
					line = append(line, line[0])
				}
				return line
			}
			e = c.joined[e][k]
			line = append(line, at(e))
		}
	}
	var lines [][]vertex
	for _, open := range []bool{true, false} { // lines that end at the edge of the grid, then closed ones
		for _, e := range c.edges {
			if !done[e] && (len(c.joined[e]) == 1) == open {
				lines = append(lines, follow(e))
			}
		}
	}
	return lines
}
