package datasets

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// keepSets is how many loaded sets stay in memory when nobody uses them.
const keepSets = 4

// loaded is a set in memory, or on its way there until done is closed.
type loaded struct {
	done chan struct{}
	set  *Set
	err  error
}

// shared returns the set load makes, which it calls once for equal options however many ask. A
// failure is not kept.
func (l *Library) shared(ctx context.Context, o Options, dir string, load func() (*Set, error)) (*Set, error) {
	key := fmt.Sprintf("%q %#v", dir, o)
	for {
		e, mine := l.entry(key)
		if mine {
			l.fill(key, e, load)
		}
		select {
		case <-e.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		cancelled := errors.Is(e.err, context.Canceled) || errors.Is(e.err, context.DeadlineExceeded)
		if cancelled && !mine && ctx.Err() == nil {
			continue // the caller who was loading gave up; this one has not
		}
		if e.err != nil {
			return nil, e.err
		}
		set := *e.set
		return &set, nil
	}
}

// fill makes the set of an entry, and lets those waiting for it go on even if load panics.
func (l *Library) fill(key string, e *loaded, load func() (*Set, error)) {
	e.err = errors.New("loading broke off")
	defer func() {
		if e.err != nil {
			l.forget(key, e)
		}
		close(e.done)
	}()
	e.set, e.err = load()
}

// entry returns the entry of key, and whether the caller has to fill it.
func (l *Library) entry(key string) (e *loaded, mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loading == nil {
		l.loading = map[string]*loaded{}
	}
	l.recent = append(slices.DeleteFunc(l.recent, func(k string) bool { return k == key }), key)
	if e, ok := l.loading[key]; ok {
		return e, false
	}
	if len(l.recent) > keepSets {
		delete(l.loading, l.recent[0])
		l.recent = l.recent[1:]
	}
	e = &loaded{done: make(chan struct{})}
	l.loading[key] = e
	return e, true
}

// forget removes an entry, unless another has taken its place.
func (l *Library) forget(key string, e *loaded) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loading[key] == e {
		delete(l.loading, key)
		l.recent = slices.DeleteFunc(l.recent, func(k string) bool { return k == key })
	}
}
