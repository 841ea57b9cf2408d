package printed

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSuggest(t *testing.T) {
	names := []string{"batch", "block", "step", "average"}
	cases := []struct{ got, want string }{
		{"bacth", `did you mean "batch"?`},
		{"Batch", `did you mean "batch"?`},
		{"avrage", `did you mean "average"?`},
		{"stp", `did you mean "step"?`},
		{"st", "choose one of batch, block, step, average"},
		{"", "choose one of batch, block, step, average"},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, Suggest(c.got, names), c.got)
	}
	assert.Equal(t, "there are none", Suggest("x", nil))
}

// Names of a file of others cannot act on a terminal, begin a line, or fill the screen.
func TestNames(t *testing.T) {
	long := strings.Repeat("x", 1<<22)
	assert.Equal(t, `λ-1, "\x1b[31m", "a\nb", "\u202e", "", " c", "a,b", "`+long[:Longest]+`…", and 1 more`,
		Names([]string{"λ-1", "\x1b[31m", "a\nb", "\u202e", "", " c", "a,b", long, "d"}, 8))
	assert.Equal(t, `"`+long[:Longest]+`"`, Quote(long[:Longest]))
	for _, names := range [][]string{{long}, {"\x1b[2J", long}, slices.Repeat([]string{long}, 1000), {"\x1b]0;\a"}} {
		for _, text := range []string{Suggest("y", names), Suggest("\x1b]0;\a.", names)} {
			assert.LessOrEqual(t, len(text), 110*Longest)
			assert.False(t, strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }), text)
		}
	}
}

func TestEditDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"", "abc", 3}, {"abc", "ab", 1},
		{"abc", "acb", 1}, {"kitten", "sitting", 3}, {"batch", "bacth", 1},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, EditDistance(c.a, c.b), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, EditDistance(c.b, c.a), "%s %s", c.b, c.a)
	}
}
