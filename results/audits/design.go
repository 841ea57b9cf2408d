// Package audits draws the sample of an audit, says what it can show, compares cells that ran again with their records, and
// keeps the log of audits.
package audits

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// A Design is how the sample of an audit is drawn: every set of Size cells whose predicted times together are within the
// budget has the same probability. Without a budget that is a simple random sample without replacement. With one, a cell is
// drawn the more rarely the longer it takes, and never if it takes longer than the budget.
type Design struct {
	Cells   int // cells that can be drawn
	Size    int // cells in the sample
	TooLong int // cells that take longer than the budget

	groups []group // by time, rising
	limit  int     // units of the budget
}

// A group is the cells whose predicted time is the same number of units.
type group struct {
	units int
	cells []int // as they were numbered for New
}

// worth is the fraction of wrong cells for which a design chooses the size of its sample.
const worth = 0.1

// New returns the design of a sample of at most size cells. seconds are the predicted times of the cells. budget bounds their
// sum, 0 for no bound. The sample is smaller than size if that leaves less room for a forger who knows the design: if the
// budget is tight, a large sample can hold cheap cells only.
//
// Times are rounded to parts of the budget so that their sum over cells of about the same time stays what it is.
func New(seconds []float64, budget float64, size int) (*Design, error) {
	if size < 1 {
		return nil, fmt.Errorf("a sample needs at least one cell, got %d", size)
	}
	d := &Design{}
	if budget > 0 {
		d.limit = min(max(100_000/size, 50), 200)
	}
	d.sort(seconds, budget)
	if d.Cells == 0 {
		return nil, errors.New("no cell can be drawn")
	}
	d.Size = d.best(min(size, d.Cells))
	return d, nil
}

// sort puts the cells into groups.
func (d *Design) sort(seconds []float64, budget float64) {
	order := make([]int, len(seconds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(seconds[a], seconds[b]) })
	sum, given := 0.0, 0
	for _, i := range order {
		units := 0
		if budget > 0 {
			if seconds[i] > budget {
				d.TooLong++
				continue
			}
			sum += seconds[i] / budget * float64(d.limit)
			units = int(math.Round(sum)) - given
			given += units
		}
		d.Cells++
		k := slices.IndexFunc(d.groups, func(g group) bool { return g.units == units })
		if k < 0 {
			k = len(d.groups)
			d.groups = append(d.groups, group{units: units})
		}
		d.groups[k].cells = append(d.groups[k].cells, i)
	}
	slices.SortFunc(d.groups, func(a, b group) int { return cmp.Compare(a.units, b.units) })
}

// best returns the size up to most whose samples find a fraction worth of wrong cells with the highest probability if those
// are the ones that are drawn most rarely; the largest of several.
func (d *Design) best(most int) int {
	wrong := Wrong(worth, d.Cells)
	all, rest := d.weights(d.counts(0), most), d.weights(d.counts(wrong), most)
	size, lowest := 1, math.Inf(1)
	for n := 1; n <= most; n++ {
		if miss := d.missed(all, rest, n, wrong, most); miss <= lowest*(1+1e-12) {
			size, lowest = n, miss
		}
	}
	return size
}

// Wrong returns the number of wrong cells that a fraction of n is: at least one.
func Wrong(fraction float64, n int) int { return max(1, int(math.Round(fraction*float64(n)))) }

// counts returns the number of cells in each group without the given number of cells that take longest.
func (d *Design) counts(without int) []int {
	counts := make([]int, len(d.groups))
	for i := len(d.groups) - 1; i >= 0; i-- {
		n := len(d.groups[i].cells)
		gone := min(without, n)
		counts[i], without = n-gone, without-gone
	}
	return counts
}

// A table has the weights of partial samples by size and units.
type table struct {
	w     []float64
	limit int
}

func newTable(size, limit int) table {
	return table{make([]float64, (size+1)*(limit+1)), limit}
}

func (t table) at(n, units int) *float64 { return &t.w[n*(t.limit+1)+units] }

// of returns the weight of all samples of n cells.
func (t table) of(n int) float64 {
	sum := 0.0
	for u := 0; u <= t.limit; u++ {
		sum += *t.at(n, u)
	}
	return sum
}

