package algos

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// set sets the hyperparameter with a toml key, if the method has it.
func set(a Algorithm, key string, value any) {
	v := reflect.ValueOf(a).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if keyOf(f) == key {
			v.FieldByIndex(f.Index).Set(reflect.ValueOf(value))
		}
	}
}

// keyOf returns a field's key in specs.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	return key
}

// has says whether the method has a hyperparameter with a toml key.
func has(a Algorithm, key string) bool {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(a).Elem()) {
		if keyOf(f) == key {
			return true
		}
	}
	return false
}

// configured returns a registered method with hyperparameters of a small problem.
func configured(t *testing.T, name string, settings map[string]any) Algorithm {
	t.Helper()
	a, err := New(name)
	require.NoError(t, err)
	for k, v := range settings {
		set(a, k, v)
	}
	return a
}

// Sets of hyperparameters for the laws: the defaults of the registration but for sizes; batches that end
// in the middle of an epoch, with averaging; and the other decomposition of methods that have one.
var lawSettings = map[string]map[string]any{
	"single":  {"features": 16, "landmarks": 16, "directions": 5},
	"batches": {"features": 16, "landmarks": 16, "directions": 5, "batch": 7, "block": 5, "average": true, "bias": true},
	"nystrom": {"features": 16, "landmarks": 16, "directions": 5, "batch": 7, "decomposition": "nystrom"},
}

// smallSteps are for density-ratio, the slope of whose exp has no bound.
var smallSteps = schedules.Schedule(&schedules.Inverse{Gamma0: 0.1, T0: 100})

// lawSteps end in the third epoch of lawPoints with batches of 7.
const lawSteps, lawPoints = 20, 60

// forEachFit runs a law for every registered method, loss and set of hyperparameters that Start
// accepts. begin returns a fresh fit of the same problem on an engine with the given threads.
func forEachFit(t *testing.T, law func(t *testing.T, begin func(t *testing.T, threads int) (Fit, *Problem))) {
	for _, name := range Names() {
		supported := 0
		for _, loss := range losses.Names() {
			for variant, settings := range lawSettings {
				begin := func(t *testing.T, threads int) (Fit, *Problem) {
					p := problem(lawPoints, named(t, loss))
					p.Engine = compute.NewEngine(compute.Options{Threads: threads})
					a := configured(t, name, settings)
					if p.Loss == (losses.DensityRatio{}) {
						set(a, "step", smallSteps)
					}
					f, _, err := startAny(a, p)
					if errors.Is(err, ErrUnsupported) {
						return nil, nil
					}
					require.NoError(t, err)
					return f, p
				}
				if settings["decomposition"] != nil && !has(configured(t, name, nil), "decomposition") {
					continue // nothing new
				}
				if f, _ := begin(t, 1); f == nil {
					continue
				}
				supported++
				t.Run(fmt.Sprintf("%s/%s/%s", name, loss, variant), func(t *testing.T) { law(t, begin) })
			}
		}
		assert.NotZero(t, supported, "%s supports no loss", name)
	}
}

// encode saves a state as the runner does.
func encode(t *testing.T, f Fit) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, gob.NewEncoder(&b).Encode(f.State()))
	return b.Bytes()
}

// restore decodes into a fresh value, for gob leaves out zero fields, and sets the fit's state to it.
func restore(t *testing.T, f Fit, state []byte) {
	t.Helper()
	target := reflect.ValueOf(f.State()).Elem()
	fresh := reflect.New(target.Type())
	require.NoError(t, gob.NewDecoder(bytes.NewReader(state)).DecodeValue(fresh))
	target.Set(fresh.Elem())
}

// bits is all that can be seen of a fit: its predictions and its state, bit by bit.
func bits(t *testing.T, f Fit) []uint64 {
	t.Helper()
	var b []uint64
	models := []Model{f.Model()}
	if a, ok := f.(Averager); ok && a.Average() != nil {
		models = append(models, a.Average())
	}
	for _, m := range models {
		u := m.Predict(queries(3))
		for i := range u.Rows {
			for _, v := range u.Row(i) {
				b = append(b, math.Float64bits(v))
			}
		}
	}
	for _, v := range encode(t, f) {
		b = append(b, uint64(v))
	}
	return b
}

// Law 1: the same problem and settings give the same bits, at any thread count.
func TestLawSameBits(t *testing.T) {
	forEachFit(t, func(t *testing.T, begin func(*testing.T, int) (Fit, *Problem)) {
		first, _ := begin(t, 1)
		steps(t, first, lawSteps)
		want := bits(t, first)
		for _, threads := range []int{1, 2, 3} {
			f, _ := begin(t, threads)
			steps(t, f, lawSteps)
			require.Equal(t, want, bits(t, f), "%d threads", threads)
		}
	})
}

// Law 2: observing is free.
func TestLawObservingIsFree(t *testing.T) {
	forEachFit(t, func(t *testing.T, begin func(*testing.T, int) (Fit, *Problem)) {
		alone, _ := begin(t, 1)
		observed, _ := begin(t, 1)
		for range lawSteps {
			observe(t, observed)
			steps(t, alone, 1)
			steps(t, observed, 1)
		}
		observe(t, observed)
		require.Equal(t, bits(t, alone), bits(t, observed))
	})
}

