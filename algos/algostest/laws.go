// Package algostest holds every method to the laws of algos.Fit. A method from anywhere is tested by one call,
//
//	func TestLaws(t *testing.T) { algostest.Laws(t, &mymethods.MeanEmbedding{Batch: 32}) }
//
// The small problems and naive formulas of the package are for oracle tests of the method: laws do not notice a lost
// factor of n.
package algostest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
	"repro/algos/schedules"
)

// Laws runs the laws of algos.Fit as subtests, on every loss that a solves. a is a pointer to the method with the
// defaults of its registration. The laws work on copies of a. In these they set hyperparameters with the usual keys
// (batch, features, step, average, ...) to values for problems of 60 and 300 rows, three inputs and two outputs.
//
// An algorithm with a problem of its own (algos.Traits.Own) is held to those that need no rows.
func Laws(t *testing.T, a algos.Algorithm) {
	t.Helper()
	all := startable(t, a)
	require.NotEmpty(t, all, "the method solves no problem of the laws")
	own := algos.TraitsOf(a).Own
	for _, law := range []struct {
		name string
		test func(t *testing.T, c *lawCase)
	}{
		{"SameBits", sameBits},
		{"ObservingIsFree", observingIsFree},
		{"StateIsPlainData", stateIsPlainData},
		{"StateIsEnough", stateIsEnough},
		{"Leaps", leaps},
		{"Done", done},
		{"Progress", progress},
		{"AnticipatedPredictions", anticipatedPredictions},
		{"Both", both},
	} {
		if own && law.name == "Progress" {
			return // this and what follows is of rows
		}
		t.Run(law.name, func(t *testing.T) {
			for _, c := range all {
				t.Run(c.name, func(t *testing.T) { law.test(t, c) })
			}
		})
	}
	t.Run("BeatsTheZeroPredictor", func(t *testing.T) { beatsTheZeroPredictor(t, a) })
	t.Run("Converged", func(t *testing.T) { converged(t, a) })
	t.Run("Divergence", func(t *testing.T) { divergence(t, a) })
	t.Run("Advance", func(t *testing.T) { advance(t, a) })
	t.Run("Cached", func(t *testing.T) { cached(t, a) })
	t.Run("Sharing", func(t *testing.T) { sharing(t, a) })
	t.Run("Traits", func(t *testing.T) { traits(t, a, all) })
	if _, ok := a.(algos.Coster); ok {
		t.Run("Costs", func(t *testing.T) { costs(t, a) })
	}
	t.Run("Unsupported", func(t *testing.T) { unsupported(t, a) })
	t.Run("Online", func(t *testing.T) { online(t, a) })
}

// Laws of Direct and of Register: the fits of an algorithm are all done after their first step if and only if it is Direct, and they are of
// the type that it was registered with.
func traits(t *testing.T, a algos.Algorithm, all []*lawCase) {
	direct := true
	want, registered := algos.Declared(a)
	for _, c := range all {
		f, _ := c.start(t, 1)
		if registered {
			assert.Equal(t, reflect.TypeOf(want), reflect.TypeOf(f), c.name)
		}
		p, err := f.Step()
		direct = direct && err == nil && p.Done
	}
	assert.Equal(t, algos.TraitsOf(a).Direct, direct, "done after one step")
}

// lawSettings are sets of hyperparameters for the laws: the defaults of the registration except sizes; batches that do not
// divide the epoch, with averaging; and the other decomposition, sampling and selection, for methods that have two.
var lawSettings = map[string]map[string]any{
	"single":  {"features": 16, "landmarks": 16, "centres": 16, "rank": 16, "directions": 5},
	"batches": {"features": 16, "landmarks": 16, "centres": 16, "rank": 16, "directions": 5, "batch": 7, "block": 5, "average": true, "bias": true},
	"nystrom": {"features": 16, "landmarks": 16, "centres": 16, "rank": 16, "directions": 5, "batch": 7, "decomposition": "nystrom"},
	"drawn":   {"features": 16, "batch": 7, "sampling": "replacement"},
	"pivoted": {"features": 16, "landmarks": 16, "batch": 7, "selection": "rpcholesky"},
}

