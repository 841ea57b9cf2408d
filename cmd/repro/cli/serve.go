package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/local"
	"repro/datasets/regular"
	"repro/experiments"
	"repro/results/claims"
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
	l, err := local.Listen("serve", port)
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
	if err := local.Answer(ctx, l, f.handler()); err != nil {
		return err
	}
	<-over
	return nil
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
	return local.Guarded(mux)
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
