//go:build !amd64 || purego

package simd

func packSingle(*float32, int, *float64, int, *float64, int) { panic("simd: no vector code") }
func packDouble(*float64, int, *float64, int, *float64, int) { panic("simd: no vector code") }
func addSingle(*float64, *float32, float64, int)             { panic("simd: no vector code") }
func addDouble(*float64, *float64, float64, int)             { panic("simd: no vector code") }
func narrow(*float32, *float64, int)                         { panic("simd: no vector code") }
func transposeSingle(*float32, int, *float32, int, int)      { panic("simd: no vector code") }
func transposeDouble(*float64, int, *float64, int, int)      { panic("simd: no vector code") }
func setSingle(*float64, *float32, float64, int)             { panic("simd: no vector code") }
func setDouble(*float64, *float64, float64, int)             { panic("simd: no vector code") }
func spreadSingle(*float32, int, *float64, int)              { panic("simd: no vector code") }
func spreadDouble(*float64, int, *float64, int)              { panic("simd: no vector code") }
