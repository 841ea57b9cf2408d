// Command gen writes the vector functions of package compute for AVX2.
//
//	cd algos/compute/gen && go run . -out ../vector_amd64.s -stubs ../vector_stubs_amd64.go -pkg compute
//
// Each function performs the additions and multiplications of its portable twin in vector.go in the
// same order and without fused multiply-adds, so that both give the same bits.
package main

import (
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
	loop("cosTurnsAVX2", "replaces n (a multiple of 4) values z by s·cos(2πz).", true, cosTurns)
	loop("exp2AVX2", "replaces n (a multiple of 4) values z by 2^z.", false, exp2)
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

// loop emits a function over n values, four at a time.
func loop(name, doc string, scaled bool, body func(c *constants, z, s reg.VecVirtual)) {
	c := newConstants(name + "Constants")
	sig := "func(z *float64, n int)"
	if scaled {
		sig = "func(z *float64, n int, s float64)"
	}
	TEXT(name, NOSPLIT, sig)
	Doc(name + " " + doc)
	ptr := Load(Param("z"), GP64())
	n := Load(Param("n"), GP64())
	s := YMM()
	if scaled {
		x := Load(Param("s"), XMM())
		VBROADCASTSD(x, s)
	}
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

func exp2(c *constants, z, _ reg.VecVirtual) {
	n, r := YMM(), YMM()
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
