package requests_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/requests"
)

// curves has ten runs of c·x^slope at 40 places, the slope of which spreads by 0.01.
func curves(slope float64) (runs [][]float64, x []float64) {
	for i := range 40 {
		x = append(x, float64(10*(i+1)))
	}
	for seed := range 10 {
		var run []float64
		for _, v := range x {
			run = append(run, math.Pow(v, slope+0.01*math.Sin(float64(seed))))
		}
		runs = append(runs, run)
	}
	return runs, x
}

func judge(t *testing.T, request map[string]any) (claims.Case, error) {
	t.Helper()
	request["schema"] = requests.Schema
	text, err := json.Marshal(request)
	require.NoError(t, err)
	r, err := requests.Read(text)
	if err != nil {
		return claims.Case{}, err
	}
	exp, recs, err := r.Experiment("")
	if err != nil {
		return claims.Case{}, err
	}
	return claims.Judge(exp, recs), nil
}

func TestKinds(t *testing.T) {
	runs, x := curves(-1)
	slow, _ := curves(-0.5)
	reversed := [][]float64{{}}
	for i := range x {
		reversed[0] = append(reversed[0], runs[0][len(x)-1-i])
	}
	both := map[string]any{"SGD (γ = 0.1)": runs, "slow": slow}
	for _, c := range []struct {
		curves any
		claim  map[string]any
		want   claims.Word
	}{
		{map[string]any{"a": runs}, map[string]any{"kind": "rate", "number": -1, "tolerance": 0.1}, claims.Reproduced},
		{map[string]any{"a": runs}, map[string]any{"kind": "rate", "number": "-0.9", "at_most": true}, claims.Reproduced},
		{map[string]any{"a": runs}, map[string]any{"kind": "rate", "number": -1.2, "tolerance": 0.1}, claims.Deviates},
		{map[string]any{"a": runs}, map[string]any{"kind": "value", "number": 0.01, "at_most": true}, claims.Reproduced},
		{map[string]any{"a": runs}, map[string]any{"kind": "value", "number": 0.1, "tolerance": 0.02, "at": map[string]any{"value": 10}}, claims.Reproduced},
		{map[string]any{"a": runs}, map[string]any{"kind": "reach", "number": 120, "at_most": true, "target": 0.01}, claims.Reproduced},
		{map[string]any{"a": runs}, map[string]any{"kind": "curve", "points": [][]float64{{10, 0.1}, {100, 0.01}, {400, 0.0025}}, "published_is": "mean of 10"}, claims.Reproduced},
		{map[string]any{"a": runs[0]}, map[string]any{"kind": "rate", "number": -1, "tolerance": 0.1}, claims.Inconclusive},
		{both, map[string]any{"kind": "order", "method": "SGD (γ = 0.1)"}, claims.Reproduced},
		{both, map[string]any{"kind": "order", "method": "slow"}, claims.Deviates},
	} {
		j, err := judge(t, map[string]any{"curves": c.curves, "x": x, "claim": c.claim})
		require.NoError(t, err, "%v", c.claim)
		assert.Equal(t, c.want, j.Verdicts[0].Verdict, "%v: %s", c.claim, j.Verdicts[0].Reason)
	}
}

// Places need be neither whole nor in order.
func TestPlaces(t *testing.T) {
	runs, x := curves(2)
	for i := range x {
		x[i] = 1 / x[i]
	}
	j, err := judge(t, map[string]any{"curves": map[string]any{"mesh": runs}, "x": x, "claim": map[string]any{"kind": "rate", "number": -2, "tolerance": 0.1}})
	require.NoError(t, err)
	assert.Equal(t, claims.Reproduced, j.Verdicts[0].Verdict, j.Verdicts[0].Reason)
	p := j.Records[0].Points
	assert.Less(t, p[0].Epoch, p[1].Epoch)
}

// One run decides where nothing is drawn at random, against numbers of cells or widths of meshes, the finest last.
func TestDeterministic(t *testing.T) {
	var run, cells, widths []float64
	for k := 2.0; k <= 256; k *= 2 {
		run, cells, widths = append(run, (1+1/k)/k/k), append(cells, k), append(widths, 1/k)
	}
	for _, x := range [][]float64{cells, widths} {
		order := 2 * (x[0] - x[1]) / math.Abs(x[0]-x[1])
		j, err := judge(t, map[string]any{"curves": map[string]any{"fem": run}, "x": x, "deterministic": true, "claim": map[string]any{"kind": "rate", "number": order, "tolerance": 0.1}})
		require.NoError(t, err)
		assert.Equal(t, claims.Reproduced, j.Verdicts[0].Verdict, j.Verdicts[0].Reason)
		assert.Len(t, j.Verdicts[0].Orders, len(x)-1)
	}
}

