package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"repro/datasets/regular"
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
	a.stdout.message("http://%s has the report of %s; Ctrl-C ends it", l.Addr(), a.out)
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
