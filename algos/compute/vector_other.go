//go:build !amd64 || purego

package compute

const haveAVX2 = false

func cosTurnsAVX2(*float64, int, float64) { panic("compute: no AVX2") }
func exp2AVX2(*float64, int, float64)     { panic("compute: no AVX2") }

func affineAVX2(_, _, _ *float64, _ int, _ *float64, _, _ int) { panic("compute: no AVX2") }
func distancesAVX2(_, _ *float64, _ int, _ *float64, _, _ int) { panic("compute: no AVX2") }
func dotAVX2(_, _ *float64, _ int) float64                     { panic("compute: no AVX2") }
