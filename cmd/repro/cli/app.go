package cli

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/experiments"
	"repro/plots"
	"repro/results/records"
)

// An app is one call of the command, with the values of its flags.
type app struct {
	stdout, stderr *terminal.Output
	stdin          io.Reader // nil if nobody can be asked
	screen         io.Writer // stderr as it is, for progress that draws itself again
	lib            *datasets.Library
	say            func(line string) // prints notes while progress is shown; nil for stderr

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
const defaultProfile = "quick"

// note prints a message that is not a result, on stderr.
func (a *app) note(format string, args ...any) {
	if a.say != nil {
		a.say(fmt.Sprintf(format, args...))
		return
	}
	a.stderr.Message(format, args...)
}

// noteAll prints messages, a line each.
func (a *app) noteAll(lines []string) {
	for _, line := range lines {
		a.note("%s", line)
	}
}

// library returns the data library, whose messages are notes.
func (a *app) library() *datasets.Library {
	if a.lib == nil {
		a.lib = datasets.NewLibrary()
		a.lib.Log = a.note
		a.lib.Memory = int64(a.memory)
	}
	return a.lib
}

// loadOptions are the options of the flags at a profile.
func (a *app) loadOptions(profile string) experiments.LoadOptions {
	return experiments.LoadOptions{Profile: profile, Set: a.set, Methods: a.methods, Seeds: a.seeds}
}

// load loads specs with the values of the flags. The error holds the faults of all specs.
func (a *app) load(refs []experiments.Ref) ([]*experiments.Spec, error) {
	specs, errs := experiments.LoadAll(refs, a.loadOptions(a.profile))
	specs = slices.DeleteFunc(specs, func(s *experiments.Spec) bool { return s == nil })
	var unknown experiments.UnknownProfile
	if len(errs) > 1 && !slices.ContainsFunc(errs, func(err error) bool { return !errors.As(err, &unknown) }) {
		unknown.File = fmt.Sprintf("all of %d specs", len(errs)+len(specs))
		if len(specs) > 0 {
			unknown.File = fmt.Sprintf("%d of %d specs", len(errs), len(errs)+len(specs))
		}
		return nil, unknown
	}
	files := map[string]string{}
	for _, s := range specs {
		if other, ok := files[s.ID]; ok {
			errs = append(errs, fmt.Errorf("%s and %s are both experiment %s; rename one of them, or run them into different folders with --out", other, s.File, s.ID))
		}
		files[s.ID] = s.File
	}
	return specs, errors.Join(errs...)
}

// expand lists the cells of specs in the order they run.
func expand(specs []*experiments.Spec) []experiments.Cell {
	cells := make([][]experiments.Cell, len(specs))
	records.Parallel(len(specs), func(i int) { cells[i] = specs[i].Expand() })
	return slices.Concat(cells...)
}

// tell prints a result on stdout, or on stderr if stdout is for JSON.
func (a *app) tell(format string, args ...any) {
	if a.json {
		a.note(format, args...)
		return
	}
	a.stdout.Message(format, args...)
}

// terminal reports whether notes go to a terminal.
func (a *app) terminal() bool { return a.stderr.Width > 0 }

// Exit statuses. `verify --gate` has more, see claims.Gate.
const (
	statusUnhealthy   = 1  // a check of doctor failed
	statusError       = 2  // usage, a spec, data, or a file that cannot be written
	statusIncomplete  = 4  // there is nothing to judge or to compare
	statusFailed      = 5  // a cell failed
	statusForGood     = 42 // a cell of a shard failed, and would fail again
	statusStopped     = 75 // a run with --shard or --stop-before was stopped, or another process runs the shard; it can continue
	statusInterrupted = 130
)

// An exit is an error that ends the command with a status and prints nothing.
type exit struct{ status int }

func (e exit) Error() string { return fmt.Sprintf("exit status %d", e.status) }

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
