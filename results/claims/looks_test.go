package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/results/stats"
)

// A looked is a family of claims that somebody looks at again with more seeds until they are decided. Every claim lies at the edge of
// what is accepted: on its true side, on its false one, or both if nobody can tell.
type looked struct {
	name   string
	signed bool
	shares int                                                           // of how many test rows the metric is a share
	claim  func(r *rand.Rand, truth bool) Claim                          // that holds or does not
	seed   func(r *rand.Rand, seed uint64, truth bool) []*records.Record // of every method
	every  func(r *rand.Rand) float64                                    // the metric, of a family that is looked at after every seed, too; nil if not
	truths []bool                                                        // that claims may have
}

func always(c Claim) func(*rand.Rand, bool) Claim { return func(*rand.Rand, bool) Claim { return c } }

// by returns what a true or a false claim has.
func by(truth bool, is, isNot float64) float64 {
	if truth {
		return is
	}
	return isNot
}

var bothTruths = []bool{false, true}

// atMost is a bound of an expectation of 1, which lies just below or just above it.
func atMost(_ *rand.Rand, truth bool) Claim {
	return Claim{Kind: "value", Derived: fmt.Sprint(by(truth, 1.0001, 0.9999)), AtMost: true}
}

func oneValue(of func(r *rand.Rand) float64) func(*rand.Rand, uint64, bool) []*records.Record {
	return func(r *rand.Rand, seed uint64, _ bool) []*records.Record {
		return []*records.Record{recordstest.Record("a", seed, 9, of(r))}
	}
}

func normal(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() }

func skewed(spread float64) func(r *rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return lognormal(r, math.Exp(-spread*spread/2), spread) }
}

var lookedFamilies = []looked{
	{name: "a bound of a mean, normal", claim: atMost, signed: true, seed: oneValue(normal), every: normal, truths: bothTruths},
	{name: "a bound of a mean, lognormal of spread 0.1", claim: atMost, seed: oneValue(skewed(0.1)), truths: bothTruths},
	{name: "a bound of a mean, lognormal of spread 0.5", claim: atMost, seed: oneValue(skewed(0.5)), truths: bothTruths},
	{name: "a number with a tolerance, at its end, normal", signed: true, seed: oneValue(normal), every: normal, truths: bothTruths,
		claim: func(_ *rand.Rand, truth bool) Claim {
			return Claim{Kind: "value", Derived: "1.1", Tolerance: by(truth, 0.1001, 0.0999)}
		}},
	{name: "a bound of a share of 1,000 rows", shares: 1000, truths: bothTruths,
		claim: func(_ *rand.Rand, truth bool) Claim {
			return Claim{Kind: "value", Derived: fmt.Sprint(by(truth, 0.1001, 0.0999)), AtMost: true}
		},
		seed: oneValue(func(r *rand.Rand) float64 { return math.Round(100+10*r.NormFloat64()) / 1000 })},
	{name: "better, or equal but for a thousandth", claim: always(Claim{Kind: "order", Against: []string{"b"}}), truths: bothTruths,
		seed: func(r *rand.Rand, seed uint64, truth bool) []*records.Record {
			return []*records.Record{recordstest.Record("a", seed, 9, lognormal(r, by(truth, 0.999, 1.001), 0.2)), recordstest.Record("b", seed, 9, lognormal(r, 1, 0.2))}
		}},
	{name: "a bound of a rate, an exponent of each seed", claim: always(rateOf("-0.5", 0, true)), truths: bothTruths,
		seed: func(r *rand.Rand, seed uint64, truth bool) []*records.Record {
			return []*records.Record{recordstest.Power("a", seed, 1, by(truth, -0.5001, -0.4999)+0.05*r.NormFloat64())}
		}},
	{name: "a bound of the rate of the mean, noise along the curve", truths: bothTruths,
		claim: always(with1(rateOf("-0.5", 0, true), func(c *Claim) { c.Statistic = "mean" })),
		seed: func(r *rand.Rand, seed uint64, truth bool) []*records.Record {
			rec := curves(r, "a", 1, 0.3, func(x float64) float64 { return math.Pow(x, by(truth, -0.5001, -0.4999)) })[0]
			rec.Header.Seed, rec.Header.Cell = seed, fmt.Sprintf("a-%d", seed)
			return []*records.Record{rec}
		}},
	{name: "a bound of a factor, log ρ of each seed", claim: always(factorOf("0.97", 0, true)), truths: bothTruths,
		seed: func(r *rand.Rand, seed uint64, truth bool) []*records.Record {
			own := math.Log(by(truth, 0.96999, 0.97001)) * (1 + 0.1*r.NormFloat64())
			return []*records.Record{recordstest.Along("a", seed, func(t float64) float64 { return math.Exp(own * t) })}
		}},
	{name: "the median of places, of which one in ten is never reached", truths: bothTruths,
		claim: always(Claim{Kind: "reach", X: "step", Target: 0.01, Derived: "500", AtMost: true}),
		seed: func(r *rand.Rand, seed uint64, truth bool) []*records.Record {
			if v := lognormal(r, by(truth, 499, 501), 0.3); seed != 1 && r.IntN(10) > 0 {
				return []*records.Record{recordstest.Power("a", seed, v/100, -1)}
			} else if v > 500 {
				return []*records.Record{ending(seed, 600, 9, 9)} // beyond the median: what is not reached is no sample of its own
			} else {
				return []*records.Record{recordstest.Power("a", seed, v/100, -1)}
			}
		}},
	{name: "a printed run, from runs as ours, normal", signed: true, truths: []bool{true}, seed: oneValue(normal), every: normal,
		claim: func(r *rand.Rand, _ bool) Claim {
			return Claim{Kind: "value", Published: digits(normal(r)), PublishedIs: "run"}
		}},
	{name: "a printed run, from runs as ours, lognormal of spread 0.1", truths: []bool{true}, seed: oneValue(skewed(0.1)),
		claim: func(r *rand.Rand, _ bool) Claim {
			return Claim{Kind: "value", Published: digits(skewed(0.1)(r)), PublishedIs: "run"}
		}},
	{name: "a printed mean of ten, from runs as ours, normal", signed: true, truths: []bool{true}, seed: oneValue(normal), every: normal,
		claim: func(r *rand.Rand, _ bool) Claim {
			sum := 0.0
			for range 10 {
				sum += normal(r) / 10
			}
			return Claim{Kind: "value", Published: digits(sum), PublishedIs: "mean of 10"}
		}},
}

