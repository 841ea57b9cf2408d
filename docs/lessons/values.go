package lessons

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"repro/experiments"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/stats"
)

// A Value is a number of the records with its 95 % interval over seeds. Where there is no number, Value is NaN and Missing says
// why: no comparison with it holds. Where a seed diverged, a metric is +Inf. One seed has no interval: Low and High are NaN.
type Value struct {
	Value, Low, High float64
	Missing          string

	seeds  []uint64
	values []float64 // of the seeds
	signed bool      // it can be negative, so its mean is arithmetic
	fixed  bool      // it is a number of the expression and belongs to no seed
}

// missing is a value that could not be measured.
func missing(why error) Value {
	return Value{Value: math.NaN(), Low: math.NaN(), High: math.NaN(), Missing: why.Error()}
}

// constant is a number without spread.
func constant(v float64) Value { return Value{Value: v, Low: v, High: v, fixed: true} }

// over returns the mean of the values of seeds: the geometric mean of positive ones, unless they are signed. Values that all
// agree, such as counters, are their own interval.
func over(seeds []uint64, values []float64, signed bool) Value {
	v := Value{seeds: seeds, values: values, signed: signed}
	if slices.ContainsFunc(values, math.IsNaN) {
		return missing(errors.New("a seed has no number"))
	}
	if i := slices.IndexFunc(values, func(x float64) bool { return math.IsInf(x, 0) }); i >= 0 {
		v.Value, v.Low, v.High = values[i], math.NaN(), math.NaN()
		return v
	}
	if slices.Min(values) == slices.Max(values) && len(values) > 1 {
		v.Value, v.Low, v.High = values[0], values[0], values[0]
		return v
	}
	e := stats.MeanInterval(values)
	if !signed && slices.Min(values) > 0 {
		e = stats.GeometricInterval(values)
	}
	v.Value, v.Low, v.High = e.Mean, e.Low, e.High
	return v
}

func ofEstimate(e stats.Estimate, seeds []uint64) Value {
	return Value{Value: e.Mean, Low: e.Low, High: e.High, seeds: seeds, values: e.Values, signed: !e.Log}
}

func (v Value) bounded() bool { return !math.IsNaN(v.Low) && !math.IsNaN(v.High) }

// String returns the number with its interval.
func (v Value) String() string {
	switch {
	case v.Missing != "":
		return "no number (" + v.Missing + ")"
	case !v.bounded() || v.Low == v.High:
		return printed.Digits(v.Value, 3)
	}
	return fmt.Sprintf("%s [%s, %s]", printed.Digits(v.Value, 3), printed.Digits(v.Low, 3), printed.Digits(v.High, 3))
}

// valueOf returns an operand as a value.
func valueOf(x any) Value {
	switch x := x.(type) {
	case Value:
		return x
	case float64:
		return constant(x)
	case int:
		return constant(float64(x))
	}
	panic(fmt.Sprintf("lessons: operand %T, which arithmetic does not declare", x))
}

// combine applies an operation to the values of every seed. The result of a signed one can be negative.
func combine(a, b Value, signed bool, do func(x, y float64) float64) Value {
	for _, v := range []Value{a, b} {
		if v.Missing != "" {
			return v
		}
	}
	switch {
	case a.fixed && b.fixed:
		return constant(do(a.Value, b.Value))
	case b.fixed:
		b.seeds, b.values = a.seeds, slices.Repeat([]float64{b.Value}, len(a.values))
	case a.fixed:
		a.seeds, a.values = b.seeds, slices.Repeat([]float64{a.Value}, len(b.values))
	}
	if len(a.values) == 0 || len(b.values) == 0 {
		return missing(errors.New("the number of a claim over all seeds cannot be combined seed by seed"))
	}
	if !slices.Equal(a.seeds, b.seeds) {
		return missing(errors.New("the two numbers are of different seeds"))
	}
	values := make([]float64, len(a.values))
	for i := range values {
		values[i] = do(a.values[i], b.values[i])
	}
	return over(a.seeds, values, signed || a.signed || b.signed)
}

