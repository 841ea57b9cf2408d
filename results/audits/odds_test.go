package audits

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/runner/goldentest"
)

// exact returns the interval of Clopper and Pearson for a probability of which k of n tries were successes.
func exact(k, n int, level float64) (low, high float64) {
	a := (1 - level) / 2
	low, high = 0, 1
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(a)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - a)
	}
	return low, high
}

// trials is the number of simulated audits behind every row of the table in docs/audit.md.
const trials = 200

// One of twenty cells is forged. In 200 simulated audits it is found as often as stated: the stated probability lies in the
// exact interval of the share found. With 99.9 % intervals one of the eight comparisons fails for one seed in 125; the seed is fixed.
func TestForgedRecordIsFoundAsStated(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 1))
	seconds := make([]float64, 20)
	for i := range seconds {
		seconds[i] = float64(1 + i)
	}
	for _, budget := range []float64{0, 60} {
		for _, size := range []int{1, 5, 10, 20} {
			d, err := New(seconds, budget, size)
			require.NoError(t, err)
			stated, least := d.Detection(1)
			anyone, longest := 0, 0
			for range trials {
				sample := d.Draw(random)
				if slices.Contains(sample, random.IntN(20)) {
					anyone++
				}
				if slices.Contains(sample, 19) { // the one that takes longest
					longest++
				}
			}
			low, high := exact(anyone, trials, 0.999)
			assert.True(t, low <= stated && stated <= high, "stated %v, found %d of %d", stated, anyone, trials)
			low, high = exact(longest, trials, 0.999)
			assert.True(t, low <= least && least <= high, "stated %v, found %d of %d", least, longest, trials)
		}
	}
}

// The table of docs/audit.md is computed here. Its last column is simulated; every count must agree with the probability stated,
// by a 99.99 % interval each.
func TestOddsAreDocumented(t *testing.T) {
	const page = "../../docs/audit.md"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), "<!-- odds -->\n")
	require.True(t, ok, "%s has no place for the table", page)
	_, after, ok := strings.Cut(rest, "<!-- end -->\n")
	require.True(t, ok)
	goldentest.Equal(t, page, before+"<!-- odds -->\n"+odds(t)+"<!-- end -->\n"+after)
}

// odds returns a table of probabilities: of samples without a budget, and of samples within one. The predicted times of the
// cells rise from 1 to 100 s.
func odds(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| cells | sample | budget | drawn | wrong | found | found at least | found in 200 simulated audits: any wrong cells, those drawn most rarely |\n|---|---|---|---|---|---|---|---|\n")
	random := rand.New(rand.NewPCG(30, 1))
	for _, test := range []struct {
		cells, size int
		budget      float64
	}{{20, 5, 0}, {20, 10, 0}, {100, 30, 0}, {1000, 30, 0}, {1000, 100, 0}, {1000, 300, 0}, {100, 30, 600}, {1000, 30, 600}} {
		seconds := make([]float64, test.cells)
		for i := range seconds {
			seconds[i] = 1 + 99*float64(i)/float64(test.cells-1)
		}
		d, err := New(seconds, test.budget, test.size)
		require.NoError(t, err)
		for _, f := range Fractions {
			wrong := Wrong(f, d.Cells)
			if f < 0.1 && wrong == Wrong(0.1, d.Cells) || f == 0.01 && wrong == Wrong(0.05, d.Cells) {
				continue
			}
			stated, least := d.Detection(wrong)
			anyone, longest := 0, 0
			for range trials {
				sample, bad := d.Draw(random), random.Perm(d.Cells)[:wrong]
				if slices.ContainsFunc(sample, func(i int) bool { return slices.Contains(bad, i) }) {
					anyone++
				}
				if slices.ContainsFunc(sample, func(i int) bool { return i >= d.Cells-wrong }) {
					longest++
				}
			}
			for _, s := range []struct {
				stated float64
				found  int
			}{{stated, anyone}, {least, longest}} {
				low, high := exact(s.found, trials, 0.9999)
				require.True(t, low <= s.stated && s.stated <= high, "%v, %d wrong: stated %v, found %d of %d", test, wrong, s.stated, s.found, trials)
			}
			budget := "none"
			if test.budget > 0 {
				budget = fmt.Sprintf("%.0f s", test.budget)
			}
			fmt.Fprintf(&b, "| %d | %d | %s | %d | %d | %.1f %% | %.1f %% | %d, %d |\n",
				test.cells, test.size, budget, d.Size, wrong, 100*min(stated, 0.999), 100*min(least, 0.999), anyone, longest)
		}
	}
	return b.String()
}