// x may be a discretisation parameter, in any order, and the metric a value whose limit is not known.
func TestMeshes(t *testing.T) {
	var widths, values []float64
	for _, h := range []float64{0.1, 0.4, 0.05, 0.2, 0.025} {
		widths, values = append(widths, h), append(values, 3+h*h)
	}
	j, err := judge(t, map[string]any{"curves": map[string]any{"fem": values}, "x": widths, "abscissa": "h", "deterministic": true,
		"claim": map[string]any{"kind": "rate", "number": 2, "tolerance": 0.1, "richardson": true}})
	require.NoError(t, err)
	v := j.Verdicts[0]
	assert.Equal(t, claims.Reproduced, v.Verdict, v.Reason)
	assert.Equal(t, "h", j.Experiment.Claims[0].X)
	for name, r := range map[string]map[string]any{
		"abscissa: \"heigth\" is no name": {"abscissa": "heigth", "x": widths},
		"x: missing; give the values":     {"abscissa": "h"},
	} {
		r["curves"], r["claim"] = map[string]any{"fem": values}, map[string]any{"kind": "rate", "number": 2, "tolerance": 0.1}
		_, err := judge(t, r)
		assert.ErrorContains(t, err, name)
	}
}

// Numbers are read where the claim says: at a place, as the best so far or as the mean of the last.
func TestWhatIsRead(t *testing.T) {
	runs := [][]float64{{9, 1, 2, 4, 6}, {9, 1, 2, 4, 6}, {9, 1, 2, 4, 6}}
	for text, want := range map[string]float64{
		`{}`: 6, `{"value": 3}`: 2, `{"last": 2}`: 5, `{"last": 2, "value": 4}`: 3, `{"best": "smallest"}`: 1, `{"best": "largest", "value": 4}`: 9,
	} {
		j, err := judge(t, map[string]any{"curves": map[string]any{"a": runs}, "deterministic": true,
			"claim": map[string]any{"kind": "value", "number": want, "tolerance": 0.1, "at": json.RawMessage(text)}})
		require.NoError(t, err, text)
		assert.Equal(t, want, *j.Verdicts[0].Measured, text)
	}
	_, err := judge(t, map[string]any{"curves": map[string]any{"a": runs}, "claim": map[string]any{"kind": "value", "number": 1, "tolerance": 0.1, "at": json.RawMessage(`{"best": "least"}`)}})
	assert.ErrorContains(t, err, `at.best: unknown`)
}

// A run that ends at what is not finite has diverged.
func TestNotFinite(t *testing.T) {
	j, err := judge(t, map[string]any{"curves": map[string]any{"a": [][]any{{1, 2, nil}, {1, 2, 3}}}, "claim": map[string]any{"kind": "value", "number": 3, "tolerance": 1}})
	require.NoError(t, err)
	assert.Equal(t, claims.Failed, j.Verdicts[0].Verdict)
	assert.Contains(t, j.Verdicts[0].Reason, "value is not finite at the end")
}