// firstSeeds is what the experiments of these families plan; they are looked at with 1, 2, 4, 8 and 16 times as many.
const firstSeeds = 10

func (f looked) experiment(c Claim) Experiment {
	c.Method, c.Metric = "a", "error"
	exp := experiment(c)
	exp.Methods = []Method{{ID: "a", Planned: firstSeeds}, {ID: "b", Planned: firstSeeds}}
	exp.Metrics = []Metric{{Name: "error", Signed: f.signed}}
	if f.shares > 0 {
		exp.Metrics[0] = Metric{Name: "error", Unit: "fraction", ShareOf: "test"}
	}
	return exp
}

// doubled returns the word of a claim that is looked at with twice as many seeds until it is decided.
func (f looked) doubled(r *rand.Rand, truth bool) Word {
	exp := f.experiment(f.claim(r, truth))
	c := exp.measured(exp.Claims[0])
	var recs []*records.Record
	for n := firstSeeds; n <= 16*firstSeeds; n *= 2 {
		for seed := len(recs) / len(c.Methods()); seed < n; seed++ {
			recs = append(recs, f.seed(r, uint64(seed+1), truth)...)
		}
		for _, rec := range recs {
			if f.shares > 0 {
				rec.Header.Resolved = map[string]float64{"test": float64(f.shares)}
			}
		}
		numbers, err := measure(c, recs)
		if err != nil {
			panic(err)
		}
		if w, _ := numbers[0].word(c.Runs()); w != Inconclusive {
			return w
		}
	}
	return Inconclusive
}

