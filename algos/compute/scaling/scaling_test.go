package scaling_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/compute/scaling"
	"repro/algos/methods"
	"repro/plots"
)

var update = flag.Bool("update", false, "write the tables of docs/scale.md and its figure")

const (
	nodeFile = "testdata/node.json"
	page     = "../../../docs/scale.md"
	figure   = "../../../docs/img/scale.svg"
)

// What docs/scale.md assumes.
var (
	problem    = scaling.Problem{Rows: 1e9, Inputs: 50, Outputs: 10}
	ethernet   = scaling.Network{Name: "Ethernet", Latency: 30e-6, Bandwidth: 1.1e9}
	infiniband = scaling.Network{Name: "InfiniBand", Latency: 2e-6, Bandwidth: 23e9}
	networks   = []scaling.Network{ethernet, infiniband}
)

const (
	cores  = 64
	memory = 256e9
)

// measured is the content of testdata/node.json.
type measured struct {
	Processor string          `json:"processor"`
	Features  []scaling.Speed `json:"features"`
	Kernel    []scaling.Speed `json:"kernel"`
}

func node(t *testing.T) measured {
	t.Helper()
	text, err := os.ReadFile(nodeFile)
	require.NoError(t, err)
	var m measured
	require.NoError(t, json.Unmarshal(text, &m))
	return m
}

// A method is a row of the tables.
type method struct {
	name string
	step scaling.Step
	node scaling.Node
}

func (m method) passSeconds(g scaling.Grid, w scaling.Network) float64 {
	return problem.Rows / m.step.Rows * m.step.Seconds(g, m.node, w, false)
}

const batch = 1 << 15 // about √n

// methodsAt returns the methods of the tables with batches of b examples.
func methodsAt(t *testing.T, b float64) []method {
	n := node(t)
	features := scaling.Node{Cores: cores, Memory: memory, Speeds: n.Features}
	kernel := scaling.Node{Cores: cores, Memory: memory, Speeds: n.Kernel}
	return []method{
		{"doubly SGD, F = B", problem.DoublySGD(b, b), features},
		{"doubly SGD, 10⁶ features", problem.DoublySGD(b, b*1e6/problem.Rows), features},
		{"SGD on 655,360 features", problem.SGDRF(b, 20<<15), features},
		{"EigenPro 2, all centres", problem.EigenPro(b, problem.Rows, 12000, 1000), kernel},
		{"EigenPro, 2²⁰ centres", problem.EigenPro(b, 1<<20, 12000, 1000), kernel},
	}
}

var divisions = []struct {
	name   string
	divide scaling.Division
}{{"rows", scaling.ByRows}, {"terms", scaling.ByTerms}, {"both", scaling.Best}}

// The values that a step evaluates are those that the methods' cost models, which the laws hold to the counters of the engine,
// predict.
func TestValuesAreThoseOfTheCostModels(t *testing.T) {
	p := scaling.Problem{Rows: 20000, Inputs: 3, Outputs: 2}
	const b, steps = 200, 100
	size := algos.Size{N: 20000, In: 3, Out: 2, Steps: steps, Stored: 1}
	dsg := methods.DSG{DSGSettings: methods.DSGSettings{Batch: b, Block: 50}}
	assert.Equal(t, dsg.Cost(size).FeatureEvals, steps*p.DoublySGD(b, 50).Values)
	assert.Equal(t, 8*2*50.0*steps, p.DoublySGD(b, 50).Held)

	twice := size
	twice.Steps *= 2
	rf := methods.SGDRF{Batch: b, Features: 300}
	assert.Equal(t, rf.Cost(twice).FeatureEvals-rf.Cost(size).FeatureEvals, steps*p.SGDRF(b, 300).Values)
	eigenpro := methods.EigenPro2{Batch: b, Subsample: 400, Directions: 10, Device: 1, Exponent: 0.95}
	assert.Equal(t, eigenpro.Cost(twice).KernelEvals-eigenpro.Cost(size).KernelEvals, steps*p.EigenPro(b, 20000, 400, 10).Values)
}