// smallSteps are step sizes for density-ratio, whose exp has an unbounded slope.
var smallSteps = schedules.Schedule(&schedules.Inverse{Gamma0: 0.1, T0: 100})

// lawSteps end in the third epoch of lawPoints with batches of 7.
const lawSteps, lawPoints = 20, 60

// A starter returns a fresh fit of the same problem on an engine with the given threads.
type starter func(t *testing.T, threads int) (algos.Fit, *algos.Problem)

// A lawCase is a loss and a set of hyperparameters that Start accepts, and the bits and states of a fit on one thread after the steps in
// saved, with which the laws compare.
type lawCase struct {
	name   string // loss/set
	start  starter
	bits   map[int][]uint64
	states map[int][]byte
}

// saved are steps of a fit; 9 ends an epoch of 60 points in batches of 7.
var saved = []int{0, 1, 9, 13, lawSteps}

// end returns the bits after lawSteps.
func (c *lawCase) end(t *testing.T) []uint64 {
	t.Helper()
	if c.bits == nil {
		c.bits, c.states = map[int][]uint64{}, map[int][]byte{}
		f, _ := c.start(t, 1)
		made, done := 0, false
		for _, k := range saved {
			for ; made < k && !done; made++ {
				p, err := f.Step()
				require.NoError(t, err)
				done = p.Done
			}
			c.bits[k], c.states[k] = bits(t, f), Encode(t, f)
		}
	}
	return c.bits[lawSteps]
}

// startable returns the cases of a method.
func startable(t *testing.T, a algos.Algorithm) (all []*lawCase) {
	t.Helper()
	if algos.TraitsOf(a).Own {
		return []*lawCase{{name: "own", start: func(t *testing.T, threads int) (algos.Fit, *algos.Problem) {
			return started(t, a, &algos.Problem{Seed: 1, Engine: compute.NewEngine(compute.Options{Threads: threads})})
		}}}
	}
	for _, loss := range losses.Names() {
		for variant, settings := range lawSettings {
			if sameAsBatches(a, settings) {
				continue
			}
			start := func(t *testing.T, threads int) (algos.Fit, *algos.Problem) {
				p := Problem(lawPoints, Loss(t, loss))
				p.Engine = compute.NewEngine(compute.Options{Threads: threads})
				a := With(a, settings)
				if p.Loss == (losses.DensityRatio{}) {
					Set(a, "step", smallSteps)
				}
				f, _ := started(t, a, p)
				return f, p
			}
			if f, _ := start(t, 1); f != nil {
				all = append(all, &lawCase{name: loss + "/" + variant, start: start})
			}
		}
	}
	return all
}

// sameAsBatches says whether a method has no key in which a set of hyperparameters differs from batches.
func sameAsBatches(a algos.Algorithm, settings map[string]any) bool {
	return slices.ContainsFunc([]string{"decomposition", "sampling", "selection"}, func(key string) bool { return settings[key] != nil && !has(a, key) })
}

// started is StartAny for a test, which closes the fit when it ends. The fit is nil if the method solves none of the problems.
func started(t *testing.T, a algos.Algorithm, p *algos.Problem) (algos.Fit, *algos.Problem) {
	t.Helper()
	f, p, err := StartAny(a, p)
	if errors.Is(err, algos.ErrUnsupported) {
		return nil, p
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, algos.Close(f)) })
	return f, p
}

// bits returns what a fit predicts and reports, and its state, bit by bit.
func bits(t *testing.T, f algos.Fit) []uint64 {
	t.Helper()
	var b []uint64
	if r, ok := f.(algos.Reporter); ok {
		all := r.Report()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			b = append(b, math.Float64bits(all[name]))
		}
	}
	var models []algos.Model
	if m := f.Model(); m != nil {
		models = append(models, m)
	}
	if a, ok := f.(algos.Averager); ok && a.Average() != nil {
		models = append(models, a.Average())
	}
	for _, m := range models {
		b = append(b, predicted(m, Queries(3))...)
	}
	for _, v := range Encode(t, f) {
		b = append(b, uint64(v))
	}
	return b
}

