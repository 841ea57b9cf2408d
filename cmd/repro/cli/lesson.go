package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/docs"
	"repro/docs/lessons"
	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
)

// A lessonOrder is what the flags of lesson say.
type lessonOrder struct {
	dir, class, answers string
	html, slides        string // files to write
	notes               bool
}

func newLesson(a *app) *cobra.Command {
	var o lessonOrder
	cmd := &cobra.Command{
		Use:   "lesson [NUMBER]",
		Short: "Predict, run and check: lessons on kernel methods",
		Long: `Lesson lists the lessons; with a number it walks through one of them. A lesson asks what you expect, runs an
experiment that takes seconds, and shows your prediction over what was measured. Then it asks what happens if the
theorem's conditions are violated, and has an exercise: a spec to edit.

The score of a prediction is 1 up to the accepted distance from what was measured and falls to 0 at four times that
distance. You can stop anywhere; the same command continues. Your answers, records and exercises are in --dir, apart from the
records of repro run. The keys are worked out from your own records.

Without a terminal the answers come from a file, --answers: an object with one member for each prediction, such as
{"slope": {"choice": 2, "why": "…"}, "cost": {"number": 4}, "rank": {"order": [2, 1, 3]}, "curve": {"draw": [1, 0.5, 0.25]}}.
With --json the predictions are tests in Exercism's results.json, version 3, and the exit status is 0.

Exit status: 0 the walk has reached the end, and all answers of --answers are right; 1 one of them is wrong; 2 a
mistake in the arguments or a file; 3 the lesson waits for an answer; 5 a cell failed; 130 interrupted.`,
		Example: `  repro lesson                        list the lessons and how far you are
  repro lesson 1                      begin lesson 1, or continue it
  repro lesson check 1                check its exercise
  repro lesson hint 1                 help with the next question
  repro lesson 1 --class 2026a        with random seeds of its own for each class
  repro lesson 1 --html lesson.html   run it and write it as a page that asks and then shows
  repro lesson 1 --slides slides.html the same as slides, with speaker notes
  repro lesson 1 --notes              notes for instructors, with the wrong answers to expect`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeLessons,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.lesson(cmd.Context(), args, o) },
	}
	cmd.PersistentFlags().StringVar(&o.dir, "dir", lessons.Folder, "folder of your answers, exercises and records")
	cmd.PersistentFlags().StringVar(&o.class, "class", "", "name of a class, which has random seeds of its own; kept in the folder")
	cmd.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON on standard output; notes go to standard error")
	cmd.PersistentFlags().IntVar(&a.threads, "threads", 0, "number of processors to use; 0 means all")
	cmd.Flags().StringVar(&o.answers, "answers", "", "file of answers, JSON, instead of asking")
	cmd.Flags().StringVar(&o.html, "html", "", "run the lesson and write it into this file, as a page that asks and then shows")
	cmd.Flags().StringVar(&o.slides, "slides", "", "run the lesson and write it into this file, as slides with speaker notes")
	cmd.Flags().BoolVar(&o.notes, "notes", false, "show the notes for instructors, with solutions")
	register(cmd, "answers", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
	})

	one := func(use, short, long string, do func(context.Context, *lessons.Session, *lessons.Lesson) error) *cobra.Command {
		return &cobra.Command{
			Use: use + " NUMBER", Short: short, Long: long, Args: cobra.ExactArgs(1), ValidArgsFunction: completeLessons,
			Example: "  repro lesson " + use + " 1",
			RunE: func(cmd *cobra.Command, args []string) error {
				s, all, err := a.session(cmd.Context(), o)
				if err != nil {
					return err
				}
				l, err := pick(all, args[0])
				if err != nil {
					return err
				}
				return do(cmd.Context(), s, l)
			},
		}
	}
	cmd.AddCommand(
		one("check", "Check the exercise of a lesson", `Check runs the spec that you edited for the exercise of a lesson, in --dir, and says whether it solves the task.
If not, it says what is wrong with it, where that is a mistake that the lesson knows.

Exit status: 0 solved; 1 not solved; 2 a mistake in the arguments; 3 the file is as it was; with --json, 0 in all of
these cases but 2; 5 a cell failed.`, a.checkLesson),
		one("hint", "Show a hint for the next question of a lesson", "Hint shows help that does not give the answer away, for the first question without an answer, or for the exercise.",
			func(_ context.Context, s *lessons.Session, l *lessons.Lesson) error { return s.Hint(l) }),
		one("reset", "Begin a lesson again", "Reset removes your answers to a lesson and its records. It keeps your exercise as a file whose name ends in .bak.", a.resetLesson),
	)
	return cmd
}

// readLessons reads the lessons of the program.
func readLessons() ([]*lessons.Lesson, error) { return lessons.Read(docs.Files) }

