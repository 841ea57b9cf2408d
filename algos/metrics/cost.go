package metrics

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"repro/algos"
)

// inProcess is the capability of every fit that is not a program outside.
var inProcess = Capability{Words: "computes in this process, where it can be counted", Has: func(algos.Fit) bool { return true }, InProcess: true}

var (
	_ = Register(Metric{
		Name: "prediction-flops", Words: "operations of a prediction", Better: Smaller, Needs: inProcess,
		Doc:   "floating-point operations that the last iterate takes to predict one test input",
		Value: predictionFlops,
	})
	_ = Register(Metric{
		Name: "training-memory", Words: "memory of training in bytes", Better: Smaller, Needs: inProcess,
		Doc:   "bytes that the fit holds between iterations, without the training rows; stored kernel values count",
		Value: func(e *Evaluation) (float64, error) { return float64(held(e.Fit, e.Problem)), nil },
	})
)

// predictionFlops counts the operations of one prediction. It is not a number if there are no test inputs.
func predictionFlops(e *Evaluation) (float64, error) {
	if e.X.Rows == 0 {
		return math.NaN(), nil
	}
	before := e.Problem.Engine.Counters()
	e.Fit.Model().Predict(e.X.RowRange(0, 1).Clone()) // a copy: of the inputs themselves some fits keep kernel values
	return float64(e.Problem.Engine.Counters().Sub(before).Flops), nil
}

// held returns the bytes that can be reached from a fit and not from its problem. What a function has captured is not seen,
// nor a field with the tag held: what it keeps for the next evaluation of the curve, or bookkeeping that depends on the cells before.
func held(fit algos.Fit, problem *algos.Problem) int64 {
	m := memory{seen: map[piece]bool{}}
	m.walk(reflect.ValueOf(problem))
	own := -m.bytes()
	m.walk(reflect.ValueOf(fit))
	return own + m.bytes()
}

// A memory is the pieces of memory that values have been found in, as pairs of their first byte and the byte after the last.
type memory struct {
	pieces [][2]uintptr
	maps   int64 // bytes of the entries of maps, which have no address
	seen   map[piece]bool
}

type piece struct {
	at, size uintptr
	of       reflect.Type
}

// add adds a piece, and reports whether what is in it has not been walked.
func (m *memory) add(at, size uintptr, of reflect.Type) bool {
	p := piece{at, size, of}
	if m.seen[p] {
		return false
	}
	m.seen[p] = true
	m.pieces = append(m.pieces, [2]uintptr{at, at + size})
	return true
}

// bytes returns the size of the union of the pieces.
func (m *memory) bytes() int64 {
	sum := m.maps
	slices.SortFunc(m.pieces, func(a, b [2]uintptr) int { return cmp.Compare(a[0], b[0]) })
	end := uintptr(0)
	for _, p := range m.pieces {
		if p[1] > end {
			sum += int64(p[1] - max(p[0], end))
			end = p[1]
		}
	}
	return sum
}

// walk adds what v points to, and what that points to.
func (m *memory) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && m.add(v.Pointer(), v.Type().Elem().Size(), v.Type()) {
			m.walk(v.Elem())
		}
	case reflect.Interface:
		m.walk(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("held") == "" {
				m.walk(v.Field(i))
			}
		}
	case reflect.Slice:
		if m.add(v.Pointer(), uintptr(v.Len())*v.Type().Elem().Size(), v.Type()) {
			m.elements(v)
		}
	case reflect.Array:
		m.elements(v)
	case reflect.Map:
		if !m.add(v.Pointer(), 0, v.Type()) {
			return
		}
		m.maps += int64(v.Len()) * int64(v.Type().Key().Size()+v.Type().Elem().Size())
		for entries := v.MapRange(); entries.Next(); {
			m.walk(entries.Key())
			m.walk(entries.Value())
		}
	}
}

// elements walks the elements of a slice or an array, unless they are numbers.
func (m *memory) elements(v reflect.Value) {
	if k := v.Type().Elem().Kind(); k < reflect.Array {
		return
	}
	for i := range v.Len() {
		m.walk(v.Index(i))
	}
}
