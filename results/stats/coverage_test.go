package stats

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"repro/runner/goldentest"
)

// The simulation of coverage: for every interval, noise model and number of seeds, the share of repetitions in which the
// interval holds the truth. Every number has a generator of its own, so that each can be simulated again without the others.

const data = "../../docs/data/"

// TestPowerTable holds docs/data/power.tsv to the error rates of the rule for a printed number of one run without a tolerance.
func TestPowerTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("seeds\tfaithful, yet deviates\toff by 1 SD, reproduced\toff by 2 SD, reproduced\toff by 3 SD, reproduced\toff by 4 SD, reproduced\toff by 6 SD, reproduced\tvisible difference, in SD\n")
	for _, n := range []int{3, 4, 5, 6, 8, 10, 20, 40} {
		test := newTTest(n, quantile(n, LookLevel(n, n, 1)))
		fmt.Fprintf(&b, "%d\t%.1f", n, 100*test.rejection(0))
		for _, d := range []float64{1, 2, 3, 4, 6} {
			fmt.Fprintf(&b, "\t%.0f", 100*(1-test.rejection(d/math.Sqrt(1+1/float64(n)))))
		}
		fmt.Fprintf(&b, "\t%.1f\n", visible(n, 1, LookLevel(n, n, 1)))
	}
	goldentest.Equal(t, data+"power.tsv", b.String())
}

// repetitions is the number of simulated experiments behind a number of the table: its standard error is 0.3 points.
const repetitions = 5_000

// A coverageRow is one line of the table.
type coverageRow struct {
	interval, noise string
	seeds           []int
	covers          Coverage // what the interval says that it covers
	outside         bool     // docs/error-rates.md says why it does not here
	// trial draws an experiment with n seeds and returns how the interval lies to the truth.
	trial func(r *rand.Rand, n int) side
}

// A side says whether an interval holds the truth or lies beyond it.
type side int

const (
	holds side = iota
	above
	below
	retry // the experiment does not count
)

// sideOf returns how an interval lies to the truth.
func sideOf(low, high, truth float64) side {
	switch {
	case low > truth:
		return above
	case high < truth:
		return below
	}
	return holds
}

// cell returns the share of experiments whose interval holds the truth and the larger of the shares above and below it.
func (c coverageRow) cell(n int) string {
	name := fnv.New64a()
	io.WriteString(name, c.interval+c.noise)
	r := rand.New(rand.NewPCG(uint64(n), name.Sum64()))
	var of [4]int
	for of[holds]+of[above]+of[below] < repetitions {
		of[c.trial(r, n)]++
	}
	share := func(k int) float64 { return 100 * float64(k) / repetitions }
	return fmt.Sprintf("%.1f (%.1f)", share(of[holds]), share(max(of[above], of[below])))
}

// name returns the noise as the table has it, with a mark if the interval does not cover what it says.
func (c coverageRow) name() string {
	if c.outside {
		return c.noise + " †"
	}
	return c.noise
}

// line returns the row of the table.
func (c coverageRow) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%s\t%s", c.interval, c.name(), c.covers)
	for _, n := range coverageSeeds {
		b.WriteString("\t")
		if slices.Contains(c.seeds, n) {
			b.WriteString(c.cell(n))
		}
	}
	return b.String() + "\n"
}

var coverageSeeds = []int{3, 5, 10, 20, 40}

// heavyTail is the noise with which Student's t is shown.
const heavyTail = "lognormal, spread 2.9"

// valueNoise are distributions of the value of a seed.
var valueNoise = []struct {
	name string
	top  float64 // largest possible value, 0 if there is none
	draw func(r *rand.Rand) float64
}{
	{"normal, spread 0.1", 0, func(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() }},
	{"normal, spread 0.25", 0, func(r *rand.Rand) float64 { return math.Abs(1 + 0.25*r.NormFloat64()) }},
	{"gamma, spread 0.25", 0, func(r *rand.Rand) float64 { return gamma(r, 16) }},
	{"exponential", 0, func(r *rand.Rand) float64 { return r.ExpFloat64() }},
	{"lognormal, spread 0.25", 0, func(r *rand.Rand) float64 { return math.Exp(0.2462 * r.NormFloat64()) }},
	{"lognormal, spread 0.53", 0, func(r *rand.Rand) float64 { return math.Exp(0.5 * r.NormFloat64()) }},
	{"lognormal, spread 1.3", 0, func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }},
	{heavyTail, 0, func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) }},
	{"share, beta(2, 18)", 1, func(r *rand.Rand) float64 { return beta(r, 2, 18) }},
	{"share, beta(18, 2)", 1, func(r *rand.Rand) float64 { return beta(r, 18, 2) }},
	{"share, uniform", 1, func(r *rand.Rand) float64 { return r.Float64() }},
	{"share, 1 - 0.02 lognormal of spread 1.3", 1, func(r *rand.Rand) float64 { return 1 - min(0.999, 0.02*math.Exp(r.NormFloat64())) }},
}

