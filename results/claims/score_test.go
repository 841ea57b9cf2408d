package claims

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Classes are counted one by one; a claim without a verdict was not run.
func TestScore(t *testing.T) {
	exp := Experiment{ID: "p/a", Claims: []Claim{
		{ID: "printed", Metric: "error", Published: "1", PublishedIs: "run", Source: "Table 1"},
		{ID: "proved", Metric: "error", Published: "-1", PublishedIs: "theorem", Source: "Table 2"},
		{ID: "missing", Metric: "error", Published: "2", PublishedIs: "mean of 3", Source: "Fig. 1"},
	}}
	verdicts := []Verdict{}
	for _, c := range exp.Claims[:2] {
		v := newVerdict(exp, c)
		v.Verdict = Reproduced
		verdicts = append(verdicts, v)
	}
	score := ScoreOf(Complete(exp, verdicts).Verdicts)
	assert.Equal(t, "printed: 1 reproduced, 1 not run; proved: 1 reproduced", score.String())
	printed := score.Of(Printed)
	assert.Equal(t, []int{2, 1, 1}, []int{printed.Claims, printed.Reproduced, printed.NotRun})
	assert.Equal(t, 2, score.Any(Reproduced))
	assert.Empty(t, Score{}.String())
	b, err := json.Marshal(score[1])
	require.NoError(t, err)
	assert.JSONEq(t, `{"class":"proved","claims":1,"reproduced":1,"deviates":0,"inconclusive":0,"not_comparable":0,"not_run":0,"failed":0}`, string(b))
}

// The class of a claim follows from what the claim says already, unless a key gives it with a reason.
func TestClassOfAClaim(t *testing.T) {
	paper := Paper{Key: "p", Data: []string{"own"}, Rows: []Row{{ID: "x", Experiments: []string{"extra"}, Extension: true}}}
	here := Experiment{ID: "p/a", Paper: paper, Data: "own"}
	beside, elsewhere, anywhere := here, here, here
	beside.ID, elsewhere.Data, anywhere.Data, anywhere.Paper.Data = "p/extra", "other", "other", nil
	for _, c := range []struct {
		name  string
		exp   Experiment
		claim Claim
		want  Class
	}{
		{"a printed run, whatever shows it", here, Claim{Metric: "error", Published: "15", PublishedIs: "run", Source: "Sec. 7.3, Fig. 6(1)"}, Printed},
		{"a printed mean", here, Claim{Metric: "error", Published: "15", PublishedIs: "mean of 5"}, Printed},
		{"an exponent", here, Claim{Metric: "error", Published: "-1", PublishedIs: "theorem", Source: "Table 3"}, Proved},
		{"an order that is proved", here, Claim{Metric: "error", Source: "Cor. 1, eq. (12)"}, Proved},
		{"an order that a figure shows", here, Claim{Metric: "error", Source: "Sec. 5, Fig. 2"}, Drawn},
		{"what the text says of a figure", here, Claim{Metric: "error", Source: "Sec. 5, Fig. 2", Words: "performs best"}, Stated},
		{"what the paper does not say", here, Claim{Metric: "error", Source: "Sec. 5, Fig. 2", Ours: "it would fail"}, Ours},
		{"an order of the text", here, Claim{Metric: "error", Source: "Sec. 5.1, Table 3"}, Stated},
		{"a derived number", here, Claim{Metric: "error", Derived: "0", Source: "Thm 4"}, Ours},
		{"a count whose order is printed", here, Claim{Metric: "flops", Published: "1", PublishedIs: "theorem", Source: "Table 2"}, Ours},
		{"a whole column", here, Claim{Kind: columnKind, Metric: "error", PublishedIs: "run", Source: "Table 7"}, Printed},
		{"a row that the paper does not have", beside, Claim{Metric: "error", Published: "15", PublishedIs: "run"}, Ours},
		{"data that the paper does not have", elsewhere, Claim{Metric: "error", Published: "15", PublishedIs: "run"}, Apart},
		{"a paper that does not list its data", anywhere, Claim{Metric: "error", Published: "15", PublishedIs: "run"}, Printed},
		{"fitted", elsewhere, Claim{Metric: "error", Published: "15", PublishedIs: "run", Fitted: "step 5"}, Apart},
		{"repeated", here, Claim{Metric: "error", Published: "15", PublishedIs: "run", Fitted: "step 5", SameAs: "p/b#c"}, Apart},
		{"what cannot fail", here, Claim{Metric: "memory", SameAs: "p/b#c", Description: "it is a count"}, Ours},
		{"what a key says", here, Claim{Metric: "error", Published: "-1", PublishedIs: "run", CountsAs: "stated"}, Stated},
		{"what a key sets apart", here, Claim{Metric: "error", Published: "-1", PublishedIs: "run", CountsAs: "apart", CountsWhy: "generated"}, Apart},
	} {
		assert.Equal(t, c.want, newVerdict(c.exp, c.claim).Heading(), c.name)
	}
}

// A column counts beside its cells only where they are printed numbers that count.
func TestColumnOfCellsThatAreSetApart(t *testing.T) {
	cell, column := Verdict{Class: Printed, Verdict: Reproduced}, Verdict{Kind: columnKind, Class: Printed, Verdict: Deviates}
	assert.Equal(t, "printed: 1 reproduced, 1 deviates", ScoreOf([]Verdict{cell, column}).String())
	cell.Uncounted, column.Uncounted = "step 5", "step 5"
	assert.Equal(t, "apart: 1 reproduced", ScoreOf([]Verdict{cell, column}).String())
}

// Verdicts and accepted definitions of earlier versions have the classes of now.
func TestClassesOfEarlierVersions(t *testing.T) {
	verdicts, err := ReadVerdicts(strings.NewReader(`[{"class":"column","verdict":"deviates"},{"class":"own claim","class_why":"seconds","verdict":"deviates"},
		{"class":"fitted","class_why":"step 5","verdict":"deviates"},{"class":"on other data","verdict":"deviates"},{"class":"proved","verdict":"deviates"}]`))
	require.NoError(t, err)
	var got [][3]string
	for _, v := range verdicts {
		got = append(got, [3]string{string(v.Class), v.ClassWhy, v.Uncounted})
	}
	assert.Equal(t, [][3]string{{"printed"}, {"ours", "seconds"}, {"", "", "step 5"}, {"", "", "on other data"}, {"proved"}}, got)
	assert.Equal(t, Definition{"kind": "rate", "counts_as": "ours"}, Definition{"kind": "rate", "counts_as": "own claim"}.Now())
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

func TestGate(t *testing.T) {
	tests := []struct {
		words string
		want  int
	}{
		{"reproduced", 0}, {"reproduced,reproduced", 0}, {"deviates", 1}, {"inconclusive", 3},
		{"not comparable", 4}, {"not run", 4}, {"failed", 5}, {"", 4},
		{"reproduced,inconclusive", 3}, {"inconclusive,not run", 4}, {"not comparable,deviates", 1},
		{"deviates,failed,not run", 5}, {"reproduced,not comparable,inconclusive", 4},
	}
	for _, test := range tests {
		t.Run(test.words, func(t *testing.T) {
			var verdicts []Verdict
			for _, w := range strings.FieldsFunc(test.words, func(r rune) bool { return r == ',' }) {
				verdicts = append(verdicts, Verdict{Verdict: Word(w)})
			}
			assert.Equal(t, test.want, Gate(verdicts))
		})
	}
	assert.Panics(t, func() { Gate([]Verdict{{Verdict: "fine"}}) })
}

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
