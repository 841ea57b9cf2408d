package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets"
)

// scribbles are n images of noise.
func scribbles(n int) []byte {
	d := make([]byte, n*digitPixels)
	for i := range n {
		s := compute.NewStream(1, "scribble", uint64(i))
		for range 60 {
			d[i*digitPixels+(4+s.IntN(20))*digitSide+4+s.IntN(20)] = byte(s.IntN(256))
		}
	}
	return d
}

func TestDeformedDigits(t *testing.T) {
	d := scribbles(7)
	m := newDeformer(d, 3)
	x, again := make([]float64, digitPixels), make([]float64, digitPixels)
	m.Put(4, 0, x)
	for j, p := range d[4*digitPixels : 5*digitPixels] {
		assert.Equal(t, shades[p], x[j], "copy 0 is the image")
	}
	seen := map[string]bool{}
	for k := range 40 {
		m.Put(4, k, x)
		key := make([]byte, digitPixels)
		for j, v := range x {
			require.True(t, v >= 0 && v <= 1)
			key[j] = byte(math.Round(v * 255))
			require.Equal(t, shades[key[j]], v)
		}
		seen[string(key)] = true
	}
	assert.Len(t, seen, 40, "every copy is another")

	m.Put(2, 5, x)
	newDeformer(d, 3).Put(2, 5, again)
	assert.Equal(t, x, again)
	newDeformer(d, 4).Put(2, 5, again)
	assert.NotEqual(t, x, again)
	sum := sha256.New()
	for j := range x {
		sum.Write([]byte{byte(math.Round(x[j] * 255))})
	}
	assert.Equal(t, deformedGolden, hex.EncodeToString(sum.Sum(nil)), "copies are the same bytes on every platform")
}

// Without fields a copy is shifted by -2 to 2 pixels in either direction, each as likely as another. Fields reach 4 standard deviations.
func TestShifts(t *testing.T) {
	d, middle := make([]byte, digitPixels), digitSide/2
	d[middle*digitSide+middle] = 255
	m := newDeformer(d, 3)
	least, largest := 0, 0
	for k, field := range m.fields {
		for _, v := range field {
			least, largest = min(least, int(v)), max(largest, int(v))
		}
		m.fields[k] = make([]int16, digitPixels)
	}
	assert.True(t, -4*fieldStep <= least && least < -3*fieldStep && 3*fieldStep < largest && largest <= 4*fieldStep, "%d to %d", least, largest)
	x, hits := make([]float64, digitPixels), map[[2]int]int{}
	for k := range 2500 {
		m.Put(0, k+1, x)
		at := slices.Index(x, 1)
		hits[[2]int{at/digitSide - middle, at%digitSide - middle}]++
	}
	for p := -2; p <= 2; p++ {
		for q := -2; q <= 2; q++ {
			assert.InDelta(t, 100, hits[[2]int{p, q}], 50, "5 standard deviations") // false alarm 25 · 6e-7
		}
	}
}

// The numbers of rows of the classes are those of all rows.
func TestCountsOfClasses(t *testing.T) {
	for _, name := range datasets.Names() {
		s, err := datasets.Describe(name)
		require.NoError(t, err)
		for i, rows := range []int{s.Rows, s.TestRows} {
			sum := 0
			for _, n := range s.Counts[i] {
				sum += n
			}
			if s.Counts[i] != nil {
				assert.Equal(t, rows, sum, name)
			}
		}
	}
}

const deformedGolden = "258bcfb3a63d95a0414af8906caf76d66ddc589c855315e6dee7bb30f85c47b6"