// observe calls everything that must not change a fit, at points that must not change either.
func observe(t *testing.T, f Fit) {
	t.Helper()
	x := queries(3)
	before := x.Clone()
	first := f.Model().Predict(x)
	again := f.Model().Predict(x)
	require.Equal(t, first, again, "a model predicts the same twice")
	f.Model().Predict(x.RowRange(0, 0))
	f.Model().Predict(x.RowRange(2, 3))
	if a, ok := f.(Averager); ok && a.Average() != nil {
		a.Average().Predict(x)
	}
	if i, ok := f.(Incremental); ok {
		i.Advance(0, x, predictions(f, x.Rows))
	}
	s, ok := f.(Sizer)
	require.True(t, ok, "every method says how many bytes its predictor needs")
	require.GreaterOrEqual(t, s.Footprint(), int64(0))
	encode(t, f)
	require.Equal(t, before, x, "points changed")
	// The caller owns a prediction and may overwrite it.
	for i := range first.Data {
		first.Data[i] = math.NaN()
	}
}

// Law 3: a state saved after k steps, restored into a fresh fit or one that went elsewhere,
// continues with the same bits.
func TestLawStateIsEnough(t *testing.T) {
	forEachFit(t, func(t *testing.T, begin func(*testing.T, int) (Fit, *Problem)) {
		for _, k := range []int{0, 1, 9, 13} { // 9 ends an epoch of 60 points in batches of 7
			whole, _ := begin(t, 1)
			steps(t, whole, k)
			state, now := encode(t, whole), bits(t, whole)
			steps(t, whole, lawSteps-k)
			want := bits(t, whole)

			fresh, _ := begin(t, 2)
			used, _ := begin(t, 1)
			steps(t, used, lawSteps+3)
			for name, f := range map[string]Fit{"fresh": fresh, "used": used, "itself": whole} {
				restore(t, f, state)
				require.Equal(t, now, bits(t, f), "%s fit, restored after %d steps", name, k)
				steps(t, f, lawSteps-k)
				require.Equal(t, want, bits(t, f), "%s fit, continued after %d steps", name, k)
			}
		}
	})
}

// The state is a pointer to a struct whose fields gob sees, and saving twice gives the same bytes.
func TestLawStateIsPlainData(t *testing.T) {
	forEachFit(t, func(t *testing.T, begin func(*testing.T, int) (Fit, *Problem)) {
		f, _ := begin(t, 1)
		s := reflect.TypeOf(f.State())
		require.Equal(t, reflect.Pointer, s.Kind())
		require.Equal(t, reflect.Struct, s.Elem().Kind())
		for _, field := range reflect.VisibleFields(s.Elem()) {
			assert.True(t, field.IsExported(), "%s would not be saved", field.Name)
		}
		steps(t, f, 2)
		assert.Equal(t, encode(t, f), encode(t, f))
		assert.Equal(t, reflect.ValueOf(f.State()).Pointer(), reflect.ValueOf(f.State()).Pointer(), "one state")
	})
}

// Law 4: training data is read-only.
func TestLawTrainingDataIsUntouched(t *testing.T) {
	forEachFit(t, func(t *testing.T, begin func(*testing.T, int) (Fit, *Problem)) {
		f, p := begin(t, 1)
		for range lawSteps {
			steps(t, f, 1)
			observe(t, f)
		}
		want, got := draw("train", lawPoints, p.Loss.Task()), p.Train.(*dense)
		assert.Equal(t, want.x, got.x)
		assert.Equal(t, want.y, got.y)
		for _, rows := range got.gathered {
			for _, r := range rows {
				require.True(t, r >= 0 && r < lawPoints)
			}
		}
	})
}

// Law 5: with the defaults of its registration but for the number of features, a method beats the zero
// predictor on fresh points after two epochs, and so does its averaged iterate.
func TestLawBeatsTheZeroPredictor(t *testing.T) {
	const n = 300
	for _, name := range Names() {
		for _, loss := range losses.Names() {
			t.Run(name+"/"+loss, func(t *testing.T) {
				l := named(t, loss)
				p, test := problem(n, l), draw("test", n, l.Task())
				settings, epochs, beats := map[string]any{"average": true, "features": 64, "landmarks": 64, "directions": 20}, 2, beatsZero
				switch l {
				case losses.DensityRatio{}:
					settings["step"] = smallSteps
				case losses.Novelty{}: // where only the balance of f and τ matters, noise must be small
					settings["step"] = schedules.Schedule(&schedules.Inverse{Gamma0: 1, T0: 40})
					settings["batch"], settings["block"] = 30, 16
					epochs, beats = 20, findsNovelty
				}
				a := configured(t, name, settings)
				if b, ok := a.(Batcher); ok && b.BatchSize() > n {
					epochs = 40 // steps, each of which moves one block of eight
				}
				switch a.(type) {
				case *SpectralCutoff, *SpectralSketch:
					epochs = 20 // steps, each of which adds an eigenvector
				}
				f, p, err := startAny(a, p)
				if errors.Is(err, ErrUnsupported) {
					return
				}
				require.NoError(t, err)
				test = likeTargets(p, test)
				for seen := 0; seen < epochs*n; {
					progress, err := f.Step()
					require.NoError(t, err)
					if seen += progress.Seen; progress.Done {
						break
					}
				}
				beats(t, p, f.Model(), test)
				if a, ok := f.(Averager); ok && a.Average() != nil {
					beats(t, p, a.Average(), test)
				}
			})
		}
	}
}

