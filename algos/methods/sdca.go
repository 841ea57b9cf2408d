package methods

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/losses"
)

// SDCASettings are common to stochastic dual coordinate ascent [Shalev-Shwartz & Zhang 2013, §1 and
// procedure SDCA; the competitors of dai2014 §6 and §7] with the kernel and with explicit features.
// With one dual variable α_i for each of the n training rows and
//
//	f = (1/(νn)) Σ_i α_i k(x_i, ·)
//
// every visit of a row i sets α_i to the maximiser of the dual objective
//
//	D(α) = (1/n) Σ_i -l*(-α_i, y_i) - ν/2·‖f‖²
//
// the other α being fixed. D is a lower bound of the primal objective P(f) = (1/n) Σ_i l(f(x_i), y_i) +
// ν/2·‖f‖², dai2014 eq. (1) over the training sample, and equal to it at the optimum, where
// α_i = -l'(f(x_i), y_i). The rows of a batch are visited one after another, each with the f that those
// before it left: the batch is how much is computed at once, and changes no iterate.
//
// With SGDStart the first pass is theirs of §4, procedure Modified-SGD: the t-th row visited sees the
// solution of the rows before it, f = (1/(ν(t-1))) Σ_j α_j k(x_j, ·), and has 1/(νt) for the 1/(νn)
// of its own term. Without, the f of the first pass is small by a factor of t/n.
//
// Departures. Rows are visited in a new random order every pass, the paper's SDCA-Perm, not drawn with
// replacement, as in its analysis. The average, if it is kept, is over the f after each batch of all
// iterations, not of the last ones. Maximisers are exact, to a few roundings where there is no closed
// form; the paper offers lower bounds of the gain besides.
type SDCASettings struct {
	Batch    int  `toml:"batch" want:"> 0" doc:"rows visited per iteration, one after another; does not change the iterates"`
	SGDStart bool `toml:"sgd_start" doc:"in the first pass, scale f by the number of rows visited so far instead of n [Shalev-Shwartz & Zhang 2013, §4, Modified-SGD]"`
	Average  bool `toml:"average" doc:"also keep the averaged iterate (1/t) Σ f_i"`
}

func (a *SDCASettings) BatchSize() int { return a.Batch }

// A dual visits the rows of batches.
type dual struct {
	settings *SDCASettings
	loss     losses.Dual
	n        int
	nu       float64
}

// newDual returns the dual of a problem for the named method, or an error if the method does not solve it.
func newDual(name string, a *SDCASettings, p *algos.Problem) (dual, error) {
	loss, ok := p.Loss.(losses.Dual)
	d := dual{settings: a, loss: loss, n: p.Train.Len(), nu: p.Nu}
	switch {
	case !ok:
		return d, fmt.Errorf("%w: %s has no dual step for loss %s", algos.ErrUnsupported, name, p.Loss.Name())
	case !(p.Nu > 0):
		return d, fmt.Errorf("%w: %s needs ν > 0, got %g; its f is a sum over 1/(νn)", algos.ErrUnsupported, name, p.Nu)
	}
	return d, nil
}

// scale returns the factor 1/(νm) of f = (1/(νm)) Σ α_i k(x_i, ·) after the given number of visits.
func (d dual) scale(seen int64) float64 {
	m := int64(d.n)
	if d.settings.SGDStart {
		m = max(1, min(m, seen))
	}
	return 1 / (d.nu * float64(m))
}

// visit maximises the dual in the rows of a batch, one after another. For the rows b, c of the batch, sums holds
// Σ_j α_j k(x_j, x_b), gram k(x_b, x_c) and alpha α_b. visit replaces alpha by the new α and returns the change. seen is
// the number of visits before the batch.
func (d dual) visit(alpha, sums, gram, y compute.Matrix, seen int64) (gained compute.Matrix) {
	gained = compute.NewMatrix(alpha.Rows, alpha.Cols)
	for b := range alpha.Rows {
		before, own := d.scale(seen+int64(b)), d.scale(seen+int64(b)+1)
		k := gram.At(b, b)
		a, s, gain := alpha.Row(b), sums.Row(b), gained.Row(b)
		for o := range a {
			next := d.loss.DualStep(before*(s[o]-a[o]*k), own*k, y.At(b, o))
			gain[o] = next - a[o]
			a[o] = next
		}
		for c := b + 1; c < alpha.Rows; c++ {
			s, k := sums.Row(c), gram.At(c, b)
			for o, g := range gain {
				s[o] += g * k
			}
		}
	}
	return gained
}
