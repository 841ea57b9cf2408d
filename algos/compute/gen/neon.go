package main

import (
	"bytes"
	"fmt"
	"strings"
)

const neonBytes = 16 // of a register

var neons = []isa{{"NEONF32", neonBytes, 4, 32, 0}, {"NEONF64", neonBytes, 8, 32, 0}}

// arrangement is how Go's assembler writes a vector of these elements, element one of its elements, and move what moves one.
func (s isa) arrangement() string { return map[int]string{4: "S4", 8: "D2"}[s.size] }
func (s isa) element() string     { return map[int]string{4: "S", 8: "D"}[s.size] }
func (s isa) move() string        { return "FMOV" + s.element() }

// A greg is a general register. R18, R27 and R28 are the system's, the assembler's and Go's.
type greg string

// A file is an assembly file. The function that is being written has parameters at offsets, general and free vector registers,
// and constants.
type file struct {
	text      bytes.Buffer
	s         isa
	name      string
	offsets   map[string]int
	general   int
	free      []vreg
	constants []uint64 // bits
}

// neonCode returns the NEON code.
func neonCode() []byte {
	f := &file{}
	for _, f.s = range neons {
		f.s.shapes(tileHeight, f.tile)
		f.weigh()
		f.squares()
		f.accumulate()
		f.rowDots()
		f.functions()
	}
	return f.text.Bytes()
}

// begin starts the function of a symbol.
func (f *file) begin(name string, call signature) {
	f.name, f.offsets, f.general, f.free, f.constants = name, map[string]int{}, 0, nil, nil
	for r := vreg(31); r >= 0; r-- {
		f.free = append(f.free, r)
	}
	parameters := call.names()
	for i, p := range parameters {
		f.offsets[p] = 8 + 8*i
	}
	fmt.Fprintf(&f.text, "\nTEXT %s<>(SB), NOSPLIT, $0-%d\n", name, 8+8*len(parameters))
}

// define begins the function of one of simd.Kernels.
func (f *file) define(name string, call signature) { f.begin(f.s.kernel(name), call) }

// end returns, and writes the constants of the function.
func (f *file) end() {
	f.emit("RET")
	f.table()
}

// table writes the constants of the function, each as often as a register holds it.
func (f *file) table() {
	if len(f.constants) == 0 {
		return
	}
	f.text.WriteByte('\n')
	for i, b := range f.constants {
		if f.s.size == 4 {
			b |= b << 32
		}
		for half := range 2 {
			fmt.Fprintf(&f.text, "DATA %sConstants<>+%d(SB)/8, $%#016x\n", f.name, neonBytes*i+8*half, b)
		}
	}
	fmt.Fprintf(&f.text, "GLOBL %sConstants<>(SB), RODATA|NOPTR, $%d\n", f.name, neonBytes*len(f.constants))
}

// emit writes an instruction of Go's assembler.
func (f *file) emit(format string, operands ...any) {
	fmt.Fprintf(&f.text, "\t"+format+"\n", operands...)
}

// label writes a label.
func (f *file) label(name string) { fmt.Fprintf(&f.text, "%s:\n", name) }

// gp returns a fresh general register.
func (f *file) gp() greg {
	if f.general == 18 {
		f.general++
	}
	if f.general > 24 { // R25 and R26 are scratch registers
		panic("gen: " + f.name + " needs too many general registers")
	}
	f.general++
	return greg(fmt.Sprintf("R%d", f.general-1))
}

// param loads a parameter into a general register.
func (f *file) param(name string) greg {
	r := f.gp()
	f.load(name, r)
	return r
}

func (f *file) load(name string, r greg) { f.emit("MOVD %s+%d(FP), %s", name, f.offsets[name], r) }

// argument returns a parameter in every element of a register.
func (f *file) argument(name string) vreg {
	r := f.reg()
	f.emit("%s %s+%d(FP), F%d", f.s.move(), name, f.offsets[name], r)
	f.emit("VDUP V%d.%s[0], V%d.%s", r, f.s.element(), r, f.s.arrangement())
	return r
}

// reg returns a free vector register; group returns n of them. release frees registers.
func (f *file) reg() vreg {
	if len(f.free) == 0 {
		panic("gen: " + f.name + " needs too many vector registers")
	}
	r := f.free[len(f.free)-1]
	f.free = f.free[:len(f.free)-1]
	return r
}

func (f *file) group(n int) []vreg {
	g := make([]vreg, n)
	for i := range g {
		g[i] = f.reg()
	}
	return g
}

func (f *file) release(r ...vreg) { f.free = append(f.free, r...) }

// word writes an instruction that Go's assembler lacks.
func (f *file) word(bits uint32, text string) { f.emit("WORD $%#08x // %s", bits, text) }

