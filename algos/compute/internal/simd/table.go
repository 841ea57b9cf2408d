package simd

import "slices"

// A table holds the addresses of the functions in assembly of an instruction set for one element type: those of Kernels and then the
// micro-kernels, 0 for those it lacks.
type table [TableSize]uintptr

// Kernels are the functions at the beginning of a table. Those that do not depend on the element type are in one of the tables only:
// philox and narrow in that for float32, squaredDistances and those of bricks in that for float64.
var Kernels = [...]string{
	"cos", "exp2", "clampBelow", "scale", "log", "sqrt", "reciprocal", "affine", "mulPoly", "power",
	"weigh", "squares", "accumulate", "normals", "cauchy", "laplace",
	"pack", "transpose", "strips", "add", "set", "setStream", "spread", "spreadStream", "packLeft", "packRight",
	"philox", "narrow", "squaredDistances", "brickSymMul", "brickDots", "brickAddRows", "brickAddOuter", "brickSubOuter",
}

// The largest micro-kernels of RowDots, in rows and vectors.
const rowsMost, rowVectorsMost = 4, 12

// Where micro-kernels begin in a table, and its length.
const (
	panelsBegin = len(Kernels)
	tilesBegin  = panelsBegin + 4*2
	rowsBegin   = tilesBegin + 4*tileOp
	TableSize   = rowsBegin + rowsMost*rowVectorsMost
)

// indexOf returns the place of one of Kernels.
func indexOf(name string) int { return slices.Index(Kernels[:], name) }

// PanelAt is the place of the fused micro-kernel of a form, with one vector of columns or, if wide, three.
func PanelAt(form Form, wide bool) int {
	at := panelsBegin + 2*int(form)
	if wide {
		at++
	}
	return at
}

// TileAt is the place of the micro-kernel of an operation with h rows and v vectors.
func TileAt(op Op, h, v int) int { return tilesBegin + int(op)*tileOp + h*tileRow + v }

// RowAt is the place of the micro-kernel of RowDots with h rows and v vectors.
func RowAt(h, v int) int { return rowsBegin + (h-1)*rowVectorsMost + v - 1 }
