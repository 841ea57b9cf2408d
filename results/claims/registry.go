package claims

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
)

// A Registry holds the kinds of tables of specs that become a T, by name. Several goroutines may use it at a time.
type Registry[Kind, T any] struct {
	Package string // "claims"
	Noun    string // "claim"

	lock  sync.RWMutex
	kinds map[string]*Kind
}

// Add adds a kind that lists keys. It panics if the name is taken, or if tables that become a T cannot have one of the keys.
func (r *Registry[Kind, T]) Add(name string, k *Kind, keys []string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.kinds[name] != nil {
		panic(fmt.Sprintf("%s: kind %q is registered twice", r.Package, name))
	}
	for _, key := range keys {
		if !isKey[T](key) {
			panic(fmt.Sprintf("%s: kind %q lists the key %q, which no %s has", r.Package, name, key, r.Noun))
		}
	}
	if r.kinds == nil {
		r.kinds = map[string]*Kind{}
	}
	r.kinds[name] = k
}

// Names lists the kinds in alphabetical order.
func (r *Registry[Kind, T]) Names() []string {
	r.lock.RLock()
	defer r.lock.RUnlock()
	return slices.Sorted(maps.Keys(r.kinds))
}

// Get returns the kind of that name, nil if there is none.
func (r *Registry[Kind, T]) Get(name string) *Kind {
	r.lock.RLock()
	defer r.lock.RUnlock()
	return r.kinds[name]
}

// isKey reports whether tables of specs that become a T may have the key.
func isKey[T any](key string) bool {
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("toml") == key {
			return true
		}
	}
	return false
}
