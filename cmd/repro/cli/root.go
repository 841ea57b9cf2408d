// Package cli is the command repro: its verbs, flags, output and exit status.
//
// Your own program can offer every verb for your algorithms, data sets, kernels, losses, metrics and specs beside the
// built-in ones: import the packages that register them and call Main.
//
//	package main
//
//	import (
//		"os"
//
//		_ "example.org/mymethods" // registers them
//		"repro/cmd/repro/cli"
//	)
//
//	func main() { os.Exit(cli.Main()) }
package cli

//go:generate go test . -run TestPagesHaveTheScores -update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repro/cmd/repro/cluster"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/guard"
	"repro/cmd/repro/judge"
	"repro/cmd/repro/learn"
	"repro/cmd/repro/look"
	"repro/cmd/repro/machine"
	"repro/cmd/repro/run"
	"repro/cmd/repro/share"
	"repro/cmd/repro/terminal"
	"repro/docs"
	_ "repro/experiments/papers"
	"repro/results/builds"
	"repro/results/printed"
	"repro/runner"
)

// groups are the commands by what people do with them, as the help lists them.
var groups = []struct {
	id, title string
	commands  func(*terminal.Terminal) []*cobra.Command
}{
	{"look", "Look at experiments and their scores:", look.Commands},
	{"run", "Run experiments:", run.Commands},
	{"judge", "Judge what was run:", judge.Commands},
	{"share", "Share results, and check those of others:", share.Commands},
	{"guard", "Guard results against changes of the code:", guard.Commands},
	{"cluster", "Run on several machines:", cluster.Commands},
	{"machine", "Data and this machine:", machine.Commands},
	{"learn", "Learn:", learn.Commands},
}

// first are the commands that the help lists; with the arguments allCommands it lists all.
var (
	first       = []string{"run", "list", "show", "new", "judge", "check", "lesson", "docs"}
	allCommands = []string{"all"}
)

func newRoot(t *terminal.Terminal) *cobra.Command {
	var asked, terms bool // for the version; cobra's own flag would look it up at every start
	root := &cobra.Command{
		Use:         printed.Name(),
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: printed.Program},
		Short:       "Reproduce the experiments of kernel-method papers",
		Long: `repro runs the experiments of published kernel-method papers. A spec file describes each experiment and
the claims of the paper; repro measures the results and decides for every claim whether it holds.

Start with "repro list". "repro run" runs all experiments whose data needs no download, in minutes.`,
		Example: `  repro list                          list the experiments
  repro show dai2014/ridge            show the claims and the setup of an experiment
  repro run dai2014/ridge             run it at profile quick and write out/report.html
  repro new mine                      write a spec of your own to start from
  repro run mine.toml --set problem.nu=1e-4`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asked {
				_, err := fmt.Fprintln(t.Stdout, printed.Name(), builds.Here())
				return err
			}
			if terms {
				text, err := docs.Files.ReadFile("third-party.txt")
				if err != nil {
					return err
				}
				_, err = t.Stdout.Write(text)
				return err
			}
			return cmd.Help()
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(t.Stdout)
	root.SetErr(t.Stderr)
	fitHelp(root, t.Stdout)
	root.PersistentPreRun = func(cmd *cobra.Command, _ []string) {
		printed.Carried = func(verb string) [][]string { return carried(root, cmd, verb) }
	}
	root.Flags().BoolVarP(&asked, "version", "v", false, "print the version and the commit it was built from")
	root.Flags().BoolVar(&terms, "licences", false, "print the terms of the software and fonts of others that repro contains")
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands(t) {
			c.GroupID = g.id
			root.AddCommand(c)
			eachBelow(c, func(c *cobra.Command) { c.Args = inWords(c.Args) })
		}
	}
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Run, help.RunE = nil, func(_ *cobra.Command, args []string) error {
		found, _, err := root.Find(args)
		switch {
		case slices.Equal(args, allCommands):
			root.HelpFunc()(root, args)
			return nil
		case err != nil || found == root && len(args) > 0:
			return unknownCommand(root, args)
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
	eachBelow(root, name)
	return root
}

// short is the help of the program: the commands that one begins with.
func short(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nExamples:\n%s\n\nCommands:\n", root.Long, root.Example)
	for _, name := range first {
		if c, _, err := root.Find([]string{name}); err == nil {
			fmt.Fprintf(&b, "  %-8s %s\n", name, c.Short)
		}
	}
	fmt.Fprintf(&b, "\n%s lists all commands by what they are for, %s explains one.\n\nFlags:\n%s", printed.Command("help all"), printed.Command("COMMAND --help"), root.LocalFlags().FlagUsages())
	return b.String()
}

// choosing are the flags that decide which runs, settings and folders a command is about: the commands that a call prints have them too.
var choosing = []string{"profile", "method", "seeds", "set", "allow-external", "baseline", "log", "out"}

// carried returns the flags given to a command that choose, as far as the command of the verb has them too.
func carried(root, cmd *cobra.Command, verb string) (all [][]string) {
	target, _, err := root.Find(strings.Fields(verb))
	if err != nil {
		return nil
	}
	for _, name := range choosing {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed || target.Flags().Lookup(name) == nil {
			continue
		}
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			for _, text := range v.GetSlice() {
				all = append(all, []string{"--" + name, text})
			}
		default:
			if words := []string{"--" + name, v.String()}; v.Type() == "bool" {
				all = append(all, words[:1]) // no flag of these is on unless it is given
			} else {
				all = append(all, words)
			}
		}
	}
	return all
}