func TestFaults(t *testing.T) {
	ok := func() map[string]any {
		return map[string]any{"curves": map[string]any{"a": [][]float64{{1, 2, 3}, {1, 2, 3.5}}}, "claim": map[string]any{"kind": "value", "number": 3, "tolerance": 1}}
	}
	_, err := judge(t, ok())
	require.NoError(t, err)
	for _, c := range []struct {
		key   string // of the request, or of its claim below it
		value any
		want  string
	}{
		{"curves", map[string]any{}, "curves: is empty"},
		{"curves", map[string]any{"": []float64{1}}, `curves: "" cannot name a method`},
		{"curves", map[string]any{"a\x1b[0m": []float64{1}}, `cannot name a method`},
		{"claim.id", "a b", `id: "a b" cannot name a claim`},
		{"curves", map[string]any{"a": nil}, "curves.a: run 1 has no value"},
		{"curves", map[string]any{"a": [][]float64{{}}}, "curves.a: run 1 has no value"},
		{"curves", map[string]any{"a": 1}, "curves: has a number where a list belongs"},
		{"x", []float64{1, 2}, `x: has 2 places, and run 1 of "a" has 3 values`},
		{"x", []float64{1, 2, 2}, "x: has 2 twice"},
		{"x", []float64{1, 2, -2}, "x: -2 is no place on an axis"},
		{"x", map[string]any{"b": []float64{1}}, `x: has no places for method "a"`},
		{"deterministic", true, `deterministic: runs 1 and 2 of "a" differ`},
		{"metric", "seconds", `metric: "seconds" cannot name a metric`},
		{"better", "big", `better: is "big"; want smaller`},
		{"name", "../x", "name: "},
		{"claims", 1, "request: unknown field"},
		{"claim", nil, "claim: missing"},
		{"claim.kind", "rat", `kind: "rat" is no kind of claim; did you mean "rate"?`},
		{"claim.kind", "values", "kind: is that of a whole column"},
		{"claim.tolerence", 1, `tolerence: is no key of a claim of kind "value"; did you mean "tolerance"?`},
		{"claim.window", []float64{1, 2}, `window: is no key of a claim of kind "value"`},
		{"claim.tolerance", -1, "tolerance: must be >= 0"},
		{"claim.tolerance", "wide", `tolerance: want a number, got the string "wide"`},
		{"claim.number", "3,1", `number: "3,1" is not a number`},
		{"claim.method", "b", `method: "b" has no curves; did you mean "a"?`},
		{"claim.at", map[string]any{"x": "flops", "value": 1}, `x: "flops" is no abscissa`},
		{"claim", map[string]any{"kind": "value"}, `number: missing; a claim of kind "value" needs it`},
		{"claim", map[string]any{"kind": "rate", "number": -1}, "tolerance: missing"},
		{"claim", map[string]any{"kind": "reach", "number": 1}, "target: missing"},
		{"claim", map[string]any{"kind": "reach", "number": 1, "target": -1}, "target: must be >= 0"},
		{"claim", map[string]any{"kind": "order"}, "curves: has one method"},
		{"claim", map[string]any{"kind": "curve"}, "points: missing"},
		{"claim", map[string]any{"kind": "curve", "points": []float64{1}}, "points: is not a list of [x, y]"},
		{"claim", map[string]any{"kind": "curve", "points": [][]float64{{2, 1}, {1, 1}}, "published_is": "run"}, "points: does not lie beyond the point before it; sort the points by x, and keep one at each (point 2)"},
		{"claim", map[string]any{"kind": "curve", "points": [][]float64{{1, 1}, {2, 1}, {3, 1}}}, `published_is: is ""`},
		{"claim", map[string]any{"kind": "rate", "number": -1, "at_most": true, "statistic": "q12"}, `statistic: unknown statistic "q12"`},
		{"claim", map[string]any{"kind": "rate", "number": -1, "at_most": true, "at_least": true}, "at_least: contradicts at_most; keep one"},
		{"claim", map[string]any{"kind": "rate", "number": -1, "at_most": true, "across": "data.train"}, "across: needs the settings of a grid"},
	} {
		r := ok()
		into, key := r, c.key
		if len(key) > 6 && key[:6] == "claim." {
			into, key = r["claim"].(map[string]any), key[6:]
		}
		into[key] = c.value
		_, err := judge(t, r)
		assert.ErrorContains(t, err, c.want, "%s = %v", c.key, c.value)
		assert.ErrorAs(t, err, &requests.Fault{})
	}
	_, err = requests.Read(fmt.Appendf(nil, `{"schema": %d}`, requests.Schema+1))
	assert.ErrorContains(t, err, "schema: is 2, and this program answers 1")
}

// Whatever is asked, the answer is an error or a verdict.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schema":1,"curves":{"a":[[1,0.5,0.2],[1,0.4,null]]},"x":[1,2,4],"claim":{"kind":"rate","number":-1,"at_most":true}}`))
	f.Add([]byte(`{"schema":1,"curves":{"a":[1,0.5]},"x":{"a":[0.5,0.1]},"claim":{"kind":"curve","points":[[0.1,1,0,0]],"published_is":"run"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := requests.Read(text)
		if err != nil {
			return
		}
		exp, recs, err := r.Experiment("")
		if err == nil {
			assert.Len(t, claims.Judge(exp, recs).Verdicts, 1)
		}
	})
}
