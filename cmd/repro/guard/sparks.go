package guard

import (
	"math"
	"slices"

	"repro/results/changes"
)

// sparks are the heights of a sparkline.
var sparks = []rune("▁▂▃▄▅▆▇█")

// sparklines draws two curves on one scale, logarithmic if all values are positive. A curve that is nil is empty.
func sparklines(before, after *changes.Curve) (b, a string) {
	var values []float64
	for _, c := range []*changes.Curve{before, after} {
		if c != nil {
			values = append(values, c.Y...)
		}
	}
	if len(values) == 0 {
		return "", ""
	}
	of := func(v float64) float64 { return v }
	if slices.Min(values) > 0 {
		of = math.Log
	}
	low, high := of(slices.Min(values)), of(slices.Max(values))
	draw := func(c *changes.Curve) string {
		if c == nil {
			return ""
		}
		var line []rune
		for _, v := range c.Y {
			k := 0
			if high > low {
				k = int(math.Round((of(v) - low) / (high - low) * float64(len(sparks)-1)))
			}
			line = append(line, sparks[k])
		}
		return string(line)
	}
	return draw(before), draw(after)
}
