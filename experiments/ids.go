package experiments

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

// idRule tells the user what an id may be.
const idRule = "use up to 100 letters, digits and . _ + , = -, starting with a letter or digit"

// idRune reports whether an id may hold r: file names may hold it on any system.
func idRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._+,=-", r)
}

func validID(id string) bool {
	return id != "" && len(id) <= 100 &&
		strings.IndexFunc(id, func(r rune) bool { return !idRune(r) }) < 0 &&
		!strings.ContainsRune("._+,=-", rune(id[0])) && id[len(id)-1] != '.'
}

// nameOf returns the part of a spec's id that its file gives it.
func nameOf(file string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".toml")
}

// CheckFile returns an error if the name of a spec's file cannot be part of an id, or if its path cannot be printed.
func CheckFile(file string) error {
	if strings.ContainsFunc(file, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fmt.Errorf("%s: the path has invisible characters; rename the file or its folder", quote(file))
	}
	if name := nameOf(file); !validID(name) {
		return fmt.Errorf("%s: %s cannot be part of an id; rename the file: %s", file, quote(name), idRule)
	}
	return nil
}
