package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/docs/lessons"
	"repro/results/printed"
)

func newLesson(t *terminal.Terminal) *cobra.Command {
	var r lessonRequest
	r.Library = flags.Library(t)
	cmd := lessonCommand(t, &r)
	cmd.PersistentFlags().StringVar(&r.dir, "dir", lessons.Folder, "folder of your answers, exercises and records")
	cmd.PersistentFlags().BoolVar(&r.json, "json", false, "print JSON on standard output; notes go to standard error")
	cmd.Flags().StringVar(&r.answers, "answers", "", "file of answers, JSON, instead of asking")
	cmd.Flags().BoolVar(&r.notes, "notes", false, "show the notes for instructors, with solutions")
	flags.Complete(cmd, "answers", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
	})

	checking := below(t, &r, "check", "Check the exercise of a lesson", `Check runs the spec that you edited for the exercise of a lesson, in --dir, and says whether it solves the task.
If not, it says what is wrong with it, where that is a mistake that the lesson knows.

Exit status: 0 solved; 1 not solved; 2 a mistake in the arguments; 3 the file is as it was; with --json, 0 in all of
these cases but 2; 5 a cell failed.

With --answers it judges a file of answers instead: state.json of any folder, or what the page in the browser saves. It runs the
lesson, and the exercise as the file has it.`, check)
	checking.Flags().StringVar(&r.graded, "answers", "", "judge the predictions and the exercise of this file")
	cmd.AddCommand(checking,
		newClass(t, &r),
		below(t, &r, "reset", "Begin a lesson again", "Reset removes your answers to a lesson and its records. It keeps your exercise as a file whose name ends in .bak.", reset),
	)
	return cmd
}

// lessonCommand returns the command without its flags.
func lessonCommand(t *terminal.Terminal, r *lessonRequest) *cobra.Command {
	return &cobra.Command{
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
  repro lesson class handed-in        for lecturers: judge a folder of files of answers
  repro lesson 1 --notes              notes for instructors, with the wrong answers to expect`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeLessons,
		RunE:              func(cmd *cobra.Command, args []string) error { return lesson(cmd.Context(), t, *r, args) },
	}
}

// below returns a command below lesson about one lesson.
func below(t *terminal.Terminal, r *lessonRequest, use, short, long string,

	do func(context.Context, *terminal.Terminal, lessonRequest, *lessons.Session, *lessons.Lesson) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " NUMBER", Short: short, Long: long, Args: cobra.ExactArgs(1), ValidArgsFunction: completeLessons,
		Example: "  repro lesson " + use + " 1",
		RunE: func(cmd *cobra.Command, args []string) error {
			s, all, err := session(cmd.Context(), t, *r)
			if err != nil {
				return err
			}
			l, err := pick(all, args[0])
			if err != nil {
				return err
			}
			return do(cmd.Context(), t, *r, s, l)
		},
	}
}

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
	return nil, fmt.Errorf("unknown lesson %q; %s", arg, printed.Suggest(arg, names))
}

// completeLessons completes the numbers of lessons.
func completeLessons(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	all, err := lessons.Read()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, l := range all {
		words = append(words, cobra.CompletionWithDesc(strconv.Itoa(l.Number), l.Title))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// lesson lists the lessons or walks through one.
func lesson(ctx context.Context, t *terminal.Terminal, r lessonRequest, args []string) error {
	s, all, err := session(ctx, t, r)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return listLessons(t, r, s, all)
	}
	l, err := pick(all, args[0])
	switch {
	case err != nil:
		return err
	case r.notes:
		return s.Notes(l)
	case r.answers != "":
		if s.Answers, err = readAnswers(r.answers); err != nil {
			return err
		}
	}
	return walk(ctx, t, r, s, l)
}

// walk walks through a lesson, and ends with the status of its answers.
func walk(ctx context.Context, t *terminal.Terminal, r lessonRequest, s *lessons.Session, l *lessons.Lesson) error {
	results, err := s.Walk(ctx, l)
	asked := errors.Is(err, lessons.ErrAsked)
	switch {
	case err != nil && !asked:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if r.json {
		return terminal.PrintJSON(t.Stdout, results)
	}
	if asked && s.Answers == nil && t.Stdin == nil {
		t.Note("nobody can answer here: run it in a terminal, or write the answers into a file: %s (see %s)", s.State.Command(fmt.Sprint(l.Number, " --answers FILE.json")), printed.Command("lesson --help"))
	}
	switch {
	case asked && t.Stdin != nil && s.Answers == nil:
		t.Note("the answers so far are kept; %s continues", s.State.Command(strconv.Itoa(l.Number)))
	case asked:
		return exits.Undecided
	case s.Answers != nil && !results.Passed():
		return exits.No
	}
	return nextLesson(t, s, l)
}

// nextLesson says what comes after a lesson that is done.
func nextLesson(t *terminal.Terminal, s *lessons.Session, l *lessons.Lesson) error {
	all, err := lessons.Read()
	if err == nil && s.State.Summary(l).State == "done" && l.Number < len(all) {
		t.Stdout.Message("Next: %s", s.State.Command(strconv.Itoa(l.Number+1)))
	}
	return err
}

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
func listLessons(t *terminal.Terminal, r lessonRequest, s *lessons.Session, all []*lessons.Lesson) error {
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
	if r.json {
		return terminal.PrintJSON(t.Stdout, terminal.OrEmpty(lines))
	}
	t.Stdout.Table(terminal.Table{Head: []string{"no", "lesson", "reading", "computing", "state", "right", "score", "exercise"}, Rows: rows, Right: []int{1, 3, 4, 7}, Wrap: 2})
	t.Stdout.Message("%s, %d minutes. Next: %s", printed.Count(len(all), "lesson"), minutes, s.State.Command(strconv.Itoa(max(next, 1))))
	return nil
}

func check(ctx context.Context, t *terminal.Terminal, r lessonRequest, s *lessons.Session, l *lessons.Lesson) error {
	if r.graded != "" {
		return gradeFile(ctx, t, r, s, l, r.graded)
	}
	results, untouched, err := s.Grade(ctx, l)
	switch {
	case err != nil:
		return err
	case r.json:
		return terminal.PrintJSON(t.Stdout, results)
	case untouched:
		return exits.Undecided
	case !results.Passed():
		return exits.No
	}
	return nextLesson(t, s, l)
}

// gradeFile judges one student's file.
func gradeFile(ctx context.Context, t *terminal.Terminal, r lessonRequest, s *lessons.Session, l *lessons.Lesson, file string) error {
	state, err := readState(file)
	if err != nil {
		return err
	}
	results, err := s.GradeState(ctx, l, state)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", file, err)
	case r.json:
		return terminal.PrintJSON(t.Stdout, results)
	}
	for _, test := range results.Tests {
		t.Stdout.Message("%-6s%s: %s", test.Status, test.Name, lessons.PlainText(test.Message))
	}
	if !results.Passed() {
		return exits.No
	}
	return nil
}

// reset forgets what the learner did of a lesson.
func reset(_ context.Context, t *terminal.Terminal, _ lessonRequest, s *lessons.Session, l *lessons.Lesson) error {
	kept, err := s.Reset(l)
	if err == nil && kept != "" {
		t.Note("your exercise is now %s", kept)
	}
	return err
}
