package judge

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"net/http"
	"time"

	"repro/cmd/repro/local"
	"repro/cmd/repro/terminal"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/tracing"
)

// The page in which ticks and curves of a picture are clicked.
var (
	//go:embed clicks.html
	clicksPage []byte
	//go:embed clicks.js
	clicksScript []byte
)

const clicksPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveClicks shows that page for a picture until ctx is cancelled.
func serveClicks(ctx context.Context, t *terminal.Terminal, file string) error {
	text, err := files.ReadRegular(file, tracing.MostBytes)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(text, []byte("\x89PNG")) {
		return errors.New("--serve is for pictures: " + file + " is no PNG")
	}
	l, err := local.Listen("trace", 0)
	if err != nil {
		return err
	}
	t.Stdout.Message("http://%s shows %s; click its ticks and curves there. Ctrl-C ends it", l.Addr(), file)
	return local.Answer(ctx, l, local.Guarded(clicksHandler(file, text)))
}

func clicksHandler(file string, picture []byte) http.Handler {
	mux := http.NewServeMux()
	serve := func(path, name string, text []byte) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Security-Policy", clicksPolicy)
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
		})
	}
	serve("/{$}", "page.html", clicksPage)
	serve("/clicks.js", "clicks.js", clicksScript)
	serve("/figure", "figure.png", picture)
	serve("/name", "name.txt", []byte(file))
	serve("/command", "command.txt", []byte(printed.Command("trace")))
	return mux
}
