package cli

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

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

// add adds commands below another one. Each has variables of its own: a flag writes its default into its variable when it is
// made, and would write it into that of other commands.
func (a *app) add(to *cobra.Command, commands ...func(*app) *cobra.Command) (added []*cobra.Command) {
	for _, command := range commands {
		own := *a
		c := command(&own)
		c.Args = inWords(c.Args)
		to.AddCommand(c)
		added = append(added, c)
	}
	return added
}

// counted matches the errors of cobra's checks of numbers of arguments.
var counted = regexp.MustCompile(`^(accepts|requires) |^unknown command`)

// inWords returns a check of arguments whose errors about their number show how the command is used.
func inWords(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		switch {
		case err == nil || !counted.MatchString(err.Error()):
			return err
		case len(args) == 0:
			return fmt.Errorf("%s needs an argument; write %s", cmd.CommandPath(), cmd.UseLine())
		}
		return fmt.Errorf("%s has an argument too many: %q; write %s", cmd.CommandPath(), args[len(args)-1], cmd.UseLine())
	}
}
