package claims

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScoreboard(t *testing.T) {
	verdict := func(experiment string, w Word) Verdict { return Verdict{Experiment: experiment, Verdict: w} }
	papers := Scoreboard([]Stake{{"p/a", 3}, {"p/b", 2}, {"q/a", 1}}, []Verdict{
		verdict("p/a", Reproduced), verdict("q/a", Failed), verdict("p/a", Reproduced), verdict("p/a", Deviates), verdict("z/z", Deviates),
	})
	require.Len(t, papers, 2)
	assert.Equal(t, Tally{Claims: 5, Reproduced: 2, Deviates: 1, NotRun: 2}, papers[0].Tally)
	assert.Equal(t, "2 reproduced, 1 deviates, 2 not run", papers[0].String())
	assert.Equal(t, []Score{{ID: "p/a", Tally: Tally{Claims: 3, Reproduced: 2, Deviates: 1}}, {ID: "p/b", Tally: Tally{Claims: 2, NotRun: 2}}}, papers[0].Experiments)
	assert.Equal(t, "1 failed", papers[1].String())
	assert.Empty(t, Tally{}.String())
	b, err := json.Marshal(papers[1].Experiments[0])
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"q/a","claims":1,"reproduced":0,"deviates":0,"inconclusive":0,"not_comparable":0,"not_run":0,"failed":1}`, string(b))
}

func TestEveryWordIsCounted(t *testing.T) {
	for _, w := range Words {
		assert.Equal(t, 1, TallyOf([]Verdict{{Verdict: w}}).Of(w))
	}
	assert.Panics(t, func() { TallyOf([]Verdict{{Verdict: "perhaps"}}) })
}
