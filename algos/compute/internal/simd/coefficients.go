package simd

import "math"

// Polynomials are those of functions, by powers of their arguments, the constant first, for elements of one size.
type Polynomials struct {
	Cos, Exp2, Log, Ln2  []float64 // see sinTurnsSingle, exp2Single, atanhSingle and ln2Single
	NormalLog, NormalSin []float64 // of Normals: log2Poly and sinTurnPoly
}

// Coefficients returns the polynomials for elements of 4 or 8 bytes: code that is generated has them too.
func Coefficients(bytes int) Polynomials {
	p := Polynomials{NormalLog: wide(log2Poly[:]), NormalSin: wide(sinTurnPoly[:])}
	if bytes == 4 {
		p.Cos, p.Exp2, p.Log, p.Ln2 = wide(sinTurnsSingle[:]), wide(exp2Single[:]), wide(atanhSingle[:]), wide(ln2Single[:])
	} else {
		p.Cos, p.Exp2, p.Log, p.Ln2 = sinTurnsDouble[:], exp2Double[:], atanhDouble[:], ln2Double[:]
	}
	return p
}

// MinusTwoLn2 is the factor of the logarithm in Normals.
const MinusTwoLn2 = -2 * math.Ln2

func wide(c []float32) []float64 {
	w := make([]float64, len(c))
	for i, v := range c {
		w[i] = float64(v)
	}
	return w
}
