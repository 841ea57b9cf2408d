package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/results/printed"
	"repro/results/records"
)

// An Observed is the order between two successive points of a deterministic curve, such as two meshes: of a power law
// p_k = log(e_k/e_{k+1}) / log(x_k/x_{k+1}), which is positive against a mesh width and negative against a number of unknowns; of an
// exponential law (e_{k+1}/e_k)^(1/(x_{k+1} - x_k)).
type Observed struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Order float64 `json:"order"`
}

// OrderBetween returns the order observed between two points: the slope of log y against log x. It is not finite where a value has no logarithm.
func OrderBetween(x0, y0, x1, y1 float64) float64 { return math.Log(y1/y0) / math.Log(x1/x0) }

// Orders are what a deterministic curve, in which nothing is random, says of its rate.
//
// Its uncertainty is not one of chance: the law holds in the limit, and no curve reaches it. So Low and High are the range of rates
// that the points in the asymptotic range agree with:
//
//   - Where the last three observed orders come closer to each other from one side, p_{k+1} - p_k shrinks by a factor ρ < 1, as of an
//     error c·h^p (1 + c'·h^r), and the rest of the way is (p_n - p_{n-1}) ρ/(1-ρ) [Aitken's extrapolation, by which Roache 1998, §5,
//     and Oberkampf and Roy 2010, §8, look for the asymptotic range]. The range goes from p_n to remainders times as far, the factor of safety
//     of the grid convergence index being 1.25 for three meshes and 3 for two.
//   - Where they scatter or swing, as on odd and even meshes, it is the 95 % interval of a least squares line through the longest
//     run of last points that shows no curvature [as Eça and Hoekstra 2014 fit noisy data].
//   - Of two orders it is their last with twice their difference on either side; so it is of the last two where the meshes before did not
//     see the solution.
//
// They have settled if one of these applies; Why says what is in the way otherwise. docs/error-rates.md has how often
// this rule errs on families of curves whose order is known.
type Orders struct {
	Mean, Low, High float64
	Observed        []Observed // from the coarsest mesh to the finest
	Window          [2]float64 // from the coarsest x that decided to the finest
	Why             string     // why the orders have not settled; empty if they have
	Rounded         float64    // x from which on rounding errors may decide, and nothing is judged; 0 if there is none
	Limit, Within   float64    // of Richardson's extrapolation: the limit of the values, and the grid convergence index of the last, in their unit
}

// Constants of the rule; TestOrdersErr has what they lead to.
const (
	remainders = 2    // how many times as far as extrapolated the order may still go
	slowest    = 0.92 // largest factor by which differences of orders shrink that is extrapolated
	collapsed  = 0.1  // orders that differ by less, and by half of what those before did, are judged alone
	still      = 0.02 // orders that differ by less, or smaller ones by less of themselves, stand still if they swing, and by a fifth of it if they drift
	mostMeshes = 12   // of a curve with more points, evenly chosen ones, so that orders are not those of rounding
)

