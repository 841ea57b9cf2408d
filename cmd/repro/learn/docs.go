// Package learn has the verbs to learn from: lesson and docs.
package learn

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"repro/cmd/repro/page"
	"repro/cmd/repro/terminal"
	"repro/docs/lessons"
	"repro/plots/site"
	"repro/results/files"
)

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newLesson(t), newDocs(t)}
}

// A docsRequest is what the flags of docs say. The pages go to Out, or are shown on a port if that is empty.
type docsRequest struct {
	Out  string
	port int
}

func newDocs(t *terminal.Terminal) *cobra.Command {
	var r docsRequest
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Show the documentation in a browser, or write it as pages",
		Long: `Docs shows the whole documentation in a browser on this machine: the pages on the papers, the lessons, the
scoreboard, the reference of specs, the design. With --out it writes them into a folder as a static site. It has a
search, opens from disk and needs no network.

Pages run experiments by a program that docs builds for browsers, which needs Go and the sources of repro. The page of a
lesson asks for predictions, and then runs the lesson in the page. The files of --out work on any web server, below any
path.

Only this machine can connect: docs listens on 127.0.0.1 and answers no request that names another host.
Ctrl-C ends it.`,
		Example: `  repro docs
  repro docs --out site                then open site/index.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return showDocs(cmd.Context(), t, r) },
	}
	cmd.Flags().StringVarP(&r.Out, "out", "o", "", "write the pages into this folder")
	cmd.Flags().IntVar(&r.port, "port", 0, "port to listen on; 0 takes a free one")
	cmd.MarkFlagsMutuallyExclusive("out", "port")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	return cmd
}

// showDocs writes the documentation into the output folder, or shows it until ctx is cancelled.
func showDocs(ctx context.Context, t *terminal.Terminal, r docsRequest) error {
	pages, err := documentation()
	if err != nil {
		return err
	}
	builder, why := page.NewBuilder(ctx)
	all, err := lessons.Read()
	if err != nil {
		return err
	}
	s, err := site.New(pages, all...)
	if err != nil {
		return err
	}
	if why != nil {
		t.Note("the pages run nothing: %v", why)
	}
	p, err := page.Playground(why)
	if err != nil {
		return err
	}
	s.Add(p)
	made, err := s.Pages()
	if err != nil {
		return err
	}
	if r.Out == "" {
		return servePages(ctx, t, r.port, made, builder)
	}
	return writePages(ctx, t, r.Out, made, builder)
}

// writePages writes pages into a folder, with the program that they run.
func writePages(ctx context.Context, t *terminal.Terminal, out string, pages map[string][]byte, builder *page.Builder) error {
	n := len(pages)
	if builder != nil {
		t.Note("building the program that the pages run")
		parts, err := builder.Files(ctx)
		if err != nil {
			return fmt.Errorf("docs: %w", err)
		}
		for name, part := range parts {
			pages["program/"+name] = part
		}
	}
	for name, text := range pages {
		if err := files.Write(out, filepath.Join(out, filepath.FromSlash(name)), text); err != nil {
			return err
		}
	}
	t.Note("%d pages written; open %s", n, filepath.Join(out, "index.html"))
	return nil
}

// servePages answers requests for pages until ctx is cancelled. The program that they run is built when it is first asked for.
func servePages(ctx context.Context, t *terminal.Terminal, port int, pages map[string][]byte, builder *page.Builder) error {
	l, err := page.Listen("docs", port)
	if err != nil {
		return err
	}
	t.Stdout.Message("http://%s has the documentation; Ctrl-C ends it", l.Addr())
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		text, ok := pages[cmp.Or(r.URL.Path[1:], "index.html")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(text)
	})
	if builder != nil {
		program := builder.Handler(ctx, func() { t.Note("building the program that the pages run") })
		mux.Handle("/program/", http.StripPrefix("/program/", program))
	}
	return page.Answer(ctx, l, page.Guarded(mux))
}
