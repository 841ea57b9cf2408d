package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// xor3 sets d to d ^ a ^ b. It may overwrite a.
func (s rng) xor3(a, b, d reg.VecVirtual) {
	if s.wide() {
		VPTERNLOGD(Imm(0x96), a, b, d)
		return
	}
	s.xor(b, a)
	s.xor(a, d)
}

// halves are 32-bit words spread over two registers of 64-bit elements: the even words in the low
// halves of the first, the odd words in those of the second. What the high halves hold does not
// matter: multiplications ignore it, and their products arrive in this form.
type halves [2]reg.VecVirtual

func (s rng) split(r reg.VecVirtual) halves {
	odd := s.reg()
	VPSRLQ(Imm(32), r, odd)
	return halves{r, odd}
}

// merged returns the words in order. mask selects the odd words of a wide register.
func (s rng) merged(w halves, mask reg.OpmaskVirtual) reg.VecVirtual {
	if s.wide() {
		VMOVSLDUP(w[1], mask, w[0])
	} else {
		VPSLLQ(Imm(32), w[1], w[1])
		VPBLENDD(Imm(0xAA), w[1], w[0], w[0])
	}
	return w[0]
}

// product multiplies words by a constant and returns the high and the low words of the products.
func (s rng) product(x reg.VecVirtual, m Op) (hi, lo reg.VecVirtual) {
	hi, lo = s.reg(), s.reg()
	VPMULUDQ(m, x, lo)
	VPSRLQ(Imm(32), lo, hi)
	return hi, lo
}

// kept returns an operand with the value of r, in memory if registers are few.
func (s rng) kept(r reg.VecVirtual) Op {
	if s.wide() {
		return r
	}
	m := AllocLocal(s.bytes)
	s.mov(r, m)
	return m
}

// philox writes Philox4x32-10 of one counter a lane. A group of lanes at a time goes through its n
// counters; of the first round, what does not depend on the lowest word is done once.
func (s rng) philox() {
	TEXT("philox"+s.set, NOSPLIT, "func(dst *uint32, n int, at *uint32, from int, keys *uint32)")
	Doc(fmt.Sprintf("philox%s sets dst[4c+q][lane] to word q of Philox of (at[0]+from+c, at[1], at[2], at[3])[lane],", s.set),
		fmt.Sprintf("for c < n and %d lanes; keys holds the two words of each round's key.", rowLanes))
	Pragma("noescape")
	dst, n, at, from, keys := param("dst"), param("n"), param("at"), param("from"), param("keys")
	key := func(i int) reg.VecVirtual {
		k := s.reg()
		VPBROADCASTD(Mem{Base: keys, Disp: 4 * i}, k)
		return k
	}
	var m0, m1 Op = s.integers(0xD2511F53), s.integers(0xCD9E8D57)
	var odd reg.OpmaskVirtual
	if s.wide() {
		m0, m1 = s.loaded(m0), s.loaded(m1)
		odd = K()
		bits := GP32()
		MOVL(U32(0xAAAA), bits)
		KMOVW(bits, odd)
	}
	start := s.reg()
	VMOVQ(from, start.AsX())
	VPBROADCASTD(start.AsX(), start)
	group := GP64()
	MOVQ(U32(rowBytes/s.bytes), group)
	Label("group")
	var c [4]halves
	for q := range c {
		r := s.loaded(Mem{Base: at, Disp: q * rowBytes})
		if q == 0 {
			VPADDD(start, r, r)
		}
		c[q] = s.split(r)
	}
	var x0, x1, x3 [2]Op // after the first round; x2 is the high word of m0·c0, ^ x3
	for h := range 2 {
		hi, lo := s.product(c[2][h], m1)
		s.xor3(c[1][h], key(0), hi)
		s.xor(key(1), c[3][h])
		x0[h], x1[h], x3[h] = s.kept(hi), s.kept(lo), s.kept(c[3][h])
	}
	to, left := GP64(), GP64()
	MOVQ(dst, to)
	MOVQ(n, left)
	Label("counter")
	var x [4]halves
	for h := range 2 {
		hi, lo := s.product(c[0][h], m0)
		s.xor(x3[h], hi)
		x[0][h], x[1][h], x[2][h], x[3][h] = s.loaded(x0[h]), s.loaded(x1[h]), hi, lo
	}
	for r := 1; r < 10; r++ {
		k0, k1 := key(2*r), key(2*r+1)
		for h := range 2 {
			hi0, lo0 := s.product(x[0][h], m0)
			hi1, lo1 := s.product(x[2][h], m1)
			s.xor3(x[1][h], k0, hi1)
			s.xor3(x[3][h], k1, hi0)
			x[0][h], x[1][h], x[2][h], x[3][h] = hi1, lo1, hi0, lo0
		}
	}
	for q, w := range x {
		s.mov(s.merged(w, odd), Mem{Base: to, Disp: q * rowBytes})
	}
	for h := range 2 {
		VPADDD(s.integers(1), c[0][h], c[0][h])
	}
	ADDQ(U32(4*rowBytes), to)
	DECQ(left)
	JNE(LabelRef("counter"))
	ADDQ(U32(uint32(s.bytes)), dst)
	ADDQ(U32(uint32(s.bytes)), at)
	DECQ(group)
	JNE(LabelRef("group"))
	VZEROUPPER()
	RET()
}
