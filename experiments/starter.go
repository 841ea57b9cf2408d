package experiments

import (
	"bytes"
	_ "embed" // for starter.toml

	"repro/results/printed"
)

//go:embed starter.toml
var starter []byte

// Starter returns the text of a small commented spec that runs in seconds on generated data, to copy and change.
func Starter() []byte {
	return bytes.ReplaceAll(starter, []byte("repro "), []byte(printed.Command("")))
}
