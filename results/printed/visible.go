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

// TOML writes a string of TOML.
func TOML(s string) string {
	text, err := JSON(s, "") // its escapes are those of TOML
	if err != nil {
		panic("printed: a string is not JSON: " + err.Error())
	}
	return strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\x7f", `\u007f`)
}

// JSON returns v as JSON with a newline behind it, on one line if there is no indent, with <, > and & as they are.
func JSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Distinct returns an id that differs from those taken, in more than the case of its letters: figures are files of these names.
func Distinct(id string, taken []string) string {
	for base, i := id, 2; slices.ContainsFunc(taken, func(other string) bool { return strings.EqualFold(id, other) }); i++ {
		id = fmt.Sprintf("%s-%d", base, i)
	}
	return id
}
