package plots

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// captionSentences is how many sentences of a caption are not folded.
const captionSentences = 2

var sentenceEnd = regexp.MustCompile(`[.!?][)’”]? +`)

// folded splits a caption after its first sentences.
func folded(text string) (first, rest string) {
	n := 0
	for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
		next, _ := utf8.DecodeRuneInString(text[m[1]:])
		if unicode.IsLower(next) || unicode.IsDigit(next) || abbreviated(text[:m[0]]) {
			continue
		}
		if n++; n == captionSentences {
			return text[:m[1]-1], strings.TrimSpace(text[m[1]:])
		}
	}
	return text, ""
}

// abbreviated reports whether a text ends with a word that is written with a full stop.
func abbreviated(text string) bool {
	word := text[strings.LastIndexAny(text, " (")+1:]
	return slices.Contains([]string{"Fig", "Figs", "Tab", "Tabs", "Sec", "Thm", "Cor", "Prop", "Eq", "Eqs", "Alg", "App", "cf", "vs", "al", "e.g", "i.e", "No"}, word) ||
		(len(word) == 1 && unicode.IsUpper(rune(word[0])))
}
