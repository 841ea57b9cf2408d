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

// round replaces words of a counter by those after a round of Philox.
func (s rng) round(x *[4]reg.VecVirtual, m0, m1 Op, k0, k1 reg.VecVirtual) {
	product := func(x reg.VecVirtual, m Op) (hi, lo reg.VecVirtual) {
		lo = s.reg()
		VPMULUDQ(m, x, lo)
		return s.split(lo)[1], lo
	}
	hi0, lo0 := product(x[0], m0)
	hi1, lo1 := product(x[2], m1)
	s.xor3(x[1], k0, hi1)
	s.xor3(x[3], k1, hi0)
	*x = [4]reg.VecVirtual{hi1, lo1, hi0, lo0}
}

// philox writes Philox4x32-10 of one counter a lane: of all lanes side by side where there are registers,
// for the rounds of one depend on each other, else of a register of them.
func (s rng) philox() {
	define("philox"+s.set, "dst *uint32, n int, at *uint32, from int, keys *uint32",
		"sets dst[4c+q][lane] to word q of Philox of (at[0]+from+c, at[1], at[2], at[3])[lane],",
		fmt.Sprintf("for c < n and %d lanes; keys holds the two words of each round's key.", rowLanes))
	dst, n, at, from, keys := param("dst"), param("n"), param("at"), param("from"), param("keys")
	var m0, m1 Op = s.integers(0xD2511F53), s.integers(0xCD9E8D57)
	var odd reg.OpmaskVirtual
	together := 1
	if s.wide() {
		m0, m1 = s.loaded(m0), s.loaded(m1)
		odd = K()
		bits := GP32()
		MOVL(U32(0xAAAA), bits)
		KMOVW(bits, odd)
		together = rowBytes / s.bytes
	}
	group, to, left := GP64(), GP64(), GP64()
	MOVQ(U32(uint32(rowBytes/s.bytes/together)), group)
	Label("group")
	position := s.reg()
	VMOVQ(from, position.AsX())
	VPBROADCASTD(position.AsX(), position)
	MOVQ(dst, to)
	MOVQ(n, left)
	Label("counter")
	x := make([][4]reg.VecVirtual, 2*together)
	for i := range together {
		for q := range 4 {
			w := s.loaded(Mem{Base: at, Disp: q*rowBytes + i*s.bytes})
			if q == 0 {
				VPADDD(position, w, w)
			}
			h := s.split(w)
			x[2*i][q], x[2*i+1][q] = h[0], h[1]
		}
	}
	for r := range 10 {
		k0, k1 := s.reg(), s.reg()
		VPBROADCASTD(Mem{Base: keys, Disp: 8 * r}, k0)
		VPBROADCASTD(Mem{Base: keys, Disp: 8*r + 4}, k1)
		for i := range x {
			s.round(&x[i], m0, m1, k0, k1)
		}
	}
	for i := range together {
		for q := range 4 {
			s.mov(s.merged(halves{x[2*i][q], x[2*i+1][q]}, odd), Mem{Base: to, Disp: q*rowBytes + i*s.bytes})
		}
	}
	VPADDD(s.integers(1), position, position)
	ADDQ(U32(4*rowBytes), to)
	repeat(left, "counter")
	ADDQ(U32(uint32(together*s.bytes)), dst)
	ADDQ(U32(uint32(together*s.bytes)), at)
	repeat(group, "group")
	end()
}
