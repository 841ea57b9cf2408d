package changes

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/stats"
)

// What a number advises is enough, and little less is not: seeds of the spread that was accepted, or the margin.
func TestWhatWouldDecide(t *testing.T) {
	r := generator(3)
	alpha := Looks[len(Looks)-1].Alpha
	for _, sd := range []float64{0.01, 0.2, 0.5, 3} {
		for _, log := range []bool{false, true} {
			n := numbered(log)
			for i := range 40 {
				v := sd * r.NormFloat64()
				if log {
					v = math.Exp(v)
				}
				n.Seeds, n.Values = append(n.Seeds, uint64(i+1)), append(n.Values, v)
			}
			name := fmt.Sprint(sd, log)
			text := n.blind(10)
			if sd == 0.01 {
				assert.Empty(t, text, name)
				continue
			}
			scaled := n.Values
			if log {
				scaled = nil
				for _, v := range n.Values {
					scaled = append(scaled, math.Log(v))
				}
			}
			of := math.Sqrt2 * stats.MeanInterval(scaled).SD
			m := regexp.MustCompile(`; (?:accept|give the profile) (\d+) seeds \(.*\) or a margin of [±×]([0-9.]+)$`).FindStringSubmatch(text)
			require.NotNil(t, m, text)
			found := "±" + printed.Digits(n.scaled()+stats.Detectable(40, alpha)*of, 2)
			if log {
				found = "×" + printed.Digits(math.Exp(n.scaled()+stats.Detectable(40, alpha)*of), 3)
			}
			assert.Contains(t, text, "find a change of "+found+" only", name)
			seeds, _ := strconv.Atoi(m[1])
			assert.LessOrEqual(t, stats.Detectable(seeds, alpha)*of, n.scaled(), name)
			assert.Greater(t, stats.Detectable(max(2, seeds*3/4), alpha)*of, n.scaled(), name)
			n.Margin, _ = strconv.ParseFloat(m[2], 64)
			if log {
				n.Margin--
			}
			n.Margin *= 1.001 // four digits are printed
			assert.Empty(t, n.blind(10), name)
		}
	}
	one := numbered(false, 1)
	assert.Contains(t, one.blind(1), "one seed has no interval")
	for _, v := range []float64{math.Inf(1), math.NaN(), 1.7e308} {
		assert.Contains(t, numbered(false, v, -v, 1, 1).blind(3), "its seeds have no interval", v)
	}
	assert.Empty(t, numbered(false).blind(3))
	one.Why = "it failed"
	assert.Empty(t, one.blind(1))
	assert.Empty(t, numbered(false, 2, 2, 2).blind(3), "nothing varies, so any change is seen")
}

// Of accepted seeds, a check runs again those that are planned or, if they are fewer, those of its last look.
func TestSeedsOfACheckCount(t *testing.T) {
	r, n, last := generator(5), numbered(false), Looks[len(Looks)-1]
	for i := range 4 * last.Seeds {
		n.Seeds, n.Values = append(n.Seeds, uint64(i+1)), append(n.Values, r.NormFloat64())
	}
	n.Margin = 1.01 * stats.Detectable(len(n.Values), last.Alpha) * math.Sqrt2 * stats.MeanInterval(n.Values).SD
	assert.Empty(t, n.blind(len(n.Values)))
	for planned, seeds := range map[int]int{0: last.Seeds, 10: last.Seeds, 2 * last.Seeds: 2 * last.Seeds} {
		assert.Contains(t, n.blind(planned), fmt.Sprintf("other random numbers, %d seeds find", seeds))
	}
	n.Seeds, n.Values = n.Seeds[:5], n.Values[:5]
	assert.Contains(t, n.blind(10), "other random numbers, 5 seeds find")
}

// Each number of a claim has its doubts: verdict, region on the scale of the number, and power.
func TestDoubts(t *testing.T) {
	recs := append(curves("a", 1, 10, -0.5, 1, generator(1)), curves("b", 1, 10, -0.5, 1, generator(2))...)
	exp := demo(rate, order)
	now := Take(exp, recs)
	chosen := func(claim string) bool { return claim != "none" }
	all := Doubts(exp, now, chosen)
	require.Len(t, all, 2)
	assert.Regexp(t, `^rate: it deviates: -0\.\d+, and accepted is at most -0.9; with other random numbers`, all[0].Text)
	assert.Regexp(t, `^order against b: it is inconclusive: [\d.]+, and accepted is below 1; with other`, all[1].Text)
	few := now.Numbers[0]
	few.Joint, few.Seeds = true, few.Seeds[:5]
	now.Numbers = append(now.Numbers, few)
	assert.Equal(t, "1 deviates, 1 inconclusive", now.WordsText(chosen), "a number of the first seeds is no verdict more")
	assert.Empty(t, Doubts(exp, now, func(string) bool { return false }))
	exp.Claims[0].Metric = "seconds"
	assert.Len(t, Doubts(exp, now, chosen), 1, "the clock decides nothing")

	got := compared(demo(rate), recs, curves("a", 1, 10, -0.5, 1, generator(1)))
	o := NewOutcome("x")
	o.Changes = got
	assert.Equal(t, "accepted without being reproduced: paper1999/demo#rate (deviates)", o.UnprovenText())
	assert.Contains(t, o.Markdown(), "accepted without being reproduced")
	holds := with(rate, func(c *claims.Claim) { c.Published = "-0.1" })
	o.Changes = compared(demo(holds), recs, recs)
	assert.Empty(t, o.UnprovenText())
}