// FitOrders returns the orders of a record's metric against x. Points lie from the coarsest to the finest, x rising or falling. A
// window whose ends are zero is the whole curve. With richardson the metric is a quantity whose limit is unknown, and its errors
// are judged by the differences of successive values.
func (f *Form) FitOrders(r *records.Record, metric, x string, window [2]float64, richardson bool) (o Orders, err error) {
	xs, ys, err := meshes(r, metric, x, window, richardson)
	if err != nil {
		return o, err
	}
	at, logs := make([]float64, 0, len(xs)), make([]float64, 0, len(xs))
	if richardson {
		at, logs, err = f.differences(xs, ys)
		if err != nil {
			return o, fmt.Errorf("%s against %s: %w", metric, x, err)
		}
	} else {
		if k := roundedOff(ys, r.Floor()); k < len(ys) {
			o.Rounded, xs, ys = xs[k], xs[:k], ys[:k]
		}
		for i, y := range ys {
			at, logs = append(at, f.at(xs[i])), append(logs, math.Log(y))
		}
	}
	all := xs
	if chosen := Evenly(len(at), mostMeshes); len(chosen) < len(at) {
		at, logs, xs = pick(at, chosen), pick(logs, chosen), pick(xs, chosen)
	}
	switch len(at) {
	case 0, 1:
		return o, fmt.Errorf("from %s %s on rounding errors may decide %s, so no two meshes give an order; judge coarser ones, or a harder problem", x, printed.Number(o.Rounded), metric)
	case 2:
		o.Why = "two meshes give one order, and it takes a third to see whether orders settle"
	}
	for k := 1; k < len(at); k++ {
		o.Observed = append(o.Observed, Observed{From: xs[k-1], To: xs[k], Order: (logs[k] - logs[k-1]) / (at[k] - at[k-1])})
	}
	o.settle(at, logs)
	o.Window[1] = o.Observed[len(o.Observed)-1].To
	if richardson && o.Why == "" {
		o.extrapolate(f, all, ys)
	}
	if f == Exponential {
		o.Mean, o.Low, o.High = math.Exp(o.Mean), math.Exp(o.Low), math.Exp(o.High)
		for i := range o.Observed {
			o.Observed[i].Order = math.Exp(o.Observed[i].Order)
		}
	}
	return o, nil
}

func pick(values []float64, indices []int) []float64 {
	chosen := make([]float64, len(indices))
	for k, i := range indices {
		chosen[k] = values[i]
	}
	return chosen
}

// meshes returns the points of a curve in the window, x strictly falling or rising and metrics that have a logarithm, unless they are values.
func meshes(r *records.Record, metric, x string, window [2]float64, values bool) (xs, ys []float64, err error) {
	for _, p := range r.Points {
		at, known := p.Abscissa(x)
		v, ok := p.Measure(metric)
		switch {
		case !known || !ok || window[0] > 0 && at < window[0]*(1-records.Slack) || window[1] > 0 && at > window[1]*(1+records.Slack):
			continue
		case at == 0 && x == "step": // before the first step
			continue
		case !(at > 0) || math.IsInf(at, 1):
			return nil, nil, fmt.Errorf("%s is %s: an order needs positive ones; correct it, or give a window without it", x, printed.Number(at))
		case math.IsInf(v, 0):
			return nil, nil, fmt.Errorf("%s is %w at %s %s", metric, ErrNotFinite, x, printed.Number(at))
		case v == 0 && !values:
			return nil, nil, fmt.Errorf("%s is exactly 0 at %s %s, which has no order: the method is exact there; choose a harder problem, or give a window without it", metric, x, printed.Number(at))
		case v < 0 && !values:
			return nil, nil, fmt.Errorf("%s is %s at %s %s, and an error is positive; give its absolute value", metric, printed.Number(v), x, printed.Number(at))
		}
		k := len(xs)
		switch {
		case k > 0 && at == xs[k-1]:
			return nil, nil, fmt.Errorf("%s has two values at %s %s; keep one of them", metric, x, printed.Number(at))
		case k > 1 && (at > xs[k-1]) != (xs[1] > xs[0]):
			return nil, nil, fmt.Errorf("%s goes from %s to %s and then to %s; sort the meshes from coarse to fine", x, printed.Number(xs[k-2]), printed.Number(xs[k-1]), printed.Number(at))
		}
		xs, ys = append(xs, at), append(ys, v)
	}
	if len(xs) < 2 {
		return nil, nil, fmt.Errorf("%s of %s against %s: one mesh has no order; refine it, three times at least", printed.Count(len(xs), "point"), metric, x)
	}
	return xs, ys, nil
}

