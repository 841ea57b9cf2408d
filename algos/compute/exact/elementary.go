package exact

import "math"

// Exp returns e^x, with an error below 1.5 units in the last place. With x = k·ln 2 + z it computes e^(z/16) - 1 by eight terms of
// its series and squares four times [Shibata, Efficient evaluation methods of elementary functions suitable for SIMD computation,
// 2010], in the order in which math.Exp does on amd64.
func Exp(x float64) float64 {
	// ln 2 in two parts, so that k·ln2High is exact.
	const ln2High, ln2Low = 0.69314718055966295651160180568695068359375, 0.28235290563031577122588448175013436025525412068e-12
	switch {
	case math.IsNaN(x):
		return x
	case x > 709.782712893384: // above the largest float64
		return math.Inf(1)
	case x < -746: // below half the smallest
		return 0
	}
	k := math.RoundToEven(float64(x * math.Log2E))
	z := fma(-k, ln2Low, fma(-k, ln2High, x)) / 16
	v := fma(expTaylor[8], z, expTaylor[7])
	v = fma(v, z, expTaylor[6])
	v = fma(v, z, expTaylor[5])
	v = fma(v, z, expTaylor[4])
	v = fma(v, z, expTaylor[3])
	v = fma(v, z, expTaylor[2])
	v = fma(v, z, expTaylor[1])
	v = float64(v * z)
	for range 3 {
		v = float64(v * (v + 2))
	}
	v = fma(v, v+2, 1)
	if k > -1022 && k < 1024 {
		return v * math.Float64frombits(uint64(int64(k)+1023)<<52)
	}
	return math.Ldexp(v, int(k))
}

// logMinimax are coefficients of the polynomial in s² by which log of FreeBSD's msun approximates (ln((1 + s)/(1 - s)) - 2s)/s, in the
// powers from the first on.
var logMinimax = [...]float64{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
	1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01}

// Log returns ln x, with an error below 1 unit in the last place: for x = 2ᵏ(1 + f), √½ ≤ 1 + f < √2, it is k·ln 2 + ln(1 + f) by the
// formula of FreeBSD's msun, as in math.Log.
func Log(x float64) float64 {
	const ln2High, ln2Low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	f, k := m-1, float64(e)
	s := f / (2 + f)
	u := float64(s * s)
	w := float64(u * u)
	c := &logMinimax
	odd := float64(u * (c[0] + float64(w*(c[2]+float64(w*(c[4]+float64(w*c[6])))))))
	even := float64(w * (c[1] + float64(w*(c[3]+float64(w*c[5])))))
	half := float64(float64(0.5*f) * f)
	return float64(k*ln2High) - ((half - (float64(s*(half+(odd+even))) + float64(k*ln2Low))) - f)
}

// Pow returns x^y, as math.Pow: x^(y - n) by Exp and Log for the nearest whole number n, times x^n by repeated squaring. The special
// cases, whole y and ±½ are those of math.Pow, which needs neither function for them. The error is below 4 + |ln x| units in the
// last place for |y| ≤ 4, and grows with y.
func Pow(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	if part == 0 || whole == 0 && part == 0.5 || !(whole < 1<<52) || !(x > 0) || math.IsInf(x, 1) {
		return math.Pow(x, y)
	}
	if part > 0.5 {
		whole, part = whole+1, part-1
	}
	p, exponent := Exp(float64(part*Log(x))), 0
	m, e := math.Frexp(x)
	for n := int64(whole); n != 0 && e > -1<<13 && e < 1<<13; n >>= 1 {
		if n&1 == 1 {
			p, exponent = float64(p*m), exponent+e
		}
		if m, e = float64(m*m), 2*e; m < 0.5 {
			m, e = 2*m, e-1
		}
	}
	if y < 0 {
		p, exponent = 1/p, -exponent
	}
	return math.Ldexp(p, exponent)
}
