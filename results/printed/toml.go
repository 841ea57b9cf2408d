package printed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
