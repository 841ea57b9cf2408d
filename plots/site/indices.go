package site

import (
	"bytes"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// index is an index of a single letter, as in γ_t, λ_12 and f_*.
var index = regexp.MustCompile(`(?:^|[^\pL\pN_])\pL\x{0302}?_(\pN+|\pL|\*)`)

// asIs are the elements whose text stays as it is.
var asIs = []string{"code", "pre", "script", "style", "svg", "textarea", "title", "option"}

// indices writes the indices in the text of a page as subscripts.
func indices(page []byte) []byte {
	var b bytes.Buffer
	z := html.NewTokenizer(bytes.NewReader(page))
	depth := 0
	for {
		kind := z.Next()
		raw := slices.Clone(z.Raw())
		switch kind {
		case html.ErrorToken: // the end: the page is ours
			return b.Bytes()
		case html.StartTagToken, html.EndTagToken:
			if name, _ := z.TagName(); slices.Contains(asIs, string(name)) {
				depth += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
			}
		case html.TextToken:
			if depth == 0 {
				raw = subscripts(raw)
			}
		}
		b.Write(raw)
	}
}

// subscripts writes the indices of a text as subscripts. Names such as t_part stay.
func subscripts(text []byte) []byte {
	var out []byte
	last := 0
	for _, at := range index.FindAllSubmatchIndex(text, -1) {
		if next, _ := utf8.DecodeRune(text[at[1]:]); next == '_' || unicode.IsLetter(next) || unicode.IsDigit(next) {
			continue
		}
		out = append(out, text[last:at[2]-1]...)
		out = append(append(append(out, "<sub>"...), text[at[2]:at[3]]...), "</sub>"...)
		last = at[1]
	}
	return append(out, text[last:]...)
}
