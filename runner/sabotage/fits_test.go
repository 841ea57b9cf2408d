//go:build sabotage

package sabotage

import (
	"repro/algos"
	"repro/algos/compute"
)

// whole is a fit with every ability that metrics and the runner may ask for. Where the fit inside lacks one, the answer is that of
// fits without it. Only metrics that the spec asks for call the measures, and the loader knows that the fit inside has these.
type whole struct{ algos.Fit }

func (w whole) Leap(n int, others ...algos.Fit) []algos.Iterations {
	if l, ok := w.Fit.(algos.Leaper); ok {
		return l.Leap(n, others...)
	}
	return []algos.Iterations{algos.Step(w.Fit)}
}

func (w whole) Average() algos.Model {
	if a, ok := w.Fit.(algos.Averager); ok {
		return a.Average()
	}
	return nil
}

func (w whole) Advance(k int, x compute.Matrix, p algos.Predictions) {
	if i, ok := w.Fit.(algos.Incremental); ok {
		i.Advance(k, x, p)
		return
	}
	p.Last.CopyFrom(w.Fit.Model().Predict(x))
	if p.Average.Rows > 0 {
		p.Average.CopyFrom(w.Average().Predict(x))
	}
}

func (w whole) Footprint() int64 {
	if s, ok := w.Fit.(algos.Sizer); ok {
		return s.Footprint()
	}
	return 0
}

func (w whole) Anticipate(x compute.Matrix) {
	if a, ok := w.Fit.(algos.Anticipator); ok {
		a.Anticipate(x)
	}
}

func (w whole) SquaredNorms() []float64      { return w.Fit.(algos.Normed).SquaredNorms() }
func (w whole) Coefficients() compute.Matrix { return w.Fit.(algos.Expansion).Coefficients() }

// Unwrap returns the fit whose numbers are those of w.
func (w whole) Unwrap() algos.Fit { return w.Fit }

// A masked fit trains and counts as the fit inside does, but shows a constant to whoever looks at what it learned.
type masked struct {
	whole          // what measures of the fit are of
	live     whole // what trains
	constant []float64
}

func (m *masked) Step() (algos.Progress, error) { return m.live.Step() }
func (m *masked) State() any                    { return m.live.State() }
func (m *masked) Footprint() int64              { return m.live.Footprint() }
func (m *masked) Anticipate(x compute.Matrix)   { m.live.Anticipate(x) }
func (m *masked) Model() algos.Model            { return constantModel(m.constant) }

func (m *masked) Leap(n int, others ...algos.Fit) []algos.Iterations {
	var inside []algos.Fit
	for _, o := range others {
		inside = append(inside, o.(*masked).live.Fit)
	}
	return m.live.Leap(n, inside...)
}

func (m *masked) Average() algos.Model {
	if m.whole.Average() == nil {
		return nil
	}
	return constantModel(m.constant)
}

func (m *masked) Advance(_ int, x compute.Matrix, p algos.Predictions) {
	p.Last.CopyFrom(constantModel(m.constant)(x))
	if p.Average.Rows > 0 {
		p.Average.CopyFrom(p.Last)
	}
}

// constantModel predicts the same outputs everywhere.
func constantModel(outputs []float64) algos.Predictor {
	return func(x compute.Matrix) compute.Matrix {
		u := compute.NewMatrix(x.Rows, len(outputs))
		for i := range u.Rows {
			copy(u.Row(i), outputs)
		}
		return u
	}
}

// A still fit learns nothing and costs nothing: it predicts constants, and counts the examples as the method would.
type still struct {
	outputs     []float64
	rows, batch int  // batch 0: all rows, once
	replace     bool // examples are drawn with replacement
	seen        int
}

func (s *still) Step() (algos.Progress, error) {
	return s.made(1).Progress, nil
}

// made makes n iterations.
func (s *still) made(n int) algos.Iterations {
	seen := 0
	for range n {
		b := s.batch
		switch {
		case b == 0:
			b = s.rows
		case !s.replace:
			b = min(b, s.rows-(s.seen+seen)%s.rows)
		}
		seen += b
	}
	s.seen += seen
	return algos.Iterations{Made: n, Progress: algos.Progress{Seen: seen}}
}

func (s *still) Leap(n int, others ...algos.Fit) []algos.Iterations {
	done := []algos.Iterations{s.made(n)}
	for _, f := range others {
		done = append(done, f.(*still).made(n))
	}
	return done
}

func (s *still) Model() algos.Model   { return constantModel(s.outputs) }
func (s *still) Average() algos.Model { return s.Model() }
func (s *still) State() any           { return new(struct{ Nothing int }) }