// differences returns where the differences of successive values, |f_k - f_{k+1}| = C |x_k^p - x_{k+1}^p|, stand on the form's scale,
// and the logarithms of what they say of the error at x_k. With one ratio of refinement they are in proportion; otherwise the p of the last
// three values makes them so.
func (f *Form) differences(xs, ys []float64) (at, logs []float64, err error) {
	if len(xs) < 3 {
		return nil, nil, errors.New("without the exact solution an order takes three meshes or more")
	}
	n := len(xs) - 1
	d := make([]float64, n)
	for k := range d {
		if d[k] = math.Abs(ys[k] - ys[k+1]); d[k] == 0 {
			return nil, nil, fmt.Errorf("two successive meshes give the same value, %s, which has no order", printed.Number(ys[k]))
		}
		at = append(at, f.at(xs[k]))
	}
	end := f.at(xs[n])
	gap := func(k int, p float64) float64 { // log |x_k^p - x_{k+1}^p| less p·log x_k
		next := end
		if k+1 < n {
			next = at[k+1]
		}
		return math.Log(math.Abs(math.Expm1(p * (next - at[k]))))
	}
	mismatch := func(p float64) float64 {
		return math.Log(d[n-2]/d[n-1]) - (gap(n-2, p) - gap(n-1, p)) - p*(at[n-2]-at[n-1])
	}
	p := math.Log(d[n-2]/d[n-1]) / (at[n-2] - at[n-1])
	for range 50 { // fixed points of Roache's iteration, exact at once for one ratio
		if next := p + mismatch(p)/(at[n-2]-at[n-1]); !math.IsNaN(next) && p != 0 {
			p = next
		}
	}
	for k := range d {
		logs = append(logs, math.Log(d[k])-gap(k, p))
	}
	return at, logs, nil
}

// extrapolate finds the limit of the values and the grid convergence index of the last one [Roache 1994]: 1.25 |f_n - f_{n-1}| / (r^p - 1).
func (o *Orders) extrapolate(f *Form, xs, ys []float64) {
	n := len(xs) - 1
	grown := math.Expm1(o.Mean * (f.at(xs[n-1]) - f.at(xs[n]))) // r^p - 1
	if !(grown > 0) {
		return
	}
	o.Limit = ys[n] + (ys[n]-ys[n-1])/grown
	o.Within = 1.25 * math.Abs(ys[n]-ys[n-1]) / grown
}

// roundedOff returns the index of the first point at which rounding may decide: as Rounded, or where a curve that has lost eight
// digits by then stops falling, as it does where the condition of the problem grows with its size, with what is below a thousand times that.
func roundedOff(ys []float64, floor float64) int {
	const lost, share = 1e-8, 1000
	end := rounded(ys, floor)
	for k := 1; k < end; k++ {
		if ys[k-1] < lost*slices.Max(ys[:k]) && ys[k] > ys[k-1]/1.2 {
			for end = k; end > 0 && ys[end-1] < share*ys[k]; {
				end--
			}
		}
	}
	return end
}

// settle finds the range of orders, or says why there is none.
func (o *Orders) settle(at, logs []float64) {
	n := len(o.Observed)
	last := o.Observed[n-1].Order
	o.Mean, o.Low, o.High = last, last, last
	o.Window[0] = o.Observed[max(0, n-3)].From
	switch {
	case n == 1:
	case n == 2:
		d := last - o.Observed[0].Order
		o.Low, o.High = last-2*math.Abs(d), last+2*math.Abs(d)
	default:
		before2, before := o.Observed[n-3].Order, o.Observed[n-2].Order
		d, earlier := last-before, before-before2
		switch shrinks := d / earlier; {
		case shrinks > 0 && shrinks <= slowest && o.steady(shrinks):
			rest := d * shrinks / (1 - shrinks)
			ends := []float64{last, last + remainders*rest}
			if n == 3 { // nothing shows that they shrink steadily
				ends = append(ends, before)
			}
			o.Mean, o.Low, o.High = last+rest, slices.Min(ends), slices.Max(ends)
			return
		case max(math.Abs(d), math.Abs(earlier)) < still*min(1, math.Abs(last)) && (!(shrinks > 0) || math.Abs(d) < still/5*min(1, math.Abs(last))):
			way := 2 * max(math.Abs(d), math.Abs(earlier))
			if shrinks > 0 {
				way = 10 * math.Abs(d)
			}
			o.Low, o.High = last-way, last+way
			return
		case n == 3 && shrinks < 0:
			orders := []float64{before2, before, last}
			low, high := slices.Min(orders), slices.Max(orders)
			o.Mean, o.Low, o.High = (low+high)/2, low-(high-low), high+(high-low)
			return
		}
		if o.line(at, logs) {
			return
		}
		if math.Abs(d) < collapsed && math.Abs(d) <= math.Abs(earlier)/2 { // the meshes before did not see the solution
			o.Low, o.High, o.Window[0] = last-2*math.Abs(d), last+2*math.Abs(d), o.Observed[n-2].From
			return
		}
		o.Why = fmt.Sprintf("the orders have not settled: the last are %s, %s and %s; refine further",
			printed.Digits(before2, 3), printed.Digits(before, 3), printed.Digits(last, 3))
	}
}

