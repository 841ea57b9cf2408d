package experiments

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
)

const refined = `schema = 1
paper = "own"
title = "A mesh study"
problem.kind = "own"
metric = [{ name = "e" }]
abscissa = [{ name = "h", values = [0.5, 0.25, 0.125] }, { name = "ndofs", from = "h", dimension = 2 }]

[[method]]
id = "fem"
algorithm = "external"
command.run = ["python3", "fem.py", "{h}"]

[[claim]]
id = "order"
kind = "rate"
statement = "second order"
source = "theory"
method = "fem"
metric = "e"
x = "h"
derived = "2"
derivation = "theory"
at_least = true
`

// TestAbscissae: the discretisation parameters of a spec are declared, or known by their names, and decide its cells.
func TestAbscissae(t *testing.T) {
	s := loads(t, refined)
	c := s.Expand()[0]
	assert.Equal(t, []map[string]float64{{"h": 0.5}, {"h": 0.25}, {"h": 0.125}}, c.Meshes())
	of := map[string]float64{"h": 0.25}
	assert.Equal(t, map[string]float64{"ndofs": 16}, s.Derived(func(name string) (float64, bool) { v, ok := of[name]; return v, ok }), "h^(-2)")
	assert.Equal(t, []any{"e", "h", "ndofs"}, c.Settings["evaluate"].(map[string]any)["metrics"])
	exp := s.Experiment()
	assert.Equal(t, []records.Abscissa{
		{Name: "h", Words: "mesh width", Finer: records.FinerSmaller, Source: records.Values},
		{Name: "ndofs", Words: "degrees of freedom", Finer: records.FinerLarger, Source: records.Values},
	}, exp.Abscissae)
	assert.True(t, exp.Methods[0].Deterministic, "one run of a program without {seed}")

	with := func(old, new string) *Spec { return loads(t, strings.Replace(refined, old, new, 1)) }
	assert.False(t, with(`"{h}"]`, `"{h}", "{seed}"]`).Experiment().Methods[0].Deterministic)
	assert.False(t, with(`metric = [`, "repeat.seeds = 2\nmetric = [").Experiment().Methods[0].Deterministic, "the verdict finds it")
	assert.True(t, with(`"{h}"]`, "\"{h}\", \"{seed}\"]\ndeterministic = true").Experiment().Methods[0].Deterministic)
	assert.NotEqual(t, c.Digest, with("0.125]", "0.0625]").Expand()[0].Digest)
	assert.NotEqual(t, c.Digest, with("dimension = 2", "dimension = 3").Expand()[0].Digest)
	assert.Equal(t, c.Digest, with(`name = "h",`, `name = "h", words = "width",`).Expand()[0].Digest, "words decide no number")

	printed := strings.NewReplacer("abscissa = [{ name = \"h\", values = [0.5, 0.25, 0.125] }, { name = \"ndofs\", from = \"h\", dimension = 2 }]\n", "", `, "{h}"]`, "]\nbudget.steps = 9").Replace(refined)
	s = loads(t, printed)
	assert.Equal(t, "h", s.Printed()[0].Name, "a name that is known, and that x names")
	assert.Nil(t, s.Expand()[0].Meshes())

	for name, c := range map[string]struct{ old, new, want string }{
		"unknown x":         {`x = "h"`, `x = "width"`, `user.toml:20: claim "order".x: unknown abscissa "width"; choose one of h, ndofs, e, step, seen`},
		"unknown direction": {`name = "ndofs", from = "h", dimension = 2`, `name = "delta"`, `abscissa "delta".finer: missing, and the name does not say it; write "smaller" or "larger"`},
		"a cost":            {`name = "ndofs"`, `name = "step"`, `abscissa "step".name: "step" is the name of a cost or a metric`},
		"a metric":          {`name = "ndofs"`, `name = "e"`, `"e" is the name of a cost or a metric`},
		"fine to coarse":    {"0.25, 0.125", "0.125, 0.25", `abscissa "h".values: has 0.25 after 0.125; list each mesh once, from coarse to fine`},
		"a mesh twice":      {"0.25, 0.125", "0.25, 0.25", `has 0.25 after 0.25; list each mesh once`},
		"no width":          {"0.5, 0.25", "0, 0.25", `must be > 0, got 0`},
		"unused values":     {`"{h}"]`, `"x"]`, `abscissa "h".values: have no effect: no command.run or command.train has {h}`},
		"no values":         {`, values = [0.5, 0.25, 0.125]`, "", `{h} has no values; list those of the meshes in the abscissa's key values`},
		"not alike":         {`, { name = "ndofs", from = "h", dimension = 2 }`, `, { name = "dt", values = [1, 0.5] }`, `are 2, and those of h 3; they go together`},
		"from nothing":      {`from = "h"`, `from = "k"`, `abscissa "ndofs".from: "k" is no [[abscissa]]; did you mean "h"?`},
		"from its like":     {`name = "ndofs"`, `name = "dx"`, `h gets finer the same way`},
		"no dimension":      {`, dimension = 2`, ``, `say of how many dimensions the mesh is`},
		"a placeholder":     {`"h", values = [0.5, 0.25, 0.125]`, `"threads", finer = "larger", values = [1, 2]`, `{threads} has a meaning in every command`},
		"both":              {`"{h}"]`, "\"{h}\", \"{iterations}\"]\nbudget.steps = 3", `has both {iterations} and the meshes of an abscissa; keep one`},
	} {
		require.Equal(t, 1, strings.Count(refined, c.old), name)
		t.Run(name, func(t *testing.T) { refused(t, strings.Replace(refined, c.old, c.new, 1), c.want) })
	}
	refused(t, change(t, `x = "step"
published`, `x = "h"
published`), `unknown abscissa "h"`)
}