// predicted returns the bits of the predictions of a model.
func predicted(m algos.Model, x compute.Matrix) (b []uint64) {
	u := m.Predict(x)
	for i := range u.Rows {
		for _, v := range u.Row(i) {
			b = append(b, math.Float64bits(v))
		}
	}
	return b
}

// sameNumbers requires equal numbers, and says the first three that differ.
func sameNumbers(t *testing.T, want, got []uint64, says string, args ...any) {
	t.Helper()
	var differ []string
	for i := 0; i < min(len(want), len(got)) && len(differ) < 3; i++ {
		if want[i] != got[i] {
			differ = append(differ, fmt.Sprintf("number %d is %#x (%v), not %#x (%v)", i, got[i], math.Float64frombits(got[i]), want[i], math.Float64frombits(want[i])))
		}
	}
	require.Empty(t, differ, append([]any{says}, args...)...)
	require.Equal(t, len(want), len(got), append([]any{says}, args...)...)
}

// Law 1: the same problem and settings give the same bits, at any thread count.
func sameBits(t *testing.T, c *lawCase) {
	for _, threads := range []int{1, 2, 3} {
		f, _ := c.start(t, threads)
		Steps(t, f, lawSteps)
		sameNumbers(t, c.end(t), bits(t, f), "%d threads", threads)
	}
}

// Laws 2 and 4: observing is free, and training data is read-only.
func observingIsFree(t *testing.T, c *lawCase) {
	f, p := c.start(t, 1)
	for range lawSteps {
		observe(t, f)
		Steps(t, f, 1)
	}
	observe(t, f)
	sameNumbers(t, c.end(t), bits(t, f), "law 2: observing changes what later steps do")
	if p.Train == nil {
		return // a problem of the method's own
	}
	want, got := Draw("train", lawPoints, p.Loss.Task()), p.Train.(*Samples)
	assert.Equal(t, want.X, got.X)
	assert.Equal(t, want.Y, got.Y)
	for _, rows := range got.Gathered {
		for _, r := range rows {
			require.True(t, r >= 0 && r < lawPoints)
		}
	}
}

// observe calls everything that must not change a fit, at points that must not change either.
func observe(t *testing.T, f algos.Fit) {
	t.Helper()
	sameNumbers(t, bits(t, f), bits(t, f), "a fit says the same twice")
	require.NoError(t, algos.Err(f))
	if f.Model() == nil {
		return
	}
	x := Queries(3)
	before := x.Clone()
	first := f.Model().Predict(x)
	again := f.Model().Predict(x)
	require.Equal(t, first, again, "a model predicts the same twice")
	f.Model().Predict(x.RowRange(0, 0))
	f.Model().Predict(x.RowRange(2, 3))
	if a, ok := f.(algos.Averager); ok && a.Average() != nil {
		a.Average().Predict(x)
	}
	if i, ok := f.(algos.Incremental); ok {
		i.Advance(0, x, Predictions(f, x.Rows))
	}
	s, ok := f.(algos.Sizer)
	require.True(t, ok, "every method says how many bytes its predictor needs")
	require.GreaterOrEqual(t, s.Footprint(), int64(0))
	if n, ok := f.(algos.Normed); ok {
		n.SquaredNorms()
	}
	for _, name := range algos.NumbersOf(f) {
		_, _ = algos.NumberOf(f, name)() // in batches there is no contraction
	}
	Encode(t, f)
	require.Equal(t, before, x, "points changed")
	// The caller may overwrite a prediction.
	for i := range first.Data {
		first.Data[i] = math.NaN()
	}
}