// everySeed returns the word of a claim that is looked at after every seed, from the second on, until it is decided.
func (f looked) everySeed(r *rand.Rand, truth bool) Word {
	exp := f.experiment(f.claim(r, truth))
	c := exp.measured(exp.Claims[0])
	a, err := accepted(c)
	if err != nil {
		panic(err)
	}
	var all []float64
	for n := 1; n <= 16*firstSeeds; n++ {
		if all = append(all, f.every(r)); n == 1 {
			continue
		}
		if w := a.place(c.estimate(all, 0).At(stats.LookLevel(n, firstSeeds, c.Runs())), c.Runs()); w != Inconclusive {
			return w
		}
	}
	return Inconclusive
}

// Whoever adds seeds until a claim is decided makes no more errors than one who looks once: of false claims 2.5 % are reproduced at most,
// of true ones 5 % deviate. The table has 5,000 draws of each; without -update fewer are drawn, of families that take long a few.
func TestLooks(t *testing.T) {
	rows := make([]string, len(lookedFamilies))
	wrong := make([]string, len(lookedFamilies))
	var all sync.WaitGroup
	for i, f := range lookedFamilies {
		draws := 40
		switch {
		case updating():
			draws = 5000
		case f.every != nil:
			draws = 200
		}
		all.Go(func() { rows[i], wrong[i] = f.rates(rand.New(rand.NewPCG(17, uint64(i))), draws); t.Log(rows[i]) })
	}
	all.Wait()
	table := "claims, planned with 10 seeds\tfalse, yet reproduced\ttrue, yet deviates\tfalse, yet reproduced, looked at after every seed\ttrue, yet deviates, looked at after every seed\n" + strings.Join(rows, "")
	for i, f := range lookedFamilies {
		assert.Empty(t, wrong[i], f.name)
	}
	hold(t, "looks", table)
}

// rates returns the family's row of the table, and which of its rates are three standard errors above what they may be.
func (f looked) rates(r *rand.Rand, draws int) (row, wrong string) {
	row = f.name
	for i, look := range []func(*rand.Rand, bool) Word{f.doubled, f.everySeed} {
		for _, truth := range bothTruths {
			errors, bad, most := 0, Reproduced, 0.025
			if truth {
				bad, most = Deviates, 0.05
			}
			if !slices.Contains(f.truths, truth) || i == 1 && f.every == nil {
				row += "\t"
				continue
			}
			for range draws {
				if look(r, truth) == bad {
					errors++
				}
			}
			share := float64(errors) / float64(draws)
			if row += fmt.Sprintf("\t%.1f", 100*share); share > most+3*math.Sqrt(most*(1-most)/float64(draws)) {
				wrong += fmt.Sprintf("%d of %d claims that are %v: %s; ", errors, draws, truth, bad)
			}
		}
	}
	return row + "\n", wrong
}

// The verdict has the plan and the looks, and its reason the confidence at which it is decided.
func TestAVerdictSaysHowOftenItMayHaveBeenLookedAt(t *testing.T) {
	c := Claim{Kind: "value", Method: "a", Metric: "error", Derived: "1", AtMost: true}
	judge := func(planned int, values ...float64) Verdict {
		exp := experiment(c)
		exp.Methods = []Method{{ID: "a", Planned: planned}}
		return Judge(exp, recordstest.Flat("a", values...)).Verdicts[0]
	}
	v := judge(3, 0.95, 0.96, 0.97)
	assert.Equal(t, []int{3, 1}, []int{v.Planned, v.Looks})
	v = judge(2, 0.95, 0.97, 0.965, 0.96)
	assert.Equal(t, Inconclusive, v.Verdict, v.Reason)
	assert.Equal(t, []int{2, 3}, []int{v.Planned, v.Looks})
	assert.Contains(t, v.Reason, "which is at most 1; 2 seeds were planned, and there may have been 3 looks, so that it is decided at 99.9 %: ")
	assert.Contains(t, v.Reason, ", which straddles 1; only")
	assert.Equal(t, Reproduced, judge(4, 0.95, 0.97, 0.965, 0.96).Verdict)
	v = judge(5, 0.95, 0.97, 0.965, 0.96)
	assert.Equal(t, Inconclusive, v.Verdict, v.Reason)
	assert.Contains(t, v.Reason, "these are 4 of 5 seeds that are planned, so that it is decided at 99.995 %")
	assert.Equal(t, 5, v.SeedsNeeded())
	assert.Equal(t, Deviates, judge(5, 1.5, 1.50001).Verdict, "what is that clear needs no plan")
}
