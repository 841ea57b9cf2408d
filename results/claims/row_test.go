package claims

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNamed(t *testing.T) {
	for pattern, want := range map[string]bool{
		"rate":              true,
		"r*":                true,
		"order":             false,
		"dai2014/rate#rate": true,
		"dai2014/*#*":       true,
		"li2016/*#rate":     false,
		"dai2014/rate#or*":  false,
		"dai2014/rate/rate": false,
		"[":                 false,
	} {
		assert.Equal(t, want, Named(pattern, "dai2014/rate", "rate"), pattern)
	}
}