// Law 3: a state saved after k steps, restored into a fresh fit or one that went elsewhere,
// continues with the same bits.
func stateIsEnough(t *testing.T, c *lawCase) {
	end := c.end(t)
	used, _ := c.start(t, 1)
	Steps(t, used, lawSteps+3)
	for _, k := range saved[:len(saved)-1] {
		fresh, _ := c.start(t, 2)
		for name, f := range map[string]algos.Fit{"a fresh fit": fresh, "a used fit": used} {
			Restore(t, f, c.states[k])
			sameNumbers(t, c.bits[k], bits(t, f), "law 3: %s, restored after %d steps, is another; State holds all that Step changes", name, k)
			Steps(t, f, lawSteps-k)
			sameNumbers(t, end, bits(t, f), "law 3: %s, restored after %d steps, went on in another way; State holds all that Step changes, also whether the fit is done", name, k)
		}
	}
}

// The state is a pointer to a struct whose fields gob sees, and saving twice gives the same bytes.
func stateIsPlainData(t *testing.T, c *lawCase) {
	f, _ := c.start(t, 1)
	s := reflect.TypeOf(f.State())
	require.Equal(t, reflect.Pointer, s.Kind())
	require.Equal(t, reflect.Struct, s.Elem().Kind())
	for _, field := range reflect.VisibleFields(s.Elem()) {
		assert.True(t, field.IsExported(), "%s would not be saved", field.Name)
	}
	Steps(t, f, 2)
	assert.Equal(t, Encode(t, f), Encode(t, f))
	assert.Equal(t, reflect.ValueOf(f.State()).Pointer(), reflect.ValueOf(f.State()).Pointer(), "one state")
}

// Law of Leaper: iterations made together have the bits of those made one by one.
func leaps(t *testing.T, c *lawCase) {
	for _, n := range []int{1, 3, lawSteps} {
		f, _ := c.start(t, 1)
		if _, ok := f.(algos.Leaper); !ok {
			t.Skip("the fit is not a Leaper")
		}
		for left, ended := lawSteps, false; left > 0 && !ended; {
			i := f.(algos.Leaper).Leap(min(n, left))[0]
			require.NoError(t, i.Err)
			require.True(t, i.Made >= 1 && i.Made <= min(n, left), "Leap(%d) made %d iterations", min(n, left), i.Made)
			left, ended = left-i.Made, i.Progress.Done
		}
		sameNumbers(t, c.end(t), bits(t, f), "leaps of %d", n)
	}
}

// mostSteps is the number of steps in which the laws look whether a fit stops by itself.
const mostSteps = 200

// Law of Progress: a fit that is done early, as by a tolerance, stays done, and so does one that is restored then; a leap ends with the
// step that was its last.
func done(t *testing.T, c *lawCase) {
	f, _ := c.start(t, 1)
	made := 0
	for stop := false; !stop; made++ {
		p, err := f.Step()
		if stop = p.Done; err != nil || made == mostSteps {
			t.Skip("the fit does not stop by itself")
		}
	}
	want, state := bits(t, f), Encode(t, f)
	restored, _ := c.start(t, 1)
	Restore(t, restored, state)
	for name, f := range map[string]algos.Fit{"a fit that is done": f, "its state in a fresh fit": restored} {
		for range 2 {
			p, err := f.Step()
			require.NoError(t, err)
			require.Equal(t, algos.Progress{Done: true}, p, "law of Progress: %s stays done; begin Step with a return of Progress{Done: true} if it is", name)
			sameNumbers(t, want, bits(t, f), "law of Progress: steps of %s change nothing", name)
		}
	}
	l, _ := c.start(t, 1)
	if leaper, ok := l.(algos.Leaper); ok {
		leapt := 0
		for stop := false; !stop; {
			i := leaper.Leap(made + 1 - leapt)[0]
			require.NoError(t, i.Err)
			leapt, stop = leapt+i.Made, i.Progress.Done
			require.LessOrEqual(t, leapt, made, "law of Progress: a leap ends with the step that was the last")
		}
		require.Equal(t, made, leapt)
		sameNumbers(t, want, bits(t, l), "leaps to the last step")
	}
}

