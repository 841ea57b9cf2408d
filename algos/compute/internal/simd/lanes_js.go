//go:build lanes

package simd

import "unsafe"

// Functions of package lanes do the work of portable code. They take whole vectors; what is left takes Go.
func init() {
	portable.single = lanesOf(laneFunctions[float32]{cos32, exp232, clampBelow32, scale32, affine32, sqrt32, mulPoly32, power32,
		weigh32, squares32, rowDots32, add32, set32, transpose32, pack32, normals32, cover32, panel32})
	portable.double = lanesOf(laneFunctions[float64]{cos64, exp264, clampBelow64, scale64, affine64, sqrt64, mulPoly64, power64,
		weigh64, squares64, rowDots64, add64, set64, transpose64, pack64, normals64, cover64, panel64})
	portable.squaredDistances = func(k int, a, b, c *float64) { squaredDistances(int32(k/4), int32(k%4), a, b, c) }
	portable.brickDots = func(n int, a, x, out *float64) { brickDots(int32(n), a, x, out) }
	portable.brickAddRows = func(n int, a, w, y *float64) { brickAddRows(int32(n), a, w, y) }
	outer := func(sign float64) func(n, k int, c, a, b *float64, stride int) {
		return func(n, k int, c, a, b *float64, stride int) {
			brickAddOuter(int32(n), int32(k), c, a, b, int32(8*stride), sign)
		}
	}
	portable.brickAddOuter, portable.brickSubOuter = outer(1), outer(-1)
	vectorDots = func(k int, a, b, out *float64) { dots(int32(k), a, b, out) }
	portable.philox = func(dst *uint32, n int, at *uint32, from int, keys *uint32) {
		philox(dst, int32(n), at, int32(from), keys)
	}
}

// laneFunctions are those for elements of type T.
type laneFunctions[T Float] struct {
	cos, exp2, clampBelow, scale func(z *T, n int32, s T)
	affine                       func(z *T, n int32, a, b T)
	sqrt                         func(z *T, n int32)
	mulPoly                      func(z *T, n int32, c0, c1, c2 T, t *T)
	power                        func(z *T, n, exponent, steps int32)
	weigh                        func(k int32, a, b *T, ldb int32, c *T)
	squares                      func(k int32, b, c *T)
	rowDots                      func(m int32, dst *float64, ldd int32, a *T, lda int32, rows unsafe.Pointer, b *float64, c, k int32)
	add, set                     func(dst *float64, ldd int32, src *T, lds int32, alpha float64, m, n int32)
	transpose                    func(dst *T, ldd int32, src *T, lds int32, none *float64, m, n int32)
	pack                         func(dst *T, ldd int32, src *float64, lds int32, mean *float64, m, n int32)
	normals                      func(dst *T, words *uint32, n int32, scale *T)
	cover                        func(op, m, n, k int32, a *T, lda, strip int32, b *T, ldb int32, c *T, ldc, more int32)
	panel                        func(form, columns, m, n, k int32, a *T, lda, strip int32, b, c *T, s T)
}

// lanesOf adapts them to the functions of an instruction set.
func lanesOf[T Float](of laneFunctions[T]) (k kernels[T]) {
	of.elements(&k)
	of.sums(&k)
	of.tiles(&k)
	return k
}

// bytes is the size of n elements, lanes how many a vector has.
func bytes[T Float](n int) int32 { return int32(n * int(unsafe.Sizeof(T(0)))) }
func lanes[T Float]() int        { return 16 / int(unsafe.Sizeof(T(0))) }

// wholeAndRest calls vector with whole vectors of z and of t, and portable with the rest.
func wholeAndRest[T Float](vector func(z *T, n int32, a, b, c T, t *T), portable func(z, t []T, a, b, c T)) vectorFunc[T] {
	return func(z *T, n int, a, b, c T, t *T) {
		vector(z, int32(n/lanes[T]()), a, b, c, t)
		if rest := n / lanes[T]() * lanes[T](); rest < n {
			portable(unsafe.Slice(z, n)[rest:], unsafe.Slice(t, n)[rest:], a, b, c)
		}
	}
}

