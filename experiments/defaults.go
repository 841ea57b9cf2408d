package experiments

import (
	"cmp"
	"reflect"
	"sync"

	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
	"repro/experiments/strict"
	"repro/plots/figures"
	"repro/results/imports"
	"repro/results/records"
)

// defaults returns the spec that a file is decoded over. The defaults of an algorithm are in its registration;
// settle fills in those that depend on other keys.
func defaults() *Spec {
	s := &Spec{
		Evaluate: Evaluate{Points: 40, Spacing: "log"},
		Repeat:   Repeat{Seeds: 1, First: 1},
		Memory:   defaultMemory,
	}
	s.Data.Order = "shuffled"
	s.Problem.Kernel.Bandwidth = defaultBandwidth
	return s
}

// defaultMemory is the default of Spec.Memory, in GiB.
const defaultMemory = 1

// defaultBandwidth holds the defaults of a bandwidth rule: the paper's convention, and the median over 4000 points
// as in the authors' code [dai2014, doubly_sgd_pcd_lr_8m.m].
var defaultBandwidth = kernels.Bandwidth{Scale: 1, Convention: "sigma=median", Sample: 4000}

// settle fills in the defaults that depend on other keys, and clears those that have no effect.
func (s *Spec) settle() {
	if s.Own() {
		s.Data, s.Problem = datasets.Options{}, Problem{Kind: ownKind}
	} else {
		s.Problem.Kind = ""
		s.Problem.Loss = s.Problem.Loss.Resolved()
	}
	if s.Curves.File != "" {
		s.readCurves = sync.OnceValues(func() (*imports.Table, error) { return s.Curves.Read(s.Dir(), s.wanted(), s.curveNames()) })
	}
	if s.Precision == "" {
		s.Precision = string(compute.Float64)
		if train, _, _ := s.Data.Shape(); train >= largeRun {
			s.Precision = string(compute.Float32)
		}
	}
	settleKernel(&s.Problem.Kernel)
	if s.Data.Scale.Rule == "minmax" && s.Data.ScaleRange == [2]float64{} {
		s.Data.ScaleRange = [2]float64{0, 1}
	}
	for i := range s.Methods {
		m := &s.Methods[i]
		m.Label = cmp.Or(m.Label, m.ID)
		if m.Loss != nil {
			*m.Loss = m.Loss.Resolved()
		}
		if m.Kernel != nil {
			settleKernel(m.Kernel)
		}
	}
	for i := range s.Claims {
		if c := &s.Claims[i]; c.PublishedIs == "" && (c.Published != "" || len(c.Cells) > 0 || c.Curve != "") {
			c.PublishedIs, c.PublishedSays = s.Published.Is, s.Published.Says
		}
	}
	for i := range s.Figures {
		f := &s.Figures[i]
		kind := figures.KindOf(f.Kind)
		if f.Kind = kind.Name; f.Scale == "" && kind.Takes("scale") {
			f.Scale = "loglog"
		}
	}
	s.Repeat.Timed = s.Repeat.Timed || s.usesSeconds()
}

// settleKernel clears the keys of a bandwidth rule if the kernel has none.
func settleKernel(k *kernels.Config) {
	if b := &k.Bandwidth; b.Rule == "" {
		*b = kernels.Bandwidth{Value: b.Value}
	}
}

// largeRun is the number of training examples from which the hot loops run in float32, which halves the time:
// rounding errors are then far below sampling errors.
const largeRun = 1 << 16

// usesSeconds reports whether anything in the spec depends on how long steps take.
func (s *Spec) usesSeconds() bool {
	used := s.Budget.Seconds > 0
	for _, m := range s.Methods {
		used = used || m.Budget != nil && (m.Budget.Seconds > 0 || m.Budget.TimeOf != "")
	}
	return used || strict.AnyWord(reflect.ValueOf(s).Elem(), "", func(noun, word string) bool {
		return (noun == "abscissa" || noun == "curve") && records.Timed(word)
	})
}
