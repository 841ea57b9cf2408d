package exact

import (
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"io/fs"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const precision = 200 // bits of the oracles

func wide(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

// bigExp is e^x by the series at x/2¹¹, squared 11 times.
func bigExp(x *big.Float) *big.Float {
	y := new(big.Float).SetMantExp(x, -11)
	sum, term := wide(1), wide(1)
	for k := 1; k < 60; k++ {
		term.Quo(term.Mul(term, y), wide(float64(k)))
		sum.Add(sum, term)
	}
	for range 11 {
		sum.Mul(sum, sum)
	}
	return sum
}

// bigLog is ln x: Newton's method from math.Log has 53, 106 and then all bits.
func bigLog(x float64) *big.Float {
	y := wide(math.Log(x))
	for range 2 { // y + 2(x - e^y)/(x + e^y), of third order
		e := bigExp(y)
		step := new(big.Float).Quo(new(big.Float).Sub(wide(x), e), new(big.Float).Add(wide(x), e))
		y.Add(y, step.Mul(step, wide(2)))
	}
	return y
}

// ulps is the error of got in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	near, _ := want.Float64()
	_, e := math.Frexp(near)
	off, _ := new(big.Float).Sub(wide(got), want).Float64()
	return math.Abs(off) / math.Ldexp(1, max(e, -1021)-53)
}

// The bounds are those that the functions state.
func TestErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	exp, log, pow := 0.0, 0.0, 0.0
	for range 5000 {
		x := (2*r.Float64() - 1) * math.Ldexp(1, r.IntN(14)-4)
		if x > -745 && x < 709.78 {
			exp = max(exp, ulps(Exp(x), bigExp(wide(x))))
		}
		v := math.Ldexp(1+r.Float64(), r.IntN(40)*r.IntN(2)-20)
		log = max(log, ulps(Log(v), bigLog(v)))
		y := 8*r.Float64() - 4
		pow = max(pow, ulps(Pow(v, y), bigExp(new(big.Float).Mul(wide(y), bigLog(v))))/(4+math.Abs(Log(v))))
	}
	t.Logf("largest errors, in units of the last place: exp %.2f, log %.2f; of pow, over its bound: %.2f", exp, log, pow)
	assert.Less(t, exp, 1.5)
	assert.Less(t, log, 1.)
	assert.Less(t, pow, 1.)
}

// Special values are those of package math within a unit in the last place.
func TestElementaryAgainstMath(t *testing.T) {
	near := func(want, got float64, of ...float64) {
		if math.IsNaN(want) {
			require.True(t, math.IsNaN(got), "of %v", of)
			return
		}
		step := int64(math.Float64bits(want)) - int64(math.Float64bits(got))
		require.True(t, -1 <= step && step <= 1, "of %v: want %v, got %v", of, want, got)
	}
	special := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 2, -2, 1.5, -1.5, 3, -3, 0.3, -0.3, 1e-300, 1e300, -1e300, 1 << 60, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, x := range special {
		near(math.Exp(x), Exp(x), x)
		near(math.Log(x), Log(x), x)
		for _, y := range special {
			near(math.Pow(x, y), Pow(x, y), x, y)
		}
	}
	assert.Equal(t, math.Inf(1), Exp(709.79))
	assert.InEpsilon(t, 1.7526e308, Exp(709.7572912732978), 1e-4)
	assert.Equal(t, math.SmallestNonzeroFloat64, Exp(-745))
	assert.Equal(t, 0., Exp(-745.2))
	assert.Equal(t, -1074*math.Ln2, Log(math.SmallestNonzeroFloat64))
}

// The bits are the same on every platform: this is the hash of results on amd64.
func TestElementaryBits(t *testing.T) {
	h := fnv.New64a()
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		x := (2*r.Float64() - 1) * math.Ldexp(1, r.IntN(20)-10)
		for _, v := range []float64{Exp(x), Log(math.Abs(x)), Pow(math.Abs(x), 8*r.Float64()-4)} {
			_ = binary.Write(h, binary.LittleEndian, math.Float64bits(v)) // a hash cannot fail
		}
	}
	assert.Equal(t, "5f444c08f8e5d5d2", fmt.Sprintf("%x", h.Sum64()))
}

// moves are functions of package math whose bits differ between platforms: Go has several ways to compute e^x, and these use it. Log
// differs below the smallest normal number.
var moves = strings.Fields("Exp Exp2 Pow Log Sinh Cosh Tanh Gamma Erf Erfc Asinh Acosh Log10")

// TestRecordedNumbersUseExact looks for calls of these functions where numbers of records and rows of data are made.
func TestRecordedNumbersUseExact(t *testing.T) {
	var found []string
	files := 0
	for _, part := range []string{"algos", "datasets", "experiments", "runner"} {
		root := filepath.Join("../../..", part)
		require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			switch {
			case d.IsDir() && (d.Name() == "gen" || d.Name() == "benchmark" || d.Name() == "algostest" || d.Name() == "computetest" || d.Name() == "simd" || d.Name() == "testdata"):
				return filepath.SkipDir // code that makes or measures code, vector functions, whose calls are for special values, and the device whose last bits nobody is promised
			case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			files++
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := s.X.(*ast.Ident); ok && of.Name == "math" && strings.Contains(" "+strings.Join(moves, " ")+" ", " "+s.Sel.Name+" ") && !strings.Contains(path, "compute/exact") {
						found = append(found, fmt.Sprint(set.Position(n.Pos()), ": math.", s.Sel.Name))
					}
				}
				return true
			})
			return nil
		}))
	}
	assert.Greater(t, files, 200)
	assert.Empty(t, found, "use the function of package exact")
}
