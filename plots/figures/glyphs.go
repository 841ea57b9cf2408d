package figures

import (
	"fmt"
	"strings"
	"sync"

	"codeberg.org/go-fonts/dejavu/dejavusans"
	"golang.org/x/image/font/sfnt"
)

// DejaVu parses the embedded font of the figures once.
var DejaVu = sync.OnceValues(func() (*sfnt.Font, error) {
	face, err := sfnt.Parse(dejavusans.TTF)
	if err != nil {
		return nil, fmt.Errorf("embedded font: %w", err)
	}
	return face, nil
})

// Glyph returns the glyph of a character of a line, or an error if the font has none. buf may be nil.
func Glyph(face *sfnt.Font, buf *sfnt.Buffer, r rune, line string) (sfnt.GlyphIndex, error) {
	glyph, err := face.GlyphIndex(buf, r)
	if err == nil && glyph == 0 {
		err = fmt.Errorf("the figure font DejaVu Sans has no glyph for %q (%U) in %q: use another character", r, r, line)
	}
	return glyph, err
}

// Drawable returns an error that names the first character of a text that figures cannot show, nil if there is none. A text
// may have several lines.
func Drawable(text string) error {
	face, err := DejaVu()
	if err != nil {
		return err
	}
	for _, r := range text {
		if r == '\n' {
			continue
		}
		if _, err := Glyph(face, nil, r, text); err != nil {
			return err
		}
	}
	return nil
}

// spelt replaces the characters of a text that figures cannot show by their code points. It is for values, such as paths of
// files, which must be shown whatever they are.
func spelt(text string) string {
	var b strings.Builder
	for _, r := range text {
		if Drawable(string(r)) == nil {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "%U", r)
		}
	}
	return b.String()
}