// proposed writes a file, proposes a spec over it, and loads that.
func proposed(t *testing.T, text string) (*Proposal, *Spec) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	p, err := Propose([]string{file}, dir)
	require.NoError(t, err)
	s, err := Load(Source{File: filepath.Join(dir, "my.toml"), Text: p.Text}, LoadOptions{})
	require.NoError(t, err, p.Text)
	return p, s
}

// TestProposalOfAMeshStudy: whatever the order, the way in which meshes get finer, the order of the rows and the layout, the spec
// claims the order.
func TestProposalOfAMeshStudy(t *testing.T) {
	layouts := map[string]func(x, y []float64) string{
		"csv": func(x, y []float64) (text string) {
			for i := range x {
				text += fmt.Sprintf("%v,%v\n", x[i], y[i])
			}
			return text
		},
		"printed": func(x, y []float64) (text string) {
			for i := range x {
				text += fmt.Sprintf("  %-14v %12.6e\n", x[i], y[i])
			}
			return text
		},
		"from fine to coarse": func(x, y []float64) (text string) {
			for i := range x {
				text = fmt.Sprintf("%v,%v\n", x[i], y[i]) + text
			}
			return text
		},
	}
	for _, order := range []float64{0.5, 1, 1.5, 2, 3, 4} {
		for name, write := range layouts {
			for _, column := range []string{"h", "N", "ndofs", "dt", "tol"} {
				var x, y []float64
				finer, _ := records.MeshOf(column)
				sign := 1.0
				if finer.Finer == records.FinerLarger {
					sign = -1
				}
				for k := range 6 {
					h := math.Exp2(-float64(k + 1))
					x, y = append(x, math.Pow(h, sign)), append(y, 0.3*math.Pow(h, order)*(1+h/4))
				}
				header := column + ",err\n"
				if name == "printed" {
					header = "# " + column + "  err\n"
				}
				p, s := proposed(t, header+write(x, y))
				label := fmt.Sprint(name, " ", column, " ", order)
				assert.Equal(t, column, p.X, label)
				require.Len(t, s.Claims, 1, "%s\n%s", label, p.Text)
				c := s.Claims[0]
				assert.Equal(t, []string{"rate", column, fmt.Sprint(sign * order)}, []string{c.Kind, c.X, c.Derived}, label)
				assert.True(t, s.Experiment().Methods[0].Deterministic, label)
			}
		}
	}
}

// TestProposalsWithoutAnOrder: what cannot be said of a mesh study is said in a sentence, and nothing is claimed.
func TestProposalsWithoutAnOrder(t *testing.T) {
	for text, want := range map[string]string{
		"h,e\n0.5,4\n":                       "one mesh has no order",
		"h,e\n0.5,4\n0.25,2\n":               "it takes three meshes",
		"h,e\n0.5,4\n0.25,0\n0.125,1\n":      "e is exactly 0 at h 0.25",
		"h,e\n0.5,1\n0.25,2\n0.125,4\n":      "it grows towards the finest",
		"h,e\n0.5,4\n0.25,1\n0.125,0.9\n":    "orders 2, 0.152",
		"N,e\n4,1\n8,1e-2\n12,1e-4\n16,1e-6": "factors 0.316, 0.316, 0.316",
	} {
		p, s := proposed(t, text)
		got := p.Fits[0].Words
		if err := p.Fits[0].Err; err != nil {
			got = err.Error
		}
		assert.Contains(t, got(), want, text)
		assert.Empty(t, s.Claims, text)
	}
	p, _ := proposed(t, "h,e\n0.5,2\n0.5,4\n")
	assert.Equal(t, []string{`column "h" is 0.5 in every row, so that it is no x, and rows are counted`}, p.Notes)
	p, _ = proposed(t, "h,e\n0.25,2\n0.5,4\n0.125,1\n")
	assert.Equal(t, []string{"the rows are not in the order of h; they are read from coarse to fine"}, p.Notes)
}

// TestProposalOfDegreesAndColumns: degrees tell methods apart, further parameters are abscissae, and printed orders are left out.
func TestProposalOfDegreesAndColumns(t *testing.T) {
	p, s := proposed(t, `p,h,cells,L2 error,rate
1,0.5,4,4e-1,-
1,0.25,16,1e-1,2.0
1,0.125,64,2.5e-2,2.0
2,0.5,4,8e-2,-
2,0.25,16,1e-2,3.0
2,0.125,64,1.25e-3,3.0
`)
	assert.Equal(t, "p1 p2", s.Methods[0].ID+" "+s.Methods[1].ID)
	assert.Equal(t, []string{"2", "3"}, []string{s.Claims[0].Derived, s.Claims[1].Derived})
	assert.Equal(t, "cells h", s.Abscissae[0].Name+" "+s.Abscissae[1].Name)
	require.Len(t, p.Notes, 1)
	assert.Contains(t, p.Notes[0], `column "rate" is left out`)
	curve, table, err := s.Expand()[1].Curve()
	require.NoError(t, err)
	at := table.Recorded(&curve.Points[2])
	for x, want := range map[string]float64{"h": 0.125, "cells": 64, "L2-error": 1.25e-3} {
		v, _ := at.Abscissa(x)
		assert.Equal(t, want, v, x)
	}
}
