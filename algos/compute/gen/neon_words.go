package main

import "fmt"

// A vreg is the number of a vector register.
type vreg int

// A word is the encoding of an instruction that Go's assembler lacks, without its registers. The destination is in bits 0
// to 4, the first source in bits 5 to 9 and the second source in bits 16 to 20.
type word struct {
	bits    uint32
	sources int
	form    string // of the registers in the manual; empty: 4s for float32, and 2d with bit 22 set for float64
	last    string // operand after the registers
}

var words = map[string]word{
	"fadd":   {0x4e20d400, 2, "", ""},
	"fsub":   {0x4ea0d400, 2, "", ""},
	"fmul":   {0x6e20dc00, 2, "", ""},
	"fdiv":   {0x6e20fc00, 2, "", ""},
	"fmax":   {0x4e20f400, 2, "", ""},
	"fmin":   {0x4ea0f400, 2, "", ""},
	"fabd":   {0x6ea0d400, 2, "", ""},
	"fcmgt":  {0x6ea0e400, 2, "", ""},
	"fabs":   {0x4ea0f800, 1, "", ""},
	"fsqrt":  {0x6ea1f800, 1, "", ""},
	"frintn": {0x4e218800, 1, "", ""},
	"fcmeq0": {0x4ea0d800, 1, "", "#0.0"},
	"fcmlt0": {0x4ea0e800, 1, "", "#0.0"},
	"bic":    {0x4e601c00, 2, "16b", ""},
}

// encode returns the word of an instruction on elements of size bytes, and its text in the manual's syntax. The destination
// comes first.
func encode(op string, size int, r ...vreg) (uint32, string) {
	w, ok := words[op]
	if !ok || len(r) != w.sources+1 {
		panic(fmt.Sprintf("gen: %s with %d registers", op, len(r)))
	}
	bits, form := w.bits, w.form
	switch {
	case form == "" && size == 4:
		form = "4s"
	case form == "":
		form, bits = "2d", bits|1<<22
	}
	text := trimZero(op)
	for i, at := range []int{0, 5, 16}[:len(r)] {
		bits |= uint32(r[i]) << at
		text += fmt.Sprintf("%sv%d.%s", separator(i), r[i], form)
	}
	if w.last != "" {
		text += ", " + w.last
	}
	return bits, text
}

// trimZero returns the mnemonic of a comparison with zero.
func trimZero(op string) string {
	if op[len(op)-1] == '0' {
		return op[:len(op)-1]
	}
	return op
}

func separator(i int) string {
	if i == 0 {
		return " "
	}
	return ", "
}

// encodeElement is fmla by element: d += a·b[i].
func encodeElement(size int, d, a, b vreg, i int) (uint32, string) {
	registers := uint32(d) | uint32(a)<<5 | uint32(b)<<16
	if size == 4 {
		return 0x4f801000 | registers | uint32(i&1)<<21 | uint32(i>>1)<<11, fmt.Sprintf("fmla v%d.4s, v%d.4s, v%d.s[%d]", d, a, b, i)
	}
	return 0x4fc01000 | registers | uint32(i)<<11, fmt.Sprintf("fmla v%d.2d, v%d.2d, v%d.d[%d]", d, a, b, i)
}

// encodeWiden converts the lower or upper two of four float32 to float64.
func encodeWiden(d, a vreg, upper bool) (uint32, string) {
	registers := uint32(d) | uint32(a)<<5
	if upper {
		return 0x4e617800 | registers, fmt.Sprintf("fcvtl2 v%d.2d, v%d.4s", d, a)
	}
	return 0x0e617800 | registers, fmt.Sprintf("fcvtl v%d.2d, v%d.2s", d, a)
}

// encodePairSum adds the two float64 of a.
func encodePairSum(d, a vreg) (uint32, string) {
	return 0x7e70d800 | uint32(d) | uint32(a)<<5, fmt.Sprintf("faddp d%d, v%d.2d", d, a)
}
