package claims

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScores(t *testing.T) {
	verdict := func(experiment string, w Word) Verdict { return Verdict{Experiment: experiment, Verdict: w} }
	scores := Scores([]Stake{{"p/a", 3}, {"p/b", 2}, {"q/a", 1}}, []Verdict{
		verdict("p/a", Reproduced), verdict("q/a", Failed), verdict("p/a", Reproduced), verdict("p/a", Deviates), verdict("z/z", Deviates),
	})
	assert.Equal(t, map[string]Tally{
		"p/a": {Claims: 3, Reproduced: 2, Deviates: 1}, "p/b": {Claims: 2, NotRun: 2}, "q/a": {Claims: 1, Failed: 1},
	}, scores)
	sum := scores["p/a"].Plus(scores["p/b"])
	assert.Equal(t, "2 reproduced, 1 deviates, 2 not run", sum.String())
	assert.Empty(t, Tally{}.String())
	b, err := json.Marshal(scores["q/a"])
	require.NoError(t, err)
	assert.JSONEq(t, `{"claims":1,"reproduced":0,"deviates":0,"inconclusive":0,"not_comparable":0,"not_run":0,"failed":1}`, string(b))
}

// A claim counts in the row of its experiment, unless another row takes it.
func TestByRow(t *testing.T) {
	p := Paper{Rows: []Row{{ID: "time", Experiments: []string{"nets-*"}}, {ID: "unused", Experiments: []string{"x"}}, {ID: "final", Takes: []string{"nets-*#*-final"}}}}
	v := func(experiment, claim string) Verdict { return Verdict{Experiment: experiment, Claim: claim} }
	got := p.ByRow([]Verdict{v("p/nets-a", "b-final"), v("p/nets-a", "b-time"), v("p/rest", "c"), v("p/nets-b", "b-final")})
	require.Len(t, got, 3)
	assert.Equal(t, RowVerdicts{p.Rows[0], []Verdict{v("p/nets-a", "b-time")}}, got[0])
	assert.Equal(t, RowVerdicts{p.Rows[2], []Verdict{v("p/nets-a", "b-final"), v("p/nets-b", "b-final")}}, got[1])
	assert.Equal(t, RowVerdicts{Row{ID: "rest", Experiments: []string{"rest"}}, []Verdict{v("p/rest", "c")}}, got[2], "an experiment without a row is one")
	assert.Equal(t, "time", p.RowOf("p/nets-a").ID)
}

func TestEveryWordIsCounted(t *testing.T) {
	for _, w := range Words {
		assert.Equal(t, 1, TallyOf([]Verdict{{Verdict: w}}).Of(w))
	}
	assert.Panics(t, func() { TallyOf([]Verdict{{Verdict: "perhaps"}}) })
}