func TestSumsOverNodes(t *testing.T) {
	w := scaling.Network{Latency: 1, Bandwidth: 10}
	assert.Zero(t, w.AllReduce(1, 100))
	assert.InDelta(t, 2.0, w.AllReduce(4, 0), 1e-12, "latency: recursive doubling in 2 rounds")
	// 1,000 bytes of 4 nodes: doubling 2(1 + 100), halving and doubling 4 + 2·¾·100
	assert.InDelta(t, 154.0, w.AllReduce(4, 1000), 1e-12)
	assert.InDelta(t, 2+75.0, w.AllGather(4, 1000), 1e-12)
}

func TestTimeOfAValue(t *testing.T) {
	// 10/rows + 1, measured at 1, 10 and 100 rows
	n := scaling.Node{Speeds: []scaling.Speed{{Rows: 1, Nanoseconds: 11}, {Rows: 10, Nanoseconds: 2}, {Rows: 100, Nanoseconds: 1.1}}}
	for _, rows := range []float64{1, 2, 7, 10, 40, 100} {
		assert.InDelta(t, (10/rows+1)*1e-9, n.Value(rows), 1e-20)
	}
	assert.Equal(t, n.Value(0.5), n.Value(1))
	assert.Equal(t, n.Value(1e6), n.Value(100))
}

func TestGrids(t *testing.T) {
	s := problem.SGDRF(1024, 1<<16)
	n := scaling.Node{Cores: 1, Memory: 1e9, Speeds: []scaling.Speed{{Rows: 1, Nanoseconds: 1}}}
	free := scaling.Network{Bandwidth: math.Inf(1)}
	for _, g := range []scaling.Grid{{Rows: 8, Terms: 1}, {Rows: 1, Terms: 8}, {Rows: 2, Terms: 4}} {
		assert.InDelta(t, 1, s.Efficiency(g, n, free, false), 1e-12, "only communication costs")
	}
	assert.Equal(t, 8*10*65536.0, s.Sent(scaling.Grid{Rows: 8, Terms: 1}), "data parallel: the coefficients")
	assert.Equal(t, 1024*(8*10+4*50.0), s.Sent(scaling.Grid{Rows: 1, Terms: 8}), "sharded features: the predictions and the inputs")
	assert.Zero(t, s.Sent(scaling.Grid{Rows: 1, Terms: 1}))
	for _, w := range networks {
		for p := 1; p <= 1024; p *= 4 {
			best, ok := scaling.Best(s, p, n, w)
			require.True(t, ok)
			for _, d := range divisions {
				if g, ok := d.divide(s, p, n, w); ok {
					assert.LessOrEqual(t, s.Seconds(best, n, w, false), s.Seconds(g, n, w, false))
					assert.LessOrEqual(t, s.Seconds(g, n, w, true), s.Seconds(g, n, w, false))
					assert.GreaterOrEqual(t, 2*s.Seconds(g, n, w, true), s.Seconds(g, n, w, false), "a stale step saves half at most")
				}
			}
		}
	}
	_, ok := scaling.ByRows(s, 2048, n, ethernet)
	assert.False(t, ok, "more nodes than rows")
}

// The tables of docs/scale.md are those that the model gives.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	tables := map[string]string{
		"measured": tableOfSpeeds(t), "step": tableOfSteps(t), "pass": tableOfPasses(t), "limit": tableOfLimits(t),
		"batch": tableOfBatches(t),
	}
	got := regexp.MustCompile(`(?s)(<!-- table (\w+) -->\n).*?(<!-- end -->)`).ReplaceAllStringFunc(string(text), func(block string) string {
		begin, _, _ := strings.Cut(block, "\n")
		name := strings.Fields(begin)[2]
		require.Contains(t, tables, name)
		table := tables[name]
		delete(tables, name)
		return begin + "\n" + table + "<!-- end -->"
	})
	assert.Empty(t, tables, "tables that the page lacks")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(got), 0o644))
		return
	}
	assert.Equal(t, string(text), got, "run the test with -update if this is meant")
}

