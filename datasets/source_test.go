package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// own are the data sets of this package, without those of the examples.
var own []string

func init() { own = Names() }

func TestRegistry(t *testing.T) {
	assert.Subset(t, Names(), []string{"a9a", "cod-rna", "covtype", "dai2014-synthetic", "ijcnn1", "mnist", "qm7"})
	assert.IsIncreasing(t, Names())
	for _, name := range own {
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
			if s.augment == nil && s.read == nil {
				assert.Equal(t, []int{s.Rows, s.TestRows}[i/max(s.training, 1)], f.Rows, f.Name)
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
	assert.EqualError(t, err, `unknown data set "a9": it is none of `+strings.Join(Names(), ", "))
	assert.Panics(t, func() { register(&Source{Name: "a9a"}) })
}

func synthetic(seed uint64, purpose string) *virtual {
	s := registry["dai2014-synthetic"]
	return newVirtual(s.Generate, s.Dims, false, seed, purpose, 0, s.Rows)
}

// The bits of these rows must never change: records made with them would no longer be comparable.
func TestSyntheticGolden(t *testing.T) {
	x, y := transforms.Gather(synthetic(1, "data/train"), []int{0, 1, 2, 1<<20 - 1})
	assert.Equal(t, []float64{
		-0x1.fc8955aa508f2p+00, 0x1.f1d2bcfdf567cp+01, -0x1.ec3bbd4f6e7b8p+00, 0x1.d7afb5628ede8p+01,
		0x1.17ef218c46acap+02, 0x1.6ac73667bb138p-01, 0x1.69ae4053084ccp+01, 0x1.1b5d9b4cf86d8p+02,
	}, x.Data)
	assert.Equal(t, []float64{0x1.10a95d470a75dp-02, 0x1.186e614e9f03bp-02, 0x1.4302f584d42edp-03, 0x1.b1be03bbb74ecp-06}, y.Data)
}

func TestSyntheticRowsArePureFunctions(t *testing.T) {
	v := synthetic(3, "data/train")
	x, y := transforms.Gather(v, []int{7, 9, 7})
	assert.Equal(t, x.Row(0), x.Row(2))
	assert.Equal(t, y.Row(0), y.Row(2))
	one, _ := transforms.Gather(v, []int{9})
	assert.Equal(t, one.Row(0), x.Row(1))
	for name, other := range map[string]*virtual{"seed": synthetic(4, "data/train"), "purpose": synthetic(3, "data/test")} {
		o, _ := transforms.Gather(other, []int{9})
		assert.NotEqual(t, one.Row(0), o.Row(0), name)
	}
	assert.Panics(t, func() { transforms.Gather(v, []int{v.Len()}) })
}

// The wave agrees with package math to a few units in the last place of quantities that are at most 1; the argument 0.5πr of math.Cos is itself rounded, which costs r/2 such units.
func TestRadialWave(t *testing.T) {
	for i := range 20000 {
		r := float64(i) * 0.0005 // beyond the corner of the domain, 7.07
		want := math.Cos(0.5*math.Pi*r) * math.Exp(-0.1*math.Pi*r)
		require.InDelta(t, want, radialWave(r), 3e-15, "r = %v", r)
	}
	assert.Equal(t, 1.0, radialWave(0))
}

func TestSyntheticDistribution(t *testing.T) {
	const n = 40000
	v := synthetic(11, "data/train")
	truth := v.Truth
	x, y := transforms.Gather(v, transforms.Span(0, n))
	var mean [2]float64
	var signal, noise, noise2, noise4 float64
	for i := range n {
		for j, xj := range x.Row(i) {
			require.True(t, xj >= -5 && xj < 5)
			mean[j] += xj / n
		}
		f := truth(x.Row(i))
		e := (y.At(i, 0) - f) / 0.1
		signal += f * f / n
		noise += e / n
		noise2 += e * e / n
		noise4 += e * e * e * e / n
	}
	// Each tolerance is 4.5 standard deviations of the mean of n values, so that each of the six
	// raises a false alarm with probability 7e-6. Variances: 100/12 of x; E f⁴ - (E f²)² =
	// 0.012627 - 0.065371², by quadrature, of f²; 1, 2 and 105 - 9 of e, e² and e⁴.
	tol := func(variance float64) float64 { return 4.5 * math.Sqrt(variance/n) }
	assert.InDelta(t, 0, mean[0], tol(100./12))
	assert.InDelta(t, 0, mean[1], tol(100./12))
	assert.InDelta(t, 0.065371, signal, tol(0.012627-0.065371*0.065371))
	assert.InDelta(t, 0, noise, tol(1))
	assert.InDelta(t, 1, noise2, tol(2))
	assert.InDelta(t, 3, noise4, tol(96))
}

func TestGatherFillsRowsInOrder(t *testing.T) {
	m := transforms.InMemory{X: compute.NewMatrix(3, 2), Y: compute.NewMatrix(3, 1)}
	copy(m.X.Data, []float64{1, 2, 3, 4, 5, 6})
	copy(m.Y.Data, []float64{7, 8, 9})
	x, y := transforms.Gather(m, []int{2, 0})
	assert.Equal(t, []float64{5, 6, 1, 2}, x.Data)
	assert.Equal(t, []float64{9, 7}, y.Data)
	c := transforms.Subset{Samples: m, Rows: []int{2, 1}}
	assert.Equal(t, 2, c.Len())
	x, y = transforms.Gather(c, []int{1, 0})
	assert.Equal(t, []float64{3, 4, 5, 6}, x.Data)
	assert.Equal(t, []float64{8, 9}, y.Data)
}

// Two uniform points of a square of side 10 are at most 5.1200 apart with probability 1/2: πs² -
// 8s³/3 + s⁴/2 = 1/2 at s = 0.51200. Over 4000 points the median has standard deviation
// 2√(ζ/4000)/p = 0.031, where p is the density there and ζ = 0.0187 the variance over x of the
// probability given x. 4.5 of them: false alarm with probability 7e-6.
func TestMedianDistanceOfSynthetic(t *testing.T) {
	assert.InDelta(t, 5.1200, transforms.MedianDistance(synthetic(0, "data/train"), 0, 0), 4.5*0.031)
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
		"Task \"counts\" is none of regression":                      generated(func(s *Source) { s.Task = "counts" }),
		"Dims and Rows must be positive":                             generated(func(s *Source) { s.Dims = 0 }),
		"set one of Generate and Files":                              generated(func(s *Source) { s.Generate = nil }),
		"needs a Description":                                        generated(func(s *Source) { s.Generate.Description = "" }),
		"needs one of Row, Grid, Drift":                              generated(func(s *Source) { s.Generate.Row = nil }),
		"Domain has 1 inputs, and Dims is 2":                         generated(func(s *Source) { s.Generate.Domain = make([][2]float64, 1) }),
		"Outputs of a multiclass task":                               generated(func(s *Source) { s.Task = taskMulticlass }),
		"Format \"xls\" is none of csv, libsvm, npy":                 files(func(s *Source) { s.Format = "xls" }),
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
