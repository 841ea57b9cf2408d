package diaz2023

import (
	"math"

	"repro/algos/compute"
	"repro/algos/compute/exact"
	"repro/datasets"
)

func init() {
	register := func(name, title, description string, row func(s *compute.Stream, x []float64)) {
		datasets.Register(datasets.Source{
			Name: name, Title: title, Licence: "generated, no licence needed",
			Citation: "Chen, Epperly, Tropp and Webber, Randomly pivoted Cholesky, 2022, Sec. 2.5 (our drawing)",
			Task:     "regression", Dims: 2, Rows: 10000, TestRows: 100,
			Generate: &datasets.Generator{Description: description, Row: func(s *compute.Stream, x, y []float64) {
				row(s, x)
				y[0] = s.Normal()
			}},
		})
	}
	register("smile", "points of a face: eyes, mouth and, of few points, the outline; targets are noise", "smile version 1", smile)
	register("spiral", "points of a spiral that are dense at its centre; targets are noise", "spiral version 1", spiral)
	datasets.Register(datasets.Source{
		Name: "homo", Title: "QM9: energies of the highest occupied orbital from Coulomb matrices", Licence: "CC0",
		Citation: "Ramakrishnan, Dral, Rupp and von Lilienfeld, Quantum chemistry structures and properties of 134 kilo molecules, Scientific Data 1, 2014",
		Notes:    "the authors keep it as homo.mat, whose X and Y are rows of Coulomb matrices, sorted by norm, and energies",
		Task:     "regression", Dims: 435, Rows: 100000,
		Substitute: "Coulomb matrices that the user made: the authors' file is not published",
		Bring:      "train.npy (rows × 435), train-labels.npy (rows: energies), test.npy and test-labels.npy in the same way",
		Format:     "npy", Training: 2, Load: datasets.Arrays(false),
		Files: []datasets.RemoteFile{{Name: "train.npy"}, {Name: "train-labels.npy"}, {Name: "test.npy"}, {Name: "test-labels.npy"}},
	})
}

// smile draws a point of a face of radius 10: with probability 0.45 of one of two eyes, discs of radius 1, with 0.45 of the mouth, an
// arc, and else of the outline.
func smile(s *compute.Stream, x []float64) {
	part, turn := s.Float64(), s.Float64()
	switch {
	case part < 0.45:
		r := math.Sqrt(s.Float64())
		side := 4.0
		if part < 0.225 {
			side = -4
		}
		x[0], x[1] = side+float64(r*cos(turn)), 4+float64(r*sin(turn))
	case part < 0.9:
		at := 0.625 + float64(0.25*turn) // from lower left to lower right
		x[0], x[1] = 6*cos(at), 6*sin(at)
	default:
		x[0], x[1] = 10*cos(turn), 10*sin(turn)
	}
}

// spiral draws the point e^{0.2t}(cos t, sin t) for t uniform in [0, 64].
func spiral(s *compute.Stream, x []float64) {
	t := 64 * s.Float64()
	r := 1 / exact.ExpNegative(0.2*t)
	x[0], x[1] = r*cos(t/(2*math.Pi)), r*sin(t/(2*math.Pi))
}

// cos and sin are of turns ≥ 0, the same on every platform.
func cos(turns float64) float64 { return exact.CosQuarters(4 * turns) }
func sin(turns float64) float64 { return exact.CosQuarters(float64(4*turns) + 3) }
