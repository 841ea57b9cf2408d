package experiments

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/datasets"
)

// comparing are the kinds of claims whose verdict depends on how much a result varies over seeds.
var comparing = []string{"rate", "ratio", "order", "match", "reach", "plateau"}

// Every built-in spec on generated data has [profile.ci] or says why not. What other specs have is their own choice.
func TestSpecsOnGeneratedDataHaveProfileCI(t *testing.T) {
	for _, id := range builtinIDs(t) {
		s, err := loadedAt(id, "paper")
		require.NoError(t, err)
		source, err := datasets.Describe(s.Data.Name)
		require.NoError(t, err)
		if source.Generated() {
			assert.True(t, slices.Contains(s.Profiles, CI) || s.NoCI != "", "%s needs a table [profile.ci], or a reason in the key no_ci", id)
		}
	}
}

// lastLook is the number of seeds of the last look that repro check may make.
const lastLook = 40

// At profile ci the methods of every claim that compares have seeds enough, and more if they are asked for; no claim is about
// seconds.
func TestClaimsAtProfileCI(t *testing.T) {
	specs, errs := loadAll(t, CI)
	for i, s := range specs {
		if errs[i] != nil {
			require.ErrorContains(t, errs[i], "has no profile ci")
			continue
		}
		more, err := loadID(s.ID, LoadOptions{Profile: CI, Seeds: lastLook})
		require.NoError(t, err)
		assert.False(t, s.Repeat.Timed, "%s: remove the claims about seconds from profile ci", s.ID)
		for _, c := range s.Claims {
			if !slices.Contains(comparing, c.Kind) {
				continue
			}
			for i := range s.Methods {
				m := &s.Methods[i]
				about := append([]string{c.Method}, c.Against...)
				if slices.Contains(about, m.ID) || slices.Contains(about, m.Group) {
					assert.GreaterOrEqual(t, s.effective(m).seedsAsked(), LeastSeedsCI, "%s: claim %s, method %s", s.ID, c.ID, m.ID)
					assert.Equal(t, lastLook, more.effective(&more.Methods[i]).seedsAsked(), "%s: method %s needs seeds = %d in [profile.ci]", s.ID, m.ID, lastLook)
				}
			}
		}
	}
}

func TestLoadWithoutProfileCI(t *testing.T) {
	_, err := loadText(ridge, LoadOptions{Profile: CI})
	assert.EqualError(t, err, "user.toml: has no profile ci; add a table [profile.ci] with a small problem and 10 seeds or more, or choose one of smoke, quick, paper")
	_, err = loadText("no_ci = \"needs a day\"\n"+ridge, LoadOptions{Profile: CI})
	assert.EqualError(t, err, "user.toml: has no profile ci, as its key no_ci says: needs a day; choose one of smoke, quick, paper")
	_, err = loadText("no_ci = \"needs a day\"\n"+ridge+"\n[profile.ci]\nrepeat.seeds = 10\n", LoadOptions{})
	assert.EqualError(t, err, "user.toml:1: no_ci: says why there is no [profile.ci], and there is one; remove one of them")
	s := loads(t, ridge+"\n[profile.ci]\nrepeat.seeds = 10\n", LoadOptions{Profile: CI})
	assert.Equal(t, 10, s.Repeat.Seeds)
	assert.Equal(t, CI, s.Profile)
}