// beatsZero requires a loss 5 % below that of zero: the mean gain over 300 points of a predictor that
// gains that much has a standard deviation of about 1 %.
func beatsZero(t *testing.T, p *Problem, m Model, test *dense) {
	t.Helper()
	zero := mean(p.Loss, compute.NewMatrix(test.x.Rows, 2), test.y)
	assert.Less(t, mean(p.Loss, m.Predict(test.x), test.y), 0.95*zero)
}

// findsNovelty requires what zero does not do: predictions are lower far from the middle, where the
// kernel sees fewer neighbours. Zero has no correlation; that of 300 points has a standard deviation of 0.06.
func findsNovelty(t *testing.T, _ *Problem, m Model, test *dense) {
	t.Helper()
	u := m.Predict(test.x)
	for j := range u.Cols {
		var outputs, distances []float64
		for i := range u.Rows {
			x := test.x.Row(i)
			outputs = append(outputs, u.At(i, j))
			distances = append(distances, x[0]*x[0]+x[1]*x[1]+x[2]*x[2])
		}
		assert.Less(t, stat.Correlation(outputs, distances, nil), -0.5)
	}
}

func mean(l losses.Loss, u, y compute.Matrix) float64 {
	s := 0.0
	for i := range u.Rows {
		s += l.Value(u.Row(i), y.Row(i)) / float64(u.Rows)
	}
	return s
}

// Progress counts the examples of the epochs, batches of 7 and a short last one; a method that is
// done stays done and changes nothing.
func TestLawProgress(t *testing.T) {
	forEachFit(t, func(t *testing.T, begin func(*testing.T, int) (Fit, *Problem)) {
		f, _ := begin(t, 1)
		seen := 0
		for range 3 * lawPoints {
			p, err := f.Step()
			require.NoError(t, err)
			require.GreaterOrEqual(t, p.Seen, 1)
			if seen += p.Seen; p.Done {
				want := bits(t, f)
				p, err = f.Step()
				require.NoError(t, err)
				assert.Equal(t, Progress{Done: true}, p)
				assert.Equal(t, want, bits(t, f))
				assert.Equal(t, lawPoints, seen)
				return
			}
			if seen%lawPoints == 0 {
				return
			}
		}
		assert.Fail(t, "no step ended with an epoch")
	})
}

// A fit whose step size is absurd says so instead of going on.
func TestLawDivergence(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			p := problem(lawPoints, losses.Square{})
			a := configured(t, name, map[string]any{"features": 16, "landmarks": 16, "directions": 5, "step": schedules.Schedule(&schedules.Constant{Gamma0: 1e9})})
			if !reflect.ValueOf(a).Elem().FieldByName("Step").IsValid() {
				return // it takes no step size
			}
			f, _, err := startAny(a, p)
			if errors.Is(err, ErrUnsupported) {
				return
			}
			require.NoError(t, err)
			for range 300 {
				progress, err := f.Step()
				if progress.Done {
					return
				}
				if err != nil {
					require.ErrorIs(t, err, ErrDiverged)
					assert.Contains(t, err.Error(), "step ")
					return
				}
			}
			assert.Fail(t, "300 steps of 10⁹ did not diverge")
		})
	}
}

// TestLawAnticipatedPredictions: what a fit stores for rows to come changes neither the fit nor, but for rounding,
// predictions there, and other rows have their own.
func TestLawAnticipatedPredictions(t *testing.T) {
	forEachFit(t, func(t *testing.T, begin func(t *testing.T, threads int) (Fit, *Problem)) {
		f, p := begin(t, 1)
		a, ok := f.(Anticipator)
		if !ok {
			t.Skip("it stores nothing")
		}
		for range 3 {
			_, err := f.Step()
			require.NoError(t, err)
		}
		x, _ := p.Dense()
		z := x.RowRange(1, 9).Clone()
		z.Scale(0.9)
		before, others := f.Model().Predict(z), f.Model().Predict(x)
		a.Anticipate(z)
		evals := p.Engine.Counters().KernelEvals
		assert.InDeltaSlice(t, before.Data, f.Model().Predict(z).Data, 1e-12)
		assert.Equal(t, evals, p.Engine.Counters().KernelEvals, "no value is evaluated again")
		assert.InDeltaSlice(t, others.Data, f.Model().Predict(x).Data, 1e-12)
		assert.Greater(t, p.Engine.Counters().KernelEvals, evals)
	})
}
