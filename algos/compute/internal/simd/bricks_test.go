package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// ofBricks returns entry (i, j) of a row of bricks.
func ofBricks(a []float64, i, j int) float64 { return a[j/Brick*BrickSize+i*Brick+j%Brick] }

// TestBricks compares the functions on rows of bricks with sums in order, within two roundings a term of the sum of magnitudes,
// and all instruction sets bit by bit.
func TestBricks(t *testing.T) {
	agree := agreement()
	onEach(t, func(t *testing.T) {
		for n := 1; n <= 7; n++ {
			r := rand.New(rand.NewPCG(uint64(n), 5))
			cols := n * Brick
			a, x, y, w := random[float64](r, n*BrickSize), random[float64](r, cols), random[float64](r, cols), random[float64](r, Brick)
			same := func(key string, got []float64) { agree(t, fmt.Sprint(key, n), got) }
			near := func(want, size, got float64, what string) {
				require.InDelta(t, want, got, tileBound[float64](cols+2*Brick)*size, "%s of %d bricks", what, n)
			}

			dots := make([]float64, Brick)
			BrickDots(dots, a, x)
			same("dots", dots)
			for i := range Brick {
				want, size := 0.0, 0.0
				for j, v := range x {
					want += ofBricks(a, i, j) * v
					size += math.Abs(ofBricks(a, i, j) * v)
				}
				near(want, size, dots[i], "dots")
			}

			rows := append([]float64(nil), y...)
			BrickAddRows(rows, a, w)
			same("rows", rows)
			for j := range rows {
				want, size := y[j], math.Abs(y[j])
				for i, v := range w {
					want += ofBricks(a, i, j) * v
					size += math.Abs(ofBricks(a, i, j) * v)
				}
				near(want, size, rows[j], "rows")
			}

			product := append([]float64(nil), y...)
			BrickSymMul(product, a, x)
			same("product", product)
			for j := range product {
				want, size := y[j], math.Abs(y[j])
				add := func(v float64) {
					want += v
					size += math.Abs(v)
				}
				for i := range Brick {
					add(ofBricks(a, i, j) * x[i])
				}
				if j < Brick {
					for l := Brick; l < cols; l++ {
						add(ofBricks(a, j, l) * x[l])
					}
				}
				near(want, size, product[j], "product")
			}

			for k := 1; k <= 3; k++ {
				for _, subtract := range []bool{false, true} {
					stride := (n + 1) * BrickSize
					b, c := random[float64](r, k*stride), random[float64](r, n*BrickSize)
					got := append([]float64(nil), c...)
					BrickAddOuter(got, b[BrickSize:], b, n, k, stride, subtract)
					same(fmt.Sprint("outer", k, subtract), got)
					for i := range Brick {
						for j := range cols {
							want, size := ofBricks(c, i, j), math.Abs(ofBricks(c, i, j))
							for l := range Brick * k {
								v := ofBricks(b[l/Brick*stride:], l%Brick, Brick+i) * ofBricks(b[l/Brick*stride:], l%Brick, j)
								if subtract {
									v = -v
								}
								want += v
								size += math.Abs(v)
							}
							near(want, size, ofBricks(got, i, j), "outer products")
						}
					}
				}
			}
		}
	})
}
