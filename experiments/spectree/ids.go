package spectree

import (
	"strings"
)

// IDRule tells the user what an id may be.
const IDRule = "use up to 100 letters, digits and . _ + , = -, starting with a letter or digit"

// idRune reports whether an id may hold r: file names may hold it on any system.
func idRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._+,=-", r)
}

// ValidID reports whether a text can be one part of an id, such as the name of a spec or a method.
func ValidID(id string) bool {
	return id != "" && len(id) <= 100 &&
		strings.IndexFunc(id, func(r rune) bool { return !idRune(r) }) < 0 &&
		!strings.ContainsRune("._+,=-", rune(id[0])) && id[len(id)-1] != '.'
}
