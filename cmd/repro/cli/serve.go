package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/datasets/regular"
	"repro/docs"
	"repro/docs/lessons"
	"repro/experiments"
	"repro/plots/site"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/records"
)

func newServe(a *app) *cobra.Command {
	var port int
	var specs []string
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show the report of an output folder in a browser, and follow a run",
		Long: `Serve shows the report of an output folder (out if none is named) in a browser on this machine. While a run
writes records there, serve makes the report again and the page follows. It writes nothing into the folder,
and the folder need not exist yet.

Only this machine can connect: serve listens on 127.0.0.1 and answers no request that names another host.
Ctrl-C ends it.`,
		Example: `  repro serve
  repro serve paper --port 8000
  repro serve --spec mine.toml`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				a.out = args[0]
			}
			return a.serve(cmd.Context(), port, specs)
		},
	}
	a.outFlag(cmd)
	cmd.Flags().Lookup("out").Usage = "the output folder, if no argument names it"
	cmd.Flags().IntVar(&port, "port", 0, "port to listen on; 0 takes a free one")
	cmd.Flags().StringArrayVar(&specs, "spec", nil, "path of a spec of yours whose records the report has, too; may be repeated")
	return cmd
}

// serve shows the report of the output folder until ctx is cancelled.
func (a *app) serve(ctx context.Context, port int, specs []string) error {
	if info, err := os.Stat(a.out); err == nil && !info.IsDir() {
		return fmt.Errorf("serve: %s is a file; give the output folder of a run", a.out)
	}
	l, err := listen("serve", port)
	if err != nil {
		return err
	}
	dir, err := regular.MkdirTemp("repro-serve-*")
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer os.RemoveAll(dir)
	f := newFollower(a, dir, specs)
	a.Stdout.Message("http://%s has the report of %s; Ctrl-C ends it", l.Addr(), a.out)
	over := make(chan struct{})
	go func() {
		defer close(over)
		f.follow(ctx)
	}()
	if err := answer(ctx, l, f.handler()); err != nil {
		return err
	}
	<-over
	return nil
}

// listen opens a port of this machine for a command; 0 takes a free one.
func listen(command string, port int) (net.Listener, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; choose another port with --port", command, err)
	}
	return l, nil
}

// answer answers requests of this machine until ctx is cancelled.
func answer(ctx context.Context, l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// guarded answers only requests to this machine, with headers that keep other pages out.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r) {
			http.Error(w, "this server answers only requests to this machine", http.StatusForbidden)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		h.ServeHTTP(w, r)
	})
}

// loopback reports whether a request names this machine, so that no page of another host can read the report through a name
// that it lets point here.
func loopback(r *http.Request) bool {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// The frame around the report follows the run. The report's own policy lets it load nothing, and it stays as it is in the file.
const (
	framePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>repro</title>
<style>html, body { margin: 0; height: 100% } iframe { border: 0; width: 100%; height: 100% }</style>
<iframe title="report"></iframe>
<script src="/follow.js"></script>
</html>
`
	frameScript = `"use strict";
const frame = document.querySelector("iframe");
let shown;
new EventSource("/events").addEventListener("report", (e) => {
  if (shown === undefined) frame.src = "/report.html" + location.hash;
  else if (shown !== e.data) frame.contentWindow.location.reload();
  shown = e.data;
});
`
	framePolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; frame-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// handler answers the requests of a browser.
func (f *follower) handler() http.Handler {
	mux := http.NewServeMux()
	text := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Security-Policy", framePolicy)
			fmt.Fprint(w, body)
		}
	}
	mux.HandleFunc("GET /{$}", text("text/html; charset=utf-8", framePage))
	mux.HandleFunc("GET /follow.js", text("text/javascript; charset=utf-8", frameScript))
	mux.HandleFunc("GET /events", f.events)
	mux.HandleFunc("GET /report.html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		page, err := os.ReadFile(filepath.Join(f.dir, "report.html"))
		if err != nil {
			fmt.Fprintf(w, "<!doctype html><title>repro</title><p>There are no records in this folder yet; the page follows when a run writes some.</p>\n")
			return
		}
		w.Write(page)
	})
	return guarded(mux)
}

// A follower makes the report of an output folder again whenever its records change.
type follower struct {
	app   *app
	dir   string   // that the report is written to
	specs []string // of the user, besides the catalog
	every time.Duration

	mu      sync.Mutex
	version int           // of the report
	changed chan struct{} // closed when the version changes
	said    []string      // notes, each of which is printed once
}

func newFollower(a *app, dir string, specs []string) *follower {
	own, terminal := *a, *a.Terminal
	own.Terminal = &terminal
	f := &follower{app: &own, dir: dir, specs: specs, every: time.Second, changed: make(chan struct{})}
	own.Say = func(line string) {
		if !slices.Contains(f.said, line) {
			f.said = append(f.said, line)
			a.Note("%s", line)
		}
	}
	return f
}

// follow looks at the records every second until ctx is cancelled. It spends at most a fifth of its time on reports, so
// that a run has the processors.
func (f *follower) follow(ctx context.Context) {
	seen, rest := uint64(0), time.Duration(0)
	for {
		if now := f.state(); now != seen {
			began := time.Now()
			f.make()
			seen, rest = now, 4*time.Since(began)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(f.every, rest)):
			rest = 0
		}
	}
}

// state returns a digest of the names, sizes and times of the records.
func (f *follower) state() uint64 {
	h := fnv.New64a()
	err := filepath.WalkDir(filepath.Join(f.app.out, "records"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil {
			fmt.Fprintln(h, path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(h, err)
	}
	return h.Sum64()
}

// make writes the report of the records that are there, and tells the pages that show it.
func (f *follower) make() {
	if err := f.report(); err != nil {
		f.app.Note("%v", err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *follower) report() error {
	store, err := f.app.open()
	if err != nil {
		return err
	}
	refs, err := f.app.recordedRefs(nil, store)
	if err != nil {
		return err
	}
	if len(f.specs) > 0 {
		own, err := experiments.Resolve(f.specs)
		if err != nil {
			return err
		}
		refs = append(refs, own...)
	}
	var all []claims.Case
	for _, ref := range refs {
		exp, err := f.app.choose(ref, store)
		if err != nil {
			return err
		}
		if len(exp.Records(store.Records)) > 0 && !slices.ContainsFunc(all, func(j claims.Case) bool { return j.ID == exp.ID }) {
			all = append(all, claims.NewCase(exp, store.Records))
		}
	}
	if len(all) == 0 {
		return f.app.nothing(nil)
	}
	to := *f.app
	to.out = f.dir
	_, err = findings.Write(to.out, store, all, to.drawing)
	return err
}

// events tells a page the version of the report, and every later one, as server-sent events.
func (f *follower) events(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no stream", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for {
		f.mu.Lock()
		changed, version := f.changed, f.version
		f.mu.Unlock()
		fmt.Fprintf(w, "event: report\ndata: %d\n\n", version)
		flusher.Flush()
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
	}
}

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
			a.Note("lesson %d: %s", l.Number, l.Title)
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
	a.Note("%d pages written; open %s", len(made), filepath.Join(a.out, "index.html"))
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
		a.Note("%s has lesson %d", w.file, l.Number)
	}
	return nil
}

// showDocs answers requests for pages until ctx is cancelled.
func (a *app) showDocs(ctx context.Context, port int, pages map[string][]byte) error {
	l, err := listen("docs", port)
	if err != nil {
		return err
	}
	a.Stdout.Message("http://%s has the documentation; Ctrl-C ends it", l.Addr())
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
