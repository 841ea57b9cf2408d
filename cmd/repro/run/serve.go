package run

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
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/page"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/plots"
	"repro/results/files"
	"repro/results/printed"
)

// A serveRequest is what the flags of serve say.
type serveRequest struct {
	Out   string
	port  int
	specs []string // of the user, besides the catalog
}

func newServe(t *terminal.Terminal) *cobra.Command {
	var r serveRequest
	cmd := &cobra.Command{
		Use:   "serve [DIR] [SPEC.toml...]",
		Short: "Show the report of an output folder in a browser, and follow a run",
		Long: `Serve shows the report of an output folder (out if none is named) in a browser on this machine. While a run
writes records there, the page says how far it is, and follows with the report of what is there. Serve writes nothing into the folder,
and the folder need not exist yet.

Only this machine can connect: serve listens on 127.0.0.1 and answers no request that names another host.
Ctrl-C ends it.`,
		Example: `  repro serve
  repro serve paper --port 8000
  repro serve out mine.toml           with a spec of yours whose records the report shows too`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			isSpec := func(arg string) bool { return strings.HasSuffix(arg, ".toml") }
			dirs := slices.DeleteFunc(slices.Clone(args), isSpec)
			if r.specs = slices.DeleteFunc(args, func(arg string) bool { return !isSpec(arg) }); len(dirs) > 1 {
				return fmt.Errorf("serve: %s are %d folders; serve one", printed.List(dirs), len(dirs))
			}
			r.Out = append(dirs, "out")[0]
			return serve(cmd.Context(), t, r)
		},
	}
	cmd.Flags().IntVar(&r.port, "port", 0, "port to listen on; 0 takes a free one")
	return cmd
}

// serve shows the report of the output folder until ctx is cancelled.
func serve(ctx context.Context, t *terminal.Terminal, r serveRequest) error {
	if info, err := os.Stat(r.Out); err == nil && !info.IsDir() {
		return fmt.Errorf("serve: %s is a file; give the output folder of a run", r.Out)
	}
	l, err := page.Listen("serve", r.port)
	if err != nil {
		return err
	}
	dir, err := files.MkdirTemp("repro-serve-*")
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer os.RemoveAll(dir)
	t.Stdout.Message("http://%s has the report of %s; Ctrl-C ends it", l.Addr(), r.Out)
	return page.Answer(ctx, l, newFollower(t, r, dir).handler())
}

// The frame around the report follows the run. The report's own policy lets it load nothing, and it stays as it is in the file.
const (
	framePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Reproduction report</title>
<style>html, body { margin: 0; height: 100%; color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif } body { display: flex; flex-direction: column } iframe { border: 0; width: 100%; flex: 1 } p { margin: 0; padding: .3rem 1rem } progress { width: 12rem; vertical-align: middle }</style>
<p role="status" hidden><progress max="100" aria-label="progress of the run"></progress> <span></span></p>
<iframe title="report"></iframe>
<script src="/follow.js"></script>
</html>
`
	frameScript = `"use strict";
const frame = document.querySelector("iframe"), status = document.querySelector("p");
let shown;
const ask = async (path, otherwise) => (await fetch(path).then((answer) => answer.text()).catch(() => otherwise));
// tiles returns the tiles of the report by their claim.
const tiles = () => new Map([...(frame.contentDocument?.querySelectorAll("a.tile[href]") ?? [])].map((tile) => [tile.hash, tile]));
// reload shows the next version, and turns the tiles whose verdict is another.
function reload() {
  const before = new Map([...tiles()].map(([claim, tile]) => [claim, tile.textContent]));
  frame.onload = () => tiles().forEach((tile, claim) => before.size && before.get(claim) !== tile.textContent && tile.classList.add("turned"));
  frame.contentWindow.location.reload();
}
async function follow() {
  const [version, progress] = await Promise.all([ask("/version", shown), ask("/progress", "")]);
  status.hidden = !progress;
  status.querySelector("span").textContent = progress;
  status.querySelector("progress").value = parseFloat(progress) || 0;
  if (shown === undefined) frame.src = "/report.html" + location.hash;
  else if (shown !== version) reload();
  shown = version ?? "";
  setTimeout(follow, 1000);
}
follow();
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
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, f.follow()) })
	mux.HandleFunc("GET /progress", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, progressOf(f.r.Out))
	})
	mux.HandleFunc("GET /report.html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("X-Frame-Options", "SAMEORIGIN")
		f.follow()
		page, err := os.ReadFile(filepath.Join(f.dir, "report.html"))
		if err != nil {
			fmt.Fprintf(w, "<!doctype html><title>Reproduction report</title><p>There are no records in this folder yet; the page follows when a run writes some.</p>\n")
			return
		}
		w.Write(page)
	})
	return page.Guarded(mux)
}

// silence is how long a run that says nothing counts as running: it may have been killed.
const silence = time.Minute

// progressOf returns how far the run that writes into a folder is, and nothing if none does.
func progressOf(out string) string {
	path := filepath.Join(out, training.ProgressFile)
	info, err := os.Stat(path)
	if err != nil || time.Since(info.ModTime()) > silence {
		return ""
	}
	line, err := files.ReadRegular(path, 1<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(line))
}

// A follower makes the report of an output folder again whenever a page asks and its records have changed.
type follower struct {
	t   *terminal.Terminal
	r   serveRequest
	dir string // that the report is written to

	mu      sync.Mutex
	version int       // of the report
	seen    uint64    // digest of the records of the last report
	rest    time.Time // until when no other is made
}

func newFollower(t *terminal.Terminal, r serveRequest, dir string) *follower {
	own, said := *t, []string{}
	own.Say = func(line string) { // each once
		if !slices.Contains(said, line) {
			said = append(said, line)
			t.Note("%s", line)
		}
	}
	return &follower{t: &own, r: r, dir: dir}
}

// follow makes the report if the records have changed, and returns its version. It spends at most a fifth of the time on reports,
// so that a run has the processors.
func (f *follower) follow() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	began := time.Now()
	if now := f.state(); now != f.seen && began.After(f.rest) {
		if err := f.report(); err != nil {
			f.t.Note("%v", err)
		} else {
			f.version++
		}
		f.seen, f.rest = now, time.Now().Add(4*time.Since(began))
	}
	return f.version
}

// state returns a digest of the names, sizes and times of the records.
func (f *follower) state() uint64 {
	h := fnv.New64a()
	err := filepath.WalkDir(filepath.Join(f.r.Out, "records"), func(path string, d fs.DirEntry, err error) error {
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

func (f *follower) report() error {
	store, all, err := findings.Recorded(f.t, f.r.Out, flags.Choice{Also: f.r.specs})
	if err != nil {
		return err
	}
	_, err = findings.Write(f.dir, all, store.Warnings, plots.Output{Elsewhere: flags.Elsewhere(f.r.Out)})
	return err
}
