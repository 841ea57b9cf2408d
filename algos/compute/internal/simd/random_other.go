//go:build !amd64 || purego

package simd

// drawsVectors reports whether there is vector code of the random streams. Without it nothing calls those below.
func drawsVectors() bool { return false }

func wordsVector([]uint32, int, int, *Counters, *[rounds][2]uint32) { panic("simd: no vector code") }
func rowsSingle(variate, []float32, []uint32, *[Width]float32)      { panic("simd: no vector code") }
func rowsDouble(variate, []float64, []uint32, *[Width]float64)      { panic("simd: no vector code") }
