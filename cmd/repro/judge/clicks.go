package judge

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"repro/cmd/repro/local"
	"repro/cmd/repro/terminal"
	"repro/datasets/regular"
	"repro/results/tracing"
)

// clicks is the page in which ticks and curves of a picture are clicked.
//
//go:embed clicks.html clicks.js
var clicks embed.FS

const clicksPolicy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// serveClicks shows that page for a picture until ctx is cancelled.
func serveClicks(ctx context.Context, t *terminal.Terminal, file string) error {
	text, err := regular.Read(file, tracing.MostBytes)
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
	page := func(name string) []byte {
		text, err := fs.ReadFile(clicks, name)
		if err != nil {
			panic("judge: " + err.Error()) // it is part of the program
		}
		return text
	}
	serve("/{$}", "page.html", page("clicks.html"))
	serve("/clicks.js", "clicks.js", page("clicks.js"))
	serve("/figure", "figure.png", picture)
	serve("/name", "name.txt", []byte(file))
	return mux
}
