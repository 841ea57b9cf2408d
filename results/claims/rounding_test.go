package claims

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
)

// Every kind that fits a slope leaves out rounding errors, in a warning that names the place.
func TestRoundingErrorsAreLeftOut(t *testing.T) {
	ended := func(of func(x float64) float64) func(x float64) float64 {
		return func(x float64) float64 { return max(of(x), 1e-17) }
	}
	var grid []*records.Record
	for seed := range 3 {
		for n := 1; n <= 1<<14; n *= 2 {
			grid = append(grid, recordstest.Sized(uint64(seed+1), n, ended(func(x float64) float64 { return math.Pow(x, -4-0.001*float64(seed)) })(float64(n))))
		}
	}
	several := func(of func(seed uint64, c float64) *records.Record) (recs []*records.Record) {
		for seed := range 3 {
			recs = append(recs, of(uint64(seed+1), math.Exp(0.01*float64(seed))))
		}
		return recs
	}
	power := several(func(seed uint64, c float64) *records.Record {
		r := recordstest.Power("a", seed, c, -4+0.001*c)
		for i := range r.Points {
			r.Points[i].Values["error"] = records.Value(max(1e-17, *r.Points[i].Values["error"]))
		}
		return r
	})
	along := several(func(seed uint64, c float64) *records.Record {
		return recordstest.Along("a", seed, ended(func(t float64) float64 { return c * math.Pow(0.9+0.0001*c, t) }))
	})
	members := []string{}
	for _, r := range grid[:15] {
		members = append(members, r.Header.Method)
	}
	for name, c := range map[string]struct {
		claim Claim
		recs  []*records.Record
		at    string
	}{
		"rate":             {rateOf("-4", 0.1, false), power, "from step 2048 on"},
		"rate of the mean": {with1(rateOf("-4", 0.1, false), func(c *Claim) { c.Statistic = "mean" }), power, "from step 2048 on"},
		"rate across":      {Claim{Kind: "rate", Across: "data.inputs", Members: members, Published: "-4", PublishedIs: "theorem", Tolerance: 0.1}, grid, "from data.inputs 1024 on"},
		"geometric":        {factorOf("0.9", 0.01, false), along, "from step 280 on"},
		"too few are left": {with1(rateOf("-4", 0.1, false), func(c *Claim) { c.Window = [2]float64{512, 1 << 19} }), power, "from step 2048 on"},
	} {
		t.Run(name, func(t *testing.T) {
			c.claim.Method, c.claim.Metric = "a", "error"
			v := Judge(experiment(c.claim), c.recs).Verdicts[0]
			want := Reproduced
			if name == "too few are left" {
				want = Inconclusive
			}
			require.Equal(t, want, v.ByNumbers(), v.Reason)
			require.Len(t, v.Warnings, 1)
			assert.Contains(t, v.Warnings[0], c.at)
		})
	}
}
