package algos

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

var nan, inf = math.NaN(), math.Inf(1)

func TestRegistry(t *testing.T) {
	assert.Equal(t, Names(), slices.Sorted(slices.Values(Names())))
	for _, name := range []string{"dsg", "k-sdca", "krr", "ksvm", "n-pegasos", "n-rbcd", "n-sbmd", "n-sdca",
		"norma", "r-pegasos", "r-rbcd", "r-sbmd", "r-sdca"} {
		assert.Contains(t, Names(), name)
	}
	for _, name := range Names() {
		a, err := New(name)
		require.NoError(t, err)
		again, err := New(name)
		require.NoError(t, err)
		assert.Equal(t, a, again)
		set(a, "batch", 17)
		set(a, "features", 17)
		third, err := New(name)
		require.NoError(t, err)
		assert.Equal(t, again, third, "%s: what one spec overwrites is not another's default", name)
		assert.Implements(t, (*Coster)(nil), a, name)
	}
	_, err := New("dsgd")
	assert.EqualError(t, err, `unknown algorithm "dsgd"`)
	assert.PanicsWithValue(t, "algos: dsg registered twice", func() { register("dsg", nil) })
}

// Law 6: no clock, file, log, goroutine or global random generator, in the methods or what they build on.
func TestLawNothingFromOutside(t *testing.T) {
	forbidden := []string{"time", "os", "log", "io", "math/rand", "runtime", "sync", "net", "syscall", "unsafe"}
	for _, folder := range []string{".", "kernels", "losses", "schedules"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
			require.NoError(t, err)
			for _, i := range file.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				require.NoError(t, err)
				for _, f := range forbidden {
					assert.False(t, path == f || strings.HasPrefix(path, f+"/"), "%s imports %s", name, path)
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				_, isGo := n.(*ast.GoStmt)
				_, isSend := n.(*ast.SendStmt)
				assert.False(t, isGo || isSend, "%s starts goroutines", name)
				return true
			})
		}
	}
}

// TestCosts compares what plan promises with what the engine counted and the fit holds.
func TestCosts(t *testing.T) {
	const n, batch, T = 40, 4, 25
	step := &schedules.Constant{Gamma0: 0.1}
	pegasos := PegasosSettings{Batch: batch, Features: 6, Step: step}
	sdca := SDCASettings{Batch: batch}
	sbmd := SBMDSettings{Batch: batch, Features: 6, Blocks: 3, Step: step}
	rbcd := RBCDSettings{Features: 6, Blocks: 3}
	for name, a := range map[string]Algorithm{
		"dsg":       &DSG{Batch: batch, Block: 3, Step: step},
		"norma":     &NORMA{Batch: batch, Step: step},
		"r-pegasos": &RPegasos{pegasos},
		"n-pegasos": &NPegasos{pegasos, 0},
		"krr":       &KRR{},
		"ksvm":      &KSVM{Gap: 1e-8},
		"k-sdca":    &KSDCA{sdca},
		"r-sdca":    &RSDCA{sdca, 6},
		"n-sdca":    &NSDCA{sdca, 6, 0},
		"r-sbmd":    &RSBMD{sbmd},
		"n-sbmd":    &NSBMD{sbmd, 0},
		"r-rbcd":    &RRBCD{rbcd},
		"n-rbcd":    &NRBCD{rbcd, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := problem(n, losses.Square{})
			if _, err := a.Start(p); errors.Is(err, ErrUnsupported) {
				p = problem(n, losses.Hinge{})
				p.Nu = 50 // all rows are support vectors
			}
			p.Engine = compute.NewEngine(compute.Options{Threads: 1})
			f := start(t, a, p)
			first, err := f.Step()
			require.NoError(t, err)
			steps(t, f, T-1)
			spent := p.Engine.Counters()
			cost := a.(Coster).Cost(Size{N: n, In: 3, Out: 2, Steps: T, Evals: 1})
			assert.EqualValues(t, cost.FeatureEvals, spent.FeatureEvals)
			assert.EqualValues(t, cost.KernelEvals, spent.KernelEvals)
			assert.LessOrEqual(t, float64(f.(Sizer).Footprint()), cost.Bytes, "the predictor is part of the memory")

			x := queries(3)
			f.Model().Predict(x)
			eval := p.Engine.Counters().Sub(spent)
			assert.EqualValues(t, cost.EvalCost*float64(x.Rows), eval.FeatureEvals+eval.KernelEvals)

			if b, ok := a.(Batcher); ok {
				assert.Equal(t, first.Seen, min(b.BatchSize(), n))
			}
		})
	}
}

// TestEvaluationCostOfACurve: running predictions cost the same for any number of points on the curve.
func TestEvaluationCostOfACurve(t *testing.T) {
	const T = 24
	step := &schedules.Constant{Gamma0: 0.1}
	for name, a := range map[string]Algorithm{"dsg": &DSG{Batch: 4, Block: 3, Step: step}, "norma": &NORMA{Batch: 4, Step: step}} {
		for _, every := range []int{1, 5, T} {
			p := problem(40, losses.Square{})
			f := start(t, a, p)
			x, last := queries(3), 0
			running := predictions(f, x.Rows)
			evaluations := int64(0)
			for k := 1; k <= T; k++ {
				steps(t, f, 1)
				if k%every == 0 || k == T {
					before := p.Engine.Counters()
					f.(Incremental).Advance(last, x, running)
					spent := p.Engine.Counters().Sub(before)
					evaluations += spent.FeatureEvals + spent.KernelEvals
					last = k
				}
			}
			want := a.(Coster).Cost(Size{N: 40, In: 3, Out: 2, Steps: T, Evals: T / every}).EvalCost * float64(x.Rows)
			assert.EqualValues(t, want, evaluations, "%s, every %d steps", name, every)
		}
	}
}