// steady reports whether the orders before the last three shrink by a similar factor: where they turn, as between two ranges of a curve,
// the last three say nothing of the limit.
func (o *Orders) steady(shrinks float64) bool {
	n := len(o.Observed)
	if n == 3 {
		return shrinks <= 0.75
	}
	before := (o.Observed[n-2].Order - o.Observed[n-3].Order) / (o.Observed[n-3].Order - o.Observed[n-4].Order)
	return before > 0 && before < 1 && shrinks < before*1.2 && shrinks > before/2.5
}

// line takes the range from a line through the longest run of last points that shows no curvature and whose orders go up and down, and
// says whether there is one.
func (o *Orders) line(at, logs []float64) bool {
	n := len(at)
	for m := n; m >= 5; m-- {
		slope, se, curved := straight(at[n-m:], logs[n-m:])
		if curved || 2*turns(o.Observed[n-m:]) < m-2 {
			continue
		}
		t := distuv.StudentsT{Sigma: 1, Nu: float64(m - 2)}.Quantile((1 + Level) / 2)
		o.Mean, o.Low, o.High = slope, slope-t*se, slope+t*se
		o.Window[0] = o.Observed[n-m].From
		return true
	}
	return false
}

// turns counts the orders that are larger or smaller than both of their neighbours.
func turns(orders []Observed) (n int) {
	for i := 1; i+1 < len(orders); i++ {
		if (orders[i].Order-orders[i-1].Order)*(orders[i+1].Order-orders[i].Order) < 0 {
			n++
		}
	}
	return n
}

// straight returns the slope of a line through points, its standard error, and whether a parabola through them is better: its leading
// coefficient is more than its standard error from 0, or residuals hold one sign from the middle on.
func straight(at, logs []float64) (slope, se float64, curved bool) {
	m := float64(len(at))
	centre := stat.Mean(at, nil)
	var sxx, sxy, level float64
	for i := range at {
		sxx += (at[i] - centre) * (at[i] - centre)
		sxy += (at[i] - centre) * logs[i]
		level += logs[i] / m
	}
	slope = sxy / sxx
	// The parabola's part that no line has, by Gram and Schmidt.
	q := make([]float64, len(at))
	third := 0.0
	for i := range at {
		third += math.Pow(at[i]-centre, 3)
	}
	var qq, qr, rr float64
	for i := range at {
		u := at[i] - centre
		q[i] = u*u - sxx/m - third/sxx*u
		r := logs[i] - level - slope*u
		qq, qr, rr = qq+q[i]*q[i], qr+q[i]*r, rr+r*r
	}
	se = math.Sqrt(rr / (m - 2) / sxx)
	bend := qr / qq
	left := max(0, rr-bend*qr)
	return slope, se, math.Abs(bend) > math.Sqrt(left/(m-3)/qq)*bends(len(at))
}

// bends is how many standard errors a curvature must be from 0.
func bends(m int) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: float64(m - 3)}.Quantile(0.9)
}
