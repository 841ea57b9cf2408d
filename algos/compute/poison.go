//go:build race || poison

package compute

import "math"

// poison overwrites memory given to Reuse, so that tests find who still reads it.
func poison(data []float64) {
	data = data[:cap(data)]
	for i := range data {
		data[i] = math.NaN()
	}
}
