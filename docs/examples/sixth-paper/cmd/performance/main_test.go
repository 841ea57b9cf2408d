package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
)

// Of two problems the first is solved at step 4 and the second never, so that of steps 1 to 6 three have half of them solved; the values
// at step 0 are of no iteration.
func TestWrite(t *testing.T) {
	ran := func(values ...float64) *records.Record {
		r := &records.Record{Header: records.Header{Method: "cg", Seed: 3}}
		for i, v := range values {
			r.Points = append(r.Points, records.Point{Step: 2 * i, Values: map[string]*float64{"relative-gradient": records.Value(v)}})
		}
		return r
	}
	var out strings.Builder
	require.NoError(t, write(csv.NewWriter(&out), []*records.Record{ran(1e-4, 0.1, 9e-4, 0.01), ran(1, 1.1e-3)}))
	assert.Equal(t, "method,seed,iteration,solved,mean\ncg,3,2,0,0\ncg,3,4,0.5,0.125\ncg,3,6,0.5,0.25\n", out.String())
}