// beta draws a beta variable of integer parameters.
func beta(r *rand.Rand, a, b int) float64 {
	x, y := gamma(r, a), gamma(r, b)
	return x / (x + y)
}

// gamma draws a gamma variable of integer shape.
func gamma(r *rand.Rand, shape int) float64 {
	sum := 0.0
	for range shape {
		sum += r.ExpFloat64()
	}
	return sum
}

func values(r *rand.Rand, n int, draw func(*rand.Rand) float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = draw(r)
	}
	return v
}

// A curveNoise is a distribution of the curve of a seed at curveX.
type curveNoise struct {
	name string
	draw func(r *rand.Rand, y []float64)
	form *Form // PowerLaw if nil
}

// law returns the form of the line that is fitted.
func (c curveNoise) law() *Form { return cmp.Or(c.form, PowerLaw) }

var curveX = func() []float64 {
	x := make([]float64, 12)
	for j := range x {
		x[j] = math.Round(10 * math.Pow(100, float64(j)/float64(len(x)-1)))
	}
	return x
}()

// ou fills u with a stationary Ornstein-Uhlenbeck process in log x of unit variance and correlation length.
func ou(r *rand.Rand, u []float64) {
	for j := range u {
		rho := 0.0
		if j > 0 {
			rho = math.Exp(-math.Log(curveX[j] / curveX[j-1]))
			u[j] = rho * u[j-1]
		}
		u[j] += math.Sqrt(1-rho*rho) * r.NormFloat64()
	}
}

var curvesNoise = append(powerNoise, factorNoise()...)

// factorNoise are the noises of powerNoise around ρ^t, ρ = exp(-0.01), evaluated at the same steps: far denser at the beginning
// of a semilogarithmic axis than at its end.
func factorNoise() (all []curveNoise) {
	for _, c := range powerNoise {
		if noise, ok := strings.CutPrefix(c.name, "1/t, "); ok && !strings.Contains(c.name, "SD 2") {
			all = append(all, curveNoise{name: "ρ^t, " + noise, form: Exponential, draw: func(r *rand.Rand, y []float64) {
				c.draw(r, y)
				for j, x := range curveX {
					y[j] *= x * math.Exp(-0.01*x)
				}
			}})
		}
	}
	seeds := func(factor, speed, along float64) func(r *rand.Rand, y []float64) {
		return func(r *rand.Rand, y []float64) {
			ou(r, y)
			a, b := factor*r.NormFloat64(), 1+speed*r.NormFloat64()
			for j, x := range curveX {
				y[j] = math.Exp(a + along*y[j] - 0.01*b*x)
			}
		}
	}
	return append(all,
		curveNoise{name: "SGD for least squares without noise, step 0.005", form: Exponential, draw: func(r *rand.Rand, y []float64) { descent(r, y, 0, func(int) float64 { return 0.005 }) }},
		curveNoise{name: "ρ^t, log ρ of each seed, SD 10 %", form: Exponential, draw: seeds(0.3, 0.1, 0)},
		curveNoise{name: "ρ^t, log ρ of each seed, SD 20 %, factor of SD 1, OU noise", form: Exponential, draw: seeds(1, 0.2, 0.1)})
}