// The findings of docs/scale.md are numbers of its tables.
func TestFindings(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	words := strings.Join(strings.Fields(string(text)), " ")
	all := methodsAt(t, batch)
	at := func(i int, divide scaling.Division, w scaling.Network) (scaling.Grid, string) {
		g, p := scaling.Limit(all[i].step, divide, all[i].node, w, false)
		return g, thousands(p)
	}
	_, rows := at(2, scaling.ByRows, ethernet)
	_, terms := at(2, scaling.ByTerms, ethernet)
	_, both := at(2, scaling.Best, ethernet)
	_, fast := at(2, scaling.Best, infiniband)
	days := func(i int) float64 {
		n := all[i].node
		n.Memory = math.Inf(1)
		return math.Round(method{all[i].name, all[i].step, n}.passSeconds(scaling.Grid{Rows: 1, Terms: 1}, ethernet) / 86400)
	}
	for _, want := range []string{
		fmt.Sprintf("it stops at %s nodes", rows), fmt.Sprintf("it stops at %s. A grid of both reaches %s, on InfiniBand %s.", terms, both, fast),
		fmt.Sprintf("on one node a pass takes %.0f days and %.0f days", days(0), days(3)),
	} {
		assert.True(t, strings.Contains(words, want), "the page does not say: %s", want)
	}
}

func TestFigure(t *testing.T) {
	f := plots.Figure{ID: "scale", Title: "n = 10^{9}: time of a pass, simulated, 10 Gbit Ethernet", Curves: &plots.Curves{
		X: plots.Axis{Label: "nodes of 64 cores", Log: true}, Y: plots.Axis{Label: "hours", Log: true},
		Guides: []plots.Guide{{Slope: -1, Label: "1/p"}},
	}}
	for style, c := range []struct{ method, division int }{{3, 1}, {0, 1}, {2, 0}, {2, 1}, {2, 2}} {
		m, d := methodsAt(t, batch)[c.method], divisions[c.division]
		line := plots.Line{Label: m.name + ", by " + d.name, Style: style}
		for p := 1; p <= 1<<15; p *= 2 {
			if g, ok := d.divide(m.step, p, m.node, ethernet); ok {
				line.X, line.Y = append(line.X, float64(p)), append(line.Y, m.passSeconds(g, ethernet)/3600)
			}
		}
		f.Curves.Lines = append(f.Curves.Lines, line)
	}
	picture, err := plots.Render(f, "svg")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(figure, picture.SVG(), 0o644))
	}
	want, err := os.ReadFile(figure)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(picture.SVG()), "run the test with -update if this is meant")
}

func row(cells ...any) string {
	words := make([]string, len(cells))
	for i, c := range cells {
		words[i] = fmt.Sprint(c)
	}
	return "| " + strings.Join(words, " | ") + " |\n"
}

func tableOfSpeeds(t *testing.T) string {
	m := node(t)
	text := row("rows together", "ns a feature value", "ns a kernel value") + row("---:", "---:", "---:")
	for i, f := range m.Features {
		text += row(thousands(int(f.Rows)), fmt.Sprintf("%.2f", f.Nanoseconds), fmt.Sprintf("%.2f", m.Kernel[i].Nanoseconds))
	}
	return text
}

func tableOfSteps(t *testing.T) string {
	text := row("method", "steps", "flops", "bytes, rows divided", "flops a byte", "bytes, terms divided", "flops a byte") +
		row("---", "---:", "---:", "---:", "---:", "---:", "---:")
	const p = 128
	for _, m := range methodsAt(t, batch) {
		cells := []any{m.name, thousands(int(math.Ceil(problem.Rows / m.step.Rows))), round(m.step.Flops() / p)}
		for _, g := range []scaling.Grid{{Rows: p, Terms: 1}, {Rows: 1, Terms: p}} {
			if !m.step.Fits(g, m.node) {
				cells = append(cells, "-", "-")
				continue
			}
			cells = append(cells, round(m.step.Sent(g)), round(m.step.Flops()/p/m.step.Sent(g)))
		}
		text += row(cells...)
	}
	return text
}

