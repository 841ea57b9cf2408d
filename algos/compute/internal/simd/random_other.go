//go:build !amd64 || purego

package simd

// Without vector instructions the instruction set is always Generic, and nothing calls these.

func wordsVector([]uint32, int, int, *Counters, *[rounds][2]uint32) { panic("simd: no vector code") }
func rowsSingle(variate, []float32, []uint32, *[Width]float32)      { panic("simd: no vector code") }
func rowsDouble(variate, []float64, []uint32, *[Width]float64)      { panic("simd: no vector code") }
