//go:build sabotage

package sabotage

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"repro/algos"
	_ "repro/algos/methods"
	"repro/algos/metrics"
	"repro/datasets"
	_ "repro/datasets/generators"
	_ "repro/datasets/sources"
	"repro/experiments"
	"repro/experiments/catalog"
	_ "repro/experiments/papers"
	"repro/results/baseline"
	"repro/results/claims"
	"repro/results/records"
	"repro/runner"
)

var (
	update = flag.Bool("update", false, "write docs/data/sabotage.tsv")
	only   = flag.String("only", "", "run these experiments only, by their ids with commas between them")
)

// A size is how an experiment runs in the campaign.
type size struct {
	profile string
	seeds   int // 0: those of the profile
}

func (s size) String() string { return s.profile }

// sizes are those of experiments whose claims need another profile to be reproduced: the cheapest that is known.
var sizes = map[string]size{
	"carratino2018/features-covtype": {"quick", 3},
	"li2016/objective-a9a":           {"quick", 5},
	"li2016/objective-a9a-ridge":     {"quick", 5},
	"li2016/objective-covtype":       {"quick", 5},
	"li2016/objective-covtype-ridge": {"quick", 5},
	"li2016/objective-mnist":         {"quick", 5},
	"li2016/objective-mnist-ridge":   {"quick", 5},
	"li2016/libsvm-a9a":              none,
	"li2016/libsvm-covtype":          none,
	"li2016/libsvm-mnist":            none,
	"li2016/mnist8m-made":            none,
	"ma2017/acceleration":            none,
	"ma2017/epochs":                  none,
	"ma2017/mnist-kernels":           none,
	"ma2017/overhead":                none,
}

// none is the size of experiments of whose claims no affordable size reproduces one.
var none = size{"", 0}

// sizeOf returns the size of an experiment in the campaign.
func sizeOf(s *experiments.Spec) size {
	if own, ok := sizes[s.ID]; ok {
		return own
	}
	if slices.Contains(s.Profiles, experiments.CI) {
		return size{experiments.CI, 0}
	}
	return size{"smoke", 5}
}

// A campaign is the catalog at its sizes, and the records of its runs.
type campaign struct {
	*testing.T
	library *datasets.Library
	dir     string
	marks   map[string]*mark // by experiment#claim
}

// A mark is what is known of a claim.
type mark struct {
	experiment string
	claim      claims.Claim
	at         string             // the size at which it is reproduced, empty if at none
	open       string             // why it is not judged, if at is empty
	noticed    map[string][2]byte // by sabotage: with the claim's own method, and with all methods
}

// The letters of marks.
const (
	deviates   = 'D' // or failed
	undecided  = 'i'
	reproduced = '.'
)

// run runs cells and returns their records by experiment.
func (c *campaign) run(name string, cells []experiments.Cell, start func(*experiments.Cell, *algos.Problem) (algos.Fit, error)) *records.Store {
	began := time.Now()
	dir := filepath.Join(c.dir, name)
	_, err := runner.Run(context.Background(), cells, runner.Options{Out: dir, Library: c.library, Start: start, AllowExternal: true, Checkpoint: time.Hour})
	require.NoError(c, err)
	if len(cells) == 0 {
		return &records.Store{}
	}
	s, err := records.Open(dir)
	require.NoError(c, err)
	require.Empty(c, s.Warnings)
	failed := 0
	for _, r := range s.Records {
		if r.Status() == records.Failed {
			failed++
			c.Logf("%s: %s %s failed: %s", name, r.Header.Experiment, r.Header.Cell, r.End.Reason)
		}
	}
	// A sabotage may stop a method, such as a kernel whose eigenvalues are rounding errors; one that stops most is wrong itself.
	if failed > 0 && (name == "honest" || 2*failed > len(s.Records)) {
		c.Errorf("%s: %d of %d cells failed", name, failed, len(s.Records))
	}
	c.Logf("%s: %d cells in %.0f s", name, len(cells), time.Since(began).Seconds())
	return s
}

