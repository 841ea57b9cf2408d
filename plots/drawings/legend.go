package drawings

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Legend measures, in points.
const (
	leastLegend = 6.5 // smallest standard size of text in points, if the legend is too high otherwise
	swatchWidth = 30
	swatchGap   = 5
	entryGap    = 4
	columnGap   = 16
	legendGap   = 12 // between panel and legend
)

// An entry is one label of the legend with its swatch, which swatch draws in its box.
type entry struct {
	label  string
	swatch func(draw.Canvas)
	end    *lineEnd // nil if the entry is of no line that ends in the panel
}

// A lineEnd is where a line ends in the panel.
type lineEnd struct {
	at     vertex
	colour color.Color
	clear  bool // the line has an end that can be labelled
}

// A legend is a block of entries in columns.
type legend struct {
	*theme
	entries []entry
	columns int
	style   text.Style
}

// newLegend returns a legend in text of a standard size whose labels are broken into lines so that a column is no wider than
// widest, with as many columns as fit in the width.
func newLegend(entries []entry, o *outlines, size, widest, width vg.Length) legend {
	l := legend{theme: o.theme, columns: 1, style: o.style(size, text.XLeft, text.YTop)}
	label := max(widest-o.pt(swatchWidth+swatchGap), o.pt(40))
	for _, e := range entries {
		e.label = o.wrap(e.label, size, label)
		l.entries = append(l.entries, e)
	}
	gap := o.pt(columnGap)
	l.columns = max(1, min(len(entries), int((width+gap)/(l.columnWidth()+gap))))
	return l
}

// newLowLegend returns a legend for the room below a panel, as low as it can be: its labels are broken so that one to four columns
// fit in the width. If it is higher than wanted, its text is smaller, down to leastLegend.
func newLowLegend(entries []entry, o *outlines, width, wanted vg.Length) legend {
	const mostColumns = 4
	gap := o.pt(columnGap)
	for size := vg.Length(legendSize); ; size -= 0.5 {
		var best legend
		least := vg.Length(math.Inf(1))
		for n := range mostColumns {
			columns := vg.Length(n + 1)
			l := newLegend(entries, o, size, (width-(columns-1)*gap)/columns, width)
			if w, h := l.size(); h < least && (w <= width || n == 0) {
				best, least = l, h
			}
		}
		if least <= wanted || size-0.5 < leastLegend {
			return best
		}
	}
}

// columnWidth returns the width of a column.
func (l legend) columnWidth() vg.Length {
	var w vg.Length
	for _, e := range l.entries {
		w = max(w, l.style.Width(e.label))
	}
	return l.pt(swatchWidth+swatchGap) + w
}

// rows returns how many entries stand in a column.
func (l legend) rows() int { return (len(l.entries) + l.columns - 1) / l.columns }

// rowHeight returns the height of the row with the given index, without the gap below it.
func (l legend) rowHeight(row int) vg.Length {
	var h vg.Length
	for i := row; i < len(l.entries); i += l.rows() {
		h = max(h, l.style.Height(l.entries[i].label))
	}
	return h
}

// size returns the width and the height of the legend.
func (l legend) size() (w, h vg.Length) {
	if len(l.entries) == 0 {
		return 0, 0
	}
	for row := range l.rows() {
		h += l.rowHeight(row) + l.pt(entryGap)
	}
	return vg.Length(l.columns)*(l.columnWidth()+l.pt(columnGap)) - l.pt(columnGap), h - l.pt(entryGap)
}

// draw writes the legend from its upper left corner on, column by column.
func (l legend) draw(c draw.Canvas, corner vg.Point) {
	for i, e := range l.entries {
		row, column := i%l.rows(), i/l.rows()
		x := corner.X + vg.Length(column)*(l.columnWidth()+l.pt(columnGap))
		y := corner.Y
		for r := range row {
			y -= l.rowHeight(r) + l.pt(entryGap)
		}
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y - l.style.Height("x")}, Max: vg.Point{X: x + l.pt(swatchWidth), Y: y}}
		e.swatch(draw.Canvas{Canvas: c.Canvas, Rectangle: box})
		fillText(c, l.style, vg.Point{X: box.Max.X + l.pt(swatchGap), Y: y}, e.label)
	}
}
