package plots

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Legend measures, in points.
const (
	swatchWidth     = 30
	swatchGap       = 5
	entryGap        = 4
	columnGap       = 16
	legendGap       = 12  // between panel and legend
	widestBeside    = 165 // labels wider than this are broken into lines
	tallestFraction = 1.0 // of the panel, for a legend beside it
)

// An entry is one label of the legend with its swatch, which swatch draws in its box.
type entry struct {
	label  string
	swatch func(draw.Canvas)
}

// A legend is a block of entries in columns, beside or below the panel.
type legend struct {
	entries []entry
	columns int
	style   text.Style
}

// layOutLegend puts the legend beside the panel, with its labels broken into lines, or below the panel if it would be
// taller than the panel beside it.
func layOutLegend(entries []entry, o *outlines, panel, panelHeight vg.Length) (l legend, beside bool) {
	l = legend{columns: 1, style: o.style(legendSize, text.XLeft, text.YTop)}
	for _, e := range entries {
		l.entries = append(l.entries, entry{o.wrap(e.label, legendSize, widestBeside), e.swatch})
	}
	if _, h := l.size(); h <= tallestFraction*panelHeight {
		return l, true
	}
	l.entries = nil
	for _, e := range entries {
		l.entries = append(l.entries, entry{o.wrap(e.label, legendSize, panel-swatchWidth-swatchGap), e.swatch})
	}
	column := l.columnWidth()
	l.columns = max(1, int((panel+columnGap)/(column+columnGap)))
	return l, false
}

// columnWidth returns the width of a column.
func (l legend) columnWidth() vg.Length {
	var w vg.Length
	for _, e := range l.entries {
		w = max(w, l.style.Width(e.label))
	}
	return swatchWidth + swatchGap + w
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
		h += l.rowHeight(row) + entryGap
	}
	return vg.Length(l.columns)*(l.columnWidth()+columnGap) - columnGap, h - entryGap
}

// draw writes the legend from the canvas's upper left corner on, column by column.
func (l legend) draw(c draw.Canvas) {
	if len(l.entries) == 0 {
		return
	}
	line := l.style.Height("x")
	for i, e := range l.entries {
		row, column := i%l.rows(), i/l.rows()
		x := c.Min.X + vg.Length(column)*(l.columnWidth()+columnGap)
		y := c.Max.Y
		for r := range row {
			y -= l.rowHeight(r) + entryGap
		}
		box := vg.Rectangle{Min: vg.Point{X: x, Y: y - line}, Max: vg.Point{X: x + swatchWidth, Y: y}}
		e.swatch(draw.Canvas{Canvas: c.Canvas, Rectangle: box})
		fillText(c, l.style, vg.Point{X: x + swatchWidth + swatchGap, Y: y}, e.label)
	}
}
