package experiments

import (
	"bytes"
	_ "embed" // for starter.toml
	"fmt"

	"repro/experiments/spectree"
	"repro/results/printed"
)

//go:embed starter.toml
var starter []byte

// StarterOver returns the text of a small commented spec over a base, with which name.toml begins.
func StarterOver(base *Spec, name string) []byte {
	spec, method := printed.Command("show "+name+".toml --toml"), base.Methods[0].ID
	return fmt.Appendf(nil, `base = %q # all that is not said here is as there; %s prints the whole
paper = "own" # the experiment is own/%s
title = "Mine, over %s"
repeat.seeds = %d # change what you want: data.train, budget.epochs, method.%s.batch; docs/spec.md has all keys
# without = ["method.%s"] # leaves something out
`, base.ID, spec, name, base.ID, base.Repeat.Seeds, spectree.QuoteKey(method), spectree.QuoteKey(method))
}

// Starter returns the text of a small commented spec that runs in seconds on generated data, to copy and change.
func Starter() []byte {
	return bytes.ReplaceAll(starter, []byte("repro "), []byte(printed.Command("")))
}
