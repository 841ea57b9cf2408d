package plots

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgtex"
)

// pgfCanvas is a canvas that writes PGF for LaTeX, with text as text that LaTeX sets in its own font. It corrects vgtex: it
// rounds lengths, because TeX does not read 1e-05, and names images after the figure instead of the time.
type pgfCanvas struct {
	*vgtex.Canvas
	figure string
	face   *sfnt.Font // that vgtex measures text with
	images []File
}

func newPGF(w, h vg.Length, figure string, face *sfnt.Font) *pgfCanvas {
	return &pgfCanvas{Canvas: vgtex.New(w, h), figure: figure, face: face}
}

// hundredths returns a length in hundredths of a point.
func hundredths(v vg.Length) vg.Length { return vg.Length(math.Round(100*float64(v))/100) + 0 }

func hundredthsPoint(p vg.Point) vg.Point { return vg.Point{X: hundredths(p.X), Y: hundredths(p.Y)} }

// hundredthsPath rounds the places of a path and joins the ends of closed parts, which vgtex leaves open.
func hundredthsPath(p vg.Path) vg.Path {
	out := make(vg.Path, 0, len(p))
	var start vg.Point
	for _, c := range p {
		c.Pos, c.Radius = hundredthsPoint(c.Pos), hundredths(c.Radius)
		for i, q := range c.Control {
			if i == 0 {
				c.Control = append([]vg.Point(nil), c.Control...)
			}
			c.Control[i] = hundredthsPoint(q)
		}
		switch c.Type {
		case vg.MoveComp:
			start = c.Pos
		case vg.CloseComp:
			out = append(out, vg.PathComp{Type: vg.LineComp, Pos: start})
		}
		out = append(out, c)
	}
	return out
}

// Stroke implements vg.Canvas.
func (c *pgfCanvas) Stroke(p vg.Path) { c.Canvas.Stroke(hundredthsPath(p)) }

// Fill implements vg.Canvas.
func (c *pgfCanvas) Fill(p vg.Path) { c.Canvas.Fill(hundredthsPath(p)) }

// SetLineWidth implements vg.Canvas.
func (c *pgfCanvas) SetLineWidth(w vg.Length) { c.Canvas.SetLineWidth(hundredths(w)) }

// SetLineDash implements vg.Canvas.
func (c *pgfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	var dashes []vg.Length
	for _, d := range pattern {
		dashes = append(dashes, hundredths(d))
	}
	c.Canvas.SetLineDash(dashes, hundredths(offset))
}

// Translate implements vg.Canvas.
func (c *pgfCanvas) Translate(p vg.Point) { c.Canvas.Translate(hundredthsPoint(p)) }

// DrawImage implements vg.Canvas. The image becomes a file beside the figure.
func (c *pgfCanvas) DrawImage(r vg.Rectangle, img image.Image) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("plots: " + err.Error()) // a bytes.Buffer takes everything
	}
	suffix := fmt.Sprintf("-%d.png", len(c.images)+1)
	c.images = append(c.images, File{suffix, b.Bytes()})
	size := r.Size()
	c.put(fmt.Sprintf(`\rlap{\includegraphics[width=%gpt,height=%gpt]{%s%s}}`, hundredths(size.X), hundredths(size.Y), c.figure, suffix), 1, r.Min)
}

// write implements textCanvas.
func (c *pgfCanvas) write(line string, sty text.Style, pt vg.Point) error {
	s, err := latex(line)
	if err != nil {
		return err
	}
	switch {
	case sty.XAlign == text.XLeft:
		s = `\rlap{` + s + `}`
	case sty.XAlign == text.XRight:
		s = `\llap{` + s + `}`
	}
	c.put(s, sty.Font.Size, pt)
	return nil
}

// put writes LaTeX whose centre is at a point. vgtex takes the point as the left end of the text as measured by itself.
func (c *pgfCanvas) put(s string, size vg.Length, pt vg.Point) {
	f := font.Face{Font: font.Font{Size: hundredths(size)}, Face: c.face}
	half := f.Width(s) / 2
	c.FillString(f, vg.Point{X: hundredths(pt.X) - half, Y: hundredths(pt.Y)}, s)
}

