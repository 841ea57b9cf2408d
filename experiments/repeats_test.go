package experiments

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
)

// A claim that repeats another names one that is there and has the same number.
func TestRepeatedClaims(t *testing.T) {
	src, err := find("ma2017/bandwidth")
	require.NoError(t, err)
	const cells = `same_as = "ma2017/mnist-kernels#gaussian-eigenpro-train-error", cells = ["0.92", "0.10"`
	require.Contains(t, src.Text, cells)
	for edited, want := range map[string]string{
		strings.Replace(cells, "0.92", "0.93", 1):          `claim "s25-eigenpro-train-error".same_as: "gaussian-eigenpro-train-error" of ma2017/mnist-kernels has the number 0.92 of train-error at epoch 1, not 0.93 of train-error at epoch 1`,
		strings.Replace(cells, "gaussian", "gauss", 1):     `ma2017/mnist-kernels has no claim "gauss-eigenpro-train-error@1"`,
		strings.Replace(cells, "ma2017/mnist", "mnist", 1): `mnist-kernels.toml: no such file`,
		strings.Replace(cells, "#", "/", 1):                `write PAPER/EXPERIMENT#CLAIM`,
	} {
		other := src
		other.Text = strings.Replace(src.Text, cells, edited, 1)
		_, err := Load(other, LoadOptions{})
		assert.ErrorContains(t, err, want)
	}
}

// twins repeat the number of another method, which does the same there: n landmarks for n rows, and so many Taylor features that the
// kernel is exact. TestRepeatedClaimsHaveTheSameNumbers holds their numbers together.
var twins = []string{"dai2014/complexity#n-sdca-error", "jezequel2019/regret#growth-taylor"}

// What repeats a number is measured on a run of the same settings, and of the same seeds.
func TestRepeatedClaimsRunTheSame(t *testing.T) {
	settings := func(s *Spec, method string) (all []map[string]any) {
		for _, c := range s.Expand() {
			if c.Method.ID == method {
				own := maps.Clone(c.Settings)
				delete(own, "budget") // it may go on longer
				delete(own, "evaluate")
				all = append(all, own)
			}
		}
		require.NotEmpty(t, all, method)
		return all
	}
	specs, _ := loadAll(t, "paper")
	byID := map[string]*Spec{}
	for _, s := range specs {
		byID[s.ID] = s
	}
	compared := map[string]bool{}
	for _, s := range specs {
		for _, c := range s.Claims {
			id, claim, ok := strings.Cut(c.SameAs, "#")
			if !ok {
				continue
			}
			other := byID[id]
			i := slices.IndexFunc(other.Claims, func(k claims.Claim) bool { return k.ID == claim })
			require.GreaterOrEqual(t, i, 0, c.SameAs)
			if slices.Contains(twins, s.ID+"#"+c.ID) {
				continue
			}
			assert.Equal(t, settings(other, other.Claims[i].Method), settings(s, c.Method), "%s#%s", s.ID, c.ID)
			compared[other.Claims[i].Method] = true
		}
	}
	assert.Len(t, compared, 3, "EigenPro and Pegasos with σ² = 25, and CDSG")
}
