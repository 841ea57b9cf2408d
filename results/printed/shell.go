package printed

import (
	"strings"
	"unicode"
)

// ShellWord returns a word as a shell reads it, in quotation marks if it needs them.
func ShellWord(word string) string {
	if strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("-_=./:,+@%", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}
