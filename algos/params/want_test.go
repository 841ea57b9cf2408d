package params

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseWant(t *testing.T) {
	for tag, want := range map[string]Want{
		"":                               {},
		"> 0":                            {Op: ">"},
		">= -1.5":                        {Op: ">=", Bound: -1.5},
		"= 1":                            {Op: "=", Bound: 1},
		"|a|b c":                         {Words: []string{"", "a", "b c"}},
		"|sigma=median|exp(-d2/median2)": {Words: []string{"", "sigma=median", "exp(-d2/median2)"}},
	} {
		got, err := ParseWant(tag)
		require.NoError(t, err, tag)
		assert.Equal(t, want, got, tag)
	}
	for _, tag := range []string{"a,b,c", "a, b", "> x", "< 3", "> 0, < 1", ">0", "a | b", `"a"|"b"`} {
		_, err := ParseWant(tag)
		assert.ErrorContains(t, err, `write a bound such as "> 0", or words with | between them`, tag)
	}
}

func TestCheckTags(t *testing.T) {
	type inner struct {
		Mode string `toml:"mode" want:"fast,slow"`
	}
	assert.EqualError(t, CheckTags(&struct {
		Step inner `toml:"step"`
	}{}), `Mode: want tag "fast,slow": write a bound such as "> 0", or words with | between them such as "a|b"`)
	assert.NoError(t, CheckTags(&struct {
		Batch int    `toml:"batch" want:"> 0"`
		Note  string `want:"not, a key"`
	}{}))
}
