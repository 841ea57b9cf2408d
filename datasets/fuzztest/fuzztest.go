// Package fuzztest adds two things to fuzz targets: inputs that are kept, and many executions.
//
// The fuzzer of Go finds inputs that reach new code, but takes longer for an execution than many readers do. [Many] runs the body
// of a target on changed inputs in a loop of its own, without looking at what they reach:
//
//	REPRO_FUZZ=100000000 go test ./datasets/formats -run '^FuzzIdx$' -count 2
//
// The first round of -count 2 collects the inputs, the second one changes them.
package fuzztest

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Number is the environment variable with the number of executions that [Many] makes.
const Number = "REPRO_FUZZ"

// Many adds the inputs of testdata/corpus/<target> to the target, and returns the body that f.Fuzz is to run, func(t *testing.T, …).
// Without [Number] that is body itself. A file of inputs has a line for each, its values quoted as in Go and parted by tabs.
func Many[F any](f *testing.F, body F) F {
	in := reflect.TypeOf(body)
	for _, values := range read(f, filepath.Join("testdata", "corpus", f.Name()), in) {
		f.Add(values...)
	}
	executions, _ := strconv.Atoi(os.Getenv(Number))
	if executions <= 0 {
		return body
	}
	run, pool := reflect.ValueOf(body), pools[f.Name()]
	if pool == nil {
		pool = &inputs{seen: map[string]bool{}}
		pools[f.Name()] = pool
	}
	return reflect.MakeFunc(in, func(args []reflect.Value) []reflect.Value {
		t := args[0].Interface().(*testing.T)
		if key := line(args[1:]); !pool.seen[key] {
			pool.seen[key] = true
			pool.all = append(pool.all, args[1:])
		} else if !pool.done {
			pool.done = true
			pool.loop(t, f.Name(), run, executions)
		}
		return nil
	}).Interface().(F)
}

// inputs are those of one target.
type inputs struct {
	seen map[string]bool // as lines
	all  [][]reflect.Value
	done bool // the loop has run
}

// pools has the inputs of every target of the package that is tested.
var pools = map[string]*inputs{}

// line returns values as a line of a file of inputs, without its end.
func line(values []reflect.Value) string {
	var words []string
	for _, v := range values {
		switch v.Kind() {
		case reflect.Slice:
			words = append(words, strconv.QuoteToASCII(string(v.Bytes())))
		case reflect.String:
			words = append(words, strconv.QuoteToASCII(v.String()))
		default:
			words = append(words, fmt.Sprint(v.Interface()))
		}
	}
	return strings.Join(words, "\t")
}

// read returns the values of the lines of a file of inputs, if it is there, in the types of the parameters of in after the first.
func read(t testing.TB, file string, in reflect.Type) (all [][]any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	for l := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		require.Len(t, words, in.NumIn()-1)
		values := make([]any, len(words))
		for i, w := range words {
			v := reflect.New(in.In(i + 1)).Elem()
			var err error
			switch v.Kind() {
			case reflect.Slice:
				w, err = strconv.Unquote(w)
				v.SetBytes([]byte(w))
			case reflect.String:
				w, err = strconv.Unquote(w)
				v.SetString(w)
			default:
				_, err = fmt.Sscan(w, v.Addr().Interface())
			}
			require.NoError(t, err)
			values[i] = v.Interface()
		}
		all = append(all, values)
	}
	return all
}

// loop runs the body on changed inputs. An input that fails is written where go test finds it again.
func (p *inputs) loop(t *testing.T, target string, run reflect.Value, executions int) {
	m := newMutator(target, p.all)
	args := []reflect.Value{reflect.ValueOf(t)}
	finished, began := false, time.Now()
	defer func() {
		if finished && !t.Failed() {
			t.Logf("%d executions in %.0f s", executions, time.Since(began).Seconds())
			return
		}
		keep(t, target, args[1:])
	}()
	for range executions {
		args = append(args[:1], m.next()...)
		run.Call(args)
		if t.Failed() {
			break
		}
	}
	finished = true
}

// keep writes a failing input as Go's fuzzer does.
func keep(t *testing.T, target string, values []reflect.Value) {
	var b bytes.Buffer
	b.WriteString("go test fuzz v1\n")
	for _, v := range values {
		switch v.Kind() {
		case reflect.Slice:
			fmt.Fprintf(&b, "[]byte(%q)\n", v.Bytes())
		case reflect.String:
			fmt.Fprintf(&b, "string(%q)\n", v.String())
		default:
			fmt.Fprintf(&b, "%s(%v)\n", v.Type(), v.Interface())
		}
	}
	file := filepath.Join("testdata", "fuzz", target, fmt.Sprintf("%016x", hash(b.String())))
	t.Logf("the failing input is %s", file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, b.Bytes(), 0o666)); err != nil {
		t.Log(err)
	}
}

// A mutator changes inputs at random.
type mutator struct {
	r      *rand.Rand
	all    [][]reflect.Value
	values []reflect.Value // of the input that it made last
	text   [2][]byte       // room for the first two byte slices and strings of an input
}