var powerNoise = []curveNoise{
	{name: "1/t, lognormal OU noise, spread 0.3", draw: func(r *rand.Rand, y []float64) {
		ou(r, y)
		for j := range y {
			y[j] = math.Exp(0.3*y[j]) / curveX[j]
		}
	}},
	{name: "1/t, lognormal OU noise, spread 1.3", draw: func(r *rand.Rand, y []float64) {
		ou(r, y)
		for j := range y {
			y[j] = math.Exp(y[j]) / curveX[j]
		}
	}},
	{name: "1/t, exponential OU noise", draw: func(r *rand.Rand, y []float64) {
		ou(r, y)
		for j := range y {
			y[j] = -math.Log(distuv.UnitNormal.CDF(y[j])) / curveX[j]
		}
	}},
	{name: "1/t, independent exponential noise", draw: func(r *rand.Rand, y []float64) {
		for j := range y {
			y[j] = r.ExpFloat64() / curveX[j]
		}
	}},
	{name: "SGD for least squares", draw: sgd},
	{name: "1/t, factor of each seed, SD 1.5 in log, OU noise", draw: seedNoise(1.5, 0, 0.3)},
	{name: "1/t, factor of each seed, SD 2 in log, OU noise", draw: seedNoise(2, 0, 0.3)},
	{name: "t^-b, b of each seed, SD 0.1", draw: seedNoise(0.3, 0.1, 0)},
	{name: "t^-b, b of each seed, SD 0.2", draw: seedNoise(0.3, 0.2, 0)},
	{name: "t^-b, b of each seed, SD 0.2, factor of SD 1, OU noise", draw: seedNoise(1, 0.2, 0.1)},
}

// seedNoise draws curves c/t^b with lognormal noise along them, where log c and b are normal over seeds.
func seedNoise(factor, exponent, along float64) func(r *rand.Rand, y []float64) {
	return func(r *rand.Rand, y []float64) {
		ou(r, y)
		a, b := factor*r.NormFloat64(), 1+exponent*r.NormFloat64()
		for j := range y {
			y[j] = math.Exp(a+along*y[j]) * math.Pow(curveX[j], -b)
		}
	}
}

// sgd is stochastic gradient descent in five dimensions with steps min(0.1, 2/t) and noise 0.5: the squared distance to the
// solution.
func sgd(r *rand.Rand, y []float64) {
	descent(r, y, 0.5, func(t int) float64 { return min(0.1, 2/float64(t)) })
}

// descent is sgd with other steps and another noise.
func descent(r *rand.Rand, y []float64, noise float64, step func(t int) float64) {
	var w, x [5]float64
	for i := range w {
		w[i] = r.NormFloat64()
	}
	for t, j := 1, 0; j < len(y); t++ {
		e := noise * r.NormFloat64()
		for i := range x {
			x[i] = r.NormFloat64()
			e += x[i] * w[i]
		}
		for i := range w {
			w[i] -= step(t) * e * x[i]
		}
		if float64(t) == curveX[j] {
			for _, v := range w {
				y[j] += v * v
			}
			j++
		}
	}
}

// curves draws the curves of n seeds.
func (c curveNoise) curves(r *rand.Rand, n int) [][]float64 {
	ys := make([][]float64, n)
	for i := range ys {
		ys[i] = make([]float64, len(curveX))
		c.draw(r, ys[i])
	}
	return ys
}

// truth returns the slope of the statistic over very many seeds.
func (c curveNoise) truth(statistic string) float64 {
	n := 200_000
	if strings.HasPrefix(c.name, "SGD") {
		n = 40_000
	}
	ys := c.curves(rand.New(rand.NewPCG(1, 1)), n)
	line, column := make([]float64, len(curveX)), make([]float64, n)
	for j := range line {
		for i := range ys {
			column[i] = ys[i][j]
		}
		line[j] = statisticOf(statistic, column)
	}
	return c.law().slope(curveX, line)
}

// coverageRows lists the rows of the table in order.
func coverageRows() []coverageRow {
	rows := append(valueRows(), smallSamples()...)
	for _, c := range curvesNoise {
		rows = append(rows, slopeRows(c)...)
	}
	for _, c := range powerNoise {
		rows = append(rows, jointRows(c)...)
	}
	for _, c := range []plateauNoise{{1, 0.1}, {1, 0.25}, {1, 0.5}, {2, 0.1}, {2, 0.25}, {2, 0.5}} {
		noise := fmt.Sprintf("1 + (100/x)^%g, noise of %g times `within`", c.p, c.share)
		rows = append(rows, coverageRow{interval: "plateau", noise: noise, covers: Broad, seeds: coverageSeeds, trial: func(r *rand.Rand, n int) side {
			e := c.estimate(r, n)
			return sideOf(e.Low, e.High, c.truth())
		}})
	}
	return rows
}