// Law 5: after two epochs a method beats the zero predictor on new points, and so does its averaged iterate. The method
// has the defaults of its registration except the number of features.
func beatsTheZeroPredictor(t *testing.T, a algos.Algorithm) {
	const n = 300
	for _, loss := range losses.Names() {
		t.Run(loss, func(t *testing.T) {
			l := Loss(t, loss)
			p, test := Problem(n, l), Draw("test", n, l.Task())
			settings, epochs, beats := map[string]any{"average": true, "features": 64, "landmarks": 64, "centres": 64, "rank": 64, "directions": 20}, 2, beatsZero
			switch l {
			case losses.DensityRatio{}:
				settings["step"] = smallSteps
			case losses.Novelty{}: // only the balance of f and τ matters, so the noise must be small
				settings["step"] = schedules.Schedule(&schedules.Inverse{Gamma0: 1, T0: 40})
				settings["batch"], settings["block"] = 30, 16
				epochs, beats = 20, findsNovelty
			}
			a := With(a, settings)
			if algos.TraitsOf(a).Batch > n {
				epochs = 40 // one step each, which changes one block of eight
			}
			f, p := started(t, a, p)
			if f == nil {
				return
			}
			if algos.NumberOf(f, "eigenvalue") != nil {
				epochs = 20 // one step each, which adds an eigenvector
			}
			test = LikeTargets(p, test)
			for seen := 0; seen < epochs*n; {
				progress, err := f.Step()
				require.NoError(t, err)
				if seen += progress.Seen; progress.Done {
					break
				}
			}
			beats(t, p, f.Model(), test)
			if a, ok := f.(algos.Averager); ok && a.Average() != nil {
				beats(t, p, a.Average(), test)
			}
		})
	}
}

// Repeated is Problem with the square loss, ν = 10⁻², and a third as many different inputs as rows: kernel matrices and those of landmarks
// are singular.
func Repeated(n int) *algos.Problem {
	p := Problem(n, losses.Square{})
	x, _ := p.Dense()
	for i := range n {
		copy(x.Row(i), x.Row(i%(n/3)))
	}
	p.Nu = 1e-2
	return p
}

// Objective returns what a fit minimises: the mean loss over the training rows, and ν/2·‖f‖² if it knows its norm.
func Objective(p *algos.Problem, f algos.Fit) float64 {
	x, y := p.Dense()
	of := mean(p.Loss, f.Model().Predict(x), y)
	if f, ok := f.(algos.Normed); ok && p.Nu > 0 {
		of += p.Nu / 2 * floats.Sum(f.SquaredNorms())
	}
	return of
}

// Law of relative-gradient: after ten times the steps that bring the gradient to a millionth, the objective is what it was or lower, though rows and
// landmarks repeat. One that says its contraction comes so far if the factor says so; other fits may not.
func converged(t *testing.T, a algos.Algorithm) {
	const most, small = 2000, 1e-6
	for variant, settings := range lawSettings {
		if sameAsBatches(a, settings) {
			continue
		}
		t.Run(variant, func(t *testing.T) {
			f, p := started(t, With(a, settings), Repeated(lawPoints))
			if f == nil || algos.NumberOf(f, "relative-gradient") == nil {
				return
			}
			reached := func() float64 { g, _ := algos.NumberOf(f, "relative-gradient")(); return g }
			made := 0
			for ; made < most && !(reached() <= small); made++ {
				Steps(t, f, 1)
			}
			if made == most {
				if contraction := algos.NumberOf(f, "contraction"); contraction != nil {
					factor, err := contraction()
					require.False(t, err == nil && math.Pow(factor, most) < small, "%d steps with the factor %g leave %g of the gradient", most, factor, reached())
				}
				t.Skip("the fit does not converge")
			}
			best := Objective(p, f)
			for range 9 {
				Steps(t, f, made)
				require.LessOrEqual(t, Objective(p, f), best*(1+1e-10), "converged after %d steps", made)
			}
		})
	}
}

// beatsZero requires a loss 5 % below that of the zero predictor. A mean gain of that size over 300 points has a standard
// deviation of about 1 %.
func beatsZero(t *testing.T, p *algos.Problem, m algos.Model, test *Samples) {
	t.Helper()
	zero := mean(p.Loss, compute.NewMatrix(test.X.Rows, 2), test.Y)
	assert.Less(t, mean(p.Loss, m.Predict(test.X), test.Y), 0.95*zero,
		"law 5: two epochs, or fewer if the fit is done, beat the zero predictor; check the default step size and, if a tolerance stops the fit, that")
}

