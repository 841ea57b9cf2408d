package printed

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQuantitiesForPeople(t *testing.T) {
	for seconds, want := range map[float64]string{
		-1: "unknown", 0: "< 0.01 s", 0.001: "< 0.01 s", 0.5: "0.50 s", 2.34: "2.3 s", 61: "61 s", 600: "10 min", 4500: "75 min", 9000: "2.5 h", 129600: "36.0 h", 400000: "4.6 days",
	} {
		assert.Equal(t, want, Duration(seconds))
	}
	for n, want := range map[float64]string{-1: "unknown", 5: "5 B", 12: "12 B", 1234: "1.2 kB", 999999: "1.0 MB", 2.5e10: "25 GB", 5e12: "5.0 TB", 2e15: "2000 TB"} {
		assert.Equal(t, want, Bytes(n))
	}
	assert.Equal(t, "a, b, c", List([]string{"a", "b", "c"}))
	assert.Equal(t, "a, b, c and 1 more", List([]string{"a", "b", "c", "d"}))
}
