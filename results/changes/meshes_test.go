package changes

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
	"repro/results/records/recordstest"
)

// study returns a record of a mesh study: of at h = 1/2, 1/4, ... on n meshes, under the name x, which is "h", "N" or "step".
func study(seed uint64, n int, x string, of func(h float64) float64) *records.Record {
	r := recordstest.Record("a", seed, make([]float64, n)...)
	for k := range r.Points {
		h := math.Pow(0.5, float64(k+1))
		values := map[string]*float64{"error": records.Value(of(h))}
		switch x {
		case "h":
			values[x] = records.Value(h)
		case "N":
			values[x] = records.Value(1 / h)
		default:
			r.Points[k].Step = 2 << k
		}
		r.Points[k].Values, r.Points[k].Counters = values, records.Counters{}
	}
	return r
}

// second is the order 2 against x.
func second(x string) claims.Claim {
	order := "-2"
	if x == "h" {
		order = "2"
	}
	return claims.Claim{ID: "order", Kind: "rate", Method: "a", Metric: "error", X: x, Published: order, PublishedIs: "theorem", Tolerance: 0.2}
}

// gated compares two mesh studies as a check does.
func gated(exp claims.Experiment, base, now []*records.Record) Outcome {
	o, accepted := NewOutcome("accepted"), Take(exp, base)
	o.Add(exp, accepted, accepted.Retake(exp, now), Options{})
	Decide(o.Changes, Level(Alpha))
	DecideShifts(o.Shifts)
	o.Close()
	return o
}

// What a gate says of changes to a mesh study, which has no seeds. The words were written down before the first run.
func TestMeshStudies(t *testing.T) {
	const n = 7
	true2 := func(h float64) float64 { return 0.2 * h * h }
	stalls := func(at, grows float64) func(float64) float64 { // an error of order 8 and rounding that grows with the condition
		return func(h float64) float64 { return math.Pow(h, 8) + at*math.Pow(h, grows) }
	}
	noise := generator(1)
	for _, test := range []struct {
		name     string
		base     func(h float64) float64 // true2 if nil
		now      func(h float64) float64
		meshes   int // now; n if 0
		status   int
		claim    records.Match
		curve    records.Match // empty: no word about it
		says     string        // of the curve
		ofOrders bool          // no line is fitted: the claim is one about the end
	}{
		{name: "equal", now: true2, claim: isIdentical},
		{name: "last bits", now: func(h float64) float64 { return true2(h) * (1 + 1e-13*noise.NormFloat64()) }, claim: records.Same},
		{name: "another BLAS", now: func(h float64) float64 { return true2(h) * (1 + 1e-12*noise.NormFloat64()) }, claim: records.Same},
		{name: "noise of 1e-11 in errors of 1e-9", base: func(h float64) float64 { return 1e-9 * true2(h) },
			now: func(h float64) float64 { return 1e-9 * true2(h) * (1 + 1e-11*noise.NormFloat64()) }, claim: records.Same},
		{name: "an order lower everywhere", now: func(h float64) float64 { return 0.1 * h }, status: 1, claim: records.Worse, curve: records.Worse,
			says: "at h = 0.007812 error is 64 times the accepted one, and beyond the margin of ×1.05 at 6 of 7 places; the order between h = 0.0156"},
		{name: "an order lower on the finest two meshes", now: func(h float64) float64 { return true2(h) * math.Max(1, 1./32/h) }, status: 1, claim: records.Worse, curve: records.Worse,
			says: "at h = 0.007812 error is 4 times the accepted one, and beyond the margin of ×1.05 at 2 of 7 places; the order between h = 0.01562 and 0.007812 was 2.00 and is 1.00"},
		{name: "a constant × 1.2", now: func(h float64) float64 { return 1.2 * true2(h) }, status: 1, claim: records.Same, curve: records.Worse,
			says: "at h = 0.007812 error is 1.2 times the accepted one, and beyond the margin of ×1.05 at 7 of 7 places"},
		{name: "a constant × 0.8", now: func(h float64) float64 { return 0.8 * true2(h) }, claim: records.Same, curve: records.Better,
			says: "error is 0.8 times the accepted one"},
		{name: "a constant × 1.03", now: func(h float64) float64 { return 1.03 * true2(h) }, claim: records.Same, curve: isMoved,
			says: "error is 1.03 times the accepted one, more than rounding and within the margin of ×1.05"},
		{name: "a higher order", now: func(h float64) float64 { return 0.4 * h * h * h }, claim: records.Better, curve: records.Better,
			says: "was 2.00 and is 3.00; accept it"},
		{name: "a lower order with smaller errors", now: func(h float64) float64 { return true2(1./256) / (1. / 256) * h }, status: 1, claim: records.Worse, curve: records.Worse,
			says: "no value is larger, and the order was 2.00 [2.00, 2.00] and is 1.00 [1.00, 1.00], so that finer meshes lose"},
		{name: "a floor that moves", base: stalls(1e-15, -1), now: stalls(3e-15, -1), ofOrders: true},
		{name: "a floor of the machine", base: stalls(1e-16, 0), now: stalls(1e-15, 0), ofOrders: true},
		{name: "an error that passes through 0", base: func(h float64) float64 { return math.Abs(h*h-1./64) * (1 + 1e-12/h) }, now: func(h float64) float64 { return 2 * math.Abs(h*h-1./64) }, ofOrders: true,
			status: 1, curve: records.Worse, says: "error is 2 times the accepted one, and beyond the margin of ×1.05 at 6 of 7 places"},
		{name: "a floor of a mistake", base: stalls(1e-15, 0), now: stalls(1e-6, 0), ofOrders: true, status: 1, curve: records.Worse, says: "at h = 0.007812 error is 1e-6 and was"},
		{name: "the finest mesh is missing", now: true2, meshes: n - 1, status: 1, claim: records.Same, curve: records.Worse,
			says: "error is no longer measured at h = 0.007812, 1 of 7 places"},
		{name: "a finer mesh", now: true2, meshes: n + 1, claim: records.Same},
		{name: "it diverges on the finest", now: func(h float64) float64 {
			if h < 0.01 {
				return math.Inf(1)
			}
			return true2(h)
		}, status: 5, claim: isFailed, curve: records.Worse, says: "at h = 0.007812 error is infinity and was"},
		{name: "an exact method", base: func(float64) float64 { return 0 }, now: true2, status: 1, ofOrders: true, curve: records.Worse, says: "error is 1.221e-5 and was 0, and beyond the margin of ×1.05 at 7 of 7 places"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, x := range []string{"h", "N", "step"} {
				for _, seeds := range []uint64{1, 3} {
					exp := demo(second(x))
					if test.ofOrders { // and no claim names x
						exp = demo(with(value, func(c *claims.Claim) { c.AtMost = true }))
						exp.Abscissae = []records.Abscissa{{Name: x}}
					}
					exp.Methods[0].Deterministic = seeds == 1
					var base, now []*records.Record
					was, meshes := test.base, test.meshes
					if was == nil {
						was = true2
					}
					if meshes == 0 {
						meshes = n
					}
					is := study(1, meshes, x, test.now)
					for seed := range seeds {
						base = append(base, study(seed+1, n, x, was))
						now = append(now, recordstest.With(study(seed+1, meshes, x, test.now), func(r *records.Record) { r.Points = is.Points }))
					}
					o := gated(exp, base, now)
					require.Len(t, o.Changes, 1)
					where := x + ": " + o.Changes[0].Reason
					if x == "step" && meshes != n {
						continue // its end is another place: TestCurvesOfSteps
					}
					assert.Equal(t, test.status, o.Status, where)
					if !test.ofOrders {
						assert.Equal(t, test.claim, detail(o.Changes[0]), where)
					}
					s := found(o.Shifts, OfMeshes)
					if s.Part == "" {
						s = found(o.Shifts, OfSteps)
					}
					assert.Equal(t, test.curve, detail(s), "%s, %s", x, s.Reason)
					if x == "h" {
						assert.Contains(t, s.Reason, test.says)
					}
				}
			}
		})
	}
}

