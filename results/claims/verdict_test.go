package claims

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/printed"
	"repro/results/records/recordstest"
)

func TestWriteVerdicts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "verdicts.json")
	require.NoError(t, WriteVerdicts(path, nil))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "[]\n", string(data))

	want := Judge(experiment(Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "1"}), recordstest.Flat("a", 1, 1)).Verdicts
	require.NoError(t, WriteVerdicts(path, want))
	data, err = os.ReadFile(path)
	require.NoError(t, err)
	got, err := ReadVerdicts(bytes.NewReader(data))
	require.NoError(t, err)
	want[0].Of, want[0].Records, want[0].Numbers = Claim{}, nil, nil // no file has them
	assert.Equal(t, want, got)
	_, err = ReadVerdicts(strings.NewReader(`[{"experiment":"p/a","claim":"c","verdict":"perhaps"}]`))
	assert.ErrorContains(t, err, `p/a, claim c: unknown verdict "perhaps"`)
	_, err = ReadVerdicts(strings.NewReader(`[{"verdicts":"reproduced"}]`))
	assert.ErrorContains(t, err, "unknown field")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, files, 1, "no temporary file is left")

	blocked := filepath.Join(path, "below-a-file.json")
	assert.ErrorContains(t, WriteVerdicts(blocked, nil), "--out")
}

func TestVerdictsAsText(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	zero, half := number(0), number(0.5)
	interval := Verdict{Published: "15.3", Unit: Percent, Measured: number(15.32), Low: number(15.1), High: number(15.5)}
	tests := map[string]struct {
		verdict             Verdict
		quantity            Quantity
		published, measured string
	}{
		"nothing":    {Verdict{Kind: "value", Unit: Percent}, OfMetric, "", ""},
		"value":      {kind(interval, "value"), OfMetric, "15.3 %", "15.32 % [15.1, 15.5]"},
		"rate":       {kind(interval, "rate"), Slope, "15.3", "15.32 [15.1, 15.5]"},
		"ratio":      {kind(interval, "ratio"), Ratio, "15.3", "15.32 [15.1, 15.5]"},
		"reach":      {Verdict{Kind: "reach", Published: "7", Measured: number(6)}, PlaceReached, "7", "6"},
		"order":      {Verdict{Kind: "order", Accept: [2]*float64{nil, half}, Measured: half}, Ratio, "", "0.5"},
		"difference": {Verdict{Kind: "order", Accept: [2]*float64{nil, zero}, Unit: "kcal/mol", Measured: half}, Difference, "", "0.5 kcal/mol"},
		"match":      {Verdict{Kind: "match", Accept: [2]*float64{zero, half}, Unit: Percent, Measured: half}, Difference, "", "0.5 %"},
		"factor":     {Verdict{Kind: "match", Accept: [2]*float64{half, half}, Unit: Percent, Measured: half}, Ratio, "", "0.5"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.quantity, test.verdict.Quantity())
			assert.Equal(t, test.published, test.verdict.PublishedText())
			assert.Equal(t, test.measured, test.verdict.MeasuredText(printed.Number))
		})
	}
	assert.Equal(t, "not comparable · deviates", Verdict{Verdict: NotComparable, AtSize: Deviates}.VerdictText())
	assert.Equal(t, "too small to judge · deviates", Verdict{Verdict: NotComparable, AtSize: Deviates, Smaller: true}.VerdictText())
	assert.Equal(t, "deviates", Verdict{Verdict: Deviates}.VerdictText())

	share := Verdict{Kind: "order", Unit: Percent, Accept: [2]*float64{nil, half}, Visible: number(1.148)}
	assert.Equal(t, "a ratio of 1.15 would have been seen", share.VisibleText())
	assert.Equal(t, "a difference of 1.1 points would have been seen", kind(share, "value").VisibleText())
}

// kind returns the verdict for a claim of another kind.
func kind(v Verdict, k string) Verdict {
	v.Kind = k
	return v
}

// The number of seeds that SeedsNeeded finds by halving is the first of all that settles the verdict.
func TestSeedsNeededIsTheFirst(t *testing.T) {
	draw, several := rand.New(rand.NewPCG(1, 2)), 0
	for i := range 64 {
		c := Claim{ID: "v", Kind: "value", Method: "a", Metric: "error", Published: "0.15", Tolerance: 0.02 * draw.Float64()}
		switch i % 4 {
		case 1:
			c.Published, c.Tolerance, c.PublishedIs = "0.150", 0, "run"
		case 2:
			c.Tolerance, c.AtMost = 0, true
		}
		mean, spread := 0.15+0.03*draw.NormFloat64(), math.Pow(10, -1-2*draw.Float64())
		var values []float64
		for range 1 + draw.IntN(10) {
			values = append(values, mean*math.Exp(spread*draw.NormFloat64()))
		}
		v := Judge(experiment(c), recordstest.Flat("a", values...)).Verdicts[0]
		m, k, first := v.measurement(), runs(v.Published != "" || v.Whole(), v.PublishedIs), 0
		v.Planned = []int{v.Seeds, v.Seeds + 3, max(2, v.Seeds-2), 0}[i/4%4]
		m.planned = cmp.Or(v.Planned, v.Seeds)
		for n := v.Seeds; n <= settled && m.Bounded() && first == 0; n++ {
			if n > v.Seeds && n < m.planned {
				continue // which nobody is told to run
			}
			m.Estimate = v.estimate(n)
			if word, _ := m.word(k); word != Inconclusive {
				first = n
			}
		}
		require.Equal(t, first, v.SeedsNeeded(), "%+v", v)
		if first > max(v.Seeds, v.Planned) {
			several++
		}
	}
	assert.Greater(t, several, 4)
}
