//go:build !amd64 || purego

package compute

const haveAVX2 = false

func cosTurnsAVX2(*float64, int, float64) { panic("compute: no AVX2") }
func exp2AVX2(*float64, int)              { panic("compute: no AVX2") }