// findsNovelty requires lower predictions far from the middle, where points have fewer neighbours. The zero predictor has
// no correlation with the distance; the correlation of 300 points has a standard deviation of 0.06.
func findsNovelty(t *testing.T, _ *algos.Problem, m algos.Model, test *Samples) {
	t.Helper()
	u := m.Predict(test.X)
	for j := range u.Cols {
		var outputs, distances []float64
		for i := range u.Rows {
			x := test.X.Row(i)
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

// Law of Progress: Seen counts the examples of an epoch exactly, with batches of 7 and a short last one. A fit may be done
// before, for example by a tolerance.
func progress(t *testing.T, c *lawCase) {
	f, _ := c.start(t, 1)
	seen := 0
	for made := range 3 * lawPoints {
		p, err := f.Step()
		require.NoError(t, err)
		require.GreaterOrEqual(t, p.Seen, 1, "law of Progress: a step uses examples; a fit says Done with its last step, not in a call after it")
		if seen += p.Seen; p.Done {
			if made == 0 {
				assert.Equal(t, lawPoints, seen, "law of Progress: a fit that is done after one step has seen every example; return Seen: n")
			}
			assert.LessOrEqual(t, seen, lawPoints, "law of Progress: Seen counts the examples of an epoch; cut its last batch")
			return
		}
		if seen%lawPoints == 0 {
			return
		}
	}
	assert.Fail(t, "no step ended with an epoch", "law of Progress: Seen counts the examples of an epoch; cut its last batch")
}

// divergence requires ErrDiverged from a fit with an absurd step size.
func divergence(t *testing.T, a algos.Algorithm) {
	if !has(a, "step") {
		t.Skip("the method has no setting step")
	}
	p := Problem(lawPoints, losses.Square{})
	a = With(a, map[string]any{"features": 16, "landmarks": 16, "centres": 16, "rank": 16, "directions": 5, "step": schedules.Schedule(&schedules.Constant{Gamma0: 1e9})})
	f, _ := started(t, a, p)
	if f == nil {
		return
	}
	for range 300 {
		progress, err := f.Step()
		if progress.Done {
			return
		}
		if err != nil {
			require.ErrorIs(t, err, algos.ErrDiverged)
			assert.Contains(t, err.Error(), "step ")
			return
		}
	}
	assert.Fail(t, "300 steps of 10⁹ did not diverge")
}

// Law of Traits.Shared: iterations made together have the bits, the costs and the errors of those alone, also after one of the fits
// has diverged. Fits with other settings than the step sizes share nothing.
func sharing(t *testing.T, a algos.Algorithm) {
	shared := func(settings map[string]any) any { return algos.TraitsOf(With(a, settings)).Shared }
	if shared(map[string]any{"step": smallSteps}) == nil {
		t.Skip("the fits share nothing")
	}
	for _, f := range reflect.VisibleFields(reflect.TypeOf(a).Elem()) {
		key := keyOf(f)
		opposite := reflect.ValueOf(a).Elem().FieldByIndex(f.Index).IsZero()
		other := map[reflect.Kind]any{reflect.Int: 17, reflect.Float64: 0.17, reflect.Bool: opposite, reflect.String: "other"}[f.Type.Kind()]
		if key != "" && key != "step" && other != nil {
			assert.NotEqual(t, shared(map[string]any{"step": smallSteps}), shared(map[string]any{"step": smallSteps, key: other}), key)
		}
	}
	for _, batch := range []int{1, 7, 90} {
		t.Run(fmt.Sprintf("batch=%d", batch), func(t *testing.T) {
			var algorithms []algos.Algorithm
			for _, gamma := range []float64{1e-3, 0.1, 1e200, 0.5} {
				algorithms = append(algorithms, With(a, map[string]any{
					"features": 16, "batch": batch, "sampling": "replacement", "step": schedules.Schedule(&schedules.Constant{Gamma0: gamma}),
				}))
				assert.Equal(t, algos.TraitsOf(algorithms[0]).Shared, algos.TraitsOf(algorithms[len(algorithms)-1]).Shared)
			}
			start := func() (fits []algos.Fit, engines []*compute.Engine) {
				for _, a := range algorithms {
					f, p, err := StartAny(a, Problem(lawPoints, losses.Square{}))
					require.NoError(t, err)
					fits, engines = append(fits, f), append(engines, p.Engine)
				}
				return fits, engines
			}
			together, engines := start()
			alone, ownEngines := start()
			diverged := 0
			for range 2 * lawSteps {
				const n = 5
				done := together[0].(algos.Leaper).Leap(n, together[1:]...)
				require.Len(t, done, len(together))
				for i := len(done) - 1; i >= 0; i-- {
					want := alone[i].(algos.Leaper).Leap(n)[0]
					require.Equal(t, want, done[i])
					require.Equal(t, ownEngines[i].Counters(), engines[i].Counters())
					if want.Err != nil {
						require.ErrorIs(t, want.Err, algos.ErrDiverged)
						diverged++
						together, engines = slices.Delete(together, i, i+1), slices.Delete(engines, i, i+1)
						alone, ownEngines = slices.Delete(alone, i, i+1), slices.Delete(ownEngines, i, i+1)
						continue
					}
					sameNumbers(t, bits(t, alone[i]), bits(t, together[i]), "fit %d", i) // predictions count too
				}
			}
			assert.Equal(t, 1, diverged)
		})
	}
}

// Law of Anticipator: kernel rows stored for x change neither the fit nor, up to rounding, the predictions at x, and they
// are not used for other rows.
func anticipatedPredictions(t *testing.T, c *lawCase) {
	f, p := c.start(t, 1)
	a, ok := f.(algos.Anticipator)
	if !ok {
		t.Skip("the fit is not an Anticipator")
	}
	Steps(t, f, 3)
	x, _ := p.Dense()
	z := x.RowRange(1, 9).Clone()
	z.Scale(0.9)
	before, others := f.Model().Predict(z), f.Model().Predict(x)
	a.Anticipate(z)
	evaluated := func() int64 { c := p.Engine.Counters(); return c.KernelEvals + c.FeatureEvals }
	evals := evaluated()
	assert.InDeltaSlice(t, before.Data, f.Model().Predict(z).Data, 1e-12)
	assert.Equal(t, evals, evaluated(), "no value is evaluated again")
	assert.InDeltaSlice(t, others.Data, f.Model().Predict(x).Data, 1e-12)
	assert.Greater(t, evaluated(), evals)
	assert.InDeltaSlice(t, before.RowRange(0, 5).Data, f.Model().Predict(z.RowRange(0, 5)).Data, 1e-12, "fewer of the rows")
}

// Law of Problem.Keep: operators that it has cached for other fits, under their names, change no bits.
func cached(t *testing.T, a algos.Algorithm) {
	for _, name := range []string{"single", "batches"} {
		var want []uint64
		for _, kept := range []bool{false, true} {
			p := Problem(lawPoints, losses.Square{})
			if x, _ := p.Dense(); kept {
				p.Keep = func(name string, _ func() compute.Operator) compute.Operator {
					z := map[string]compute.Matrix{algos.KeepTraining: x, algos.KeepTest: Queries(3)}[name]
					return p.Engine.Store(p.Engine.Kernel(p.Kernel, z, x))
				}
			}
			f, _ := started(t, With(a, lawSettings[name]), p)
			if f == nil {
				return
			}
			Steps(t, f, 3)
			x := Queries(3)
			if a, ok := f.(algos.Anticipator); ok {
				a.Anticipate(x)
			}
			got := bits(t, f)
			if m := f.Model(); m != nil {
				got = append(got, predicted(m, x)...)
			}
			if kept {
				sameNumbers(t, want, got, name)
			}
			want = got
		}
	}
}

// Law of Both: it returns the bits of the models, whether features are kept or not.
func both(t *testing.T, c *lawCase) {
	f, p := c.start(t, 1)
	b, ok := f.(algos.Both)
	if !ok || b.(algos.Averager).Average() == nil {
		t.Skip("the fit does not predict by two iterates at once")
	}
	Steps(t, f, 3)
	x, _ := p.Dense()
	for range 2 {
		got := b.Both(x)
		assert.Equal(t, f.Model().Predict(x).Data, got.Last.Data)
		assert.Equal(t, b.(algos.Averager).Average().Predict(x).Data, got.Average.Data)
		if a, ok := f.(algos.Anticipator); ok {
			a.Anticipate(x)
		}
	}
}

// MustPredict requires that running predictions equal those of the models up to 1e-10 of their size. Both sum a hundred
// terms, in different orders; 1e-10 is a million roundings.
func MustPredict(t *testing.T, f algos.Fit, x compute.Matrix, p algos.Predictions) {
	t.Helper()
	compare := func(m algos.Model, got compute.Matrix) {
		t.Helper()
		want := m.Predict(x)
		for i, v := range want.Data {
			require.InDelta(t, v, got.Data[i], 1e-10*(1+math.Abs(v)))
		}
	}
	compare(f.Model(), p.Last)
	if p.Average.Rows > 0 {
		compare(f.(algos.Averager).Average(), p.Average)
	}
}

// Law of Incremental: predictions advanced from any step, at once or through steps between, are those of the model. The
// step sizes are γν < 1; γ_tν = 1/t, for which the first factor 1 - γ_tν is 0; and γν = 1, for which all factors are 0.
func advance(t *testing.T, a algos.Algorithm) {
	shrinks := map[string]schedules.Schedule{
		"constant": &schedules.Constant{Gamma0: 0.5},
		"theta":    &schedules.Theta{Theta: 8},
		"forget":   &schedules.Constant{Gamma0: 8},
	}
	for _, loss := range losses.Names() {
		for shrink, schedule := range shrinks {
			for _, average := range []bool{false, true} {
				p := Problem(lawPoints, Loss(t, loss))
				require.Equal(t, 0.125, p.Nu, "γν = 1 for γ = 8")
				a := With(a, map[string]any{"batch": 4, "block": 3, "features": 16, "landmarks": 16, "centres": 16, "rank": 16, "directions": 5, "average": average, "step": schedule})
				f, _ := started(t, a, p)
				if _, ok := f.(algos.Incremental); ok {
					t.Run(fmt.Sprintf("%s/%s/average=%v", loss, shrink, average), func(t *testing.T) { chain(t, f) })
				}
			}
		}
	}
}

// chain advances predictions of a fresh incremental fit step by step, until it is done or diverged.
func chain(t *testing.T, f algos.Fit) {
	at := []int{0, 1, 2, 5, 9, 10, 17, 30}
	x, inc := Queries(3), f.(algos.Incremental)
	chained := Predictions(f, x.Rows)
	var saved []algos.Predictions
	done := false
	for i, k := range at {
		if i > 0 {
			for made := at[i-1]; made < k && !done; made++ {
				p, err := f.Step()
				if errors.Is(err, algos.ErrDiverged) {
					return // γ = 8 is too large for exp
				}
				require.NoError(t, err)
				done = p.Done
			}
			inc.Advance(at[i-1], x, chained)
		}
		if !chained.Last.Finite() {
			return
		}
		MustPredict(t, f, x, chained)
		for j, old := range saved {
			p := clonePredictions(old)
			inc.Advance(at[j], x, p)
			MustPredict(t, f, x, p)
		}
		if done {
			return
		}
		saved = append(saved, clonePredictions(chained))
		inc.Advance(k, x, chained)
		assert.Equal(t, saved[i], clonePredictions(chained), "no step, no change")
	}
	assert.Equal(t, Queries(3), x)
}

func clonePredictions(p algos.Predictions) algos.Predictions {
	return algos.Predictions{Last: p.Last.Clone(), Average: p.Average.Clone()}
}
