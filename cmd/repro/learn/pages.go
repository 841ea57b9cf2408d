package learn

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/docs"
	"repro/docs/lessons"
	"repro/experiments"
	"repro/plots/site"
	"repro/results/builds"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// frontPage is where the documentation begins outside a checkout of repro.
const frontPage = `# repro

repro reproduces the experiments of published papers on kernel methods and says of every number, curve and statement whether
it holds.

- [Start here](docs/start.md): install, first run, the report, your own spec, method and curves
- [Lessons](docs/lessons/README.md): predict, run, check
- [The scoreboard](docs/scoreboard.md): what was reproduced at the published sizes
- [The spec format](docs/spec.md): describe an experiment of your own
- [Verdicts](docs/verdicts.md): how claims are judged
- [Architecture](docs/architecture.md): how it is built
`

// topPages returns the pages in the top folder of the checkout of repro that has the working directory, and frontPage where
// there is none.
func topPages() (site.Files, error) {
	root, module := builds.Checkout()
	if module != builds.Repro() {
		return site.Files{"README.md": []byte(frontPage)}, nil
	}
	files := site.Files{}
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

// documentation returns the Markdown that comes with repro, and the scoreboard of the shipped verdicts.
func documentation() (site.Files, error) {
	files, err := topPages()
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	err = fs.WalkDir(docs.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".md", ".svg", ".png"}, path.Ext(name)) {
			return err
		}
		files[path.Join("docs", name)], err = fs.ReadFile(docs.Files, name)
		return err
	})
	board, wrong := findings.Shipped([]string{"*/*"})
	if err := errors.Join(err, wrong); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	all, err := lessons.Read()
	if err != nil {
		return nil, err
	}
	for _, l := range all {
		files[l.File] = []byte(l.Text)
	}
	files["docs/scoreboard.md"] = []byte("# Scoreboard\n\nThe verdicts of the runs at the published size that come with the program.\n\n" + strings.ReplaceAll(board.Markdown(), "](docs/", "]("))
	return files, nil
}

// trainer returns what runs the spec of a lesson as run does, into a folder of its own.
func trainer(t *terminal.Terminal, o runner.Options) lessons.Trainer {
	return func(ctx context.Context, s *experiments.Spec, out string) (*records.Store, error) {
		r := training.Order{Choice: flags.Choice{Profile: s.Profile}, Options: o, Quiet: true}
		r.Out = out
		specs := []*experiments.Spec{s}
		all, err := r.Train(ctx, t, specs, training.Expand(specs))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, func(r training.Ran) bool { return r.Status == records.Failed }) {
			training.TellCells(t, all, nil)
			return nil, exits.Failed
		}
		return flags.Open(t, out)
	}
}

// A lessonRequest is what the flags of lesson say.
type lessonRequest struct {
	runner.Options
	json         bool
	dir, answers string
	graded       string // file of answers that check judges
	notes        bool
}

// session opens the learner's folder.
func session(ctx context.Context, t *terminal.Terminal, r lessonRequest) (*lessons.Session, []*lessons.Lesson, error) {
	all, err := lessons.Read()
	if err != nil {
		return nil, nil, err
	}
	to := t.Stdout
	if r.json {
		to = t.Stderr
	}
	screen := &lessonScreen{Output: to, ctx: ctx}
	if t.Stdin != nil && !r.json {
		screen.lines = bufio.NewScanner(t.Stdin)
	}
	s, err := lessons.Open(r.dir, screen, trainer(t, r.Options))
	return s, all, err
}

// largestAnswers bounds a student's file, in bytes; one has some 10 kB.
const largestAnswers = 1 << 20

// readState reads a student's file.
func readState(path string) (*lessons.State, error) {
	text, err := files.ReadRegular(path, largestAnswers)
	if err != nil {
		return nil, err
	}
	state, err := lessons.ReadState(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", path, printed.Visible(err.Error()))
	}
	return state, nil
}
