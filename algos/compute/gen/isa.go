package main

import (
	"fmt"
	"math"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set, given by its register width, together with an element type.
type isa struct {
	name  string // of the functions' suffix: AVX2F32, …
	bytes int    // of a register
	size  int    // of an element
	regs  int    // registers there are
	ints  int    // integers in an element; 0 if elements are floating-point numbers
}

var isas = []isa{
	{"AVX512F32", 64, 4, 32, 0},
	{"AVX512F64", 64, 8, 32, 0},
	{"AVX2F32", 32, 4, 16, 0},
	{"AVX2F64", 32, 8, 16, 0},
}

func (s isa) wide() bool   { return s.bytes == 64 }
func (s isa) single() bool { return s.size == 4 }
func (s isa) lanes() int   { return s.bytes / s.size }

// shift is log2 of the size of an element.
func (s isa) shift() Constant { return shiftOf(s.size) }

// shiftOf is log2 of a size.
func shiftOf(size int) Constant { return Imm(uint64(bits.TrailingZeros(uint(size)))) }

// reg returns a fresh vector register.
func (s isa) reg() reg.VecVirtual {
	if s.wide() {
		return ZMM()
	}
	return YMM()
}

// Operations on packed elements, operands in avo's order: sources reversed, destination last.
func (s isa) mov(o ...Op) { s.pick(VMOVUPS, VMOVUPD, o) }
func (s isa) add(o ...Op) { s.pick(VADDPS, VADDPD, o) }
func (s isa) sub(o ...Op) { s.pick(VSUBPS, VSUBPD, o) } // sub(b, a, d): d = a - b
func (s isa) mul(o ...Op) { s.pick(VMULPS, VMULPD, o) }
func (s isa) div(o ...Op) { s.pick(VDIVPS, VDIVPD, o) } // div(b, a, d): d = a / b
func (s isa) min(o ...Op) { s.pick(VMINPS, VMINPD, o) } // min(b, a, d): b if either is NaN
func (s isa) max(o ...Op) { s.pick(VMAXPS, VMAXPD, o) } // max(b, a, d): b if either is NaN

// fma231 adds to d: d = a·b + d. fma213 is d = d·b + a.
func (s isa) fma231(o ...Op) { s.pick(VFMADD231PS, VFMADD231PD, o) }
func (s isa) fma213(o ...Op) { s.pick(VFMADD213PS, VFMADD213PD, o) }

func (s isa) pick(single, double func(...Op), o []Op) {
	if s.single() {
		single(o...)
	} else {
		double(o...)
	}
}

// broadcast sets every element of r to the one at m.
func (s isa) broadcast(m, r Op) {
	if s.single() {
		VBROADCASTSS(m, r)
	} else {
		VBROADCASTSD(m, r)
	}
}

// zero clears r.
func (s isa) zero(r Op) {
	if s.wide() {
		VPXORD(r, r, r)
	} else {
		VXORPS(r, r, r)
	}
}

// and sets d to a & b.
func (s isa) and(o ...Op) {
	if s.wide() {
		s.pick(VPANDD, VPANDQ, o)
	} else {
		VPAND(o[0], o[1], o[2])
	}
}

// constants are full registers of one element each in read-only memory, to be used as operands.
// Read-only data is not aligned to registers: load it with mov.
type constants struct {
	name string
	at   map[string]Mem
}

func newConstants(name string) *constants { return &constants{name, map[string]Mem{}} }

// value returns an operand whose elements are v.
func (c *constants) value(s isa, v float64) Mem {
	if s.single() {
		return c.bits(s, uint64(math.Float32bits(float32(v))))
	}
	return c.bits(s, math.Float64bits(v))
}

// bits returns an operand whose elements have the bits b.
func (c *constants) bits(s isa, b uint64) Mem {
	key := fmt.Sprintf("%d/%x", s.size, b)
	m, ok := c.at[key]
	if !ok {
		m = GLOBL(fmt.Sprintf("%s%d", c.name, len(c.at)), RODATA|NOPTR)
		for i := 0; i < 64; i += s.size {
			if s.single() {
				DATA(i, U32(uint32(b)))
			} else {
				DATA(i, U64(b))
			}
		}
		c.at[key] = m
	}
	return m
}

// end returns from the function.
func end() {
	VZEROUPPER()
	RET()
}

// repeat counts down and jumps to label until the count is 0.
func repeat(count reg.GPVirtual, label string) {
	DECQ(count)
	JNE(LabelRef(label))
}

// zeros returns n groups of so many registers, set to 0.
func (s isa) zeros(n, registers int) []group { return s.filled(n, registers, s.zero) }

// filled returns n groups of so many registers that fill has set.
func (s isa) filled(n, registers int, fill func(r Op)) []group {
	g := make([]group, n)
	for i := range g {
		for range registers {
			r := s.reg()
			fill(r)
			g[i] = append(g[i], r)
		}
	}
	return g
}

// copied returns a fresh general register with the value of an operand.
func copied(from Op) reg.GPVirtual {
	r := GP64()
	MOVQ(from, r)
	return r
}

// param loads a parameter of the function into a general register.
func param(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