// latex writes a line with superscripts and subscripts as LaTeX. It returns an error for a character that plain LaTeX cannot
// set.
func latex(line string) (string, error) {
	var b strings.Builder
	for _, s := range spans(line) {
		t, err := latexText(s.text)
		if err != nil {
			return "", err
		}
		switch {
		case s.shift > 0:
			t = `\textsuperscript{` + t + `}`
		case s.shift < 0:
			t = `$_{\textrm{` + t + `}}$`
		}
		b.WriteString(t)
	}
	return b.String(), nil
}

// latexText writes plain text as LaTeX.
func latexText(s string) (string, error) {
	var b strings.Builder
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if i+1 < len(runes) && runes[i+1] == combiningTilde {
			letter, err := latexText(string(r))
			if err != nil {
				return "", err
			}
			b.WriteString(`$\tilde{` + strings.Trim(letter, "$") + `}$`)
			i++
			continue
		}
		switch t, ok := latexOf[r]; {
		case ok:
			b.WriteString(t)
		case r < 0x80 || r >= 0xC0 && r <= 0x17F: // LaTeX's inputenc knows Latin letters
			b.WriteRune(r)
		default:
			return "", fmt.Errorf("the character %q (%U) in %q has no LaTeX here: use another character, or another format", r, r, s)
		}
	}
	return b.String(), nil
}

const combiningTilde = '\u0303'

// latexOf holds the LaTeX of characters that stand for something else in LaTeX, or that its usual fonts do not have.
var latexOf = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '%': `\%`, '&': `\&`, '#': `\#`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `\textasciitilde{}`, '<': `$<$`, '>': `$>$`, '|': `$|$`,
	'−': `$-$`, '×': `$\times$`, '·': `$\cdot$`, '±': `$\pm$`, '≤': `$\leq$`, '≥': `$\geq$`, '≈': `$\approx$`, '≠': `$\neq$`,
	'∞': `$\infty$`, '√': `$\surd$`, '∈': `$\in$`, '→': `$\to$`, '‖': `$\|$`, '′': `$'$`, '…': `\dots{}`, '°': `$^\circ$`, '∑': `$\sum$`,
	'Σ': `$\Sigma$`, '∂': `$\partial$`, '–': `--`, '—': `---`, '’': `'`, '‘': "`", '“': "``", '”': `''`, '\u00a0': `~`, '\u2009': `\,`,
	'⁰': `$^0$`, '¹': `$^1$`, '²': `$^2$`, '³': `$^3$`, '⁴': `$^4$`, '⁵': `$^5$`, '⁶': `$^6$`, '⁷': `$^7$`, '⁸': `$^8$`, '⁹': `$^9$`, '⁻': `$^-$`,
	'₀': `$_0$`, '₁': `$_1$`, '₂': `$_2$`, '₃': `$_3$`, '½': `$\frac12$`, '¼': `$\frac14$`, 'ᵀ': `$^T$`, 'ᵢ': `$_i$`,
	'α': `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`, 'δ': `$\delta$`, 'ε': `$\varepsilon$`, 'ζ': `$\zeta$`, 'η': `$\eta$`, 'θ': `$\theta$`,
	'κ': `$\kappa$`, 'λ': `$\lambda$`, 'μ': `$\mu$`, 'ν': `$\nu$`, 'ξ': `$\xi$`, 'π': `$\pi$`, 'ρ': `$\rho$`, 'σ': `$\sigma$`, 'τ': `$\tau$`,
	'φ': `$\phi$`, 'χ': `$\chi$`, 'ψ': `$\psi$`, 'ω': `$\omega$`, 'Γ': `$\Gamma$`, 'Δ': `$\Delta$`, 'Λ': `$\Lambda$`, 'Φ': `$\Phi$`, 'Ω': `$\Omega$`,
}
