package datasets

import (
	"context"
	"fmt"
	"slices"
)

// keepSets is how many loaded sets stay in memory when nobody uses them.
const keepSets = 4

// loaded is a set in memory, or on its way there.
type loaded struct {
	key  string
	turn chan struct{} // of one, who loads the set or looks for it
	set  *Set          // nil if it is not loaded
}

// shared returns the set load makes, which it calls once for equal options however many ask. A failure is not kept: the next who
// asks, or has waited, tries again.
func (l *Library) shared(ctx context.Context, o Options, dir string, load func() (*Set, error)) (*Set, error) {
	e := l.entry(fmt.Sprintf("%q %#v", dir, o))
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.turn }()
	if e.set == nil {
		set, err := load()
		if err != nil {
			return nil, err
		}
		e.set = set
	}
	set := *e.set
	return &set, nil
}

// entry returns the entry of key, which becomes the most recently used one.
func (l *Library) entry(key string) *loaded {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &loaded{key: key, turn: make(chan struct{}, 1)}
	if i := slices.IndexFunc(l.loading, func(e *loaded) bool { return e.key == key }); i >= 0 {
		e = l.loading[i]
		l.loading = slices.Delete(l.loading, i, i+1)
	}
	l.loading = append(l.loading, e)
	if len(l.loading) > keepSets {
		l.loading = slices.Delete(l.loading, 0, 1)
	}
	return e
}
