package claims

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHeadline(t *testing.T) {
	one := 1.0
	v := func(claim string, w Word, measured *float64) Verdict {
		return Verdict{Claim: claim, Verdict: w, Measured: measured}
	}
	tests := []struct {
		verdicts []Verdict
		want     string
	}{
		{[]Verdict{v("a", Reproduced, &one), v("b", Deviates, nil), v("c", Deviates, &one)}, "c"},
		{[]Verdict{v("a", NotComparable, &one), v("b", Inconclusive, &one), v("c", Reproduced, &one)}, "b"},
		{[]Verdict{v("a", NotRun, nil), v("b", NotComparable, &one), v("c", NotComparable, &one)}, "b"},
	}
	for _, test := range tests {
		got, ok := Headline(test.verdicts)
		assert.True(t, ok)
		assert.Equal(t, test.want, got.Claim)
	}
	_, ok := Headline([]Verdict{v("a", NotRun, nil)})
	assert.False(t, ok)
}