// Other meshes are no accepted ones, whatever the errors on them are.
func TestOtherMeshes(t *testing.T) {
	exp := demo(second("h"))
	exp.Methods[0].Deterministic = true
	other := study(1, 7, "h", func(h float64) float64 { return h * h })
	for k := range other.Points {
		for name, by := range map[string]float64{"h": 0.75, "error": 0.75 * 0.75} {
			other.Points[k].Values[name] = records.Value(*other.Points[k].Values[name] * by)
		}
	}
	o := gated(exp, []*records.Record{study(1, 7, "h", func(h float64) float64 { return h * h })}, []*records.Record{other})
	assert.Equal(t, 1, o.Status)
	assert.Contains(t, found(o.Shifts, OfSteps).Reason, "error is no longer measured at h = 0.5, 0.25, 0.125 and 4 more, 7 of 7 places")
	assert.Equal(t, records.Same, o.Changes[0].State, "the order is the accepted one")
}

// A deterministic curve of steps, as a solver's, may end sooner or later: its ends are compared. One that ends with a larger value is worse.
func TestCurvesOfSteps(t *testing.T) {
	exp := demo()
	exp.Methods[0].Deterministic = true
	residual := func(n int, rate float64) []*records.Record {
		return []*records.Record{study(1, n, "step", func(h float64) float64 { return math.Pow(h, rate) })}
	}
	for _, test := range []struct {
		name   string
		now    []*records.Record
		status int
		says   string
	}{
		{"faster, and sooner at the same end", residual(5, 2), 0, "error is 0.0312 times the accepted one"},
		{"as fast, and not as far", residual(5, 1), 1, "at step 32, where it ends now and not at 1024, error is 32 times the accepted one"},
		{"as fast, and farther", residual(11, 1), 0, ""},
		{"slower", residual(10, 0.5), 1, "at step 1024 error is 32 times the accepted one"},
	} {
		o := gated(exp, residual(10, 1), test.now)
		s := found(o.Shifts, OfMeshes)
		assert.Equal(t, test.status == 1, s.Fails(FailsOn()), "%s: %s", test.name, s.Reason)
		assert.Contains(t, s.Reason, test.says, test.name)
	}
}

