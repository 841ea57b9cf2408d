package claims

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// A debt takes the seconds of all its seeds, of each of its methods; of several claims of a method, the largest number counts once.
func TestDebts(t *testing.T) {
	exp := experiment(Claim{ID: "x", Kind: "order", Method: "a", Against: []string{"b"}}, Claim{ID: "y", Kind: "value", Method: "a"}, Claim{ID: "z", Kind: "value", Method: "c"})
	owes := func(claim string, needed int) Verdict {
		return Verdict{Experiment: exp.ID, Claim: claim, Verdict: Inconclusive, Seeds: 4, Needed: &needed}
	}
	done := owes("z", 9)
	done.Verdict = Reproduced
	debts, settled, total := Debts(exp, []Verdict{owes("x", 10), owes("y", 7), owes("z", 0), done}, map[string]float64{"a": 2, "b": 3, "c": 5})
	require.Len(t, debts, 3)
	assert.Equal(t, 2, settled)
	assert.Equal(t, []float64{50, 14}, []float64{*debts[0].Seconds, *debts[1].Seconds})
	assert.Equal(t, []int{10, 7}, []int{*debts[0].Needed, *debts[1].Needed})
	assert.Nil(t, debts[2].Needed, "no number of seeds settles it")
	assert.Equal(t, 50.0, total)
}