func (of laneFunctions[T]) elements(k *kernels[T]) {
	by := func(vector func(z *T, n int32, s T), portable func(z, t []T, a, b, c T)) vectorFunc[T] {
		return wholeAndRest(func(z *T, n int32, s, _, _ T, _ *T) { vector(z, n, s) }, portable)
	}
	k.cos, k.exp2, k.clampBelow, k.scale = by(of.cos, cosGeneric[T]), by(of.exp2, exp2Generic[T]), by(of.clampBelow, clampGeneric[T]), by(of.scale, scaleGeneric[T])
	k.affine = wholeAndRest(func(z *T, n int32, a, b, _ T, _ *T) { of.affine(z, n, a, b) }, affineGeneric[T])
	k.sqrt = wholeAndRest(func(z *T, n int32, _, _, _ T, _ *T) { of.sqrt(z, n) }, sqrtGeneric[T])
	k.mulPoly = wholeAndRest(of.mulPoly, mulPolyGeneric[T])
	k.power = func(z *T, n int, exponent uint64, steps int) {
		power := func(rest, _ []T, _, _, _ T) { powerGeneric(rest, exponent, steps) }
		if steps > 32 {
			powerGeneric(unsafe.Slice(z, n), exponent, steps)
			return
		}
		wholeAndRest(func(z *T, n int32, _, _, _ T, _ *T) { of.power(z, n, int32(exponent>>32), int32(steps)) }, power)(z, n, 0, 0, 0, z)
	}
	k.variates[Normal] = func(dst *T, words *uint32, n int, scale *T) { of.normals(dst, words, int32(n), scale) }
}

func (of laneFunctions[T]) sums(k *kernels[T]) {
	k.weigh = func(k int, a, b *T, ldb int, c *T) { of.weigh(int32(k), a, b, bytes[T](ldb), c) }
	k.squares = func(k int, b *T, _ int, c *T) { of.squares(int32(k), b, c) }
	k.rowDots = func(m int, dst *float64, ldd int, a *T, lda int, rows *int, b *float64, c, n int) {
		of.rowDots(int32(m), dst, int32(8*ldd), a, bytes[T](lda), unsafe.Pointer(rows), b, int32(c), int32(n))
	}
	rows := func(f func(dst *float64, ldd int32, src *T, lds int32, alpha float64, m, n int32)) func(dst *float64, ldd int, src *T, lds int, alpha float64, rows, n int) {
		return func(dst *float64, ldd int, src *T, lds int, alpha float64, rows, n int) {
			f(dst, int32(8*ldd), src, bytes[T](lds), alpha, int32(rows), int32(n))
		}
	}
	k.addAny, k.setAny = rows(of.add), rows(of.set)
	k.transposeAny = func(dst *T, ldd int, src *T, lds, rows, n int) {
		of.transpose(dst, bytes[T](ldd), src, bytes[T](lds), nil, int32(rows), int32(n))
	}
	k.packAny = func(dst *T, ldd int, src *float64, lds int, mean *float64, rows, n int) {
		of.pack(dst, bytes[T](ldd), src, int32(8*lds), mean, int32(rows), int32(n))
	}
}

func (of laneFunctions[T]) tiles(k *kernels[T]) {
	k.cover = func(op Op, m, n, k int, a *T, lda, strip int, b *T, ldb int, c *T, ldc int, add bool) {
		of.cover(int32(op), int32(m), int32(n/lanes[T]()), int32(k), a, bytes[T](lda), bytes[T](strip), b, bytes[T](ldb), c, bytes[T](ldc), asInt(add))
	}
	k.panel = func(form Form, columns bool, m, n, k int, a *T, lda, strip int, b, c *T, s T) {
		if form != Exponential {
			s = 1
		}
		of.panel(int32(form), asInt(columns), int32(m), int32(n/lanes[T]()), int32(k), a, bytes[T](lda), bytes[T](strip), b, c, s)
	}
}

func asInt(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
