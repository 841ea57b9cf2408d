package sources

import (
	"fmt"
	"math"
	"slices"

	"repro/algos/compute"
	"repro/algos/compute/exact"
)

// A molecule is its atoms as a matrix of Coulomb interactions [Rupp, Tkatchenko, Müller & von
// Lilienfeld, Phys. Rev. Lett. 108:058301, 2012],
//
//	C_ii = Z_i^2.4/2,  C_ij = Z_i·Z_j/‖R_i - R_j‖
//
// with charges Z and positions R in Bohr, padded with zeros to atoms rows. Entries are rounded to
// single precision, as those of the published file are.
type molecule struct {
	entries [atoms * atoms]float32
	norms   [atoms]float64 // of the rows
}

const (
	atoms    = 23 // of the largest molecule of QM7; smaller ones are padded with charges of 0
	triangle = atoms * (atoms + 1) / 2
)

// newMolecule computes the matrix of the atoms with the given charges and positions, three numbers an
// atom. A charge of 0 means that there is no atom.
func newMolecule(charges, positions []float64) (*molecule, error) {
	m := new(molecule)
	for i, z := range charges {
		if z < 0 || z > 118 || z != math.Trunc(z) {
			return nil, fmt.Errorf("the charge of atom %d is %v, not a whole number from 0 to 118", i+1, z)
		}
		m.entries[i*atoms+i] = float32(0.5 * math.Pow(z, 2.4))
		for j, w := range charges[:i] {
			r := math.Sqrt(squaredDistance(positions[3*i:3*i+3], positions[3*j:3*j+3]))
			c := float32(0)
			if z*w != 0 {
				c = float32(z * w / r)
			}
			if !(c >= 0) || math.IsInf(float64(c), 0) {
				return nil, fmt.Errorf("atoms %d and %d are at the same place or nowhere", j+1, i+1)
			}
			m.entries[i*atoms+j], m.entries[j*atoms+i] = c, c
		}
	}
	for i := range atoms {
		sum := 0.0
		for _, c := range m.entries[i*atoms : (i+1)*atoms] {
			sum += float64(float64(c) * float64(c))
		}
		m.norms[i] = math.Sqrt(sum)
	}
	return m, nil
}

// realise writes the upper triangle of a random Coulomb matrix to x, row by row with the diagonal: rows
// and columns in descending order of ‖C_i‖ + ε_i, ε standard normal, a new order for each stream
// [Montavon et al., NIPS 2012 (dai2014's [30]), and New J. Phys. 15:095003, 2013]. Padding takes part
// in the sort as it does there.
func (m *molecule) realise(s *compute.Stream, x []float64) {
	var order [atoms]int
	var key [atoms]float64
	for i := range order {
		order[i], key[i] = i, m.norms[i]+s.Normal()
	}
	slices.SortStableFunc(order[:], func(a, b int) int {
		switch {
		case key[a] > key[b]:
			return -1
		case key[a] < key[b]:
			return 1
		}
		return 0
	})
	at := 0
	for i, a := range order {
		row := m.entries[a*atoms:][:atoms]
		for _, b := range order[i:] {
			x[at] = float64(row[b])
			at++
		}
	}
}

// coulomb makes the rows of molecules: random Coulomb matrices, every entry of which is taken apart
// into steps, "binary predicates" in dai2014 §7.5. As in the work it follows [Montavon et al., NIPS
// 2012, §3] the steps are smooth,
//
//	x ↦ (…, tanh((x - θ)/θ), tanh(x/θ), tanh((x + θ)/θ), …) with θ = 1,
//
// the thresholds of an entry being 0, 1, … up to the largest value it takes, and columns are shifted
// to mean 0 and scaled together so that the mean of their variances is 1. That is the representation
// dai2014 used: with about 1800 columns its median distance is √(2·1800) = 60, the bandwidth that
// they print.
//
// Largest values come from the first ten realisations of the training molecules, as in the code that
// goes with that work; mean and scale come from the first one.
type coulomb struct {
	molecules []*molecule
	streams   compute.Source
	steps     [triangle]int // thresholds of each entry
	mean      []float64
	scale     float64
}

const rangeCopies = 10

// newCoulomb fits steps, mean and scale on the training molecules.
func newCoulomb(molecules []*molecule, train []int, seed uint64) *coulomb {
	c := &coulomb{molecules: molecules, streams: compute.NewSource(seed, "data/permutation"), scale: 1}
	var largest, x [triangle]float64
	for _, u := range train {
		for k := range rangeCopies {
			c.realise(u, k, x[:])
			for i, v := range x {
				largest[i] = max(largest[i], v)
			}
		}
	}
	n := 0
	for i, v := range largest {
		c.steps[i] = int(math.Ceil(v)) + 1
		n += c.steps[i]
	}
	c.mean = make([]float64, n)
	c.fit(train)
	return c
}

// fit finds the mean of every column and the common scale, over the first copy of the training
// molecules.
func (c *coulomb) fit(train []int) {
	row, mean := make([]float64, c.Inputs()), make([]float64, c.Inputs())
	for _, u := range train {
		c.Put(u, 0, row)
		for j, v := range row {
			mean[j] += v / float64(len(train))
		}
	}
	c.mean = mean
	variance := 0.0
	for _, u := range train {
		c.Put(u, 0, row)
		sum := 0.0
		for _, v := range row {
			sum += float64(v * v)
		}
		variance += sum / float64(len(row)) / float64(len(train))
	}
	if variance > 0 {
		c.scale = 1 / math.Sqrt(variance)
	}
}

func (c *coulomb) Inputs() int { return len(c.mean) }

// realise writes realisation k of molecule u to x.
func (c *coulomb) realise(u, k int, x []float64) {
	c.molecules[u].realise(copyStream(c.streams, u, k), x)
}

// Put writes realisation k of molecule u, taken apart into steps, to x.
func (c *coulomb) Put(u, k int, x []float64) {
	var entries [triangle]float64
	c.realise(u, k, entries[:])
	at := 0
	for i, v := range entries {
		n := c.steps[i]
		staircase(x[at:at+n], v)
		at += n
	}
	for j, m := range c.mean {
		x[j] = float64((x[j] - m) * c.scale)
	}
}

// staircase sets x[k] to tanh(v - k), v ≥ 0. With q = exp(-2|v - k|) that is ±(1 - q)/(1 + q), and q
// falls by the factor e⁻² from one threshold to the next on either side of v.
func staircase(x []float64, v float64) {
	const (
		decay = 0.1353352832366127 // e⁻²
		reach = 20                 // tanh(20) rounds to 1
	)
	below := min(int(v), len(x)-1) // the last threshold not above v
	q := exact.ExpNegative(2 * (v - float64(below)))
	for k := below; k >= 0; k-- {
		if below-k > reach {
			x[k] = 1
			continue
		}
		x[k] = (1 - q) / (1 + q)
		q *= decay
	}
	q = exact.ExpNegative(2 * (float64(below+1) - v))
	for k := below + 1; k < len(x); k++ {
		if k-below > reach {
			x[k] = -1
			continue
		}
		x[k] = (q - 1) / (q + 1)
		q *= decay
	}
}

// squaredDistance returns ‖a - b‖² without fused operations.
func squaredDistance(a, b []float64) (sum float64) {
	for j, v := range a {
		d := v - b[j]
		sum += float64(d * d)
	}
	return sum
}
