package datasets

import (
	"context"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
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
	Format: "mat",
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

// loadMolecules loads the molecules, their energies and the fold that each belongs to.
func loadMolecules(ctx context.Context, files []*input, o Options) (*population, error) {
	in := files[0]
	var raw *formats.Molecules
	sha, err := in.content(ctx, func(c *formats.Content) (err error) {
		if in.format == "mat" {
			raw, err = formats.MoleculesOfMat(c, in.path, in.bound())
		} else {
			raw, err = formats.MoleculesOfTable(c, in.path, in.remote.Rows)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	n := len(raw.Energies)
	p := &population{y: compute.NewMatrix(n, 1), files: []File{{Name: in.remote.Name, SHA256: sha, Rows: n}}}
	molecules := make([]*transforms.Molecule, n)
	for i := range n {
		if molecules[i], err = transforms.NewMolecule(raw.Charges[i*formats.Atoms:][:formats.Atoms], raw.Positions[3*i*formats.Atoms:][:3*formats.Atoms]); err != nil {
			return nil, formats.Faultf(formats.ErrFormat, "%s: molecule %d: %w", in.path, i+1, err)
		}
		p.y.Data[i] = raw.Energies[i]
		if raw.Folds[i] == testFold {
			p.test = append(p.test, i)
		} else {
			p.train = append(p.train, i)
		}
	}
	if len(p.train) == 0 || len(p.test) == 0 {
		return nil, formats.Faultf(formats.ErrFormat, "%s: %d molecules are in fold %d and %d in others: both need some", in.path, len(p.test), testFold, len(p.train))
	}
	p.prepare = func(train []int) transforms.Maker { return transforms.NewCoulomb(molecules, train, o.Seed) }
	return p, nil
}
