package plots

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/experiments"
	"repro/results/claims"
)

// A look of a style is how a curve with a number of a style looks in the report's colours. Curves differ without colour too.
type styleLook struct {
	Colour, Dark string    // #rrggbb, on a white ground and on a dark one
	Dash         []float64 // lengths of dash and gap in points; empty for a solid line
	Marker       string    // disc, open square, triangle, open diamond, circle, triangle down, square, open triangle or empty
}

// lookOf returns the look of the style with the given number, as in Line.Style. The styles of numbers below 42 differ; two
// styles of one colour differ in dash and in marker.
func lookOf(style int) styleLook {
	light, dark := styleOf(style), themeOf(Style{Name: styleDark}).styleOf(style)
	l := styleLook{Colour: hexOf(light.colour), Dark: hexOf(dark.colour), Marker: light.marker.name}
	for _, d := range light.dashes {
		l.Dash = append(l.Dash, float64(d))
	}
	return l
}

// hexOf writes a colour as in HTML.
func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Two styles differ in colour, or in dash and marker, on both grounds.
func TestLooksDiffer(t *testing.T) {
	for i := range styleCount {
		for j := range i {
			a, b := lookOf(i), lookOf(j)
			assert.Equal(t, a.Colour == b.Colour, a.Dark == b.Dark, "%d and %d", i, j)
			if a.Colour == b.Colour {
				assert.NotEqual(t, a.Dash, b.Dash, "%d and %d", i, j)
				assert.NotEqual(t, a.Marker, b.Marker, "%d and %d", i, j)
			}
		}
	}
	assert.Equal(t, styleLook{Colour: "#0072b2", Dark: "#77aadd", Marker: "disc"}, lookOf(0))
	truth := lookOf(truthStyle)
	assert.Empty(t, truth.Marker)
	assert.NotEmpty(t, truth.Dash)
}

// In every figure that comes with repro no two series look the same, no two methods have one colour while another colour is
// free, and a method looks the same as in the other figures of its paper.
func TestStylesOfTheCatalog(t *testing.T) {
	entries, err := experiments.Catalog()
	require.NoError(t, err)
	known := map[string]int{} // style by paper and method
	for _, e := range entries {
		s, err := experiments.Load(experiments.Ref{ID: e.ID}, experiments.LoadOptions{})
		require.NoError(t, err)
		exp := s.Experiment()
		for _, fig := range exp.Figures {
			b := &builder{exp: exp, fig: fig}
			looks, of := map[string]bool{}, map[int]string{}
			first := map[string]bool{}
			for i, style := range b.styles() {
				method := b.series()[i].Method
				look := fmt.Sprint(lookOf(style))
				assert.False(t, looks[look], "%s %s: two series look like %s", e.ID, fig.ID, look)
				looks[look] = true
				if first[method] || method == truthMethod {
					continue
				}
				first[method] = true
				key := e.Paper.Key + " " + method
				if before, ok := known[key]; ok {
					assert.Equal(t, before, style, "%s in %s %s", method, e.ID, fig.ID)
				}
				known[key] = style
				if other := of[colourOf(style)]; len(b.series()) <= len(curveColours) {
					assert.Empty(t, other, "%s %s: one colour with %s", e.ID, fig.ID, method)
				}
				of[colourOf(style)] = method
			}
		}
	}
}

func TestVariantsOfAMethodLookTheSame(t *testing.T) {
	m := func(id, label string) claims.Method { return claims.Method{ID: id, Label: label} }
	styles := assign([]claims.Cast{
		{m("dsg", "doubly SGD"), m("norma", "NORMA"), m("dsg-plain", "doubly SGD without preconditioner")},
		{m("dsg", "doubly SGD"), m("norma-time", "NORMA, equal time")},
		{m("d", "doubly SGD"), m("other", "another")},
	})
	assert.Equal(t, styles["norma"], styles["norma-time"], "a suffix")
	assert.Equal(t, styles["dsg"], styles["d"], "a label")
	assert.NotEqual(t, styles["dsg"], styles["dsg-plain"], "drawn in one figure")
	assert.Equal(t, assignment{"dsg": 0, "d": 0, "norma": 1, "norma-time": 1, "dsg-plain": 2, "other": 1}, styles)
}

// Eleven methods of one figure have eleven looks; the most frequent have colours of their own.
func TestElevenMethodsAreDistinguishable(t *testing.T) {
	var cast claims.Cast
	for i := range 11 {
		cast = append(cast, claims.Method{ID: fmt.Sprint("m", i)})
	}
	styles := assign([]claims.Cast{cast, cast[5:6]})
	looks := map[string]bool{}
	for _, i := range styles {
		looks[fmt.Sprint(lookOf(i))] = true
	}
	assert.Len(t, looks, 11)
	assert.Equal(t, 0, styles["m5"], "in most figures")
}