// arithmetic declares the operators on values. A sum, difference, product or quotient is taken seed by seed; a comparison
// compares the numbers, and within compares the whole interval. width is the width of an interval, itself without one.
func arithmetic() []expr.Option {
	var options []expr.Option
	operator := func(symbol string, types []any, do func(a, b Value) any) {
		name := "value " + symbol
		options = append(options, expr.Operator(symbol, name), expr.Function(name, func(p ...any) (any, error) {
			return do(valueOf(p[0]), valueOf(p[1])), nil
		}, types...))
	}
	numeric := []any{new(func(Value, Value) Value), new(func(Value, float64) Value), new(func(Value, int) Value), new(func(float64, Value) Value), new(func(int, Value) Value)}
	for symbol, do := range map[string]func(x, y float64) float64{
		"+": func(x, y float64) float64 { return x + y }, "-": func(x, y float64) float64 { return x - y },
		"*": func(x, y float64) float64 { return x * y }, "/": func(x, y float64) float64 { return x / y },
	} {
		operator(symbol, numeric, func(a, b Value) any { return combine(a, b, symbol == "-", do) })
	}
	truth := []any{new(func(Value, Value) bool), new(func(Value, float64) bool), new(func(Value, int) bool), new(func(float64, Value) bool), new(func(int, Value) bool)}
	for symbol, holds := range map[string]func(x, y float64) bool{
		"<": func(x, y float64) bool { return x < y }, "<=": func(x, y float64) bool { return x <= y },
		">": func(x, y float64) bool { return x > y }, ">=": func(x, y float64) bool { return x >= y },
	} {
		operator(symbol, truth, func(a, b Value) any { return holds(a.Value, b.Value) })
	}
	return append(options,
		expr.Function("within", func(p ...any) (any, error) {
			v := valueOf(p[0])
			return v.Low >= p[1].(float64) && v.High <= p[2].(float64), nil
		}, new(func(Value, float64, float64) bool)),
		expr.Function("width", func(p ...any) (any, error) {
			v := valueOf(p[0])
			return constant(v.High - v.Low), nil
		}, new(func(Value) Value)),
	)
}

// Runs holds the records of the runs of a lesson by id.
type Runs map[string]*Outcome

// An Outcome is a run with its records. Its claims are judged only where an expression asks for one.
type Outcome struct {
	Spec *experiments.Spec
	claims.Case
}

// newOutcome returns the outcome of a spec from the records of its output folder.
func newOutcome(s *experiments.Spec, store *records.Store) *Outcome {
	e := s.Experiment()
	return &Outcome{s, claims.Case{Experiment: e, Records: e.Own(store.Of(e.ID))}}
}

// scope returns the functions of expressions, which read the records of one run.
func (runs Runs) scope(id string) scope {
	o := runs[id]
	if o == nil {
		o = &Outcome{Spec: &experiments.Spec{}}
	}
	return scope{
		Final: func(method, metric string) Value { return o.read(method, metric, records.At{}) },
		At: func(method, metric, x string, value float64) Value {
			return o.read(method, metric, records.At{X: x, Value: value})
		},
		Rate: o.rate, Across: o.across, Reach: o.reach, Claim: o.claim, Diverged: o.diverged, Run: runs.scope,
	}
}

var errNotRun = errors.New("it has not run")

// of returns the records of a method, an error if there are none or one has failed.
func (o *Outcome) of(method string) ([]*records.Record, error) {
	recs := records.Select(o.Records, method)
	if len(recs) == 0 {
		return nil, errNotRun
	}
	for _, r := range recs {
		if !r.Status().Complete() {
			return nil, fmt.Errorf("seed %d %s", r.Header.Seed, r.Ending())
		}
	}
	return recs, nil
}

// over returns a number of every record of a method as one value.
func (o *Outcome) over(method string, signed bool, number func(*records.Record) (float64, error)) Value {
	recs, err := o.of(method)
	if err != nil {
		return missing(err)
	}
	var seeds []uint64
	var values []float64
	for _, r := range recs {
		v, err := number(r)
		if err != nil {
			return missing(err)
		}
		seeds, values = append(seeds, r.Header.Seed), append(values, v)
	}
	return over(seeds, values, signed)
}

// read returns a metric at a place: +Inf for a seed that had diverged by then.
func (o *Outcome) read(method, metric string, at records.At) Value {
	return o.over(method, o.Experiment.Metric(metric).Signed, func(r *records.Record) (float64, error) {
		v, ok := r.MeasureAt(metric, at)
		if !ok {
			return v, fmt.Errorf("%s of seed %d was not measured %s", metric, r.Header.Seed, at)
		}
		return v, nil
	})
}

func ofRate(r stats.Rate, err error) Value {
	if err != nil {
		return missing(err)
	}
	return ofEstimate(r.Estimate, r.Seeds)
}

