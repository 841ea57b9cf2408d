package sources

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/datasets"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// qm7 has no checksum: none is published for qm7.mat. The table has the same molecules in text, and is
// used where that is what there is.
var _ = register(datasets.Source{
	Name:    "qm7",
	Title:   "atomisation energies of small organic molecules, in kcal/mol, from random Coulomb matrices in steps",
	Licence: "none stated at its source; citation of the two papers is asked for",
	Citation: "Blum & Reymond, J. Am. Chem. Soc. 131:8732, 2009; Rupp, Tkatchenko, Müller & von Lilienfeld, Phys. Rev. Lett. 108:058301, 2012; " +
		"folds of Montavon et al., NIPS 2012",
	Notes: "rows are made when they are used: 40 random orders of the atoms of each training molecule and 20 of each test molecule, whose " +
		"predictions are averaged (data.seed decides the orders); the test molecules are those of the file's first fold; data.test counts " +
		"molecules; the number of inputs depends on the training molecules",
	Task: "regression", Dims: 2090, Rows: 40 * 5732, TestRows: 20 * 1433,
	Files: []datasets.RemoteFile{{
		Name: "qm7.mat", Rows: 7165,
		URLs: []string{"https://quantum-machine.org/data/qm7.mat", "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/qm7.mat"},
	}},
	Format: "mat", Load: loadQM7,
	Others: []datasets.Form{{Format: "csv", Load: loadQM7, Files: []datasets.RemoteFile{{
		Name: "qm7.csv", Rows: 7165, SHA256: "b92dd1b20afe22b94e14c1552f5d259dbc06ce5261d549dc82f6874991a223ac",
	}}}},
	Copies: &coulombCopies,
})

var coulombCopies = datasets.Copies{Change: "random Coulomb matrices in steps, version 1", Train: 40, Test: 20}

// testFold is the fold of the test molecules. The paper trains on "6K" molecules; four of the five
// folds are 5732.
const testFold = 0

