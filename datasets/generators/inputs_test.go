package generators

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
	"repro/datasets/transforms"
)

// formOf opens the synthetic data in the form that the options ask for.
func formOf(t *testing.T, o datasets.Options) *datasets.Set {
	t.Helper()
	o.Name, o.Train, o.Test = "dai2014-synthetic", 200, 5
	s, err := new(datasets.Library).Open(context.Background(), o, "regression", 3, "")
	require.NoError(t, err)
	return s
}

// The synthetic data has a form in any dimension, and in two is what it is without asking.
func TestGeneratedInputs(t *testing.T) {
	plain, two := formOf(t, datasets.Options{}), formOf(t, datasets.Options{Inputs: 2})
	assert.Equal(t, plain.Files, two.Files)
	assert.Equal(t, plain.TestX, two.TestX)

	s := formOf(t, datasets.Options{Inputs: 7})
	assert.NotEqual(t, plain.Files, s.Files)
	assert.Len(t, s.Domain, 7)
	_, _, in := (datasets.Options{Name: "dai2014-synthetic", Inputs: 7}).Shape()
	assert.Equal(t, 7, in)
	in, _ = s.Train.Dims()
	require.Equal(t, 7, in)
	x, y := transforms.Gather(s.Train, transforms.Span(0, 200))
	noise := 0.0
	for i := range x.Rows {
		for _, v := range x.Row(i) {
			assert.True(t, -5 <= v && v < 5)
		}
		r := 0.0
		for _, v := range x.Row(i) {
			r += v * v
		}
		r = math.Sqrt(r)
		assert.InDelta(t, math.Cos(0.5*math.Pi*r)*math.Exp(-0.1*math.Pi*r), s.Truth(x.Row(i)), 1e-14)
		e := y.At(i, 0) - s.Truth(x.Row(i))
		noise += e * e
	}
	// 4 s.d. of the mean of 200 squares of N(0, 0.1²).
	assert.InDelta(t, 0.01, noise/200, 4*0.01*math.Sqrt(2./200))

	for want, o := range map[string]datasets.Options{
		"data.inputs: wave-spread has 1 inputs and no form in other dimensions: remove it": {Name: "wave-spread", Inputs: 2},
		"data.inputs: it belongs to generated data: remove it":                             {Name: "cod-rna", Inputs: 2},
		"data.outputs: wave-spread has 1 targets and no form with others: remove it":       {Name: "wave-spread", Outputs: 2},
		"data.outputs: it belongs to generated data: remove it":                            {Name: "cod-rna", Outputs: 2},
	} {
		assert.EqualError(t, o.Check(), want)
	}
}

// With m targets a row has the inputs and the first target that it has with one, and noise of its own in each of the others.
func TestGeneratedOutputs(t *testing.T) {
	plain, one, three := formOf(t, datasets.Options{Inputs: 4}), formOf(t, datasets.Options{Inputs: 4, Outputs: 1}), formOf(t, datasets.Options{Inputs: 4, Outputs: 3})
	assert.Equal(t, plain.Files, one.Files)
	assert.NotEqual(t, plain.Files, three.Files)
	assert.Nil(t, three.Truth)
	_, out := three.Train.Dims()
	require.Equal(t, 3, out)
	assert.Equal(t, plain.TestX, three.TestX)
	for i := range three.TestY.Rows {
		y, wave := three.TestY.Row(i), plain.Truth(three.TestX.Row(i))
		assert.Equal(t, plain.TestY.At(i, 0), y[0])
		for j, v := range y {
			assert.InDelta(t, wave, v, 0.5) // 5 s.d.
			for _, w := range y[:j] {
				assert.NotEqual(t, v, w)
			}
		}
	}
}

// Rows of other forms of a generator have another digest, which is that of the description. Its domain has the inputs of the form.
func TestFormsHaveTheirDescriptions(t *testing.T) {
	for _, name := range datasets.Names() {
		s, err := datasets.Describe(name)
		require.NoError(t, err)
		if s.Generate == nil {
			continue
		}
		descriptions, forms := map[string]bool{}, 0
		add := func(g *datasets.Generator) { descriptions[g.Description], forms = true, forms+1 }
		if g := s.Generate; g.In != nil {
			for _, d := range []int{2, 3, 10} {
				add(g.In(d))
				assert.Contains(t, []int{0, d}, len(g.In(d).Domain), name)
			}
		}
		if g := s.Generate; g.Out != nil {
			add(g.Out(2))
			add(g.Out(3))
		}
		if g := s.Generate; g.Of != nil {
			add(g.Of(0.5, 0.5))
			add(g.Of(0.5, 1))
			add(g.Of(0.2, 0.5))
		}
		assert.Len(t, descriptions, forms, name)
	}
}
