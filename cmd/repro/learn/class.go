package learn

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/docs/lessons"
	"repro/plots/site"
	"repro/results/files"
	"repro/results/printed"
)

// A classRequest is what the flags of lesson class say.
type classRequest struct {
	key, csv, html string // files
	why            bool
}

func newClass(t *terminal.Terminal, r *lessonRequest) *cobra.Command {
	var c classRequest
	cmd := &cobra.Command{
		Use:   "class DIR",
		Short: "Judge what a class handed in: a table, a page, the reasons",
		Long: `Class reads the files of answers (state.json, or what the page in the browser saves) below DIR, runs each lesson that
somebody began once with the seeds of the class, and judges all answers by it. What a file says of its own answers does
not count. Of each prediction counts the last answer before what was measured was shown; repeated and late answers are
counted beside it.

With --key, the file that repro lesson key wrote, it checks the signatures. Files that are no files of answers, belong to
another class or were edited after they were signed are listed; the first two are left out.

Exit status: 0 all files count; 1 some are left out or edited; 2 a mistake in the arguments; 5 a cell failed.`,
		Example: `  repro lesson class handed-in                          who predicted what, and which wrong answers
  repro lesson class handed-in --key 2026a.key          checks the signatures
  repro lesson class handed-in --html class.html --csv class.csv
  repro lesson class handed-in --why                    also lists the reasons
  repro lesson 3 --slides slides.html --poll handed-in  slides that show how the room predicted`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return class(cmd.Context(), t, *r, c, args[0]) },
	}
	cmd.Flags().StringVar(&c.key, "key", "", "file with the secret of the class, which checks the signatures")
	cmd.Flags().StringVar(&c.csv, "csv", "", "write a row for every prediction of every student into this file")
	cmd.Flags().StringVar(&c.html, "html", "", "write a page into this file")
	cmd.Flags().BoolVar(&c.why, "why", false, "list the reasons")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	return cmd
}

// judgedClass reads what a class handed in, and judges its answers to some lessons. The runs are in the folder that it returns: a folder of
// the class's own, because a folder of answers keeps its class.
func judgedClass(ctx context.Context, t *terminal.Terminal, r lessonRequest, ls []*lessons.Lesson, dir, key string) (c *lessons.Class, runs string, err error) {
	var secret lessons.Secret
	if key != "" {
		if secret, err = lessons.ReadSecret(key); err != nil {
			return nil, "", err
		}
	}
	name, _, _ := strings.Cut(r.class, ":")
	if c, err = lessons.ReadClass(dir, name, secret); err != nil {
		return nil, "", err
	}
	runs = filepath.Join(r.dir, "class-"+url.PathEscape(c.Name))
	return c, runs, c.Judge(ctx, ls, trainer(t, r.Options), runs)
}

func class(ctx context.Context, t *terminal.Terminal, r lessonRequest, q classRequest, dir string) error {
	all, err := lessons.Read()
	if err != nil {
		return err
	}
	c, _, err := judgedClass(ctx, t, r, all, dir, q.key)
	if err != nil {
		return err
	}
	for file, write := range map[string]func(*lessons.Class) ([]byte, error){q.csv: classCSV, q.html: site.Class} {
		if file == "" {
			continue
		}
		text, err := write(c)
		if err == nil {
			err = files.Write(filepath.Dir(file), file, text)
		}
		if err != nil {
			return err
		}
		t.Note("%s has %s", file, printed.Count(len(c.Students), "student"))
	}
	wrong := len(c.Left) > 0
	for _, s := range c.Students {
		wrong = wrong || s.Signed == lessons.Edited
	}
	if r.json {
		err = terminal.PrintJSON(t.Stdout, c)
	} else {
		showClass(t.Stdout, c, q.why)
	}
	if err == nil && wrong {
		err = exits.No
	}
	return err
}

// showClass prints the students, the questions, the reasons, and the files that do not count.
func showClass(o *terminal.Output, c *lessons.Class, why bool) {
	var rows [][]string
	for _, s := range c.Students {
		for _, l := range s.Lessons {
			exercise := "open"
			if l.Solved {
				exercise = "solved"
			}
			rows = append(rows, []string{s.Name, strconv.Itoa(l.Number), fmt.Sprintf("%d of %d", l.Predicted, l.Asked), strconv.Itoa(l.Right), strconv.Itoa(l.Attempts),
				fmt.Sprintf("%.0f min", l.Seconds/60), strconv.Itoa(l.Hints), exercise, s.Signed})
		}
		if s.Lessons == nil {
			rows = append(rows, []string{s.Name, "-", "nothing", "", "", "", "", "", s.Signed})
		}
	}
	o.Table(terminal.Table{Head: []string{"student", "lesson", "predicted", "right", "attempts", "time", "hints", "exercise", "signature"}, Rows: rows, Right: []int{2, 4, 5, 6, 7}, Wrap: 1})
	for _, q := range c.Questions {
		if q.Answered == 0 {
			continue
		}
		o.Message("")
		o.Paragraph("Lesson %d, %s: %d of %d right. %s", q.Number, q.ID, q.Right, q.Answered, lessons.PlainText(q.Question))
		for _, g := range q.Answers {
			mark := "wrong"
			if g.Right {
				mark = "right"
			}
			o.Message("  %3d  %s  %s", g.Count, mark, lessons.PlainText(g.Words))
		}
		for _, w := range q.Whys {
			if why {
				o.Message("       %s (%s, %s): %s", w.Name, lessons.PlainText(w.Words), w.Outcome, w.Why)
			}
		}
	}
	for _, s := range c.Students {
		if s.Signed == lessons.Edited {
			o.Message("%s: changed since it was signed, or signed with another key or for another name", s.File)
		}
	}
	for _, l := range c.Left {
		o.Message("%s: left out: %s", l.File, l.Reason)
	}
}

