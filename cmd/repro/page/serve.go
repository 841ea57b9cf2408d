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
	var mu sync.Mutex
	var program map[string][]byte
	kinds := map[string]string{WorkerFile: "text/javascript; charset=utf-8", ModuleFile: "application/gzip"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if program == nil {
			building()
			made, err := b.Files(ctx)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			program = made
		}
		part, ok := program[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kinds[r.URL.Path])
		w.Write(part)
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