// longest is the length up to which inputs grow.
const longest = 1 << 12

// newMutator returns one whose changes depend on the target and on the time, which the failing input makes up for.
func newMutator(target string, all [][]reflect.Value) *mutator {
	return &mutator{r: rand.New(rand.NewPCG(hash(target), uint64(time.Now().UnixNano()))), all: all}
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// next returns an input of the pool with one to eight changes. It is good until the next one.
func (m *mutator) next() []reflect.Value {
	m.values = append(m.values[:0], m.all[m.r.IntN(len(m.all))]...)
	n := 1 << m.r.IntN(4)
	used := 0
	for i, v := range m.values {
		changes := n
		if len(m.values) > 1 {
			changes = m.r.IntN(n + 1)
		}
		switch k := v.Kind(); k {
		case reflect.Slice, reflect.String:
			room := &m.text[min(used, 1)]
			if used++; used > len(m.text) {
				room = new([]byte)
			}
			if k == reflect.Slice {
				*room = append((*room)[:0], v.Bytes()...)
			} else {
				*room = append((*room)[:0], v.String()...)
			}
			for range changes {
				*room = m.change(*room, i)
			}
			if k == reflect.Slice {
				m.values[i] = reflect.ValueOf(*room)
			} else {
				m.values[i] = reflect.ValueOf(string(*room)).Convert(v.Type())
			}
		default:
			if changes > 0 {
				m.values[i] = m.number(v)
			}
		}
	}
	return m.values
}

// number returns another value of the type of a number or bool.
func (m *mutator) number(v reflect.Value) reflect.Value {
	w := reflect.New(v.Type()).Elem()
	switch {
	case v.Kind() == reflect.Bool:
		w.SetBool(m.r.IntN(2) == 0)
	case v.CanInt():
		w.SetInt([]int64{v.Int() + int64(m.r.IntN(9)-4), int64(m.r.IntN(100)), 1 << m.r.IntN(63), -int64(m.r.IntN(100)), m.r.Int64()}[m.r.IntN(5)])
	default:
		w.SetUint([]uint64{v.Uint() + uint64(m.r.IntN(4)), uint64(m.r.IntN(100)), m.r.Uint64()}[m.r.IntN(3)])
	}
	return w
}

// words are parts of texts and numbers at which readers go wrong.
var words = []string{"0", "-1", "1e999", "NaN", "inf", "9223372036854775807", "18446744073709551616", "1e-400", "\n", "\r\n", ",", " ", "\t", "\"", "{", "}", "[", "]", ":", "=", "null", "\x00",
	"\x00\x00\x00\x00", "\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\x00\x00\x00\x80", "\x01\x00\x00\x00", "\x00\x00\x00\x01", "é", "\u2028", "\x1b[31m", "../", "<", ">", "&", "%", "\\"}

// change makes one change of the i-th value of an input.
func (m *mutator) change(b []byte, i int) []byte {
	at, n := 0, 0
	if len(b) > 0 {
		at = m.r.IntN(len(b))
		n = 1 + m.r.IntN(min(1<<m.r.IntN(7), len(b)-at))
	}
	switch m.r.IntN(9) {
	case 0:
		if n > 0 {
			b[at] ^= 1 << m.r.IntN(8)
		}
	case 1:
		if n > 0 {
			b[at] = byte(m.r.Uint32())
		}
	case 2:
		if n > 0 {
			b[at] += byte(m.r.IntN(33) - 16)
		}
	case 3: // leave out
		b = append(b[:at], b[at+n:]...)
	case 4: // twice
		b = m.insert(b, at, append([]byte(nil), b[at:at+n]...))
	case 5: // move a part over another
		if n > 0 {
			copy(b[m.r.IntN(len(b)):], b[at:at+n])
		}
	case 6:
		w := words[m.r.IntN(len(words))]
		if m.r.IntN(2) == 0 {
			copy(b[at:], w)
		} else {
			b = m.insert(b, at, []byte(w))
		}
	case 7: // a part of another input
		if o := m.part(i); len(o) > 0 {
			b = m.insert(b, at, o)
		}
	case 8: // the end of another input
		if o := m.part(i); len(o) > 0 {
			b = append(b[:at], o...)
		}
	}
	return b
}

// insert returns b with more before the byte at, if it does not become too long.
func (m *mutator) insert(b []byte, at int, more []byte) []byte {
	if len(b)+len(more) > longest {
		return b
	}
	b = append(b, more...)
	copy(b[at+len(more):], b[at:len(b)-len(more)])
	copy(b[at:], more)
	return b
}

// part returns a part of the i-th value of some input.
func (m *mutator) part(i int) []byte {
	v := m.all[m.r.IntN(len(m.all))][i]
	var b []byte
	if v.Kind() == reflect.Slice {
		b = v.Bytes()
	} else {
		b = []byte(v.String())
	}
	if len(b) == 0 {
		return nil
	}
	at := m.r.IntN(len(b))
	return b[at : at+1+m.r.IntN(min(256, len(b)-at))]
}