// word judges one claim by records.
func word(exp claims.Experiment, c claims.Claim, recs []*records.Record) claims.Word {
	exp.Claims = []claims.Claim{c}
	v := claims.Judge(exp, recs).Verdicts[0]
	return cmp.Or(v.AtSize, v.Verdict)
}

func letter(w claims.Word) byte {
	switch w {
	case claims.Reproduced:
		return reproduced
	case claims.Inconclusive:
		return undecided
	}
	return deviates
}

// loaded returns the experiments of the catalog that have claims, at the size that is asked for, with those whose data is not here.
func (c *campaign) loaded(of func(*experiments.Spec) size) (here, missing []*experiments.Spec) {
	refs, err := catalog.Resolve(nil)
	require.NoError(c, err)
	specs, errs := catalog.LoadAll(refs, experiments.LoadOptions{})
	for i, s := range specs {
		require.NoError(c, errs[i])
		if len(s.Claims) == 0 || *only != "" && !slices.Contains(strings.Split(*only, ","), s.ID) {
			continue
		}
		at := of(s)
		if at == none {
			continue
		}
		s, err := catalog.Load(refs[i], experiments.LoadOptions{Profile: at.profile, Seeds: at.seeds})
		require.NoError(c, err, s)
		ready := true
		for _, cell := range s.Expand() {
			ok, _ := c.library.Ready(cell.Data(), s.Dir())
			ready = ready && ok
		}
		if ready {
			here = append(here, s)
		} else {
			missing = append(missing, s)
		}
	}
	return here, missing
}

// TestSabotage runs the campaign.
func TestSabotage(t *testing.T) {
	c := &campaign{T: t, library: datasets.NewLibrary(), dir: t.TempDir(), marks: map[string]*mark{}}
	c.library.Offline = true
	if kept := os.Getenv("SABOTAGE_DIR"); kept != "" {
		c.dir = kept
	}
	here, missing := c.loaded(sizeOf)
	for _, s := range missing {
		for _, claim := range s.Experiment().Claims {
			c.add(s, claim).open = absent
		}
	}
	c.reduced(here)
	c.published()
	c.compare()
}

func (c *campaign) add(s *experiments.Spec, claim claims.Claim) *mark {
	m := &mark{experiment: s.ID, claim: claim, noticed: map[string][2]byte{}}
	c.marks[s.ID+"#"+claim.ID] = m
	return m
}

// reduced runs the experiments as they are and sabotaged.
func (c *campaign) reduced(specs []*experiments.Spec) {
	var cells []experiments.Cell
	exps := map[string]claims.Experiment{}
	for _, s := range specs {
		exps[s.ID] = s.Experiment()
		inside := slices.DeleteFunc(slices.Clone(exps[s.ID].Claims), func(claim claims.Claim) bool { return outside(claim) != "" })
		cells = append(cells, needed(s, inside)...)
	}
	honest := c.run("honest", cells, nil)
	var judged []experiments.Cell
	for _, s := range specs {
		var still []claims.Claim
		for _, claim := range exps[s.ID].Claims {
			m := c.add(s, claim)
			if m.open = outside(claim); m.open != "" {
				continue
			}
			if w := word(exps[s.ID], claim, honest.Of(s.ID)); w != claims.Reproduced {
				m.open = fmt.Sprintf("%s at profile %s", w, s.Profile)
				continue
			}
			m.at = s.Profile
			still = append(still, claim)
		}
		judged = append(judged, needed(s, still)...)
	}
	for _, by := range sabotages {
		var touched []experiments.Cell
		for _, cell := range judged {
			_, external := cell.Method.Configured.(*experiments.External)
			if !external && (by.applies == nil || by.applies(&cell)) {
				touched = append(touched, cell)
			}
		}
		sabotaged := c.run(by.id, touched, func(cell *experiments.Cell, p *algos.Problem) (algos.Fit, error) { return by.start(cell, *p) })
		for _, s := range specs {
			for _, claim := range exps[s.ID].Claims {
				if m := c.marks[s.ID+"#"+claim.ID]; m.at != "" {
					m.judge(by, exps[s.ID], honest.Of(s.ID), sabotaged.Of(s.ID))
				}
			}
		}
	}
}