// pick returns the lesson that an argument names: by its number or its name.
func pick(all []*lessons.Lesson, arg string) (*lessons.Lesson, error) {
	n, err := strconv.Atoi(arg)
	var names []string
	for _, l := range all {
		if err == nil && l.Number == n || l.Name == arg {
			return l, nil
		}
		names = append(names, l.Name)
	}
	if err == nil {
		return nil, fmt.Errorf("there is no lesson %d; %s lists the %s there are", n, printed.Command("lesson"), printed.Count(len(all), "lesson"))
	}
	return nil, fmt.Errorf("unknown lesson %q; %s", arg, experiments.Suggest(arg, names))
}

// completeLessons completes the numbers of lessons.
func completeLessons(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := readLessons()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, l := range all {
		words = append(words, cobra.CompletionWithDesc(strconv.Itoa(l.Number), l.Title))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// session opens the learner's folder.
func (a *app) session(ctx context.Context, o lessonOrder) (*lessons.Session, []*lessons.Lesson, error) {
	if a.threads < 0 {
		return nil, nil, fmt.Errorf("--threads must be 1 or more, or 0 for all processors, got %d", a.threads)
	}
	all, err := readLessons()
	if err != nil {
		return nil, nil, err
	}
	to := a.Stdout
	if a.json {
		to = a.Stderr
	}
	screen := &lessonScreen{Output: to, ctx: ctx}
	if a.Stdin != nil && !a.json {
		screen.lines = bufio.NewScanner(a.Stdin)
	}
	s, err := lessons.Open(o.dir, o.class, screen, a.trainLesson)
	return s, all, err
}

// trainLesson runs the spec of a lesson as run does, into a folder of its own.
func (a *app) trainLesson(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error) {
	own := *a
	own.out, own.profile, own.quiet = out, s.Profile, true
	specs := []*experiments.Spec{s}
	all, err := own.order(nil).Train(ctx, own.Terminal, specs, training.Expand(specs))
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(all, func(r training.Ran) bool { return r.Status == records.Failed }) {
		training.TellCells(own.Terminal, all)
		return nil, exits.Failed
	}
	return own.open()
}

// lesson lists the lessons or walks through one.
func (a *app) lesson(ctx context.Context, args []string, o lessonOrder) error {
	s, all, err := a.session(ctx, o)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return a.listLessons(s, all)
	}
	l, err := pick(all, args[0])
	switch {
	case err != nil:
		return err
	case o.notes:
		return s.Notes(l)
	case o.html != "" || o.slides != "":
		return a.writeLesson(ctx, l, s.State.Class, o)
	case o.answers != "":
		if s.Answers, err = readAnswers(o.answers); err != nil {
			return err
		}
	}
	results, err := s.Walk(ctx, l)
	asked := errors.Is(err, lessons.ErrAsked)
	switch {
	case err != nil && !asked:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if a.json {
		return terminal.PrintJSON(a.Stdout, results)
	}
	if asked && s.Answers == nil && a.Stdin == nil {
		a.Note("nobody can answer here: run it in a terminal, or write the answers into a file: %s (see %s)", s.State.Command(fmt.Sprint(l.Number, " --answers FILE.json")), printed.Command("lesson --help"))
	}
	switch {
	case asked && a.Stdin != nil && s.Answers == nil:
		a.Note("the answers so far are kept; %s continues", s.State.Command(strconv.Itoa(l.Number)))
	case asked:
		return exits.Asked
	case s.Answers != nil && !results.Passed():
		return exits.Status(1)
	}
	return a.nextLesson(s, l)
}

// nextLesson says what comes after a lesson that is done.
func (a *app) nextLesson(s *lessons.Session, l *lessons.Lesson) error {
	all, err := readLessons()
	if err == nil && s.State.Summary(l).State == "done" && l.Number < len(all) {
		a.Stdout.Message("Next: %s", s.State.Command(strconv.Itoa(l.Number+1)))
	}
	return err
}

// readAnswers reads a file of answers.
func readAnswers(file string) (map[string]lessons.Answer, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	answers := map[string]lessons.Answer{}
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&answers); err != nil {
		return nil, fmt.Errorf("%s: %w; want an object with one member for each prediction, see %s", file, err, printed.Command("lesson --help"))
	}
	return answers, nil
}

// listLessons prints a line for each lesson.
func (a *app) listLessons(s *lessons.Session, all []*lessons.Lesson) error {
	var lines []lessons.Summary
	var rows [][]string
	minutes, next := 0, 0
	for _, l := range all {
		line := s.State.Summary(l)
		lines = append(lines, line)
		minutes += l.Minutes
		if line.State != "done" && next == 0 {
			next = l.Number
		}
		exercise := "open"
		if line.Solved {
			exercise = "solved"
		}
		rows = append(rows, []string{strconv.Itoa(l.Number), l.Title, fmt.Sprintf("%d min", l.Minutes), fmt.Sprintf("%.0f s", line.Seconds), line.State,
			fmt.Sprintf("%d of %d", line.Right, line.Asked), fmt.Sprintf("%.0f %%", 100*line.Score), exercise})
	}
	if a.json {
		return terminal.PrintJSON(a.Stdout, terminal.OrEmpty(lines))
	}
	a.Stdout.Table(terminal.Table{Head: []string{"no", "lesson", "reading", "computing", "state", "right", "score", "exercise"}, Rows: rows, Right: []int{1, 3, 4, 7}, Wrap: 2})
	a.Stdout.Message("%s, %d minutes. Next: %s", printed.Count(len(all), "lesson"), minutes, s.State.Command(strconv.Itoa(max(next, 1))))
	return nil
}

// checkLesson checks the exercise of a lesson.
func (a *app) checkLesson(ctx context.Context, s *lessons.Session, l *lessons.Lesson) error {
	results, untouched, err := s.Grade(ctx, l)
	switch {
	case err != nil:
		return err
	case a.json:
		return terminal.PrintJSON(a.Stdout, results)
	case untouched:
		return exits.Asked
	case !results.Passed():
		return exits.Status(1)
	}
	return a.nextLesson(s, l)
}

// resetLesson forgets what the learner did of a lesson.
func (a *app) resetLesson(_ context.Context, s *lessons.Session, l *lessons.Lesson) error {
	kept, err := s.Reset(l)
	if err == nil && kept != "" {
		a.Note("your exercise is now %s", kept)
	}
	return err
}

// A lessonScreen shows a lesson on an output and reads answers from a terminal.
type lessonScreen struct {
	*terminal.Output
	ctx   context.Context
	lines *bufio.Scanner // nil if nobody can be asked
	below bool           // a heading was the last that was shown
}

// columns is the width that text is broken at: that of the terminal, but at most 100, and 80 elsewhere.
func (s *lessonScreen) columns() int {
	if s.Width > 0 {
		return min(s.Width, 100)
	}
	return 80
}

func (s *lessonScreen) Heading(text string) {
	s.Painted("\n" + s.Paint(terminal.Bold, terminal.Broken(text, s.columns(), "")))
	s.below = true
}

func (s *lessonScreen) Line(text string) { s.show(terminal.Broken(text, s.columns(), "")) }

// show prints lines.
func (s *lessonScreen) show(text string) {
	s.Painted(printed.Visible(text))
	s.below = false
}

// gap prints an empty line, unless a heading is above.
func (s *lessonScreen) gap() {
	if !s.below {
		s.Painted("")
	}
}

func (s *lessonScreen) Text(markdown string) {
	for _, b := range lessons.Plain(markdown) {
		if b.Kind != lessons.Bullet {
			s.gap()
		}
		switch b.Kind {
		case lessons.Title:
			s.Painted(s.Paint(terminal.Bold, b.Text))
			s.below = true
		case lessons.Verbatim, lessons.Table:
			s.show(strings.TrimRight(b.Text, "\n"))
		case lessons.Quote:
			s.show(terminal.Broken("    "+b.Text, s.columns(), ""))
		case lessons.Bullet:
			s.show(terminal.Broken(b.Text, s.columns(), "  "))
		default:
			s.Line(b.Text)
		}
	}
}

func (s *lessonScreen) Chart(c lessons.Chart) {
	var lines []terminal.ChartLine
	for _, l := range c.Lines {
		line := terminal.ChartLine{Label: l.Label}
		for i := range l.X {
			line.X, line.Y = append(line.X, onAxis(c.LogX, l.X[i])), append(line.Y, onAxis(c.LogY, l.Y[i]))
		}
		if len(line.X) > 1 {
			lines = append(lines, line)
		}
	}
	scale := map[[2]bool]string{{true, true}: ", both logarithmic", {true, false}: ", the latter logarithmic", {false, true}: ", the former logarithmic"}
	if text := s.Plot(c.Title, c.Y+" against "+c.X+scale[[2]bool{c.LogX, c.LogY}], lines, c.LogX, c.LogY); text != "" {
		s.gap()
		s.Painted(text)
		s.below = false
	}
}

// onAxis returns a number as its place on an axis.
func onAxis(log bool, v float64) float64 {
	if log {
		return math.Log10(v)
	}
	return v
}

func (s *lessonScreen) Ask(prompt string) (string, bool) {
	if s.lines == nil {
		return "", false
	}
	fmt.Fprint(s, "\n"+prompt)
	s.below = false
	typed := make(chan bool, 1)
	go func() { typed <- s.lines.Scan() }() // ends with the process if the learner interrupts
	select {
	case ok := <-typed:
		if !ok {
			s.Painted("") // below the prompt
		}
		return s.lines.Text(), ok
	case <-s.ctx.Done():
		s.Painted("")
		return "", false
	}
}
