package sources

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"repro/algos/compute"
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
	Task:     "regression",
	Dims:     2090,
	Rows:     40 * 5732,
	TestRows: 20 * 1433,
	Files: []datasets.RemoteFile{{
		Name: "qm7.mat", Rows: 7165,
		URLs: []string{"https://quantum-machine.org/data/qm7.mat", "https://deepchemdata.s3-us-west-1.amazonaws.com/datasets/qm7.mat"},
	}},
	Format: "mat",
	Load:   loadQM7,
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
	arrays, err := formats.ReadMat(r, path, bound, "Z", "R", "T", "P")
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
	s, row := new(molecules), make([]float64, len(c.Names)-1)
	for {
		energy, err := c.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		const before = 3 // id, fold, natoms; the energy is no input
		c.Put(row)
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
