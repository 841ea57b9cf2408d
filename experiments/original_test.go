package experiments

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
)

// ran returns records without points of all cells of a spec, with the settings as a file holds them.
func ran(t *testing.T, s *Spec) []*records.Record {
	var recs []*records.Record
	for _, c := range s.Expand() {
		r := &records.Record{Header: records.Header{Experiment: s.ID, Cell: c.Name, Method: c.Method.ID, Seed: c.Seed, Digest: c.Digest, Profile: s.Profile}}
		text, err := json.Marshal(c.Settings)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &r.Header.Settings))
		recs = append(recs, r)
	}
	return recs
}

func TestRunsAtProfilePaperAreThePapers(t *testing.T) {
	for _, id := range builtinIDs(t) {
		s, err := loadedAt(id, "paper")
		require.NoError(t, err)
		exp := s.Experiment()
		assert.Empty(t, exp.Departure(ran(t, s)), id)
		assert.Empty(t, exp.Reduced(ran(t, s)), id)
		assert.Equal(t, exp.Claims, exp.Original.Claims, id)
	}
}

func TestDepartureOfProfilesAndEdits(t *testing.T) {
	for _, test := range []struct {
		id, want string
		opts     LoadOptions
	}{
		{"ma2017/heaviside", "", LoadOptions{Profile: "quick"}}, // other evaluation points
		{"ma2017/heaviside", "", LoadOptions{Profile: "quick", Seeds: 1}},
		{"dai2014/kernels", "", LoadOptions{Seeds: 2, Set: []string{"evaluate.points=6", "repeat.first=50", "memory=2"}}},
		{"ma2017/heaviside", "other settings than the paper's: problem.kernel.time 0.25, not 0.5", LoadOptions{Set: []string{"problem.kernel.time=0.25"}, Methods: []string{"gd"}}},
		{"dai2014/losses-binary", "another size than the paper's: data.train 4096, not 65536; data.test 2048, not 16384; budget.epochs 1, not 4; precision float64, not float32",
			LoadOptions{Profile: "quick", Set: []string{"budget.epochs=1"}}},
		{"ma2017/nsvd", "another size than the paper's: data.train 10000, not all; method.rsvd.subsample 1600, not 4800; method.nsvd.subsample 1600, not 4800", LoadOptions{Profile: "quick"}},
	} {
		s, err := loadID(test.id, test.opts)
		require.NoError(t, err)
		assert.Equal(t, test.want, s.Experiment().Departure(ran(t, s)), test.id)
	}
}

// Figures of reduced runs say so in a line.
func TestReduced(t *testing.T) {
	for _, test := range []struct {
		id, want string
		opts     LoadOptions
	}{
		{"ma2017/heaviside", "", LoadOptions{Profile: "quick"}}, // other evaluation points
		{"carratino2018/regimes", "", LoadOptions{Methods: []string{"c13,train=9216"}}},
		{"ma2017/heaviside", "Profile paper (edited), not the paper's settings: time 0.25, not 0.5", LoadOptions{Set: []string{"problem.kernel.time=0.25"}}},
		{"ma2017/nsvd", "Profile quick, not the paper's size: n 10,000, not all; subsample 1,600, not 4,800", LoadOptions{Profile: "quick"}},
		{"carratino2018/step-vs-batch", "Profile quick, not the paper's size: n 4,000, not 1 million; test 2,000, not 100,000; batch 10 to 640, not 10 to 100,000; features 63, not 1,000; gamma0 0.01 to 22, not 0.001 to 22",
			LoadOptions{Profile: "quick"}},
		{"carratino2018/regimes", "Profile quick, not the paper's size: n 144 to 1,024, not 256 to 9,216; steps 12 to 32, not 16 to 96; batch 144 to 1,024, not 256 to 9,216; features 30 to 111, not 45 to 439",
			LoadOptions{Profile: "quick", Methods: []string{"c14"}}},
	} {
		s, err := loadID(test.id, test.opts)
		require.NoError(t, err)
		assert.Equal(t, test.want, s.Experiment().Reduced(ran(t, s)), test.id)
	}
	specs, errs := loadAll(t, "smoke")
	require.NoError(t, errors.Join(errs...))
	for _, s := range specs {
		exp, recs := s.Experiment(), ran(t, s)
		assert.Equal(t, exp.Departure(recs) == "", exp.Reduced(recs) == "", s.ID)
		assert.NotContains(t, exp.Reduced(recs), "with ", s.ID)
	}
}

// A claim that a profile or an edit changes is another claim.
func TestEditedClaimsAreOtherClaims(t *testing.T) {
	for edit, want := range map[string]string{
		"claim.marginal.tolerance=3":    "another claim than the paper's: tolerance 3, not 2",
		"claim.marginal.statement=same": "",
	} {
		s, err := loadID("ma2017/heaviside", LoadOptions{Set: []string{edit}})
		require.NoError(t, err)
		recs := ran(t, s)
		for _, r := range recs {
			r.End = &records.End{Status: records.Budget}
		}
		v := claims.Judge(s.Experiment(), recs).Verdicts[0]
		assert.Equal(t, want != "", v.Verdict == claims.NotComparable, v.Reason)
		assert.Contains(t, v.Reason, want)
	}
}
