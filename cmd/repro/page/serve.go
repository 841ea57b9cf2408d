//go:build !js

package page

import (
	"context"
	"net/http"
	"sync"

	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/plots/site"
)

// Handler answers requests for the files of the program by their names. It builds them when it is first asked, and calls building then.
func (b *Builder) Handler(ctx context.Context, building func()) http.Handler {
	program := sync.OnceValues(func() (map[string][]byte, error) {
		building()
		return b.Files(ctx)
	})
	kinds := map[string]string{WorkerFile: "text/javascript; charset=utf-8", ModuleFile: "application/gzip"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made, err := program()
		part, ok := made[r.URL.Path]
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case !ok:
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", kinds[r.URL.Path])
			w.Write(part)
		}
	})
}

// Examples lists the experiments of a run without arguments that need no data from elsewhere.
func Examples() ([]site.Example, error) {
	all, err := catalog.Entries()
	if err != nil {
		return nil, err
	}
	var some []site.Example
	for _, e := range all {
		if datasets.Generated(e.Data) && !e.Auxiliary {
			some = append(some, site.Example{ID: e.ID, Title: e.Title})
		}
	}
	return some, nil
}

// Playground returns what a site needs to run experiments. why says what is missing for that.
func Playground(why error) (p site.Program, err error) {
	p.Starter = string(experiments.Starter())
	if why != nil {
		p.Missing = "This copy of the documentation runs nothing: " + why.Error() + "."
	}
	p.Examples, err = Examples()
	return p, err
}
