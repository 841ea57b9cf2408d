package datasets

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
)

func TestRegistry(t *testing.T) {
	assert.Subset(t, Names(), []string{
		"a9a", "adversary", "capacity", "cod-rna", "covtype", "dai2014-synthetic", "heaviside", "histograms", "ijcnn1", "mnist", "qm7", "susy-shape", "two-bumps", "two-classes",
	})
	assert.IsIncreasing(t, Names())
	for _, name := range slices.DeleteFunc(Names(), func(name string) bool { return name == "two-dots" || name == "parabola" }) { // of the examples
		s, err := Describe(name)
		require.NoError(t, err)
		assert.Equal(t, name, s.Name)
		assert.NotEmpty(t, s.Title, name)
		assert.NotEmpty(t, s.Licence, name)
		assert.NotEmpty(t, s.Citation, name)
		assert.Positive(t, s.Rows, name)
		assert.Contains(t, []string{taskBinary, taskRegression, taskMulticlass, taskNone}, s.Task, name)
		assert.NotEqual(t, s.Generated(), len(s.Files) > 0, name)
		if s.Bring != "" {
			continue // nothing is known of these files
		}
		assert.Positive(t, s.Dims, false, name)
		for i, f := range s.Files {
			if s.Load == nil || name == "mnist" {
				assert.Equal(t, []int{s.Rows, s.TestRows}[i/max(s.Training, 1)], f.Rows, f.Name)
			}
			if !slices.Contains([]string{"casp", "epsilon", "qm7", "susy", "year"}, name) { // whose checksums nobody published
				assert.Positive(t, f.Bytes, f.Name)
				assert.Len(t, f.SHA256, 64, f.Name)
			}
			require.NotEmpty(t, f.URLs, f.Name)
			for _, u := range f.URLs {
				assert.True(t, strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "http://") && f.SHA256 != "", u)
			}
		}
	}
	_, err := Describe("a9")
	assert.EqualError(t, err, `unknown data set "a9"; did you mean "a9a"?`)
	assert.Panics(t, func() { Register(Source{Name: "a9a"}) })
}

func TestRegisterRefuses(t *testing.T) {
	generated := func(change func(s *Source)) Source {
		s := Source{Name: "made-up", Title: "made up", Task: taskRegression, Dims: 2, Rows: 10, Generate: &Generator{
			Description: "made-up version 1", Row: func(*compute.Stream, []float64, []float64) {},
		}}
		change(&s)
		return s
	}
	files := func(change func(s *Source)) Source {
		s := Source{Name: "made-up", Title: "made up", Task: taskBinary, Dims: 2, Rows: 10, Format: "csv",
			Files: []RemoteFile{{Name: "a.csv", URLs: []string{"https://example.org/a.csv"}, Rows: 10}}}
		change(&s)
		return s
	}
	good := generated(func(*Source) {})
	require.NoError(t, good.check())
	good = files(func(*Source) {})
	require.NoError(t, good.check())
	for want, s := range map[string]Source{
		"datasets: a9a registered twice":                             generated(func(s *Source) { s.Name = "a9a" }),
		"datasets: : a data set needs a Name":                        generated(func(s *Source) { s.Name = "" }),
		"datasets: made-up: a data set needs a Title":                generated(func(s *Source) { s.Title = "" }),
		"Task \"counts\" is not one of regression":                   generated(func(s *Source) { s.Task = "counts" }),
		"Dims and Rows must be positive":                             generated(func(s *Source) { s.Dims = 0 }),
		"set one of Generate and Files":                              generated(func(s *Source) { s.Generate = nil }),
		"needs a Description":                                        generated(func(s *Source) { s.Generate.Description = "" }),
		"needs one of Row, Grid, Drift":                              generated(func(s *Source) { s.Generate.Row = nil }),
		"Domain has 1 inputs, and Dims is 2":                         generated(func(s *Source) { s.Generate.Domain = make([][2]float64, 1) }),
		"Outputs of a multiclass task":                               generated(func(s *Source) { s.Task = taskMulticlass }),
		"Format \"xls\" is not one of csv, libsvm, npy":              files(func(s *Source) { s.Format = "xls" }),
		"a file needs a Name and URLs":                               files(func(s *Source) { s.Files[0].URLs = nil }),
		"file a.csv has 10 rows, and the source says 9":              files(func(s *Source) { s.Rows = 9 }),
		"its Files are one of training rows and at most one of test": files(func(s *Source) { s.Files = make([]RemoteFile, 3) }),
	} {
		func() {
			defer func() { assert.Contains(t, recover(), want) }()
			Register(s)
		}()
	}
	assert.Equal(t, "", Doc("made-up"))
	assert.NotEmpty(t, Doc("a9a"))
}