// judge notes whether the claim notices a sabotage.
func (m *mark) judge(by sabotage, exp claims.Experiment, honest, sabotaged []*records.Record) {
	sabotaged = slices.DeleteFunc(slices.Clone(sabotaged), func(r *records.Record) bool { return r.Status() == records.Skipped })
	own := []string{m.claim.Method}
	if len(m.claim.Members) > 0 {
		own = m.claim.Members
	}
	var marks [2]byte
	for i, methods := range [2][]string{own, m.claim.Methods()} {
		recs := slices.Clone(honest)
		changed := false
		for k, r := range recs {
			if j := slices.IndexFunc(sabotaged, func(s *records.Record) bool { return s.Header.Cell == r.Header.Cell }); j >= 0 && slices.Contains(methods, r.Header.Method) {
				recs[k], changed = sabotaged[j], true
			}
		}
		if changed {
			marks[i] = letter(word(exp, m.claim, recs))
		}
	}
	if marks != [2]byte{} {
		m.noticed[by.id] = marks
	}
}

// outside says why the campaign has nothing to say about a claim; it is empty if it has.
func outside(c claims.Claim) string {
	switch {
	case c.Describes() != "":
		return "describes: " + c.Describes()
	case records.Timed(c.Metric):
		return "seconds, which nothing that is learned changes"
	}
	return ""
}

// needed returns the cells of a spec that claims need.
func needed(s *experiments.Spec, all []claims.Claim) []experiments.Cell {
	methods := map[string]bool{}
	for _, c := range all {
		for _, m := range c.Methods() {
			methods[m] = true
		}
	}
	cells := s.Expand()
	for _, c := range cells { // of the methods whose time they take
		if methods[c.Method.ID] {
			for _, other := range cells {
				if slices.Contains(c.Needs, other.Name) {
					methods[other.Method.ID] = true
				}
			}
		}
	}
	return slices.DeleteFunc(cells, func(c experiments.Cell) bool { return !methods[c.Method.ID] })
}

// constantSeeds is the number of seeds of constants at the published size.
const constantSeeds = 3

// published judges, at the published sizes, printed numbers that the shipped verdicts call reproduced and that no reduced size
// decides: by constants, which nobody has to train.
func (c *campaign) published() {
	shipped, err := baseline.Verdicts()
	require.NoError(c, err)
	fine := map[string]bool{}
	for _, v := range shipped {
		if v.Verdict == claims.Reproduced && needsNoRival(v) {
			fine[v.Experiment+"#"+v.Claim] = true
		}
	}
	specs, _ := c.loaded(func(*experiments.Spec) size { return size{"paper", constantSeeds} })
	var cells []experiments.Cell
	exps := map[string]claims.Experiment{}
	chosen := map[string][]claims.Claim{}
	for _, s := range specs {
		e := s.Experiment()
		for _, claim := range e.Claims {
			m := c.marks[s.ID+"#"+claim.ID]
			if m == nil {
				m = c.add(s, claim)
				if m.open = outside(claim); m.open == "" {
					m.open = "no affordable size"
				}
			}
			if m.at == "" && outside(claim) == "" && fine[s.ID+"#"+claim.ID] {
				chosen[s.ID] = append(chosen[s.ID], claim)
				m.at = s.Profile
			}
		}
		exps[s.ID] = e
		cells = append(cells, needed(s, chosen[s.ID])...)
	}
	for i, id := range []string{"zero", "constant"} {
		store := c.run("published-"+id, cells, learnNothing(i == 1))
		for experiment, all := range chosen {
			for _, claim := range all {
				l := letter(word(exps[experiment], claim, store.Of(experiment)))
				c.marks[experiment+"#"+claim.ID].noticed[id] = [2]byte{l, l}
			}
		}
	}
}

// needsNoRival reports whether a verdict is on a number, or a column of them, of one method's predictions.
func needsNoRival(v claims.Verdict) bool {
	_, counted := records.AbscissaOf(v.Metric)
	base, _ := strings.CutSuffix(v.Metric, records.AverageSuffix)
	m := metrics.Lookup(base)
	return (v.Kind == "value" || v.Whole()) && !counted && m != nil && !m.OfFit() && !m.Hindsight
}