// Values that no logarithm has, of a metric of which no side or the larger is better.
func TestMeshesOfOtherMetrics(t *testing.T) {
	of := func(values ...float64) (all []mesh) {
		for k := 0; k < len(values); k += 2 {
			all = append(all, mesh{float64(k + 1), float64(k + 1), values[k], values[k+1]})
		}
		return all
	}
	for _, test := range []struct {
		metric claims.Metric
		points []mesh
		want   records.Match
	}{
		{claims.Metric{Better: "larger"}, of(1, 1, 2, 2.2), records.Better},
		{claims.Metric{Better: "larger"}, of(1, 1, 2, 1.8), records.Worse},
		{claims.Metric{}, of(1, 1, 2, 2.2), records.Worse},
		{claims.Metric{}, of(1, 1, 2, 1.8), records.Worse},
		{claims.Metric{Signed: true}, of(1, 1, 1e-3, 2e-3), isMoved}, // as a share of the largest
		{claims.Metric{Better: "smaller"}, of(-1, -1, 1e-3, 2e-3), isMoved},
		{claims.Metric{Better: "smaller"}, of(1, 1, 1e-3, 2e-3), records.Worse},
		{claims.Metric{Better: "smaller"}, of(math.Inf(1), 1), records.Better},
		{claims.Metric{Better: "larger"}, of(1, math.Inf(1)), records.Worse},
		{claims.Metric{Better: "smaller"}, of(math.Inf(1), math.Inf(1)), ""},
		{claims.Metric{Better: "smaller"}, of(0, 0, 1, 1), ""},
		{claims.Metric{Better: "smaller"}, of(1, 1, 1e-7, 1.0001e-7), isMoved},
		{claims.Metric{Better: "smaller"}, of(1, 1, 1e-7, 1.0001e-7, 1e-11, 1.1e-11), isMoved},
		{claims.Metric{Better: "smaller"}, of(1, 1, 1e-7, 1e-7, 1e-11, 1.05e-11), ""}, // by less than the floor of 9e-13
	} {
		s := found(judge(test.points, test.metric, "h = ", roundingFloor(records.FloorOf(false), 1)), OfMeshes)
		assert.Equal(t, test.want, detail(s), "%v: %s", test.points, s.Reason)
	}
}

// Changes of every error within its margin, and of its rounding, are no alarm, of any family of curves: an order that they seem to lower is
// not certain.
func TestSmallChangesOfMeshStudiesAreNoAlarms(t *testing.T) {
	exp := demo()
	exp.Methods[0].Deterministic = true
	random := generator(3)
	for name, of := range map[string]func(h float64) float64{
		"asymptotic":    func(h float64) float64 { return h * h },
		"two terms":     func(h float64) float64 { return h*h + 5*h*h*h },
		"a logarithm":   func(h float64) float64 { return h * h * -math.Log(h/2) },
		"odd and even":  func(h float64) float64 { return h * h * (1 + 0.3*math.Cos(math.Pi*math.Log2(h))) },
		"a high order":  func(h float64) float64 { return math.Pow(h, 8) },
		"superconverge": func(h float64) float64 { return h*h*h + 0.01*h*h },
	} {
		alarms := 0
		for range 200 {
			o := gated(exp, []*records.Record{study(1, 7, "h", of)}, []*records.Record{study(1, 7, "h", func(h float64) float64 {
				return of(h)*(1+0.09*(random.Float64()-0.5)) + 5e-13*of(0.5)*random.Float64()
			})})
			alarms += one(found(o.Shifts, OfMeshes).Fails(FailsOn()))
		}
		assert.Zero(t, alarms, name)
	}
}

// A claim that was accepted as one of a deterministic method is loosened without that: then an interval over seeds would decide.
func TestDeterminismIsAccepted(t *testing.T) {
	exp := demo(second("N"))
	exp.Methods[0].Deterministic = true
	recs := []*records.Record{study(1, 7, "N", func(h float64) float64 { return h * h })}
	accepted := Take(exp, recs)
	assert.NotContains(t, accepted.Numbers[0].doubts(exp.Claims[0], accepted), "one seed has no interval")
	plain := demo(second("N"))
	c := Compare(plain, accepted, accepted.Retake(plain, recs), Options{})[0]
	assert.Equal(t, isRedefined, detail(c))
	assert.Contains(t, c.Reason, "loosened: method.deterministic true → not given")
	assert.Equal(t, statusWorse, c.Status())
	c = Compare(exp, Take(plain, recs), Take(plain, recs).Retake(exp, recs), Options{})[0]
	assert.Equal(t, isIdentical, detail(c), "it tells more")
	s := found(Shifts(exp, Take(plain, recs), Take(plain, recs).Retake(exp, recs), Options{}), OfClaims)
	assert.Equal(t, records.Better, s.State, s.Reason)
	assert.Contains(t, s.Reason, "its verdict was inconclusive and is reproduced")
}