// classCSV writes a row for every prediction of every student.
func classCSV(c *lessons.Class) ([]byte, error) {
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	rows := [][]string{{"student", "file", "signature", "lesson", "prediction", "outcome", "score", "attempts", "seconds", "answer", "listed", "why"}}
	for _, s := range c.Students {
		for _, l := range s.Lessons {
			for _, p := range l.Predictions {
				why := ""
				if p.Answer != nil {
					why = p.Answer.Why
				}
				rows = append(rows, []string{inert(s.Name), inert(s.File), s.Signed, l.Lesson, p.ID, p.Outcome, printed.Number(p.Part), strconv.Itoa(p.Attempts),
					printed.Number(p.Seconds), inert(lessons.PlainText(p.Words)), strconv.Itoa(p.Listed), inert(printed.Visible(why))})
			}
		}
	}
	err := out.WriteAll(rows)
	return b.Bytes(), err
}

// inert returns a text of a student that no spreadsheet takes for a formula.
func inert(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

func newKey(t *terminal.Terminal, r *lessonRequest) *cobra.Command {
	var roster, file string
	cmd := &cobra.Command{
		Use:   "key CLASS",
		Short: "Make the secret of a class, and the keys and links of its students",
		Long: `Key writes the secret of a class into a file that only you keep, CLASS.key, unless it is there, and prints what the
students type or follow. The files of answers are then signed, and repro lesson class --key CLASS.key says which of them
were edited.

Without names all students have one key, the key of the class: an edit with an editor shows, but whoever has the key can sign
anything in any name. With --names, a file with a name a line, every student has a key of their own and cannot sign in
another's name. In no case does a signature show that a student really thought what the file says, because the program
signs where the student works: keep the files as they were handed in, and a later edit shows.`,
		Example: `  repro lesson key 2026a                       one key for the class
  repro lesson key 2026a --names roster.txt    a key for each student`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return makeKeys(t, *r, args[0], roster, file) },
	}
	cmd.Flags().StringVar(&roster, "names", "", "file with the name of a student on each line")
	cmd.Flags().StringVar(&file, "key", "", "file of the secret; CLASS.key if left out")
	return cmd
}

// An Invitation is what a student needs to sign.
type invitation struct {
	Name     string `json:"name,omitempty"`
	Class    string `json:"class"` // for --class
	Fragment string `json:"fragment"`
}

// makeKeys prints the keys of a class.
func makeKeys(t *terminal.Terminal, r lessonRequest, class, roster, file string) error {
	if class == "" || strings.ContainsAny(class, ":/\\") {
		return fmt.Errorf("a class is called by a word without a colon or a slash, such as 2026a; got %q", class)
	}
	if file == "" {
		file = class + ".key"
	}
	secret, err := lessons.ReadSecret(file)
	if errors.Is(err, fs.ErrNotExist) {
		secret = lessons.NewSecret()
		if err = writeSecret(file, secret); err == nil {
			t.Note("%s has the secret of the class: keep it, and give it to nobody", file)
		}
	}
	if err != nil {
		return err
	}
	invite := func(name string, key []byte) invitation {
		word := class + ":" + lessons.FormatKey(key)
		v := url.Values{"class": {word}}
		if name != "" {
			v.Set("name", name)
		}
		return invitation{name, word, "#" + v.Encode()}
	}
	all := []invitation{invite("", secret.ClassKey(class))}
	if roster != "" {
		text, err := files.Read(roster)
		if err != nil {
			return err
		}
		all = nil
		for line := range strings.Lines(string(text)) {
			if name := strings.TrimSpace(line); name != "" {
				all = append(all, invite(name, secret.StudentKey(class, name)))
			}
		}
		if all == nil {
			return fmt.Errorf("%s has no names; write one on each line", roster)
		}
	}
	if r.json {
		return terminal.PrintJSON(t.Stdout, all)
	}
	for _, i := range all {
		name := printed.ShellWord(i.Name)
		if i.Name == "" {
			name = "'YOUR NAME'"
		}
		t.Stdout.Message("%s", printed.Command(fmt.Sprintf("lesson 1 --class %s --name %s", printed.ShellWord(i.Class), name)))
		t.Stdout.Message("  in a browser, after the address of a lesson: %s", i.Fragment)
	}
	return nil
}

// writeSecret writes a secret into a new file that only its owner can read.
func writeSecret(file string, secret lessons.Secret) error {
	return files.New(file, []byte(lessons.FormatKey(secret)+"\n"), 0o600)
}

// gradeFile judges one student's file.
func gradeFile(ctx context.Context, t *terminal.Terminal, r lessonRequest, s *lessons.Session, l *lessons.Lesson, file string) error {
	text, err := files.Read(file)
	if err != nil {
		return err
	}
	results, err := s.GradeFile(ctx, l, text)
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

// classFlags adds what lesson has for classes.
func classFlags(t *terminal.Terminal, cmd *cobra.Command, r *lessonRequest) {
	cmd.PersistentFlags().StringVar(&r.class, "class", "", "name of a class, which has random seeds of its own, or NAME:KEY to sign; kept in the folder")
	cmd.PersistentFlags().StringVar(&r.name, "name", "", "your name, in the file that you hand in; kept in the folder")
	cmd.Flags().StringVar(&r.poll, "poll", "", "folder of files of answers, which the slides show question by question")
	flags.Complete(cmd, "poll", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
	cmd.AddCommand(newClass(t, r), newKey(t, r))
}
