package datasets

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// qm7 has no checksum: none is published for qm7.mat. The table has the same molecules in text, and is
// used where that is what there is.
var _ = register(&Source{
	Name:    "qm7",
	Title:   "atomisation energies of small organic molecules, in kcal/mol, from random Coulomb matrices in steps",
	Licence: "none stated at its source; citation of the two papers is asked for",
	Citation: "Blum & Reymond, J. Am. Chem. Soc. 131:8732, 2009; Rupp, Tkatchenko, Müller & von Lilienfeld, Phys. Rev. Lett. 108:058301, 2012; " +
		"folds of Montavon et al., NIPS 2012",
	Notes: "rows are made when they are used: 40 random orders of the atoms of each training molecule and 20 of each test molecule, whose " +
		"predictions are averaged (data.seed decides the orders); the test molecules are those of the file's first fold; data.test counts " +
		"molecules; the number of inputs depends on the training molecules",
	Task:     taskRegression,
	Dims:     2090,
	Rows:     40 * 5732,
	TestRows: 20 * 1433,
	Files: []RemoteFile{{
		Name: "qm7.mat", Rows: 7165,
		URLs: []string{"https://quantum-machine.org/data/qm7.mat", "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/qm7.mat"},
	}},
	format: "mat",
	others: []form{{format: "table", training: 1, files: []RemoteFile{{
		Name: "qm7.csv", Rows: 7165, SHA256: "b92dd1b20afe22b94e14c1552f5d259dbc06ce5261d549dc82f6874991a223ac",
	}}}},
	augment: &augmentation{
		description: "random Coulomb matrices in steps, version 1",
		copies:      40, testCopies: 20, load: loadMolecules,
	},
})

// testFold is the fold of the test molecules. The paper trains on "6K" molecules; four of the five
// folds are 5732.
const testFold = 0

// structures are molecules as they stand in a file: per molecule the charges of its atoms, three
// coordinates each, the energy and the fold.
type structures struct{ charges, positions, energies, folds []float64 }

// structuresOfMat reads qm7.mat: Z (n×23), R (n×23×3, Bohr), T (1×n, kcal/mol) and P (5 folds of
// molecules, counted from 0). Its matrices X, sorted by norm, are passed over.
func structuresOfMat(r io.Reader, path string) (*structures, error) {
	arrays, err := readMat(r, path, "Z", "R", "T", "P")
	if err != nil {
		return nil, err
	}
	z, pos, t, folds := arrays["Z"], arrays["R"], arrays["T"], arrays["P"]
	n := len(t.data)
	switch {
	case n == 0 || !t.is(1, n) && !t.is(n, 1):
		return nil, faultf(ErrFormat, "%s: array T has dimensions %v: one energy a molecule expected", path, t.dims)
	case !z.is(n, atoms):
		return nil, faultf(ErrFormat, "%s: array Z has dimensions %v, %d × %d expected", path, z.dims, n, atoms)
	case !pos.is(n, atoms, 3):
		return nil, faultf(ErrFormat, "%s: array R has dimensions %v, %d × %d × 3 expected", path, pos.dims, n, atoms)
	case len(folds.dims) != 2 || len(folds.data) != n:
		return nil, faultf(ErrFormat, "%s: array P has dimensions %v: folds by molecules expected, %d in all", path, folds.dims, n)
	}
	for name, a := range arrays {
		if slices.ContainsFunc(a.data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return nil, faultf(ErrFormat, "%s: array %s has an entry that is not finite", path, name)
		}
	}
	s := &structures{energies: t.data, charges: make([]float64, n*atoms), positions: make([]float64, 3*n*atoms), folds: make([]float64, n)}
	for i := range n {
		for a := range atoms {
			s.charges[i*atoms+a] = z.data[a*n+i]
			for c := range 3 {
				s.positions[3*(i*atoms+a)+c] = pos.data[(c*atoms+a)*n+i]
			}
		}
		s.folds[i] = -1
	}
	for k, v := range folds.data {
		if v < 0 || v >= float64(n) || v != math.Trunc(v) || s.folds[int(v)] >= 0 {
			return nil, faultf(ErrFormat, "%s: array P: entry %d is %v: every molecule from 0 to %d must be there once", path, k+1, v, n-1)
		}
		s.folds[int(v)] = float64(k % folds.dims[0])
	}
	return s, nil
}

// structuresOfTable reads a table with a line a molecule: id, fold, natoms, T_kcal_mol, Z1 … Z23 and
// x1, y1, z1 … z23 in Bohr, named by its first line. Coordinates are rounded to single precision, as
// which the other file has them.
func structuresOfTable(r io.Reader, path string, n int) (*structures, error) {
	c, err := newCSV(r, path, "T_kcal_mol", true)
	if err != nil {
		return nil, err
	}
	if want := tableColumns(); !slices.Equal(c.names, want) {
		return nil, faultf(ErrFormat, "%s:1: the columns are not the %d of this table, from %s to %s", path, len(want), want[0], want[len(want)-1])
	}
	s := new(structures)
	for {
		energy, err := c.read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		const before = 3 // id, fold, natoms; the energy is no input
		s.energies = append(s.energies, energy)
		s.folds = append(s.folds, c.values[1])
		s.charges = append(s.charges, c.values[before:before+atoms]...)
		for _, v := range c.values[before+atoms:] {
			s.positions = append(s.positions, float64(float32(v)))
		}
	}
	if len(s.energies) != n {
		return nil, faultf(ErrFormat, "%s: %d molecules, %d expected", path, len(s.energies), n)
	}
	return s, nil
}

func tableColumns() []string {
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