// valueRows are those of the value of a seed.
func valueRows() []coverageRow {
	var rows []coverageRow
	for _, d := range valueNoise {
		// The means of the values and of their logarithms.
		means := sync.OnceValue(func() [2]float64 {
			reference := values(rand.New(rand.NewPCG(1, 1)), 2_000_000, d.draw)
			return [2]float64{stat.Mean(reference, nil), stat.Mean(logsOf(reference), nil)}
		})
		add := func(interval string, covers Coverage, trial func(r *rand.Rand, v []float64) side) {
			rows = append(rows, coverageRow{interval: interval, noise: d.name, covers: covers, seeds: coverageSeeds,
				trial: func(r *rand.Rand, n int) side { return trial(r, values(r, n, d.draw)) }})
		}
		add("one more run", Broad, func(r *rand.Rand, v []float64) side {
			low, high := GeometricInterval(v).Guarded(d.top, 0).Next(1)
			return sideOf(low, high, d.draw(r))
		})
		add("geometric mean", Geometric, func(_ *rand.Rand, v []float64) side {
			e := GeometricInterval(v).Guarded(d.top, 0)
			return sideOf(e.Low, e.High, math.Exp(means()[1]))
		})
		add("ratio of two methods", Nominal, func(r *rand.Rand, v []float64) side {
			for i := range v {
				v[i] /= d.draw(r)
			}
			e := GeometricInterval(v)
			return sideOf(e.Low, e.High, 1)
		})
		add("mean", Broad, func(_ *rand.Rand, v []float64) side {
			e := MeanInterval(v).Guarded(d.top, 0)
			return sideOf(e.Low, e.High, means()[0])
		})
		if d.name == heavyTail {
			add("mean, Student's t alone", Skewed, func(_ *rand.Rand, v []float64) side {
				e := MeanInterval(v)
				return sideOf(e.Low, e.High, means()[0])
			})
		}
		add("mean of five more runs", Broad, func(r *rand.Rand, v []float64) side {
			low, high := MeanInterval(v).Guarded(d.top, 0).Next(5)
			return sideOf(low, high, stat.Mean(values(r, 5, d.draw), nil))
		})
	}
	return rows
}

// smallSamples are rows of experiments that happen to spread little.
func smallSamples() []coverageRow {
	only := func(interval, noise string, least float64, mean float64, draw func(r *rand.Rand) float64, of func(v []float64) Estimate) coverageRow {
		return coverageRow{interval: interval, noise: noise, covers: of([]float64{1, 2}).Covers, seeds: []int{3, 5}, outside: true, trial: func(r *rand.Rand, n int) side {
			v := values(r, n, draw)
			e := MeanInterval(v)
			if e.SD > least*e.Mean {
				return retry
			}
			e = of(v)
			return sideOf(e.Low, e.High, mean)
		}}
	}
	return []coverageRow{
		only("mean", "lognormal, spread 1.3, if the sample's is below 0.3", 0.3, math.Exp(0.5), func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) },
			func(v []float64) Estimate { return MeanInterval(v).Guarded(0, 0) }),
		only("Student's t", "normal, spread 0.1, if the sample's is below 0.023", 0.023, 1, func(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() }, MeanInterval),
	}
}

// spreadLittle are the noises of curves that spread so little that the band of a mean of them is trusted: see claims of kind curve.
var spreadLittle = []string{"1/t, lognormal OU noise, spread 0.3", "t^-b, b of each seed, SD 0.1"}

// jointRows are those of the bands of curves at all places together: of one more run, and of the mean of five more. A curve that leaves
// the band counts where it does first.
func jointRows(c curveNoise) (rows []coverageRow) {
	band := func(interval string, k int) {
		rows = append(rows, coverageRow{interval: interval, noise: c.name, covers: Joint, seeds: coverageSeeds, trial: func(r *rand.Rand, n int) side {
			ys := c.curves(r, n+k)
			for _, y := range ys {
				for j := range y {
					y[j] *= curveX[j]
				}
			}
			b := NewJointBand(ys[:n], k > 1, Level)
			for j := range curveX {
				further := 0.0
				for _, y := range ys[n:] {
					further += y[j] / float64(k)
				}
				below, above := b.Around(j, float64(k))
				if s := sideOf(b.Mean[j]-below, b.Mean[j]+above, math.Log(further)); s != holds {
					return s
				}
			}
			return holds
		}})
	}
	band("curve of one more run", 1)
	if slices.Contains(spreadLittle, c.name) {
		band("mean curve of five more runs", 5)
	}
	return rows
}