func TestStyleFlags(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64
	}{{"16cm", 16}, {"160mm", 16}, {"4in", 10.16}, {"1cm", 0}, {"16", 0}, {"wide", 0}, {"2000cm", 0}} {
		got, err := ParseWidth(c.in)
		assert.InDelta(t, c.want, got, 1e-9, "%s, but for rounding", c.in)
		assert.Equal(t, c.want == 0, err != nil, c.in)
	}
	for in, want := range map[string]float64{"20pt": 20, "9.5": 9.5, "1pt": 0, "big": 0} {
		got, err := ParseFont(in)
		assert.Equal(t, want, got, in)
		assert.Equal(t, want == 0, err != nil, in)
	}
	own := Style{Name: stylePaper, Width: 12, Height: 8, Font: 7, Legend: legendNone}
	assert.Equal(t, own, Style{}.over(own))
	assert.Equal(t, Style{Name: stylePaper, Width: 16, Font: 7, Legend: legendNone}, Style{Width: 16}.over(own), "another width has a height of its own")
	assert.Equal(t, Style{Name: styleSlides, Legend: legendNone}, Style{Name: styleSlides}.over(own), "a style has its own size and font")
}

func TestThemes(t *testing.T) {
	slides := themeOf(Style{Name: styleSlides, Width: 16})
	assert.InDelta(t, 9./16, float64(slides.height/slides.width), 1e-9, "16:9, but for rounding")
	assert.GreaterOrEqual(t, float64(slides.pt(labelSize)), 18-1e-9)
	paper := themeOf(Style{Name: stylePaper})
	assert.InDelta(t, 238.1, float64(paper.width), 0.1, "8.4 cm in points")
	assert.InDelta(t, 8, float64(paper.pt(labelSize)), 1e-9)
	assert.False(t, paper.titled)
	assert.Less(t, themeOf(Style{Name: styleDark}).ground.R, uint8(0x40))
}

func TestTypeset(t *testing.T) {
	for in, want := range map[string]string{
		"10^6 steps": "10^{6} steps", "η = 1e-3": "η = 10^{-3}", "2.36e-03": "2.36×10^{-3}", "5e+4": "5×10^{4}", "γ_t": "γ_{t}",
		"x_{1}": "x_{1}", "10^{6}": "10^{6}", "my_x": "my_x", "λ_1/λ_161 = 280": "λ_{1}/λ_{161} = 280", "lambda_1/lambda_81": "λ_{1}/λ_{81}", "(gamma0 = 1)": "(γ_{0} = 1)", "the norm of alpha grows": "the norm of α grows",
		"b = n^(1/(1+α)), [-5, 5]^d, 10^-5, 2^k": "b = n^{1/(1+α)}, [-5, 5]^{d}, 10^{-5}, 2^{k}", "|f_t(x) - f_*(x)|^2 is O(1/t)": "|f_{t}(x) - f_{*}(x)|^{2} is O(1/t)",
		"step.gamma0 and batch_size of lambda-1": "step.gamma0 and batch_size of lambda-1", "nu-SVM": "nu-SVM", "gammas": "gammas", "sigma = 5.": "σ = 5.",
		"s50-eigenpro, k = 160": "s50-eigenpro, k = 160", "1e3 rows": "10^{3} rows",
	} {
		assert.Equal(t, want, typeset(in))
	}
}

// The texts that come with repro can be set in LaTeX.
func TestTextsOfTheCatalogInLaTeX(t *testing.T) {
	entries, err := experiments.Catalog()
	require.NoError(t, err)
	for _, e := range entries {
		s, err := experiments.Load(experiments.Ref{ID: e.ID}, experiments.LoadOptions{})
		require.NoError(t, err)
		exp := s.Experiment()
		texts := []string{exp.Title}
		for _, m := range exp.Methods {
			texts = append(texts, m.Label)
		}
		for _, m := range exp.Metrics {
			texts = append(texts, m.Words)
		}
		for _, f := range exp.Figures {
			texts = append(texts, f.Title, f.Source, f.XLabel, f.YLabel)
			for _, x := range f.Series {
				texts = append(texts, x.Label)
			}
			for _, g := range f.Guides {
				texts = append(texts, g.Label)
			}
		}
		for _, text := range texts {
			_, err := latex(typeset(text))
			assert.NoError(t, err, "%s", e.ID)
		}
	}
}

func TestPGFHasEditableText(t *testing.T) {
	f := smallFigure()
	f.Title = "50 % of x_{1}: φ̃ ≤ λ²"
	p, err := Render(f, formatPGF)
	require.NoError(t, err)
	tex := string(p.file(".pgf"))
	assert.Contains(t, tex, `\rlap{50 \% of x$_{\textrm{1}}$: $\tilde{\phi}$ $\leq$ $\lambda$$^2$}`)
	assert.Contains(t, tex, "iterations t}")
	assert.NotRegexp(t, `[0-9]e[-+][0-9]+pt`, tex, "TeX reads no exponents")
	assert.NotContains(t, tex, "NaN")
	assert.Equal(t, strings.Count(tex, `\begin{pgfscope}`), strings.Count(tex, `\end{pgfscope}`))

	p, err = Render(smallHeat(), formatPGF)
	require.NoError(t, err)
	require.Len(t, p.Files, 4, "the figure, two panels and the colour bar")
	assert.Equal(t, "-1.png", p.Files[1].Suffix)
	assert.Contains(t, string(p.Files[0].Data), "{heat-1.png}")

	f.Title = "Fehler 誤差"
	_, err = Render(f, formatPGF)
	require.Error(t, err)
}
