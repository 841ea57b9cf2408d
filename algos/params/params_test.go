package params

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRegistry(t *testing.T) {
	make := func() int { return 0 }
	r := Registry[func() int]{
		Package: "things", Noun: "thing", Own: []string{"a", "b"}, Missing: map[string]string{"b": "missing; say b"}, Families: map[string]Family[func() int]{},
	}
	r.Register("x", Family[func() int]{Doc: "x", Keys: []Key{Positive("a"), NonNegative("further").Or0()}, Make: make})
	for _, name := range []string{"w", "y", "z"} {
		r.Register(name, Family[func() int]{Doc: name, Keys: []Key{{Name: "b"}}, Make: make})
	}
	assert.PanicsWithValue(t, "things: x registered twice", func() { r.Register("x", Family[func() int]{}) })
	assert.PanicsWithValue(t, "things: v: a family needs a name, a Doc line and Make", func() { r.Register("v", Family[func() int]{Doc: "v"}) })
	assert.Equal(t, []string{"w", "x", "y", "z"}, r.Names())
	assert.Equal(t, []string{"name", "a", "params"}, r.Keys("x"))

	own := func(a, b float64) map[string]float64 { return map[string]float64{"a": a, "b": b} }
	for _, c := range []struct {
		c     Config
		given []string
		want  string
	}{
		{Config{Name: "x", Own: own(1, 0), Table: nil}, []string{"name", "a"}, ""},
		{Config{Name: "x", Own: own(1, 0), Table: map[string]float64{"further": 0}}, []string{"name", "a", "params"}, ""},
		{Config{Name: "x", Own: own(1, 0), Table: map[string]float64{"further": -1}}, []string{"a", "params"}, "params.further: must be >= 0 and finite, got -1"},
		{Config{Name: "x", Own: own(1, 0), Table: map[string]float64{"other": 1}}, []string{"a", "params"}, "params.other: is not a parameter of x; remove it"},
		{Config{Name: "x", Own: own(1, 2), Table: nil}, []string{"a", "b"}, "b: is a key of w, y and z, not of x; remove it"},
		{Config{Name: "x", Own: own(1, 0), Table: nil}, []string{"a", "c"}, "c: is not a key of x; remove it"},
		{Config{Name: "x", Own: own(0, 0), Table: nil}, nil, "a: missing; thing x needs a number > 0 and finite"},
		{Config{Name: "y", Own: own(0, 0), Table: nil}, nil, "b: missing; say b"},
	} {
		if err := r.Check(c.c, c.given); c.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.want)
		}
	}
	assert.NoError(t, r.CheckSet(Config{Name: "y", Own: own(0, 0), Table: nil}), "b may be 0")
	assert.EqualError(t, r.CheckSet(Config{Name: "y", Own: own(3, 0), Table: nil}), "a: is a key of x, not of y; remove it")
}
