package site

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// What becomes small: the first group.
var (
	index = regexp.MustCompile(`(?:(?:^|[^\pL\pN_])\pL|\p{Greek})\x{0302}?_(\pN+|\pL|\*|\([^()\s]{1,12}\))`) // of a single letter, as in γ_t, λ_12, f_* and λ_(k+1)
	power = regexp.MustCompile(`[\pL\pN)>]\^(-?\pN+(?:\.\pN+)?|\pL|\([^()\s]{1,12}\))`)                      // as in n^1.5 and t^(-1/2)
)

// asIs are the elements whose text stays as it is.
var asIs = []string{"code", "pre", "script", "style", "svg", "textarea", "title", "option"}

// indices writes the indices in the text of a page as subscripts, and powers as superscripts.
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
				raw = shrunk(shrunk(raw, index, "sub"), power, "sup")
			}
		}
		b.Write(raw)
	}
}

// shrunk puts the first group of every match into an element, in place of the sign before it and of brackets around it. Names such
// as t_part stay.
func shrunk(text []byte, pattern *regexp.Regexp, element string) []byte {
	var out []byte
	last := 0
	for _, at := range pattern.FindAllSubmatchIndex(text, -1) {
		small := text[at[2]:at[3]]
		if small[0] == '(' {
			small = small[1 : len(small)-1]
		} else if next, _ := utf8.DecodeRune(text[at[1]:]); next == '_' || unicode.IsLetter(next) || unicode.IsDigit(next) {
			continue
		}
		out = append(out, text[last:at[2]-1]...)
		out = fmt.Appendf(out, "<%s>%s</%[1]s>", element, bytes.ReplaceAll(small, []byte("-"), []byte("−")))
		last = at[1]
	}
	return append(out, text[last:]...)
}
