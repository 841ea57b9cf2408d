package learn

import (
	"context"
	"encoding/csv"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/terminal"
	"repro/docs/lessons"
	"repro/results/printed"
)

func newClass(t *terminal.Terminal, r *lessonRequest) *cobra.Command {
	return &cobra.Command{
		Use:   "class DIR",
		Short: "Judge what a class handed in: a table in CSV",
		Long: `Class reads the files of answers (state.json, or what the page in the browser saves) below DIR, and prints a row for each
prediction and exercise of the lessons in each. It judges as lesson check --answers does; what a file says of its own
answers does not count.

Exit status: 0 all files are judged; 1 some cannot be read, which notes name; 2 a mistake in the arguments; 5 a cell failed.`,
		Example: "  repro lesson class handed-in >class.csv",
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return class(cmd.Context(), t, *r, args[0]) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// class prints a row for each answer in the files below a folder.
func class(ctx context.Context, t *terminal.Terminal, r lessonRequest, dir string) error {
	r.json = true // what runs say goes to standard error
	s, all, err := session(ctx, t, r)
	if err != nil {
		return err
	}
	rows, left := [][]string{{"file", "lesson", "task", "status", "answer", "why", "says"}}, false
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".json") {
			return err
		}
		state, err := readState(path)
		if err != nil {
			t.Note("%v: left out", err)
			left = true
			return nil
		}
		for _, l := range all {
			p := state.Lessons[l.Name]
			if p == nil {
				continue
			}
			results, err := s.GradeState(ctx, l, state)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			for _, test := range results.Tests {
				answer, _, _ := strings.Cut(strings.TrimPrefix(test.Output, "You answered: "), "\nYour reason: ")
				rows = append(rows, []string{path, l.Name, test.Name, test.Status, lessons.PlainText(answer), p.Answers[test.Name].Why, lessons.PlainText(test.Message)})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		for i, text := range row {
			row[i] = inert(strings.Join(strings.Fields(printed.Visible(text)), " "))
		}
	}
	if err := csv.NewWriter(t.Stdout).WriteAll(rows); err != nil {
		return err
	}
	if left {
		return exits.No
	}
	return nil
}

// inert returns a text of a student that no spreadsheet takes for a formula.
func inert(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err != nil && text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}
