package printed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Harmful reports whether a character acts on a terminal instead of being shown: the control characters (C0, DEL and C1)
// except newline and tab, and those that change the direction of text.
func Harmful(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, 0x7f <= r && r <= 0x9f:
		return true
	}
	return r == 0x061c || r == 0x200e || r == 0x200f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}

// Visible returns s with every Harmful character written as its number, such as \u001b, which is also how JSON writes it. The
// end of a line may be \r\n. Bytes that are not UTF-8 become the replacement character.
func Visible(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, Harmful) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		if !Harmful(r) || r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// LaTeX writes plain text as LaTeX. It leaves characters that plain LaTeX cannot set as they are, and returns the first of
// them, 0 if there is none.
func LaTeX(text string) (latex string, strange rune) {
	var b strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		if i+1 < len(runes) && runes[i+1] == combiningTilde {
			letter, unknown := LaTeX(string(r))
			if strange == 0 {
				strange = unknown
			}
			b.WriteString(`$\tilde{` + strings.Trim(letter, "$") + `}$`)
			i++
			continue
		}
		t, ok := latexOf[r]
		if !ok {
			t = string(r)
			if strange == 0 && r >= 0x80 && (r < 0xC0 || r > 0x17F) { // LaTeX's inputenc knows Latin letters
				strange = r
			}
		}
		b.WriteString(t)
	}
	return b.String(), strange
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
	'φ': `$\phi$`, 'χ': `$\chi$`, 'ψ': `$\psi$`, 'ω': `$\omega$`, 'Γ': `$\Gamma$`, 'Θ': `$\Theta$`, 'Δ': `$\Delta$`, 'Λ': `$\Lambda$`, 'Φ': `$\Phi$`, 'Ω': `$\Omega$`,
}

// TOML writes a string of TOML.
func TOML(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b) // its escapes are those of TOML
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic("printed: a string is not JSON: " + err.Error())
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\x7f", `\u007f`)
}

// Distinct returns an id that differs from those taken, in more than the case of its letters: figures are files of these names.
func Distinct(id string, taken []string) string {
	for base, i := id, 2; slices.ContainsFunc(taken, func(other string) bool { return strings.EqualFold(id, other) }); i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	return id
}