// loadQM7 loads the molecules, their energies and the fold that each belongs to.
func loadQM7(ctx context.Context, files []*datasets.Input, o datasets.Options) (train, test *datasets.Part, err error) {
	in := files[0]
	var raw *molecules
	sha, err := in.Content(ctx, func(c *formats.Content) (err error) {
		if in.Format == "mat" {
			raw, err = moleculesOfMat(c, in.Path, in.Bound())
		} else {
			raw, err = moleculesOfTable(c, in.Path, in.Remote.Rows)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	n := len(raw.energies)
	u := datasets.Units{Y: compute.Matrix{Rows: n, Cols: 1, Stride: 1, Data: raw.energies}, Files: []datasets.File{{Name: in.Remote.Name, SHA256: sha, Rows: n}}}
	matrices := make([]*molecule, n)
	for i := range n {
		if matrices[i], err = newMolecule(raw.charges[i*atoms:][:atoms], raw.positions[3*i*atoms:][:3*atoms]); err != nil {
			return nil, nil, formats.Faultf(formats.ErrFormat, "%s: molecule %d: %w", in.Path, i+1, err)
		}
		if raw.folds[i] == testFold {
			u.Test = append(u.Test, i)
		} else {
			u.Train = append(u.Train, i)
		}
	}
	if len(u.Train) == 0 || len(u.Test) == 0 {
		return nil, nil, formats.Faultf(formats.ErrFormat, "%s: %d molecules are in fold %d and %d in others: both need some", in.Path, len(u.Test), testFold, len(u.Train))
	}
	u.Maker = func(train []int) transforms.Maker { return newCoulomb(matrices, train, o.Seed) }
	train, test = coulombCopies.Of(u)
	return train, test, nil
}

// molecules are those of a file, padded to atoms each: for every molecule the charges of its atoms, three
// coordinates each, the energy and the fold.
type molecules struct{ charges, positions, energies, folds []float64 }

// moleculesOfMat reads qm7.mat: Z (n×23), R (n×23×3, Bohr), T (1×n, kcal/mol) and P (5 folds of
// molecules, counted from 0). Its matrices X, sorted by norm, are passed over. The four may take bound bytes.
func moleculesOfMat(r io.Reader, path string, bound int64) (*molecules, error) {
	arrays, err := formats.ReadMat(r, path, bound, nil, "Z", "R", "T", "P")
	if err != nil {
		return nil, err
	}
	z, pos, t, folds := arrays["Z"], arrays["R"], arrays["T"], arrays["P"]
	n := len(t.Data)
	switch {
	case n == 0 || !t.Is(1, n) && !t.Is(n, 1):
		return nil, formats.Faultf(formats.ErrFormat, "%s: array T has dimensions %v: one energy a molecule expected", path, t.Dims)
	case !z.Is(n, atoms):
		return nil, formats.Faultf(formats.ErrFormat, "%s: array Z has dimensions %v, %d × %d expected", path, z.Dims, n, atoms)
	case !pos.Is(n, atoms, 3):
		return nil, formats.Faultf(formats.ErrFormat, "%s: array R has dimensions %v, %d × %d × 3 expected", path, pos.Dims, n, atoms)
	case len(folds.Dims) != 2 || len(folds.Data) != n:
		return nil, formats.Faultf(formats.ErrFormat, "%s: array P has dimensions %v: folds by molecules expected, %d in all", path, folds.Dims, n)
	}
	for name, a := range arrays {
		if slices.ContainsFunc(a.Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return nil, formats.Faultf(formats.ErrFormat, "%s: array %s has an entry that is not finite", path, name)
		}
	}
	s := &molecules{energies: t.Data, charges: make([]float64, n*atoms), positions: make([]float64, 3*n*atoms), folds: make([]float64, n)}
	for i := range n {
		for a := range atoms {
			s.charges[i*atoms+a] = z.Data[a*n+i]
			for c := range 3 {
				s.positions[3*(i*atoms+a)+c] = pos.Data[(c*atoms+a)*n+i]
			}
		}
		s.folds[i] = -1
	}
	for k, v := range folds.Data {
		if v < 0 || v >= float64(n) || v != math.Trunc(v) || s.folds[int(v)] >= 0 {
			return nil, formats.Faultf(formats.ErrFormat, "%s: array P: entry %d is %v: every molecule from 0 to %d must be there once", path, k+1, v, n-1)
		}
		s.folds[int(v)] = float64(k % folds.Dims[0])
	}
	return s, nil
}

// moleculesOfTable reads a table with a line a molecule: id, fold, natoms, T_kcal_mol, Z1 … Z23 and
// x1, y1, z1 … z23 in Bohr, named by its first line. Coordinates are rounded to single precision, as
// which the other file has them.
func moleculesOfTable(r io.Reader, path string, n int) (*molecules, error) {
	c, err := formats.NewCSV(r, path, "T_kcal_mol", true)
	if err != nil {
		return nil, err
	}
	if want := moleculeColumns(); !slices.Equal(c.Names, want) {
		return nil, formats.Faultf(formats.ErrFormat, "%s:1: the columns are not the %d of this table, from %s to %s", path, len(want), want[0], want[len(want)-1])
	}
	s := new(molecules)
	for {
		energy, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		const before = 3 // id, fold, natoms; the energy is no input
		_, row := c.Inputs()
		s.energies = append(s.energies, energy)
		s.folds = append(s.folds, row[1])
		s.charges = append(s.charges, row[before:before+atoms]...)
		for _, v := range row[before+atoms:] {
			s.positions = append(s.positions, float64(float32(v)))
		}
	}
	if len(s.energies) != n {
		return nil, formats.Faultf(formats.ErrFormat, "%s: %d molecules, %d expected", path, len(s.energies), n)
	}
	return s, nil
}

func moleculeColumns() []string {
	names := []string{"id", "fold", "natoms", "T_kcal_mol"}
	for a := range atoms {
		names = append(names, "Z"+strconv.Itoa(a+1))
	}
	for a := range atoms {
		for _, c := range "xyz" {
			names = append(names, fmt.Sprintf("%c%d", c, a+1))
		}
	}
	return names
}

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
		m.entries[i*atoms+i] = float32(0.5 * exact.Pow(z, 2.4))
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
