package cli

import (
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/plots"
)

// An app is one call of the command, with the values of its flags.
type app struct {
	*terminal.Terminal
	lib *datasets.Library

	profile      string
	out          string
	methods, set []string
	seeds        int
	threads      int
	memory       sizeFlag // that a cell may need; 0 if the flag is not given
	fresh, json  bool
	verbose      bool
	quiet        bool // shows of a run only how far it is, and what failed: a lesson says the rest

	shard, stopBefore string // values of the flags

	allowExternal bool // run the programs of external methods
	download      bool // fetch missing data before a run

	drawing plots.Output // how figures are drawn
}

// defaultProfile is the profile of every command, unless it takes the profile of records.
const defaultProfile = flags.Usual

// library returns the data library, whose messages are notes.
func (a *app) library() *datasets.Library {
	if a.lib == nil {
		a.lib = flags.Library(a.Terminal)
		a.lib.Memory = int64(a.memory)
	}
	return a.lib
}

// choice is what the flags choose, with arguments.
func (a *app) choice(args []string) flags.Choice {
	return flags.Choice{Args: args, Profile: a.profile, Methods: a.methods, Set: a.set, Seeds: a.seeds}
}

func (a *app) loadOptions(profile string) experiments.LoadOptions {
	return a.choice(nil).LoadOptions(profile)
}

func (a *app) load(refs []experiments.Ref) ([]*experiments.Spec, error) {
	return a.choice(nil).Load(refs)
}
