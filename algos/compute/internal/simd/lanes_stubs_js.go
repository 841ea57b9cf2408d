//go:build lanes

package simd

import "unsafe"

//go:wasmimport lanes cos32
//go:noescape
func cos32(z *float32, n int32, s float32)

//go:wasmimport lanes exp232
//go:noescape
func exp232(z *float32, n int32, s float32)

//go:wasmimport lanes clampBelow32
//go:noescape
func clampBelow32(z *float32, n int32, s float32)

//go:wasmimport lanes scale32
//go:noescape
func scale32(z *float32, n int32, s float32)

//go:wasmimport lanes affine32
//go:noescape
func affine32(z *float32, n int32, a, b float32)

//go:wasmimport lanes sqrt32
//go:noescape
func sqrt32(z *float32, n int32)

//go:wasmimport lanes mulPoly32
//go:noescape
func mulPoly32(z *float32, n int32, c0, c1, c2 float32, t *float32)

//go:wasmimport lanes power32
//go:noescape
func power32(z *float32, n, exponent, steps int32)

//go:wasmimport lanes weigh32
//go:noescape
func weigh32(k int32, a, b *float32, ldb int32, c *float32)

//go:wasmimport lanes squares32
//go:noescape
func squares32(k int32, b, c *float32)

//go:wasmimport lanes rowDots32
//go:noescape
func rowDots32(m int32, dst *float64, ldd int32, a *float32, lda int32, rows unsafe.Pointer, b *float64, c, k int32)

//go:wasmimport lanes add32
//go:noescape
func add32(dst *float64, ldd int32, src *float32, lds int32, alpha float64, m, n int32)

//go:wasmimport lanes set32
//go:noescape
func set32(dst *float64, ldd int32, src *float32, lds int32, alpha float64, m, n int32)

//go:wasmimport lanes normals32
//go:noescape
func normals32(dst *float32, words *uint32, n int32, scale *float32)

//go:wasmimport lanes cos64
//go:noescape
func cos64(z *float64, n int32, s float64)

//go:wasmimport lanes exp264
//go:noescape
func exp264(z *float64, n int32, s float64)

//go:wasmimport lanes clampBelow64
//go:noescape
func clampBelow64(z *float64, n int32, s float64)

//go:wasmimport lanes scale64
//go:noescape
func scale64(z *float64, n int32, s float64)

//go:wasmimport lanes affine64
//go:noescape
func affine64(z *float64, n int32, a, b float64)

//go:wasmimport lanes sqrt64
//go:noescape
func sqrt64(z *float64, n int32)

//go:wasmimport lanes mulPoly64
//go:noescape
func mulPoly64(z *float64, n int32, c0, c1, c2 float64, t *float64)

//go:wasmimport lanes power64
//go:noescape
func power64(z *float64, n, exponent, steps int32)

//go:wasmimport lanes weigh64
//go:noescape
func weigh64(k int32, a, b *float64, ldb int32, c *float64)

//go:wasmimport lanes squares64
//go:noescape
func squares64(k int32, b, c *float64)

//go:wasmimport lanes rowDots64
//go:noescape
func rowDots64(m int32, dst *float64, ldd int32, a *float64, lda int32, rows unsafe.Pointer, b *float64, c, k int32)

//go:wasmimport lanes add64
//go:noescape
func add64(dst *float64, ldd int32, src *float64, lds int32, alpha float64, m, n int32)

//go:wasmimport lanes set64
//go:noescape
func set64(dst *float64, ldd int32, src *float64, lds int32, alpha float64, m, n int32)

//go:wasmimport lanes normals64
//go:noescape
func normals64(dst *float64, words *uint32, n int32, scale *float64)

//go:wasmimport lanes squaredDistances
//go:noescape
func squaredDistances(k, rest int32, a, b, c *float64)

//go:wasmimport lanes brickDots
//go:noescape
func brickDots(n int32, a, x, out *float64)

//go:wasmimport lanes brickAddRows
//go:noescape
func brickAddRows(n int32, a, w, y *float64)

//go:wasmimport lanes brickAddOuter
//go:noescape
func brickAddOuter(n, k int32, c, a, b *float64, stride int32, sign float64)

//go:wasmimport lanes philox
//go:noescape
func philox(dst *uint32, n int32, at *uint32, from int32, keys *uint32)

//go:wasmimport lanes cover32
//go:noescape
func cover32(op, m, n, k int32, a *float32, lda, strip int32, b *float32, ldb int32, c *float32, ldc, more int32)

//go:wasmimport lanes panel32
//go:noescape
func panel32(form, columns, m, n, k int32, a *float32, lda, strip int32, b, c *float32, s float32)

//go:wasmimport lanes cover64
//go:noescape
func cover64(op, m, n, k int32, a *float64, lda, strip int32, b *float64, ldb int32, c *float64, ldc, more int32)

//go:wasmimport lanes panel64
//go:noescape
func panel64(form, columns, m, n, k int32, a *float64, lda, strip int32, b, c *float64, s float64)

//go:wasmimport lanes transpose32
//go:noescape
func transpose32(dst *float32, ldd int32, src *float32, lds int32, none *float64, m, n int32)

//go:wasmimport lanes pack32
//go:noescape
func pack32(dst *float32, ldd int32, src *float64, lds int32, mean *float64, m, n int32)

//go:wasmimport lanes transpose64
//go:noescape
func transpose64(dst *float64, ldd int32, src *float64, lds int32, none *float64, m, n int32)

//go:wasmimport lanes pack64
//go:noescape
func pack64(dst *float64, ldd int32, src *float64, lds int32, mean *float64, m, n int32)

//go:wasmimport lanes dots
//go:noescape
func dots(k int32, a, b, out *float64)