// slopeRows are those of the slopes of curves.
func slopeRows(c curveNoise) []coverageRow {
	slope := sync.OnceValue(func() float64 { // that a seed has in expectation
		r, sum := rand.New(rand.NewPCG(2, 2)), 0.0
		const n = 40_000
		for range n {
			sum += c.law().slope(curveX, c.curves(r, 1)[0])
		}
		return sum / n
	})
	names := [2]string{"mean slope of the seeds", "slope of the "}
	if c.form == Exponential {
		names = [2]string{"geometric mean of the factors", "factor of the "}
	}
	rows := []coverageRow{{interval: names[0], noise: c.name, covers: Nominal, seeds: coverageSeeds, trial: func(r *rand.Rand, n int) side {
		var slopes []float64
		for _, y := range c.curves(r, n) {
			slopes = append(slopes, c.law().slope(curveX, y))
		}
		e := MeanInterval(slopes)
		return sideOf(e.Low, e.High, slope())
	}}}
	for _, statistic := range []string{"mean", "q50", "q90"} {
		truth := sync.OnceValue(func() float64 { return c.truth(statistic) })
		var seeds []int
		for _, n := range coverageSeeds {
			if n >= LeastSeeds(statistic) {
				seeds = append(seeds, n)
			}
		}
		rows = append(rows, coverageRow{interval: names[1] + StatisticName(statistic), noise: c.name, covers: Broad, seeds: seeds, trial: func(r *rand.Rand, n int) side {
			e := c.law().jackknife(curveX, c.curves(r, n), statistic)
			return sideOf(e.Low, e.High, truth())
		}})
	}
	return rows
}

// TestCoverage holds docs/data/coverage.tsv to the intervals: with -update it simulates all of it, which takes minutes; without, it
// simulates some of its numbers again and compares all with what the intervals promise.
func TestCoverage(t *testing.T) {
	if flag.Lookup("update").Value.String() == "true" {
		goldentest.Equal(t, data+"coverage.tsv", simulateCoverage())
	}
	text, err := os.ReadFile(data + "coverage.tsv")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")[1:]
	rows := coverageRows()
	require.Len(t, lines, len(rows), "the table is of other rows; go test ./results/stats -run TestCoverage -update -timeout 60m writes it")
	for i, row := range rows {
		cells := strings.Split(lines[i], "\t")
		require.Len(t, cells, 3+len(coverageSeeds))
		assert.Equal(t, []string{row.interval, row.name(), row.covers.String()}, cells[:3])
		for j, n := range coverageSeeds {
			cell := cells[3+j]
			if !slices.Contains(row.seeds, n) {
				assert.Empty(t, cell, lines[i])
				continue
			}
			var share, side float64
			_, err := fmt.Sscanf(cell, "%f (%f)", &share, &side)
			require.NoError(t, err, lines[i])
			if !row.outside {
				assert.GreaterOrEqual(t, share, row.covers.Low, "%d seeds: %s", n, lines[i])
			}
			if (i+j)%80 == 0 && n <= 5 && !strings.Contains(row.noise, "SGD") {
				assert.Equal(t, row.cell(n), cell, "%d seeds, simulated again: %s", n, lines[i])
			}
		}
	}
}

// simulateCoverage returns the table.
func simulateCoverage() string {
	rows := coverageRows()
	lines := make([]string, len(rows))
	var group sync.WaitGroup
	slots := make(chan bool, runtime.GOMAXPROCS(0))
	for i, row := range rows {
		group.Add(1)
		slots <- true
		go func() {
			defer group.Done()
			lines[i] = row.line()
			<-slots
		}()
	}
	group.Wait()
	return "interval\tnoise\tsays\t3 seeds\t5 seeds\t10 seeds\t20 seeds\t40 seeds\n" + strings.Join(lines, "")
}
