package printed

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSuggest(t *testing.T) {
	names := []string{"batch", "block", "step", "average"}
	cases := []struct{ got, want string }{
		{"bacth", `did you mean "batch"?`},
		{"Batch", `did you mean "batch"?`},
		{"avrage", `did you mean "average"?`},
		{"st", "choose one of batch, block, step, average"},
		{"", "choose one of batch, block, step, average"},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, Suggest(c.got, names), c.got)
	}
	assert.Equal(t, "there are none", Suggest("x", nil))
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
