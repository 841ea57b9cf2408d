package printed

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVisible(t *testing.T) {
	for s, want := range map[string]string{
		"":                                 "",
		"λ = 10⁻³\t“doubly SGD”\n":         "λ = 10⁻³\t“doubly SGD”\n",
		"a\r\nb":                           "a\r\nb",
		"a\rb\r":                           `a\u000db\u000d`,
		"\x1b[31mred\x1b]0;title\a":        `\u001b[31mred\u001b]0;title\u0007`,
		"\x00\x7f\u0080\u009b\u009f":       `\u0000\u007f\u0080\u009b\u009f`,
		"\u202egnp.exe\u2066\u200f\u061c":  `\u202egnp.exe\u2066\u200f\u061c`,
		"8-bit \x9b31m and a cut \xe2\x80": "8-bit �31m and a cut ��",
	} {
		assert.Equal(t, want, Visible(s), "%q", s)
	}
}

func TestDistinct(t *testing.T) {
	var ids []string
	for _, id := range []string{"a", "a-3", "A", "a", "b"} {
		ids = append(ids, Distinct(id, ids))
	}
	assert.Equal(t, []string{"a", "a-3", "A-2", "a-4", "b"}, ids)
}
