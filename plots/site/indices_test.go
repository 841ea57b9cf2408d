package site

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIndices(t *testing.T) {
	for page, want := range map[string]string{
		`<p>f_t and (γ_1, λ_12, f_*) at x_0.</p>`:                       `<p>f<sub>t</sub> and (γ<sub>1</sub>, λ<sub>12</sub>, f<sub>*</sub>) at x<sub>0</sub>.</p>`,
		`<p title="f_t">(y_t − ŷ_t)²</p>`:                               `<p title="f_t">(y<sub>t</sub> − ŷ<sub>t</sub>)²</p>`,
		`<p>λ_(k+1), 2νγ_t, n^1.5, f_t^2 and (γT)^(-2r) = t^(-1/2)</p>`: `<p>λ<sub>k+1</sub>, 2νγ<sub>t</sub>, n<sup>1.5</sup>, f<sub>t</sub><sup>2</sup> and (γT)<sup>−2r</sup> = t<sup>−1/2</sup></p>`,
		`<p>2^3rd, a_(b c), ^2</p>`:                                     `<p>2^3rd, a_(b c), ^2</p>`,
		`<p>t_part, d_2x, my_t, REPRO_DATA, a__b</p>`:                   `<p>t_part, d_2x, my_t, REPRO_DATA, a__b</p>`,
		`<pre>f_t <b>g_t</b></pre> <code>f_t</code> f_t`:                `<pre>f_t <b>g_t</b></pre> <code>f_t</code> f<sub>t</sub>`,
		`<script>if (a_b < c_d) x("<p>f_t");</script><br>f_t`:           `<script>if (a_b < c_d) x("<p>f_t");</script><br>f<sub>t</sub>`,
		`<svg><text>f_t</text></svg><input value="f_t">a &lt; f_t`:      `<svg><text>f_t</text></svg><input value="f_t">a &lt; f<sub>t</sub>`,
	} {
		assert.Equal(t, want, string(indices([]byte(page))))
	}
}

func TestForScript(t *testing.T) {
	assert.Equal(t, "<em>f</em>: γ<sub>t</sub> &lt; n<sup>1/4</sup>", forScript("*f*: γ_t < n^(1/4)"))
}
