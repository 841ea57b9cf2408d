package simd

// Strip is the number of columns of a strip, which is a micro-panel: its points are the rows of a micro-tile, which reads
// it sequentially.
const Strip = 8

// Strips copies rows of 48 columns to strips of 8 that are stride elements apart: it sets dst[p·stride + 8l + i] to
// element 8p + i of row l of src.
func Strips[T Float](dst []T, stride int, src []T) {
	n := len(src) / Width
	if n == 0 {
		return
	}
	_ = dst[(Width/Strip-1)*stride+n*Strip-1]
	if f := kernelsOf[T]().strips; f != nil {
		f(first(dst), stride, first(src), n)
		return
	}
	for l := range n {
		for p := range Width / Strip {
			copy(dst[p*stride+l*Strip:], src[l*Width+p*Strip:][:Strip])
		}
	}
}

// TileStrips is Tile with Dot for packed panels: it sets the m×n tile c to Σ_l a_li b_lj over l < k, or adds this to c if
// add. b and c have leading dimension 48. a is in strips of 8 columns, stride elements apart, each with leading dimension
// 8. TileStrips prefetches 48k elements of next into the L2 cache.
func TileStrips[T Float](m, n, k int, a []T, stride int, b, c []T, add bool, next []T) {
	if k == 0 && !add {
		start(Dot, m, n, c, Width)
	}
	if m == 0 || n == 0 || k == 0 {
		return
	}
	_, _, _ = a[(m-1)/Strip*stride+k*Strip-1], b[k*Width-1], c[m*Width-1]
	if t := kernelsOf[T]().tiles; t != nil {
		runStrips(t, m, n, k, a, stride, b, c, add, next)
		return
	}
	for i := 0; i < m; i += Strip {
		tileGeneric(Dot, min(Strip, m-i), n, k, a[i/Strip*stride:], Strip, b, Width, c[i*Width:], Width, add)
	}
}

// runStrips covers the tile with micro-tiles.
func runStrips[T Float](s *tileSet[T], m, n, k int, a []T, stride int, b, c []T, add bool, next []T) {
	more := 0
	if add {
		more = 1
	}
	for j := 0; j < n; {
		v := min(3, (n-j+s.lanes-1)/s.lanes)
		for i := 0; i < m; {
			h := min(s.rows, m-i)
			s.table[h*tileRow+v](1, k, &a[i/Strip*stride+i%Strip], Strip, &b[j], Width, &c[i*Width+j], Width, more, &next[min(i*k, len(next)-1)])
			i += h
		}
		j += v * s.lanes
	}
}
