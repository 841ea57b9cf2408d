package algos

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"repro/algos/compute"
)

// sampledRows is the largest number of rows that Sampled reads.
const sampledRows = 10_000

// Sampled returns the inputs of all training rows, or of 10,000 at equal distances if there are more.
func (p *Problem) Sampled() compute.Matrix {
	n := p.Train.Len()
	rows := make([]int, min(n, sampledRows))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	in, out := p.Train.Dims()
	x := compute.NewMatrix(len(rows), in)
	p.Train.Gather(rows, x, compute.NewMatrix(len(rows), out))
	return x
}

// Check returns an error if the kernel of p overflows, before a method starts that would blame its matrices: if k(x, x) is not finite at the
// largest or the smallest of the Sampled inputs. No |k(x, z)| is larger than both k(x, x) and k(z, z).
func Check(p *Problem) error {
	if p.Kernel == nil || p.Stream != nil || p.Train.Len() == 0 {
		return nil
	}
	x := p.Sampled()
	norms := make([]float64, x.Rows)
	for i := range norms {
		norms[i] = floats.Norm(x.Row(i), 2)
	}
	extremes := []int{floats.MaxIdx(norms), floats.MinIdx(norms)}
	for i, v := range p.Engine.KernelRows(p.Kernel, x.Select(extremes), 0).Diagonal() {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("kernel %s: k(x, x) is %v in %s at a training input with ‖x‖ = %.3g; scale the inputs (data.scale), or choose a larger bandwidth",
				p.Kernel.Name(), v, p.Engine.Precision(), norms[extremes[i]])
		}
	}
	return nil
}
