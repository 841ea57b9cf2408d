package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/docs"
	"repro/docs/lessons"
	"repro/experiments"
	"repro/plots/site"
	"repro/results/files"
	"repro/results/records"
)

func newDocs(a *app) *cobra.Command {
	var port int
	var dir string
	var run bool
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Show the documentation in a browser, or write it as pages",
		Long: `Docs shows the whole documentation in a browser on this machine: the pages on the papers, the lessons, the
scoreboard, the reference of specs, the design. With --out it writes them into a folder as a static site. It has a
search, opens from disk and needs no network.

The page of a lesson asks for predictions and then shows what was measured, if the lesson has run in --dir (see
repro lesson); --lessons runs all lessons that have not, in minutes.

Only this machine can connect: docs listens on 127.0.0.1 and answers no request that names another host.
Ctrl-C ends it.`,
		Example: `  repro docs
  repro docs --out site                then open site/index.html
  repro docs --out site --lessons      with the measured answers of all lessons`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.docs(cmd.Context(), port, dir, run) },
	}
	cmd.Flags().StringVarP(&a.out, "out", "o", "", "write the pages into this folder")
	cmd.Flags().IntVar(&port, "port", 0, "port to listen on; 0 takes a free one")
	cmd.Flags().BoolVar(&run, "lessons", false, "run the lessons that have not run")
	cmd.Flags().StringVar(&dir, "dir", "lessons-work", "folder of the records of lessons")
	cmd.Flags().IntVar(&a.threads, "threads", 0, "number of processors to use; 0 means all")
	cmd.MarkFlagsMutuallyExclusive("out", "port")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cobra.CheckErr(cmd.MarkFlagDirname("dir"))
	return cmd
}

// docs writes the documentation into the output folder, or shows it until ctx is cancelled. It runs lessons if run is true.
func (a *app) docs(ctx context.Context, port int, dir string, run bool) error {
	pages, err := documentation()
	if err != nil {
		return err
	}
	all, err := readLessons()
	if err != nil {
		return err
	}
	state, err := lessons.OpenState(dir)
	if err != nil {
		return err
	}
	var shown []*site.Lesson
	for _, l := range all {
		train := recordedLesson
		if run {
			a.note("lesson %d: %s", l.Number, l.Title)
			train = a.trainLesson
		}
		page, err := measuredLesson(ctx, l, train, dir, state.Class)
		if errors.Is(err, errNotMeasured) {
			page, err = &site.Lesson{Lesson: l}, nil
		}
		if err != nil {
			return err
		}
		shown = append(shown, page)
	}
	s, err := site.New(pages, shown...)
	if err != nil {
		return err
	}
	made, err := s.Pages()
	if err != nil {
		return err
	}
	if a.out == "" {
		return a.showDocs(ctx, port, made)
	}
	for name, page := range made {
		if err := files.Write(a.out, filepath.Join(a.out, filepath.FromSlash(name)), page); err != nil {
			return err
		}
	}
	a.note("%d pages written; open %s", len(made), filepath.Join(a.out, "index.html"))
	return nil
}

// errNotMeasured says that a lesson has not run.
var errNotMeasured = errors.New("the lesson has not run")

// recordedLesson returns the records of a lesson's run, and runs nothing.
func recordedLesson(_ context.Context, s *experiments.Spec, out string) (*records.Store, error) {
	store, err := records.Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotMeasured
	}
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	for _, r := range s.Experiment().Records(store.Records) {
		done[r.Header.Digest] = r.Status().Complete()
	}
	for _, c := range s.Expand() {
		if !done[c.Digest] {
			return nil, errNotMeasured
		}
	}
	return store, nil
}

// measuredLesson returns a lesson with the records of its runs in a learner's folder, with the seeds of a class.
func measuredLesson(ctx context.Context, l *lessons.Lesson, train lessons.Trainer, dir, class string) (*site.Lesson, error) {
	runs, err := l.Execute(ctx, train, dir, class)
	return &site.Lesson{Lesson: l, Runs: runs, Dir: dir}, err
}

// writeLesson runs a lesson and writes its page and its slides into the files that are named.
func (a *app) writeLesson(ctx context.Context, l *lessons.Lesson, class string, o lessonOrder) error {
	pages, err := documentation()
	if err != nil {
		return err
	}
	page, err := measuredLesson(ctx, l, a.trainLesson, o.dir, class)
	if err != nil {
		return err
	}
	for _, w := range []struct {
		file string
		make func(site.Files, *site.Lesson) ([]byte, error)
	}{{o.html, site.Alone}, {o.slides, site.Slides}} {
		if w.file == "" {
			continue
		}
		text, err := w.make(pages, page)
		if err != nil {
			return err
		}
		if err := files.Write(filepath.Dir(w.file), w.file, text); err != nil {
			return err
		}
		a.note("%s has lesson %d", w.file, l.Number)
	}
	return nil
}

// showDocs answers requests for pages until ctx is cancelled.
func (a *app) showDocs(ctx context.Context, port int, pages map[string][]byte) error {
	l, err := listen("docs", port)
	if err != nil {
		return err
	}
	a.stdout.message("http://%s has the documentation; Ctrl-C ends it", l.Addr())
	return answer(ctx, l, guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[1:]
		if name == "" {
			name = "index.html"
		}
		page, ok := pages[name]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page)
	})))
}

// frontPage is where the documentation begins outside a checkout of repro.
const frontPage = `# repro

repro reproduces the experiments of published papers on kernel methods and says of every number, curve and statement whether
it holds.

- [Lessons](docs/lessons/README.md): predict, run, check
- [The scoreboard](docs/scoreboard.md): what was reproduced at the published sizes
- [The spec format](docs/spec.md): describe an experiment of your own
- [Verdicts](docs/verdicts.md): how claims are judged
- [Architecture](docs/architecture.md): how it is built
`

// topPages returns the pages in the top folder of the checkout of repro that has the working directory, and frontPage where
// there is none.
func topPages() (site.Files, error) {
	module := strings.TrimSuffix(reflect.TypeFor[app]().PkgPath(), "/cmd/repro/cli")
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		mod, missing := os.ReadFile(filepath.Join(dir, "go.mod"))
		if missing == nil && strings.HasPrefix(string(mod), "module "+module+"\n") {
			break
		}
		if dir == filepath.Dir(dir) {
			return site.Files{"README.md": []byte(frontPage)}, nil
		}
	}
	files := site.Files{}
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		if err == nil {
			files[name], err = os.ReadFile(filepath.Join(dir, name))
		}
	}
	return files, err
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
	board, wrong := shippedScoreboard(nil)
	if err := errors.Join(err, wrong); err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	files["docs/scoreboard.md"] = []byte("# Scoreboard\n\nThe verdicts of the runs at the published size that come with the program.\n\n" + strings.ReplaceAll(board.markdown(), "](docs/", "]("))
	return files, nil
}
