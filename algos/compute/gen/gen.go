// Command gen writes the vector functions of package compute for AVX2.
//
//	cd algos/compute/gen && go run . -out ../vector_amd64.s -stubs ../vector_stubs_amd64.go -pkg compute
//
// Each function performs the additions and multiplications of its portable twin in vector.go in the
// same order and without fused multiply-adds, so that both give the same bits.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Coefficients, as in vector.go.
var (
	cosPoly = []float64{6.283185307179585, -41.341702240398284, 81.60524927557977, -76.70585968962867,
		42.05868995395094, -15.09450614073429, 3.817365633469135, -0.6925067010720717}
	exp2Poly = []float64{1, 0.6931471805599453, 0.24022650695910158, 0.055504108664821625,
		0.009618129107587256, 0.001333355814640647, 0.00015403530463724353, 1.5252733841556773e-05,
		1.3215432535912375e-06, 1.0178057087733941e-07, 7.074194297288521e-09, 4.4558179083360645e-10}
)

const toInteger = 0x1.8p52

func main() {
	ConstraintExpr("!purego")
	loop("cosTurnsAVX2", "replaces n (a multiple of 4) values z by s·cos(2πz).", cosTurns)
	loop("exp2AVX2", "replaces n (a multiple of 4) values z by 2^(sz).", exp2)
	rows("affineAVX2", "sets n (a multiple of 4) values z_j to phase_j + Σ_l x_l w_lj, l < d, skipping zeros of x; rows of w are stride values apart.", true)
	rows("distancesAVX2", "sets n (a multiple of 4) values z_j to Σ_l (x_l - w_lj)², l < d; rows of w are stride values apart.", false)
	dot()
	Generate()
}

// constants places float64 values, four copies each, in read-only memory, so that they can be
// memory operands.
type constants struct {
	mem  Mem
	size int
	at   map[uint64]int
}

func newConstants(name string) *constants {
	return &constants{mem: GLOBL(name, RODATA|NOPTR), at: map[uint64]int{}}
}

func (c *constants) bits(b uint64) Mem {
	off, ok := c.at[b]
	if !ok {
		off = c.size
		for i := range 4 {
			DATA(off+8*i, U64(b))
		}
		c.at[b] = off
		c.size += 32
	}
	return c.mem.Offset(off)
}

func (c *constants) float(v float64) Mem { return c.bits(math.Float64bits(v)) }

// loop emits a function of n values and a factor s, four at a time.
func loop(name, doc string, body func(c *constants, z, s reg.VecVirtual)) {
	c := newConstants(name + "Constants")
	TEXT(name, NOSPLIT, "func(z *float64, n int, s float64)")
	Doc(name + " " + doc)
	ptr := Load(Param("z"), GP64())
	n := Load(Param("n"), GP64())
	s := YMM()
	VBROADCASTSD(Load(Param("s"), XMM()), s)
	Label("next")
	CMPQ(n, Imm(4))
	JL(LabelRef("end"))
	z := YMM()
	VMOVUPD(Mem{Base: ptr}, z)
	body(c, z, s)
	VMOVUPD(z, Mem{Base: ptr})
	ADDQ(Imm(32), ptr)
	SUBQ(Imm(4), n)
	JMP(LabelRef("next"))
	Label("end")
	VZEROUPPER()
	RET()
}

// madd returns a·x + b for a memory or register b.
func madd(a Op, x reg.VecVirtual, b Op) reg.VecVirtual {
	t := YMM()
	VMULPD(a, x, t)
	VADDPD(b, t, t)
	return t
}

func cosTurns(c *constants, z, s reg.VecVirtual) {
	n := YMM()
	VADDPD(c.float(toInteger), z, n)
	VSUBPD(c.float(toInteger), n, n)
	VSUBPD(n, z, z) // r = z - round(z)
	VANDPD(c.bits(1<<63-1), z, z)
	y := YMM()
	VMOVUPD(c.float(0.25), y)
	VSUBPD(z, y, y) // y = 1/4 - |r|
	u, u2, u4 := YMM(), YMM(), YMM()
	VMULPD(y, y, u)
	VMULPD(u, u, u2)
	VMULPD(u2, u2, u4)
	pair := func(i int) reg.VecVirtual { return madd(c.float(cosPoly[i+1]), u, c.float(cosPoly[i])) }
	a := madd(pair(2), u2, pair(0))
	b := madd(pair(6), u2, pair(4))
	p := madd(b, u4, a)
	VMULPD(s, y, y)
	VMULPD(y, p, z)
}

