package simd

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func cpuNow() float64 {
	var ts syscall.Timespec
	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&ts)), 0)
	return float64(ts.Sec) + 1e-9*float64(ts.Nsec)
}

func frac(name string, single bool, flops float64, do func()) {
	if !strings.Contains(name, os.Getenv("F")) {
		return
	}
	do()
	reps := max(1, int(4e8/flops))
	var fr, s []float64
	for range 25 {
		b := cpuNow()
		n := PeakFlops[float32](1 << 27)
		if !single {
			b = cpuNow()
			n = PeakFlops[float64](1 << 26)
		}
		p := float64(n) / (cpuNow() - b)
		b = cpuNow()
		for range reps {
			do()
		}
		d := (cpuNow() - b) / float64(reps)
		fr = append(fr, flops/d/p)
		s = append(s, d)
	}
	slices.Sort(fr)
	slices.Sort(s)
	fmt.Printf("%-40s %10.1f ns fraction %.3f (%.3f-%.3f) cycles@peak %.0f actual %.0f\n", name, 1e9*s[len(s)/2], fr[len(fr)/2], fr[2], fr[22], flops/64, flops/64/fr[len(fr)/2])
}

func TestMicro(t *testing.T) { micro[float32](true); micro[float64](false) }

func micro[T Float](single bool) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range []int{2, 50, 123, 784} {
		for _, outs := range []int{1, 8} {
			const ins = 16
			x, y, c := random[T](r, ins*Width*(k+1)), random[T](r, outs*Width*(k+1)), make([]T, 2*Width*Width)
			size := Width * (k + 1)
			for form, name := range []string{"sum", "distance", "cosine", "exponential"} {
				p := NewPanels[T](Form(form), false, k, -1)
				frac(fmt.Sprintf("panels %s k=%d outs=%d %T", name, k, outs, T(0)), single, float64(2*Width*Width*k*ins*outs), func() {
					for q := 0; q < ins; q += 2 {
						for o := range outs {
							for h := range 2 {
								next := y[(o+1)%outs*size:][:size]
								if h == 0 && o == 0 {
									next = x[(q+2)%ins*size:][:size]
								}
								if h == 1 && o == outs-1 {
									next = x[(q+3)%ins*size:][:size]
								}
								p.Tile(Width, Width, x[(q+h)*size:][:size], y[o*size:][:size], c[h*Width*Width:], next)
							}
						}
					}
				})
			}
		}
	}
	for _, cols := range []int{10, 1, 5, 8, 9, 16, 3} {
		w, c, out := random[T](r, 96*cols), random[T](r, 96*Width), make([]T, cols*Width)
		frac(fmt.Sprintf("weigh cols=%d %T", cols, T(0)), single, float64(2*96*Width*cols), func() {
			if cols == 1 {
				Weigh(out, w, c, 96)
			} else {
				Tile(Dot, cols, Width, 96, w, cols, c, Width, out, Width, false)
			}
		})
		acc := make([]float64, cols*Width)
		frac(fmt.Sprintf("accumulate cols=%d %T", cols, T(0)), single, float64(2*96*Width*cols), func() { Accumulate(acc, out) })
	}
}