func tableOfPasses(t *testing.T) string {
	nodes := []int{1, 16, 256, 4096, 65536}
	head, rule := []any{"method", "network", "divided"}, []any{"---", "---", "---"}
	for _, p := range nodes {
		head, rule = append(head, "p = "+thousands(p)), append(rule, "---:")
	}
	text := row(head...) + row(rule...)
	for _, m := range methodsAt(t, batch) {
		for _, w := range networks {
			for _, d := range divisions {
				cells := []any{m.name, w.Name, d.name}
				for _, p := range nodes {
					g, ok := d.divide(m.step, p, m.node, w)
					if !ok {
						cells = append(cells, "-")
						continue
					}
					cells = append(cells, fmt.Sprintf("%s, %.0f %%", duration(m.passSeconds(g, w)), 100*m.step.Efficiency(g, m.node, w, false)))
				}
				text += row(cells...)
			}
		}
	}
	return text
}

func tableOfLimits(t *testing.T) string {
	text := row("method", "network", "rows divided", "terms divided", "terms, a delay of one step", "both", "grid", "a pass then") +
		row("---", "---", "---:", "---:", "---:", "---:", "---:", "---:")
	for _, m := range methodsAt(t, batch) {
		for _, w := range networks {
			_, rows := scaling.Limit(m.step, scaling.ByRows, m.node, w, false)
			_, terms := scaling.Limit(m.step, scaling.ByTerms, m.node, w, false)
			_, stale := scaling.Limit(m.step, scaling.ByTerms, m.node, w, true)
			g, both := scaling.Limit(m.step, scaling.Best, m.node, w, false)
			text += row(m.name, w.Name, limit(rows), limit(terms), limit(stale), limit(both),
				fmt.Sprintf("%s × %s", thousands(g.Rows), thousands(g.Terms)), duration(m.passSeconds(g, w)))
		}
	}
	return text
}

func tableOfBatches(t *testing.T) string {
	batches := []float64{1 << 5, 1 << 10, 1 << 15, 1 << 20}
	head, rule := []any{"method", "network"}, []any{"---", "---"}
	for _, b := range batches {
		head, rule = append(head, "B = "+thousands(int(b))), append(rule, "---:")
	}
	text := row(head...) + row(rule...)
	names := methodsAt(t, batch)
	for i := range names {
		for _, w := range networks {
			cells := []any{names[i].name, w.Name}
			for _, b := range batches {
				m := methodsAt(t, b)[i]
				_, p := scaling.Limit(m.step, scaling.Best, m.node, w, false)
				cells = append(cells, limit(p))
			}
			text += row(cells...)
		}
	}
	return text
}

func limit(p int) string {
	if p == 0 {
		return "-"
	}
	return thousands(p)
}

// round prints a number with two or three digits.
func round(v float64) string {
	if v < 1e5 {
		return thousands(int(math.Round(v)))
	}
	e := math.Floor(math.Log10(v))
	return fmt.Sprintf("%.1f·10%s", v/math.Pow(10, e), superscript(int(e)))
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func superscript(n int) string {
	return strings.Map(func(r rune) rune { return []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[r-'0'] }, fmt.Sprint(n))
}

func duration(seconds float64) string {
	for _, u := range []struct {
		seconds float64
		name    string
	}{{365.25 * 86400, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}} {
		if seconds >= 3*u.seconds {
			return fmt.Sprintf("%.3g %s", seconds/u.seconds, u.name)
		}
	}
	return fmt.Sprintf("%.3g s", seconds)
}
