package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repro/datasets"
	"repro/experiments"
)

// An app is one invocation of the command.
type app struct {
	stdout, stderr io.Writer
	width          int  // columns of stdout, 0 if it is no terminal
	terminal       bool // stderr is a terminal
	lib            *datasets.Library
	say            func(line string) // where notes go while progress is shown; nil for stderr

	profile      string
	out          string
	methods, set []string
	seeds        int
	threads      int
	fresh, json  bool

	allowExternal bool // run the programs of external methods
}

// defaultProfile is the one every command takes, unless records decide.
const defaultProfile = "quick"

// note tells the user something that is no result.
func (a *app) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if a.say != nil {
		a.say(line)
		return
	}
	fmt.Fprintln(a.stderr, line)
}

// library returns the data library, whose messages are notes.
func (a *app) library() *datasets.Library {
	if a.lib == nil {
		a.lib = datasets.NewLibrary()
		a.lib.Log = a.note
	}
	return a.lib
}

func newRoot(a *app) *cobra.Command {
	var asked bool // for the version; cobra's own flag would have it looked up at every start
	root := &cobra.Command{
		Use:   "repro",
		Short: "Reproduce the experiments of kernel-method papers",
		Long: `repro runs the experiments of published kernel-method papers from their specs, measures them, and
says for every claim of a paper whether it holds.

Start with "repro list", or run everything that needs no download, in minutes, with "repro run".`,
		Example: `  repro list                          what there is
  repro show dai2014/ridge            what an experiment claims and how it is set up
  repro plan dai2014/ridge            what would run, and how long it would take
  repro run dai2014/ridge             run it at profile quick and write out/report.html
  repro new mine                      write a spec of your own to start from
  repro run mine.toml --set problem.nu=1e-4
  repro verify --gate                 judge the claims; the exit status tells the outcome
  repro bench                         how fast the compute core is on this machine`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asked {
				return a.printVersion()
			}
			return cmd.Help()
		},
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.Flags().BoolVarP(&asked, "version", "v", false, "version for repro")
	root.SetFlagErrorFunc(flagError)
	root.SuggestionsMinimumDistance = 2
	root.AddCommand(
		newList(a), newShow(a), newNew(a), newPlan(a), newRun(a), newReport(a), newVerify(a), newScore(a),
		newFetch(a), newBench(a), newDoctor(a), newSchema(a), newVersion(a),
	)
	return root
}

// unknownCommand refuses arguments that are no command.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see repro --help"
	if names := root.SuggestionsFor(args[0]); len(names) > 0 {
		hint = fmt.Sprintf("did you mean %q?", names[0])
	} else if strings.Contains(args[0], "/") || strings.HasSuffix(args[0], ".toml") {
		hint = fmt.Sprintf("did you mean \"repro run %s\"?", args[0])
	}
	return fmt.Errorf("unknown command %q; %s", args[0], hint)
}

// flagError says in one line what is wrong with a flag.
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
		return fmt.Errorf("--%s: want a value of type %s, got %q; %s", f.Name, f.Value.Type(), value.GetValue(), help)
	case errors.As(err, &absent):
		return fmt.Errorf("--%s: its value is missing; %s", absent.GetFlag().Name, help)
	}
	return fmt.Errorf("%w; %s", err, help)
}

// nearestFlag returns the flag of a command whose name is most like a word, by cobra's own measure
// for commands.
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

// specFlags adds the flags that choose and change what specs ask for. The default profile differs
// from command to command, so it is taken over when the command is known.
func (a *app) specFlags(cmd *cobra.Command, profile string) {
	f := cmd.Flags()
	usage := "size of the experiment: smoke (seconds), quick (minutes) or paper (as published)"
	if profile == "" {
		usage += "; that of the latest records if left out"
	}
	asked := f.String("profile", profile, usage)
	f.StringArrayVar(&a.methods, "method", nil, "only this method; may be repeated")
	f.IntVar(&a.seeds, "seeds", 0, "number of seeds, in place of the spec's")
	f.StringArrayVar(&a.set, "set", nil, "change a value of the spec: path=value, as in problem.nu=1e-4; may be repeated")
	register(cmd, "profile", completeProfiles)
	register(cmd, "method", completeMethods)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		a.profile = *asked
		if f.Changed("seeds") && a.seeds < 1 {
			return fmt.Errorf("--seeds must be 1 or more, got %d", a.seeds)
		}
		if a.threads < 0 {
			return fmt.Errorf("--threads must be 1 or more, or 0 for all processors, got %d", a.threads)
		}
		return nil
	}
}

func (a *app) outFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.out, "out", "out", "output folder: records, figures, tables and the report")
	register(cmd, "out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

func (a *app) threadsFlag(cmd *cobra.Command) {
	cmd.Flags().IntVar(&a.threads, "threads", 0, "processors to use; 0 means all")
}

func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print one JSON array on standard output and nothing else there")
}

// loadOptions are the options of the flags at a profile.
func (a *app) loadOptions(profile string) experiments.LoadOptions {
	return experiments.LoadOptions{Profile: profile, Set: a.set, Methods: a.methods, Seeds: a.seeds}
}

// load reads the specs that arguments name, laid out as the flags say. All that is wrong with any
// of them comes in one error.
func (a *app) load(refs []experiments.Ref) ([]*experiments.Spec, error) {
	var specs []*experiments.Spec
	var errs []error
	files := map[string]string{}
	for _, ref := range refs {
		s, err := experiments.Load(ref, a.loadOptions(a.profile))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if other, ok := files[s.ID]; ok {
			errs = append(errs, fmt.Errorf("%s and %s are both experiment %s; rename one of them, or run them into different folders with --out", other, s.File, s.ID))
		}
		files[s.ID] = s.File
		specs = append(specs, s)
	}
	return specs, errors.Join(errs...)
}

// expand lists the cells of specs in the order they run.
func expand(specs []*experiments.Spec) []experiments.Cell {
	var cells []experiments.Cell
	for _, s := range specs {
		cells = append(cells, s.Expand()...)
	}
	return cells
}