// chance is the probability p by which weights are scaled: a set of n of N cells weighs pⁿ(1−p)ᴺ⁻ⁿ, so that the weights of
// all sets are probabilities, whatever N is. For sets of one size the scale cancels.
func (d *Design) chance(most int) float64 { return float64(most) / float64(d.Cells+1) }

// weights returns the weights of the samples of up to most cells from groups with the given numbers of cells.
func (d *Design) weights(counts []int, most int) table {
	tables := d.layers(counts, most)
	return tables[len(tables)-1]
}

// layers returns the weights of the samples from the first groups: none, one, two, and so on.
func (d *Design) layers(counts []int, most int) []table {
	p := d.chance(most)
	first := newTable(most, d.limit)
	*first.at(0, 0) = 1
	layers := []table{first}
	for i, g := range d.groups {
		from, to := layers[i], newTable(most, d.limit)
		take := binomials(counts[i], p, min(counts[i], most))
		for n := 0; n <= most; n++ {
			for u := 0; u <= d.limit; u++ {
				w := *from.at(n, u)
				if w == 0 {
					continue
				}
				for j := 0; j < len(take) && n+j <= most && u+j*g.units <= d.limit; j++ {
					*to.at(n+j, u+j*g.units) += w * take[j]
				}
			}
		}
		layers = append(layers, to)
	}
	return layers
}

// binomials returns the probabilities of 0 to most successes in n tries.
func binomials(n int, p float64, most int) []float64 {
	logs := func(k int) float64 { v, _ := math.Lgamma(float64(k + 1)); return v }
	all := make([]float64, most+1)
	for k := range all {
		all[k] = math.Exp(logs(n) - logs(k) - logs(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	}
	return all
}

// missed returns the probability that a sample of n cells has none of the wrong ones, whose absence leaves the weights rest.
func (d *Design) missed(all, rest table, n, wrong, most int) float64 {
	w := all.of(n)
	if w == 0 {
		return math.Inf(1) // no such sample is within the budget
	}
	return rest.of(n) * math.Pow(1-d.chance(most), float64(wrong)) / w
}

// Detection returns the probability that the sample has one of the given number of wrong cells: if every set of so many cells
// is equally likely to be the wrong one, and if it is the set that is found most rarely, the cells that take longest.
//
// The first is that of any sample of this size, however it is drawn: 1 − C(N−wrong, n)/C(N, n). The second is a sum over
// the sets within the budget, computed exactly.
func (d *Design) Detection(wrong int) (random, least float64) {
	wrong = min(wrong, d.Cells)
	miss := 1.0
	for i := range d.Size {
		miss *= max(0, float64(d.Cells-wrong-i)) / float64(d.Cells-i)
	}
	all, rest := d.weights(d.counts(0), d.Size), d.weights(d.counts(wrong), d.Size)
	return 1 - miss, max(0, 1-d.missed(all, rest, d.Size, wrong, d.Size))
}

// Draw returns the numbers of the cells of a sample, in the order in which they were given to New.
func (d *Design) Draw(random *rand.Rand) []int {
	layers := d.layers(d.counts(0), d.Size)
	n, units := d.Size, 0
	last := layers[len(layers)-1]
	at := random.Float64() * last.of(n)
	for at -= *last.at(n, 0); at >= 0 && units < d.limit; at -= *last.at(n, units) {
		units++
	}
	p := d.chance(d.Size)
	var sample []int
	for i := len(d.groups) - 1; i >= 0; i-- {
		g := d.groups[i]
		take := binomials(len(g.cells), p, min(len(g.cells), n))
		ways := make([]float64, len(take))
		total := 0.0
		for j := range take {
			if rest := units - j*g.units; rest >= 0 {
				ways[j] = take[j] * *layers[i].at(n-j, rest)
				total += ways[j]
			}
		}
		j, at := 0, random.Float64()*total
		for at -= ways[0]; at >= 0 && j+1 < len(ways); at -= ways[j] {
			j++
		}
		for _, k := range random.Perm(len(g.cells))[:j] {
			sample = append(sample, g.cells[k])
		}
		n, units = n-j, units-j*g.units
	}
	slices.Sort(sample)
	return sample
}
