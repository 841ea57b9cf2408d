package cli

import (
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"repro/experiments"
)

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
	own := *a
	f := &follower{app: &own, dir: dir, specs: specs, every: time.Second, changed: make(chan struct{})}
	own.say = func(line string) {
		if !slices.Contains(f.said, line) {
			f.said = append(f.said, line)
			a.note("%s", line)
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
		f.app.note("%v", err)
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
	var all []judged
	for _, ref := range refs {
		exp, err := f.app.choose(ref, store)
		if err != nil {
			return err
		}
		if len(exp.Records(store.Records)) > 0 && !slices.ContainsFunc(all, func(j judged) bool { return j.exp.ID == exp.ID }) {
			all = append(all, judge(exp, store))
		}
	}
	if len(all) == 0 {
		return f.app.nothing(nil)
	}
	to := *f.app
	to.out = f.dir
	_, err = to.writeReport(store, all)
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