// fitHelp breaks the help of a command and of those below it at words to fit the terminal. That of the root is short unless all commands
// are asked for.
func fitHelp(root *cobra.Command, out *terminal.Output) {
	write := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var help strings.Builder
		cmd.SetOut(&help)
		if cmd == root && !slices.Equal(args, allCommands) {
			help.WriteString(short(root))
		} else {
			write(cmd, args)
		}
		cmd.SetOut(out)
		fmt.Fprint(out, fitted(help.String(), out.Width))
	})
}

// item matches the beginning of an indented line whose text stands in a column of its own, such as that of a flag.
var item = regexp.MustCompile(`^ +\S+(?: \S+)*  +(?:\S)`)

// fitted breaks the lines of a help text that are longer than a width, items below the beginning of their text, and those of
// paragraphs anew. A width below 1 breaks none.
func fitted(help string, width int) string {
	if width <= 0 {
		return help
	}
	paragraphs := strings.Split(help, "\n\n")
	for i, p := range paragraphs {
		if p == strings.TrimLeft(p, " ") && !strings.Contains(p, "\n ") {
			paragraphs[i] = terminal.Filled(p, width)
			continue
		}
		lines := strings.Split(p, "\n")
		for j, line := range lines {
			head := item.FindString(line)
			head = head[:max(0, len(head)-1)]
			lines[j] = terminal.Wrapped(line, width)
			if head != "" {
				lines[j] = terminal.Hung(head, line[len(head):], width)
			}
		}
		paragraphs[i] = strings.Join(lines, "\n")
	}
	return strings.Join(paragraphs, "\n\n")
}

// named matches the name of the program in help texts.
var named = regexp.MustCompile(`(^|[\s"(])repro([\s":;,.)]|$)`)

// name gives the help of a command the name that the program is called by.
func name(cmd *cobra.Command) {
	if printed.Program == "repro" {
		return
	}
	texts := []*string{&cmd.Short, &cmd.Long, &cmd.Example}
	cmd.Flags().VisitAll(func(f *pflag.Flag) { texts = append(texts, &f.Usage) })
	for _, text := range texts {
		*text = named.ReplaceAllString(*text, "${1}"+printed.Program+"${2}")
	}
}

// eachBelow calls do with a command and all below it.
func eachBelow(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, c := range cmd.Commands() {
		eachBelow(c, do)
	}
}

// unknownCommand returns an error for arguments that are not a command.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := "see " + printed.Command("--help")
	if near := printed.Suggest(args[0], names); strings.HasPrefix(near, "did you mean") {
		hint = near
	} else if strings.Contains(args[0], "/") || strings.HasSuffix(args[0], ".toml") {
		hint = fmt.Sprintf("did you mean %q?", printed.Command("run "+args[0]))
	}
	return fmt.Errorf("unknown command %q; %s", args[0], hint)
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

// flagError returns an error of one line about a flag.
func flagError(cmd *cobra.Command, err error) error {
	help := fmt.Sprintf("see %s --help", cmd.CommandPath())
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	var absent *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		if near := nearestFlag(cmd, name); near != "" {
			help = "did you mean --" + near + "?"
		}
		return fmt.Errorf("unknown flag --%s of %s; %s", name, cmd.CommandPath(), help)
	case errors.As(err, &value):
		f := value.GetFlag()
		if flags.Explains(f.Value) {
			return fmt.Errorf("--%s: %w; %s", f.Name, value.Unwrap(), help)
		}
		return fmt.Errorf("--%s: want a value of type %s, got %q; %s", f.Name, f.Value.Type(), value.GetValue(), help)
	case errors.As(err, &absent):
		return fmt.Errorf("--%s: its value is missing; %s", absent.GetFlag().Name, help)
	}
	return fmt.Errorf("%w; %s", err, help)
}

// nearestFlag returns the flag of a command whose name is nearest to a word, by the measure that cobra uses for commands.
func nearestFlag(cmd *cobra.Command, word string) string {
	like := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		like.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if names := like.SuggestionsFor(word); len(names) > 0 {
		return names[0]
	}
	return ""
}

// Main runs the command with the arguments of the process and returns its exit status.
func Main() int {
	runner.AllowGarbage()
	info, _ := debug.ReadBuildInfo()
	printed.Program = printed.ProgramName(os.Args[0], info)
	// The first interrupt ends the command cleanly. After it signals have their usual effect, so that the second one kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return Run(ctx, os.Stdout, os.Stderr, os.Args[1:])
}

// Run runs the command with the given arguments, without the name of the program, and returns its exit status.
func Run(ctx context.Context, stdout, stderr io.Writer, args []string) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // a command with --memory lowers it
	t := terminal.New(stdout, stderr)
	root := newRoot(t)
	root.SetArgs(append([]string{}, args...))
	code := status(ctx, t, root.ExecuteContext(ctx))
	if err := t.Stdout.Flush(); err != nil {
		t.Note("%s: the results could not be printed: %v; free some space, or send them elsewhere", printed.Name(), err)
		code = int(exits.Mistake)
	}
	if t.Stderr.Flush() != nil && code == 0 {
		code = int(exits.Mistake)
	}
	return code
}

// status prints the error of a command and returns the exit status for it.
func status(ctx context.Context, t *terminal.Terminal, err error) int {
	if err == nil {
		return 0
	}
	if s := exits.Status(0); errors.As(err, &s) {
		return int(s)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		t.Note("interrupted; run the same command again to continue")
		return int(exits.Interrupted)
	}
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			t.Stderr.Message("%s: %s", printed.Name(), line)
		}
	}
	return int(exits.Mistake)
}