func exp2(c *constants, z, s reg.VecVirtual) {
	n, r := YMM(), YMM()
	VMULPD(s, z, z)
	VADDPD(c.float(toInteger+1022), z, n) // low bits: round(z) + 1022, the exponent of 2^(round(z)-1)
	VSUBPD(c.float(toInteger+1022), n, r)
	VSUBPD(r, z, r)
	VPSLLQ(Imm(52), n, n)
	r2, r4 := YMM(), YMM()
	VMULPD(r, r, r2)
	VMULPD(r2, r2, r4)
	pair := func(i int) reg.VecVirtual { return madd(c.float(exp2Poly[i+1]), r, c.float(exp2Poly[i])) }
	a := madd(pair(2), r2, pair(0))
	b := madd(pair(6), r2, pair(4))
	d := madd(pair(10), r2, pair(8))
	p := madd(madd(d, r4, b), r4, a)
	VADDPD(p, p, p)
	VMULPD(n, p, p)
	// z < -1021 gives 0, z ≥ 1024 gives +Inf; NaN has made p NaN and fails both comparisons.
	small, large := YMM(), YMM()
	VCMPPD(Imm(0x11), c.float(-1021), z, small) // z < -1021
	VCMPPD(Imm(0x1d), c.float(1024), z, large)  // z ≥ 1024
	VANDNPD(p, small, p)
	VBLENDVPD(large, c.float(math.Inf(1)), p, z)
}

// rows emits a function that combines d rows of w into one, in blocks of 32 and then 4 columns.
func rows(name, doc string, affine bool) {
	if affine {
		TEXT(name, NOSPLIT, "func(z, phase, w *float64, stride int, x *float64, d, n int)")
	} else {
		TEXT(name, NOSPLIT, "func(z, w *float64, stride int, x *float64, d, n int)")
	}
	Doc(name + " " + doc)
	z := Load(Param("z"), GP64())
	var phase reg.Register
	if affine {
		phase = Load(Param("phase"), GP64())
	}
	w := Load(Param("w"), GP64())
	stride := Load(Param("stride"), GP64())
	x := Load(Param("x"), GP64())
	d := Load(Param("d"), GP64())
	n := Load(Param("n"), GP64())
	SHLQ(Imm(3), stride)
	for _, cols := range []int{32, 4} {
		label := func(s string) string { return fmt.Sprintf("%s%d", s, cols) }
		acc := make([]reg.VecVirtual, cols/4)
		Label(label("block"))
		CMPQ(n, Imm(uint64(cols)))
		JL(LabelRef(label("done")))
		for k := range acc {
			acc[k] = YMM()
			if affine {
				VMOVUPD(Mem{Base: phase, Disp: 32 * k}, acc[k])
			} else {
				VXORPD(acc[k], acc[k], acc[k])
			}
		}
		row, xl, left := GP64(), GP64(), GP64()
		MOVQ(w, row)
		MOVQ(x, xl)
		MOVQ(d, left)
		Label(label("row"))
		TESTQ(left, left)
		JZ(LabelRef(label("store")))
		if affine {
			word := GP64()
			MOVQ(Mem{Base: xl}, word)
			SHLQ(Imm(1), word) // zero for ±0 alone
			JZ(LabelRef(label("next")))
		}
		v := YMM()
		VBROADCASTSD(Mem{Base: xl}, v)
		for k := range acc {
			t := YMM()
			if affine {
				VMULPD(Mem{Base: row, Disp: 32 * k}, v, t)
			} else {
				VSUBPD(Mem{Base: row, Disp: 32 * k}, v, t)
				VMULPD(t, t, t)
			}
			VADDPD(t, acc[k], acc[k])
		}
		Label(label("next"))
		ADDQ(Imm(8), xl)
		ADDQ(stride, row)
		DECQ(left)
		JMP(LabelRef(label("row")))
		Label(label("store"))
		for k := range acc {
			VMOVUPD(acc[k], Mem{Base: z, Disp: 32 * k})
		}
		ADDQ(U32(8*cols), z)
		if affine {
			ADDQ(U32(8*cols), phase)
		}
		ADDQ(U32(8*cols), w)
		SUBQ(Imm(uint64(cols)), n)
		JMP(LabelRef(label("block")))
		Label(label("done"))
	}
	VZEROUPPER()
	RET()
}

// dot emits a scalar product in sixteen interleaved sums.
func dot() {
	TEXT("dotAVX2", NOSPLIT, "func(a, b *float64, n int) float64")
	Doc("dotAVX2 returns Σ a_i b_i over n (a multiple of 16) values.")
	a := Load(Param("a"), GP64())
	b := Load(Param("b"), GP64())
	n := Load(Param("n"), GP64())
	acc := []reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	for _, s := range acc {
		VXORPD(s, s, s)
	}
	Label("next")
	CMPQ(n, Imm(16))
	JL(LabelRef("end"))
	for k, s := range acc {
		t := YMM()
		VMOVUPD(Mem{Base: a, Disp: 32 * k}, t)
		VMULPD(Mem{Base: b, Disp: 32 * k}, t, t)
		VADDPD(t, s, s)
	}
	ADDQ(Imm(128), a)
	ADDQ(Imm(128), b)
	SUBQ(Imm(16), n)
	JMP(LabelRef("next"))
	Label("end")
	VADDPD(acc[1], acc[0], acc[0])
	VADDPD(acc[3], acc[2], acc[2])
	VADDPD(acc[2], acc[0], acc[0])
	high := XMM()
	VEXTRACTF128(Imm(1), acc[0], high)
	VADDPD(high, acc[0].AsX(), high)
	swap := XMM()
	VPERMILPD(Imm(1), high, swap)
	VADDSD(swap, high, high)
	Store(high, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
