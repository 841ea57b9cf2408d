package experiments

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// Every name of every list has a line that fits a terminal.
func TestTerms(t *testing.T) {
	for _, v := range Vocabularies {
		assert.NotEmpty(t, v.Terms(), v.Key)
		for _, term := range v.Terms() {
			assert.NotEmpty(t, term.Doc, "%s %s", v.Key, term.Name)
			if v.Key != "metrics" {
				assert.LessOrEqual(t, utf8.RuneCountInString(term.Doc), 110, "%s %s", v.Key, term.Name)
			}
		}
	}
}

// termsOf lists the names of a vocabulary.
func termsOf(key string) []Term {
	i := slices.IndexFunc(Vocabularies, func(v Vocabulary) bool { return v.Key == key })
	return Vocabularies[i].Terms()
}
