package printed

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLaTeX(t *testing.T) {
	for _, test := range []struct {
		text, want string
		strange    rune
	}{
		{"100 % of γ_t & m² ≤ Θ(√n)", `100 \% of $\gamma$\_t \& m$^2$ $\leq$ $\Theta$($\surd$n)`, 0},
		{"Jézéquel, Póczos", "Jézéquel, Póczos", 0},
		{"φ\u0303", `$\tilde{\phi}$`, 0},
		{"日本 and 語", "日本 and 語", '日'},
	} {
		got, strange := LaTeX(test.text)
		assert.Equal(t, test.want, got)
		assert.Equal(t, test.strange, strange)
	}
}
