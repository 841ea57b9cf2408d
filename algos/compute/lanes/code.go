package lanes

import (
	"encoding/binary"
	"math"
	"slices"
)

// code is instructions in the binary format of WebAssembly. Those of an expression leave one value.
type code []byte

// A kind is a type of values.
type kind byte

const (
	i32  kind = 0x7f
	f32  kind = 0x7d
	f64  kind = 0x7c
	v128 kind = 0x7b
)

// A function is one of the module. Its parameters are the first of its locals.
type function struct {
	name   string // exported, if there is one
	slot   int    // in the table, for functions without a name
	params []kind
	locals []kind
	body   code
}

// A local is a parameter or a variable of a function.
type local uint32

func (f *function) param(k kind) local {
	f.params = append(f.params, k)
	return local(len(f.params) - 1)
}

// local declares a variable. All parameters come before.
func (f *function) local(k kind) local {
	f.locals = append(f.locals, k)
	return local(len(f.params) + len(f.locals) - 1)
}

// vectors declares n variables.
func (f *function) vectors(n int) []local {
	all := make([]local, n)
	for i := range all {
		all[i] = f.local(v128)
	}
	return all
}

func (f *function) do(parts ...code) { f.body = append(f.body, seq(parts...)...) }

func seq(parts ...code) code { return slices.Concat(parts...) }

func unsigned(v uint64) code { return binary.AppendUvarint(nil, v) }

// signed is the signed LEB128 form of v, in which the format has constants.
func signed(v int64) (c code) {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(c, b)
		}
		c = append(c, b|0x80)
	}
}

func (l local) get() code       { return append(code{0x20}, unsigned(uint64(l))...) }
func (l local) set(v code) code { return seq(v, code{0x21}, unsigned(uint64(l))) }

// add adds a number of elements or bytes to an integer variable.
func (l local) add(v code) code { return l.set(plus(l.get(), v)) }

func number(v int) code { return append(code{0x41}, signed(int64(v))...) }

func plus(a, b code) code  { return seq(a, b, code{0x6a}) }
func minus(a, b code) code { return seq(a, b, code{0x6b}) }
func times(a, b code) code { return seq(a, b, code{0x6c}) }
func equal(a, b code) code { return seq(a, b, code{0x46}) }
func above(a, b code) code { return seq(a, b, code{0x4a}) } // a > b, signed

// repeat runs body n times, n ≥ 0. It counts the variable n down to 0.
func repeat(n local, body ...code) code {
	again := seq(code{0x0d}, unsigned(0)) // br_if to the loop
	loop := seq(code{0x03, 0x40}, seq(body...), n.add(number(-1)), n.get(), again, code{0x0b})
	return when(n.get(), loop)
}

// while runs body as long as the condition is not 0.
func while(condition code, body ...code) code {
	return seq(code{0x03, 0x40}, when(condition, append(body, code{0x0c, 1})...), code{0x0b})
}

// smaller is the smaller of two numbers.
func smaller(a, b code) code { return seq(a, b, above(b, a), code{0x1b}) }

// when runs body if the condition is not 0.
func when(condition code, body ...code) code {
	return seq(condition, code{0x04, 0x40}, seq(body...), code{0x0b})
}

// either runs one of two bodies.
func either(condition, yes, no code) code {
	return seq(condition, code{0x04, 0x40}, yes, code{0x05}, no, code{0x0b})
}

// vector is an instruction on vectors after its operands.
func vector(op uint64, operands ...code) code { return seq(seq(operands...), code{0xfd}, unsigned(op)) }

// at is an instruction that reads or writes memory at an address plus a constant number of bytes.
func at(op uint64, offset int, operands ...code) code {
	return seq(vector(op, operands...), code{0}, unsigned(uint64(offset))) // no alignment is promised
}

func load(address code, offset int) code          { return at(0x00, offset, address) }
func store(address code, offset int, v code) code { return at(0x0b, offset, address, v) }

func and(a, b code) code    { return vector(0x4e, a, b) }
func andNot(a, b code) code { return vector(0x4f, a, b) }

// A lane is a type of elements of vectors, with the instructions on them.
type lane struct {
	name  string
	kind  kind
	bytes int
	splatting, loadSplat,
	eq, le, abs, nearest, root,
	sum, difference, product, pmin, pmax uint64
}

