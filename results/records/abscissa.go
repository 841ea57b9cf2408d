package records

import (
	"slices"
	"strings"

	"repro/results/printed"
)

// A Source says what an abscissa is read from.
type Source int

// The sources of abscissae.
const (
	Place  Source = iota // how far the run is
	Clock                // measured time
	Counts               // counted work
	Values               // a value of the point: a discretisation parameter or a metric
)

// Directions in which a discretisation parameter gets finer.
const (
	FinerSmaller = "smaller"
	FinerLarger  = "larger"
)

// An Abscissa is a cost against which a curve can be drawn and which a table can show.
type Abscissa struct {
	Name   string // as specs write it
	Words  string // as people read it
	Unit   string // of its values; empty for a count
	Source Source
	Chosen bool   // readers of a report can put it on the horizontal axis
	Finer  string // which values of a discretisation parameter are finer: smaller or larger; empty for a cost
	of     func(Point) float64
}

// Abscissae lists every abscissa, in the order in which messages list their names.
var Abscissae = []Abscissa{
	{Name: "step", Words: "iterations t", Chosen: true, of: func(p Point) float64 { return float64(p.Step) }},
	{Name: "seen", Words: "training examples seen", Chosen: true, of: func(p Point) float64 { return float64(p.Seen) }},
	{Name: "epoch", Words: "epochs", Chosen: true, of: func(p Point) float64 { return p.Epoch }},
	{Name: "seconds", Words: "training time", Unit: "s", Source: Clock, Chosen: true, of: func(p Point) float64 { return p.Timing.Setup + p.Timing.Train }},
	{Name: "step-seconds", Words: "training time without setup", Unit: "s", Source: Clock, of: func(p Point) float64 { return p.Timing.Train }},
	{Name: "seconds-per-step", Words: "training time of an iteration", Unit: "s", Source: Clock, of: perStep},
	{Name: "kernel-evals", Words: "kernel evaluations", Source: Counts, Chosen: true, of: func(p Point) float64 { return float64(p.Counters.KernelEvals) }},
	{Name: "feature-evals", Words: "feature evaluations", Source: Counts, Chosen: true, of: func(p Point) float64 { return float64(p.Counters.FeatureEvals) }},
	{Name: "evals", Words: "kernel and feature evaluations", Source: Counts, of: func(p Point) float64 { return float64(p.Counters.KernelEvals + p.Counters.FeatureEvals) }},
	{Name: "flops", Words: "floating-point operations", Source: Counts, Chosen: true, of: func(p Point) float64 { return float64(p.Counters.Flops) }},
	{Name: "memory", Words: "memory of the predictor", Unit: "bytes", Source: Counts, of: func(p Point) float64 { return float64(p.Counters.Memory) }},
}

// Meshes lists the discretisation parameters that are known by their names, in the order in which a table with several is read against
// one of them. A point has them among its Values.
var Meshes = slices.Concat(
	meshes(FinerSmaller, "mesh width", "h", "hmax", "h_max"),
	meshes(FinerSmaller, "coarse mesh width", "H"),
	meshes(FinerSmaller, "mesh width", "dx", "delta_x", "mesh_size", "meshsize"),
	meshes(FinerSmaller, "time step", "dt", "tau", "delta_t", "time_step", "timestep"),
	meshes(FinerSmaller, "step size", "step_size", "stepsize"),
	meshes(FinerSmaller, "tolerance", "tol", "rtol", "atol", "tolerance"),
	meshes(FinerLarger, "degrees of freedom", "ndofs", "dofs", "ndof", "dof", "n_dofs", "num_dofs", "unknowns"),
	meshes(FinerLarger, "N", "N"),
	meshes(FinerLarger, "n", "n"),
	meshes(FinerLarger, "elements", "elements", "nelem", "n_elements", "num_elements"),
	meshes(FinerLarger, "cells", "cells", "ncells", "n_cells", "num_cells"),
	meshes(FinerLarger, "nodes", "nodes", "n_nodes"),
	meshes(FinerLarger, "points in x", "nx"),
	meshes(FinerLarger, "polynomial degree", "degree", "p", "deg"),
)

func meshes(finer, words string, names ...string) (all []Abscissa) {
	for _, name := range names {
		all = append(all, Abscissa{Name: name, Words: words, Finer: finer, Source: Values})
	}
	return all
}

// MeshRank returns the place in Meshes of the discretisation parameter that a name, such as that of a column, is known to mean, -1 if it
// means none. Case counts in names of a letter: H is a coarse mesh width.
func MeshRank(name string) int {
	plain := strings.NewReplacer(" ", "_", "-", "_").Replace(name)
	return slices.IndexFunc(Meshes, func(m Abscissa) bool { return m.Name == name || len(name) > 1 && strings.EqualFold(m.Name, plain) })
}

// MeshOf returns the discretisation parameter that a name is known to mean, under this name.
func MeshOf(name string) (mesh Abscissa, ok bool) {
	i := MeshRank(name)
	if i < 0 {
		return mesh, false
	}
	mesh = Meshes[i]
	mesh.Name = name
	return mesh, true
}

// perStep is the mean time of the iterations so far, 0 before the first.
func perStep(p Point) float64 {
	if p.Step == 0 {
		return 0
	}
	return p.Timing.Train / float64(p.Step)
}

// AbscissaNames lists the names of Abscissae.
func AbscissaNames() []string {
	return printed.Each(Abscissae, func(a Abscissa) string { return a.Name })
}

// AbscissaOf returns the abscissa of the given name.
func AbscissaOf(name string) (a Abscissa, ok bool) {
	for _, a := range Abscissae {
		if a.Name == name {
			return a, true
		}
	}
	return Abscissa{}, false
}

// Label returns the words, followed by the unit in brackets if there is one.
func (a Abscissa) Label() string {
	if a.Unit == "" {
		return a.Words
	}
	return a.Words + " (" + a.Unit + ")"
}

// Timed reports whether the clock measures the abscissa of that name.
func Timed(name string) bool {
	a, _ := AbscissaOf(name)
	return a.Source == Clock
}

// Abscissa returns the point's value of one of Abscissae or, for any other name, the value that was measured under it, such as a mesh
// width. ok is false if there is none that is finite.
func (p Point) Abscissa(name string) (v float64, ok bool) {
	if a, ok := AbscissaOf(name); ok {
		return a.of(p), true
	}
	if v := p.Values[name]; v != nil {
		return *v, true
	}
	return 0, false
}

// falls reports whether an abscissa gets smaller along the record, as a mesh width does from the coarsest mesh to the finest.
func (r *Record) falls(x string) bool {
	if len(r.Points) == 0 {
		return false
	}
	first, _ := r.Points[0].Abscissa(x)
	last, _ := r.Points[len(r.Points)-1].Abscissa(x)
	return last < first
}
