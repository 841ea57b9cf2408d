package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
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

const deformedGolden = "258bcfb3a63d95a0414af8906caf76d66ddc589c855315e6dee7bb30f85c47b6"