var (
	single = lane{name: "32", kind: f32, bytes: 4, splatting: 0x13, loadSplat: 0x09,
		eq: 0x41, le: 0x45, abs: 0xe0, nearest: 0x6a, root: 0xe3,
		sum: 0xe4, difference: 0xe5, product: 0xe6, pmin: 0xea, pmax: 0xeb}
	double = lane{name: "64", kind: f64, bytes: 8, splatting: 0x14, loadSplat: 0x0a,
		eq: 0x47, le: 0x4b, abs: 0xec, nearest: 0x94, root: 0xef,
		sum: 0xf0, difference: 0xf1, product: 0xf2, pmin: 0xf6, pmax: 0xf7}
)

// lanes is the number of elements in a vector.
func (t lane) lanes() int { return 16 / t.bytes }

func (t lane) add(a, b code) code { return vector(t.sum, a, b) }
func (t lane) sub(a, b code) code { return vector(t.difference, a, b) }
func (t lane) mul(a, b code) code { return vector(t.product, a, b) }

// splat is a vector of the same number; everywhere is one of the number at an address.
func (t lane) splat(v code) code                        { return vector(t.splatting, v) }
func (t lane) everywhere(address code, offset int) code { return at(t.loadSplat, offset, address) }

// constant is a vector of one number.
func (t lane) constant(v float64) code {
	if t.bytes == 4 {
		return wordsOf(math.Float32bits(float32(v)))
	}
	return longsOf(math.Float64bits(v))
}

// wordsOf is a vector constant of 32-bit integers, longsOf one of 64-bit integers.
func wordsOf(v uint32) code { return bytesOf(4, binary.LittleEndian.AppendUint32(nil, v)) }
func longsOf(v uint64) code { return bytesOf(2, binary.LittleEndian.AppendUint64(nil, v)) }

func bytesOf(n int, b []byte) code { return seq(code{0xfd, 0x0c}, slices.Repeat(b, n)) }

// module returns a module of functions. Those that have names are exported; those without are in its table. what is its import, from env:
// a memory or a table.
func module(functions []*function, name string, what code) []byte {
	section := func(id byte, parts ...code) code {
		body := seq(unsigned(uint64(len(parts))), seq(parts...))
		return seq(code{id}, unsigned(uint64(len(body))), body)
	}
	text := func(s string) code { return seq(unsigned(uint64(len(s))), code(s)) }
	var types, indices, exports, slots, bodies []code
	most := 0
	for i, f := range functions {
		index := unsigned(uint64(i))
		types = append(types, f.kind())
		indices = append(indices, index)
		if f.name != "" {
			exports = append(exports, seq(text(f.name), code{0}, index))
		} else {
			slots = append(slots, seq(code{0}, number(f.slot), code{0x0b, 1}, index))
			most = max(most, f.slot+1)
		}
		locals := unsigned(uint64(len(f.locals)))
		for _, k := range f.locals {
			locals = append(locals, 1, byte(k))
		}
		body := seq(locals, f.body, code{0x0b})
		bodies = append(bodies, seq(unsigned(uint64(len(body))), body))
	}
	var table code
	if most > 0 {
		table = section(4, seq(code{0x70, 0}, unsigned(uint64(most))))
	}
	return seq(code("\x00asm\x01\x00\x00\x00"),
		section(1, types...),
		section(2, seq(text("env"), text(name), what)),
		section(3, indices...),
		table,
		section(7, exports...),
		section(9, slots...),
		section(10, bodies...))
}

// kind is the type of the function, which returns nothing.
func (f *function) kind() code {
	c := seq(code{0x60}, unsigned(uint64(len(f.params))))
	for _, k := range f.params {
		c = append(c, byte(k))
	}
	return append(c, 0)
}

// call calls the function with an index; callSlot that in a slot of the table, which has the type of the function with an index.
func call(index int, arguments ...code) code {
	return seq(seq(arguments...), code{0x10}, unsigned(uint64(index)))
}

func callSlot(slot code, index int, arguments ...code) code {
	return seq(seq(arguments...), slot, code{0x11}, unsigned(uint64(index)), code{0})
}
