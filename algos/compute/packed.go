package compute

import "repro/algos/compute/internal/simd"

// MostPacked is the largest size in bytes of the points that KeepPacked keeps.
const MostPacked = 512 << 20

// KeepPacked returns a kernel operator whose products, and those of selections of its rows, keep z packed from the second one
// on, so that a batch of rows does not pack all of z anew. z must not change afterwards. Results have the same bits. It
// returns op itself if z takes more than 512 MiB, and other operators.
func KeepPacked(op Operator) Operator {
	if k, ok := op.(interface{ keepPacked() Operator }); ok {
		return k.keepPacked()
	}
	return op
}

func (o *kernel[T]) keepPacked() Operator {
	if panels(o.z.Rows)*o.product(o.x, o.z).in.size()*sizeof[T]() > MostPacked {
		return o
	}
	k := *o
	k.kept = &keptPanels[T]{panels: make([]panel[T], panels(o.z.Rows))}
	return &k
}

// keptPanels are the packed panels of a side, those without data not packed yet.
type keptPanels[T simd.Float] struct {
	panels   []panel[T]
	products int
}

// of returns s, whose panels are kept.
func (k *keptPanels[T]) of(s side[T]) side[T] {
	k.products++
	packed := s
	s.prepare = func(panels []panel[T], dst []T, lo, hi int, strips bool) {
		if k.products == 1 {
			packed.fill(panels, dst, lo, hi, strips)
			return
		}
		for p := lo; p < hi; p++ {
			if k.panels[p].data == nil || k.panels[p].strips != strips {
				packed.fill(k.panels[lo:hi], allocate[T]((hi-lo)*s.size()), lo, hi, strips)
				break
			}
		}
		copy(panels, k.panels[lo:hi])
	}
	return s
}
