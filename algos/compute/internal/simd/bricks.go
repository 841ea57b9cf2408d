package simd

import "math"

// Brick is the number of rows and of columns of a brick: 64 numbers that are stored together, row by row. A matrix in bricks
// stores eight rows as bricks side by side, and then the next eight.
//
// The functions on rows of bricks give the same bits with every instruction set that fuses multiplications with additions: all but portable code.
const Brick = 8

// BrickSize is how many numbers a brick has.
const BrickSize = Brick * Brick

// BrickSymMul adds to y what a row of bricks of a symmetric matrix, from the diagonal on, adds to its product with x: with a_i
// its rows and x_i the first eight numbers of x,
//
//	y_j += Σ_i x_i a_ij for all j,  y_i += Σ_j a_ij x_j for j ≥ 8.
//
// The first sum adds Σ_{i<4} and then Σ_{i≥4}; the second is that of BrickDots.
func BrickSymMul(y, a, x []float64) {
	n := len(x) / Brick
	_, _ = a[n*BrickSize-1], y[n*Brick-1]
	if f := current.brickSymMul; f != nil {
		f(n, first(a), first(x), first(y))
		return
	}
	BrickAddRows(y[:n*Brick], a, x)
	if n == 1 {
		return
	}
	var out [Brick]float64
	BrickDots(out[:], a[BrickSize:n*BrickSize], x[Brick:])
	for i, v := range out {
		y[i] += v
	}
}

// mulAdd is ab + c, rounded once if fused.
func mulAdd(fused bool, a, b, c float64) float64 {
	if fused {
		return math.FMA(a, b, c)
	}
	return float64(a*b) + c
}

// BrickDots sets out_i to Σ_j a_ij x_j for the eight rows of a row of bricks. Eight interleaved sums s_0 … s_7 are added, with
// p_m = s_2m + s_(2m+1), as (p_0 + p_2) + (p_1 + p_3).
func BrickDots(out, a, x []float64) {
	n := len(x) / Brick
	_, _ = a[n*BrickSize-1], out[Brick-1]
	if f := current.brickDots; f != nil {
		f(n, first(a), first(x), first(out))
		return
	}
	fused := current != portable
	for i := range Brick {
		var s [Brick]float64
		for q := 0; q < len(x); q += Brick {
			row := a[q*Brick+i*Brick:][:Brick]
			for j, v := range x[q:][:Brick] {
				s[j] = mulAdd(fused, row[j], v, s[j])
			}
		}
		out[i] = ((s[0] + s[1]) + (s[4] + s[5])) + ((s[2] + s[3]) + (s[6] + s[7]))
	}
}

// BrickAddRows adds Σ_i w_i a_ij to y_j, for the eight rows of a row of bricks. It adds Σ_{i<4} and then Σ_{i≥4}.
func BrickAddRows(y, a, w []float64) {
	n := len(y) / Brick
	_, _ = a[n*BrickSize-1], w[Brick-1]
	if f := current.brickAddRows; f != nil {
		f(n, first(a), first(w), first(y))
		return
	}
	fused := current != portable
	for j := range y {
		at := a[j/Brick*BrickSize+j%Brick:]
		for i := 0; i < Brick; i += Brick / 2 {
			sum := float64(w[i] * at[i*Brick])
			sum = mulAdd(fused, w[i+1], at[(i+1)*Brick], sum)
			sum = mulAdd(fused, w[i+2], at[(i+2)*Brick], sum)
			sum = mulAdd(fused, w[i+3], at[(i+3)*Brick], sum)
			y[j] += sum
		}
	}
}

// BrickAddOuter adds Σ_l a_li b_lj to c_ij, or subtracts it, for n bricks c and the 8k rows l of a and b, which are stride
// numbers after each other for every eight rows. a has one brick of each row of bricks. It adds the terms in order.
func BrickAddOuter(c, a, b []float64, n, k, stride int, subtract bool) {
	if n == 0 || k == 0 {
		return
	}
	_, _, _ = c[n*BrickSize-1], a[(k-1)*stride+BrickSize-1], b[(k-1)*stride+n*BrickSize-1]
	f := current.brickAddOuter
	if subtract {
		f = current.brickSubOuter
	}
	if f != nil {
		f(n, k, first(c), first(a), first(b), stride)
		return
	}
	fused := current != portable
	for l := range Brick * k {
		at := l/Brick*stride + l%Brick*Brick
		for i, w := range a[at:][:Brick] {
			if subtract {
				w = -w
			}
			for q := range n {
				row := c[q*BrickSize+i*Brick:][:Brick]
				for j, v := range b[at+q*BrickSize:][:Brick] {
					row[j] = mulAdd(fused, w, v, row[j])
				}
			}
		}
	}
}
