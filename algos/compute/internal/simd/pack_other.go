//go:build !amd64 || purego

package simd

const noVectorCode = "simd: no vector code"

// packsVectors reports whether there is vector code of the functions that pack. Without it nothing calls those below.
func packsVectors() bool { return false }

func packSingle(*float32, int, *float64, int, *float64, int)         { panic(noVectorCode) }
func packDouble(*float64, int, *float64, int, *float64, int)         { panic(noVectorCode) }
func addSingle(*float64, int, *float32, int, float64, int, int)      { panic(noVectorCode) }
func addDouble(*float64, int, *float64, int, float64, int, int)      { panic(noVectorCode) }
func setSingle(*float64, int, *float32, int, float64, int, int)      { panic(noVectorCode) }
func setDouble(*float64, int, *float64, int, float64, int, int)      { panic(noVectorCode) }
func streamSingle(*float64, int, *float32, int, float64, int, int)   { panic(noVectorCode) }
func streamDouble(*float64, int, *float64, int, float64, int, int)   { panic(noVectorCode) }
func narrow(*float32, *float64, int)                                 { panic(noVectorCode) }
func spreadSingle(*float32, int, *float64, int, int, int, int)       { panic(noVectorCode) }
func spreadDouble(*float64, int, *float64, int, int, int, int)       { panic(noVectorCode) }
func spreadSingleStream(*float32, int, *float64, int, int, int, int) { panic(noVectorCode) }
func spreadDoubleStream(*float64, int, *float64, int, int, int, int) { panic(noVectorCode) }
func stripsSingle(*float32, int, *float32, int)                      { panic(noVectorCode) }
func stripsDouble(*float64, int, *float64, int)                      { panic(noVectorCode) }
func transposeSingle(*float32, int, *float32, int, int)              { panic(noVectorCode) }
func transposeDouble(*float64, int, *float64, int, int)              { panic(noVectorCode) }
