package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// Copies turn every unit of a source, an image or a molecule, into several rows, which differ by a random change that the target
// does not depend on. Rows are made when they are asked for and never stored. Held out are whole units, tested as the test
// set's are.
type Copies struct {
	Change      string // a description of it, with a version to raise when bits change
	Train, Test int    // rows made of a training unit and of a test unit
}

// Units are all units of a source.
type Units struct {
	Y           compute.Matrix // a row a unit
	Train, Test []int          // units; those of a test set of its own may be missing
	Files       []File

	// Maker returns what makes the rows; it may be fitted, on the given training units only.
	Maker func(train []int) transforms.Maker
}

// Of returns the copies of units.
func (c *Copies) Of(u Units) (train, test *Part) {
	var maker transforms.Maker
	part := func(units []int) *Part {
		of := func(rows []int) []int { return transforms.At(units, rows) }
		return &Part{
			Y:   transforms.Pick(u.Y, units),
			Fit: func(rows []int) { maker = u.Maker(of(rows)) },
			Take: func(rows []int, y compute.Matrix, test bool) Samples {
				if test {
					return grouped(&transforms.Copies{Maker: maker, Units: of(rows), Count: c.Test, Y: y})
				}
				return &transforms.Copies{Maker: maker, Units: of(rows), Count: c.Train, Y: y}
			},
		}
	}
	train, test = part(u.Train), part(u.Test)
	train.Files = u.Files
	return train, test
}

// file describes the rows that are made; records list it.
func (c *Copies) file(s *Source, seed uint64) File {
	d := fmt.Sprintf("%s; seed %d, %d copies of units and %d of test units", c.Change, seed, c.Train, c.Test)
	sum := sha256.Sum256([]byte(d))
	return File{Name: fmt.Sprintf("%s copies, seed %d", s.Name, seed), SHA256: hex.EncodeToString(sum[:]), Rows: s.Rows}
}

// grouped returns the rows of a with the copies of a unit one after another.
func grouped(a *transforms.Copies) Samples {
	n := len(a.Units)
	order := make([]int, 0, a.Len())
	for u := range n {
		for k := range a.Count {
			order = append(order, k*n+u)
		}
	}
	return transforms.Subset{Samples: a, Rows: order}
}