// do writes a vector instruction, destination first, for each member of the groups among its operands.
func (f *file) do(op string, operands ...any) {
	n := 1
	for _, o := range operands {
		if g, ok := o.([]vreg); ok {
			n = len(g)
		}
	}
	for i := range n {
		r := make([]vreg, len(operands))
		for j, o := range operands {
			if g, ok := o.([]vreg); ok {
				r[j] = g[i]
			} else {
				r[j] = o.(vreg)
			}
		}
		f.one(op, r)
	}
}

// one writes a vector instruction. Go's assembler has the destination last and the sources reversed.
func (f *file) one(op string, r []vreg) {
	switch a := f.s.arrangement(); op {
	case "fmla", "fmls", "add": // d += a·b, d -= a·b, d = a + b
		f.emit("V%s V%d.%s, V%d.%[3]s, V%[5]d.%[3]s", strings.ToUpper(op), r[2], a, r[1], r[0])
	case "and", "orr", "bit", "bif": // bit: the bits of a where b has ones; bif: where it has zeros
		f.emit("V%s V%d.B16, V%d.B16, V%d.B16", strings.ToUpper(op), r[2], r[1], r[0])
	case "mov":
		f.emit("VORR V%d.B16, V%[1]d.B16, V%[2]d.B16", r[1], r[0])
	case "zero":
		f.emit("VEOR V%d.B16, V%[1]d.B16, V%[1]d.B16", r[0])
	default:
		f.word(encode(op, f.s.size, r...))
	}
}

// shiftBits shifts a to the left (VSHL) or right (VUSHR) by n bits.
func (f *file) shiftBits(op string, n int, d, a []vreg) {
	for i := range d {
		f.emit("%s $%d, V%d.%s, V%d.%[4]s", op, n, a[i], f.s.arrangement(), d[i])
	}
}

// loads fills registers from memory, two at a time. stores is the reverse.
func (f *file) loads(base greg, disp int, r []vreg) {
	for ; len(r) >= 2; r, disp = r[2:], disp+2*neonBytes {
		f.emit("FLDPQ %d(%s), (F%d, F%d)", disp, base, r[0], r[1])
	}
	if len(r) == 1 {
		f.emit("FMOVQ %d(%s), F%d", disp, base, r[0])
	}
}

func (f *file) stores(base greg, disp int, r []vreg) {
	for ; len(r) >= 2; r, disp = r[2:], disp+2*neonBytes {
		f.emit("FSTPQ (F%d, F%d), %d(%s)", r[0], r[1], disp, base)
	}
	if len(r) == 1 {
		f.emit("FMOVQ F%d, %d(%s)", r[0], disp, base)
	}
}

// next counts down and jumps to label until the count is 0.
func (f *file) next(count greg, label string) {
	f.emit("SUBS $1, %s, %[1]s", count)
	f.emit("BNE %s", label)
}

// A vreg is the number of a vector register.
type vreg int

// A word is the encoding of an instruction that Go's assembler lacks, without its registers. The destination is in bits 0
// to 4, the first source in bits 5 to 9 and the second source in bits 16 to 20.
type word struct {
	bits    uint32
	sources int
	form    string // of the registers in the manual, if the destination has its own, before the sources'; empty: 4s for float32, and 2d with bit 22 set for float64
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
	"bic":    {0x4e601c00, 2, "v%d.16b", ""},
	"fcvtl":  {0x0e617800, 1, "v%d.2d v%d.2s", ""}, // the lower two of four float32 to float64
	"fcvtl2": {0x4e617800, 1, "v%d.2d v%d.4s", ""}, // the upper two
	"faddp":  {0x7e70d800, 1, "d%d v%d.2d", ""},    // adds two float64
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
		form = "v%d.4s"
	case form == "":
		form, bits = "v%d.2d", bits|1<<22
	}
	var operands []string
	forms := strings.Fields(form)
	for i, at := range []int{0, 5, 16}[:len(r)] {
		bits |= uint32(r[i]) << at
		operands = append(operands, fmt.Sprintf(forms[min(i, len(forms)-1)], r[i]))
	}
	if w.last != "" {
		operands = append(operands, w.last)
	}
	return bits, strings.TrimSuffix(op, "0") + " " + strings.Join(operands, ", ") // a comparison with zero ends in 0
}

// encodeElement is fmla by element: d += a·b[i].
func encodeElement(size int, d, a, b vreg, i int) (uint32, string) {
	registers := uint32(d) | uint32(a)<<5 | uint32(b)<<16
	if size == 4 {
		return 0x4f801000 | registers | uint32(i&1)<<21 | uint32(i>>1)<<11, fmt.Sprintf("fmla v%d.4s, v%d.4s, v%d.s[%d]", d, a, b, i)
	}
	return 0x4fc01000 | registers | uint32(i)<<11, fmt.Sprintf("fmla v%d.2d, v%d.2d, v%d.d[%d]", d, a, b, i)
}
