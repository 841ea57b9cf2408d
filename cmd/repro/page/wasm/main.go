//go:build js && wasm

// Command wasm is repro for a page: a worker calls the functions of package page with JSON and gets JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall/js"
	"time"

	"repro/cmd/repro/page"
	_ "repro/experiments/papers"
)

// memory is what a run may take of the 4 GiB that a program in a page can address.
const memory = 2 << 30

// A method answers a request. tell sends a message before the answer.
type method func(ctx context.Context, d *page.Desk, request []byte, tell func(any)) (any, error)

// with makes a method of a function of a request.
func with[R any](do func(ctx context.Context, d *page.Desk, r R, tell func(any)) (any, error)) method {
	return func(ctx context.Context, d *page.Desk, request []byte, tell func(any)) (any, error) {
		var r R
		if err := json.Unmarshal(request, &r); err != nil {
			return nil, err
		}
		return do(ctx, d, r, tell)
	}
}

// A part is some cells of a spec.
type part struct {
	page.Spec
	Cells   []string `json:"cells"`
	Workers int      `json:"workers"`
}

// A taking is a request about a lesson.
type taking struct {
	page.Taking
	Texts []page.Text `json:"texts"`
	Text  string      `json:"text"` // of an exercise
}

var methods = map[string]method{
	"propose": with(func(_ context.Context, d *page.Desk, name string, _ func(any)) (any, error) { return d.Propose(name) }),
	"example": with(func(_ context.Context, d *page.Desk, id string, _ func(any)) (any, error) { return d.Example(id) }),
	"check": with(func(ctx context.Context, d *page.Desk, s page.Spec, _ func(any)) (any, error) {
		return d.Check(ctx, s), nil
	}),
	"groups": with(func(ctx context.Context, d *page.Desk, p part, _ func(any)) (any, error) {
		return d.Groups(ctx, p.Spec, p.Workers)
	}),
	"run": with(func(ctx context.Context, d *page.Desk, p part, tell func(any)) (any, error) {
		var last time.Time
		var cell int
		return nil, d.Run(ctx, p.Spec, p.Cells, func(now page.Progress) {
			if now.Note != "" || now.Done != cell || time.Since(last) > time.Second/4 {
				cell, last = now.Done, time.Now()
				tell(now)
			}
		})
	}),
	"show": with(func(_ context.Context, d *page.Desk, s page.Spec, _ func(any)) (any, error) { return d.Show(s) }),
	"lesson": with(func(_ context.Context, d *page.Desk, t taking, _ func(any)) (any, error) {
		return d.LessonSpec(t.Taking)
	}),
	"tell": with(func(ctx context.Context, d *page.Desk, t taking, _ func(any)) (any, error) {
		return d.Tell(ctx, t.Taking, t.Texts)
	}),
	"exercise": with(func(_ context.Context, d *page.Desk, t taking, _ func(any)) (any, error) { return d.Exercise(t.Taking) }),
	"grade": with(func(ctx context.Context, d *page.Desk, t taking, tell func(any)) (any, error) {
		return d.Grade(ctx, t.Taking, t.Text, func(p page.Progress) { tell(p) })
	}),
	"bundle": with(func(_ context.Context, d *page.Desk, s page.Spec, _ func(any)) (any, error) { return d.Bundle(s) }),
}

func main() {
	debug.SetGCPercent(200)
	runtime.KeepAlive(make([]byte, 64<<20)) // so that the memory grows at once and not in steps, which take longer
	d := &page.Desk{Dir: "/", Memory: memory}
	global := js.Global()
	send := func(kind string, id js.Value, v any) {
		if b, ok := v.([]byte); ok {
			bytes := global.Get("Uint8Array").New(len(b))
			js.CopyBytesToJS(bytes, b)
			global.Call("reply", kind, id, bytes)
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			kind, text = "error", []byte(fmt.Sprintf("%q", err))
		}
		global.Call("reply", kind, id, string(text))
	}
	global.Set("call", js.FuncOf(func(_ js.Value, args []js.Value) any {
		id, name, request := args[0], args[1].String(), []byte(args[2].String())
		go func() {
			answer, err := answer(d, name, request, func(v any) { send("tell", id, v) })
			if err != nil {
				send("error", id, err.Error())
				return
			}
			send("answer", id, answer)
		}()
		return nil
	}))
	global.Call("reply", "ready", js.Null(), "null")
	select {}
}

// answer calls a method. A panic is an error of this program, which the page shows.
func answer(d *page.Desk, name string, request []byte, tell func(any)) (v any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("this is a mistake of the program: %v", p)
		}
	}()
	m := methods[name]
	if m == nil {
		return nil, errors.New("unknown method " + name)
	}
	return m(context.Background(), d, request, tell)
}
