package formats

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Atoms is the number of atoms of the largest molecule of QM7: smaller ones are padded with charges of 0.
const Atoms = 23

// Molecules are the molecules of a file, padded to Atoms atoms each: for every molecule the charges of its atoms, three
// coordinates each, the energy and the fold.
type Molecules struct{ Charges, Positions, Energies, Folds []float64 }

// MoleculesOfMat reads qm7.mat: Z (n×23), R (n×23×3, Bohr), T (1×n, kcal/mol) and P (5 folds of
// molecules, counted from 0). Its matrices X, sorted by norm, are passed over. The four may take bound bytes.
func MoleculesOfMat(r io.Reader, path string, bound int64) (*Molecules, error) {
	arrays, err := ReadMat(r, path, bound, "Z", "R", "T", "P")
	if err != nil {
		return nil, err
	}
	z, pos, t, folds := arrays["Z"], arrays["R"], arrays["T"], arrays["P"]
	n := len(t.Data)
	switch {
	case n == 0 || !t.Is(1, n) && !t.Is(n, 1):
		return nil, Faultf(ErrFormat, "%s: array T has dimensions %v: one energy a molecule expected", path, t.Dims)
	case !z.Is(n, Atoms):
		return nil, Faultf(ErrFormat, "%s: array Z has dimensions %v, %d × %d expected", path, z.Dims, n, Atoms)
	case !pos.Is(n, Atoms, 3):
		return nil, Faultf(ErrFormat, "%s: array R has dimensions %v, %d × %d × 3 expected", path, pos.Dims, n, Atoms)
	case len(folds.Dims) != 2 || len(folds.Data) != n:
		return nil, Faultf(ErrFormat, "%s: array P has dimensions %v: folds by molecules expected, %d in all", path, folds.Dims, n)
	}
	for name, a := range arrays {
		if slices.ContainsFunc(a.Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			return nil, Faultf(ErrFormat, "%s: array %s has an entry that is not finite", path, name)
		}
	}
	s := &Molecules{Energies: t.Data, Charges: make([]float64, n*Atoms), Positions: make([]float64, 3*n*Atoms), Folds: make([]float64, n)}
	for i := range n {
		for a := range Atoms {
			s.Charges[i*Atoms+a] = z.Data[a*n+i]
			for c := range 3 {
				s.Positions[3*(i*Atoms+a)+c] = pos.Data[(c*Atoms+a)*n+i]
			}
		}
		s.Folds[i] = -1
	}
	for k, v := range folds.Data {
		if v < 0 || v >= float64(n) || v != math.Trunc(v) || s.Folds[int(v)] >= 0 {
			return nil, Faultf(ErrFormat, "%s: array P: entry %d is %v: every molecule from 0 to %d must be there once", path, k+1, v, n-1)
		}
		s.Folds[int(v)] = float64(k % folds.Dims[0])
	}
	return s, nil
}

// MoleculesOfTable reads a table with a line a molecule: id, fold, natoms, T_kcal_mol, Z1 … Z23 and
// x1, y1, z1 … z23 in Bohr, named by its first line. Coordinates are rounded to single precision, as
// which the other file has them.
func MoleculesOfTable(r io.Reader, path string, n int) (*Molecules, error) {
	c, err := NewCSV(r, path, "T_kcal_mol", true)
	if err != nil {
		return nil, err
	}
	if want := MoleculeColumns(); !slices.Equal(c.Names, want) {
		return nil, Faultf(ErrFormat, "%s:1: the columns are not the %d of this table, from %s to %s", path, len(want), want[0], want[len(want)-1])
	}
	s := new(Molecules)
	for {
		energy, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		const before = 3 // id, fold, natoms; the energy is no input
		s.Energies = append(s.Energies, energy)
		s.Folds = append(s.Folds, c.values[1])
		s.Charges = append(s.Charges, c.values[before:before+Atoms]...)
		for _, v := range c.values[before+Atoms:] {
			s.Positions = append(s.Positions, float64(float32(v)))
		}
	}
	if len(s.Energies) != n {
		return nil, Faultf(ErrFormat, "%s: %d molecules, %d expected", path, len(s.Energies), n)
	}
	return s, nil
}

func MoleculeColumns() []string {
	names := []string{"id", "fold", "natoms", "T_kcal_mol"}
	for a := range Atoms {
		names = append(names, "Z"+strconv.Itoa(a+1))
	}
	for a := range Atoms {
		for _, c := range "xyz" {
			names = append(names, fmt.Sprintf("%c%d", c, a+1))
		}
	}
	return names
}