// rate returns the slope of a metric against x, on logarithmic axes, in a window or in the one that stats.FitRate chooses.
func (o *Outcome) rate(method, metric, x string, window ...float64) Value {
	recs, err := o.of(method)
	if err != nil {
		return missing(err)
	}
	var w [2]float64
	copy(w[:], window)
	return ofRate(stats.FitRate(recs, metric, x, w))
}

// across returns the slope of a metric, at the end of each run, against a setting in which the methods of a grid differ.
func (o *Outcome) across(group, metric, key string) Value {
	recs, err := o.members(group)
	if err != nil {
		return missing(err)
	}
	return ofRate(stats.FitAcross(recs, metric, key, records.At{}, ""))
}

// members returns the records of the methods of a grid.
func (o *Outcome) members(group string) ([]*records.Record, error) {
	var all []*records.Record
	for _, m := range o.Spec.Methods {
		if m.Group != group {
			continue
		}
		recs, err := o.of(m.ID)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.ID, err)
		}
		all = append(all, recs...)
	}
	if len(all) == 0 {
		return nil, errNotRun
	}
	return all, nil
}

// reach returns where on the abscissa x, the step if left out, a metric reaches a level to stay: +Inf for a seed that does not.
func (o *Outcome) reach(method, metric string, level float64, x ...string) Value {
	axis := append(x, "step")[0]
	return o.over(method, false, func(r *records.Record) (float64, error) {
		c, err := stats.Reach(r, metric, axis, level, o.Experiment.Metric(metric).Better == "larger")
		if err == nil && !c.Reached {
			c.X = math.Inf(1)
		}
		return c.X, err
	})
}

// claim returns the number and the verdict of a claim, at the size of the run. Of several rivals it is the number that decided.
func (o *Outcome) claim(id string) Judged {
	j := Judged{Measured: missing(errNotRun)}
	v := claims.Judge(o.Experiment, o.Records).On(id)
	if v == nil {
		return j
	}
	j.Measured, j.Verdict = missing(errors.New(v.Reason)), string(v.ByNumbers())
	for _, m := range v.Numbers {
		if v.Measured == nil || m.Mean != *v.Measured {
			continue
		}
		if j.Measured = ofEstimate(m.Estimate, m.Seeds); m.Joint {
			j.Measured.values = nil
		}
	}
	return j
}

func (o *Outcome) diverged(method string) bool {
	return slices.ContainsFunc(records.Select(o.Records, method), func(r *records.Record) bool { return r.Status() == records.Diverged })
}

// A scope has the functions of expressions that read records. run(id) is the scope of another run.
type scope struct {
	Final    func(method, metric string) Value                             `expr:"final"`
	At       func(method, metric, x string, value float64) Value           `expr:"at"`
	Rate     func(method, metric, x string, window ...float64) Value       `expr:"rate"`
	Across   func(group, metric, key string) Value                         `expr:"across"`
	Reach    func(method, metric string, level float64, x ...string) Value `expr:"reach"`
	Claim    func(id string) Judged                                        `expr:"claim"`
	Diverged func(method string) bool                                      `expr:"diverged"`
	Run      func(id string) scope                                         `expr:"run"`
}

// Judged is a claim of a spec: its number, and the verdict at the size of the run.
type Judged struct {
	Measured Value  `expr:"measured"`
	Verdict  string `expr:"verdict"`
}

// compile compiles an expression over records.
func compile(text string, more ...expr.Option) (*vm.Program, error) {
	return expr.Compile(text, append(append(arithmetic(), expr.Env(scope{}), expr.DisableAllBuiltins()), more...)...)
}

// evaluate returns the value of an expression of a lesson. Functions without run(id) read the run last.
func (runs Runs) evaluate(last, text string) any {
	var out any
	program, err := compile(text)
	if err == nil {
		out, err = expr.Run(program, runs.scope(last))
	}
	if err != nil {
		panic("lessons: " + text + ": " + err.Error())
	}
	return out
}

// holds evaluates an expression of truth.
func (runs Runs) holds(last, text string) bool { return runs.evaluate(last, text).(bool) }

// number evaluates an expression of a number.
func (runs Runs) number(last, text string) Value { return runs.evaluate(last, text).(Value) }

// Placeholder matches the place of a number in a text.
var Placeholder = regexp.MustCompile(`(?s){{\s*(.*?)\s*}}`)

// Fill writes a text with the numbers of the records, with … for each if runs is nil.
func (runs Runs) Fill(last, text string) string {
	return Placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if runs == nil {
			return "…"
		}
		return runs.number(last, Placeholder.FindStringSubmatch(found)[1]).String()
	})
}
