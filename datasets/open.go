package datasets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"repro/algos/compute"
)

// Open returns the data o describes. The task is what the loss needs, one of the words of Set.Task;
// o.Task overrides it and regression is the default. The seed decides generated rows and nothing
// else: of loaded data every seed gets the same split. Paths in o are relative to specDir.
//
// Open downloads nothing: its error wraps ErrMissing if the data is not here, ErrChecksum if a
// source's file is not the canonical one, ErrFormat if a file is malformed, and is an *OptionError
// if o cannot be met. Loaded sets stay in memory for further calls with the same options, and must
// not be written to.
func (l *Library) Open(ctx context.Context, o Options, task string, seed uint64, specDir string) (*Set, error) {
	if o.Task == "" {
		o.Task = task
	}
	if o.Task == "" {
		o.Task = taskRegression
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Name == "" {
		return l.shared(ctx, o, specDir, func() (*Set, error) { return o.multiclass(openOwn(ctx, o, specDir)) })
	}
	s, err := lookup(o.Name)
	if err != nil {
		return nil, err
	}
	if s.Generated() {
		return s.draw(ctx, o, seed)
	}
	return l.shared(ctx, o, "", func() (*Set, error) { return o.multiclass(l.openSource(ctx, o, s)) })
}

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

// draw makes a generated set.
func (s *Source) draw(ctx context.Context, o Options, seed uint64) (*Set, error) {
	n, m := s.Rows, s.TestRows
	first := 0
	if len(o.Rows) == 2 {
		first = o.Rows[0] - 1
		n = o.Rows[1] - first
		if o.Train > n {
			return nil, optionErrorf("train", "%d rows wanted, rows = %v has %d", o.Train, o.Rows, n)
		}
	}
	if o.Train > 0 {
		n = o.Train
	}
	if o.Test > 0 {
		m = o.Test
	}
	g := s.generator(o)
	set := &Set{Name: s.Name, Task: o.Task, TargetUnit: 1, Truth: g.truth, Domain: g.domain}
	train := &virtual{g, seed, "data/train", first, n}
	if o.Holdout == 0 {
		test := &virtual{g, seed, "data/test", 0, m}
		set.Files = []File{train.file(s.Name), test.file(s.Name)}
		return set, o.finish(ctx, set, train, test)
	}
	rows, held, err := o.hold(span(0, n))
	if err != nil {
		return nil, err
	}
	if held, err = o.keep(held, o.Test, "test"); err != nil {
		return nil, err
	}
	set.Files = []File{train.file(s.Name)}
	return set, o.finish(ctx, set, chosen{train, rows}, chosen{train, held})
}

// file describes generated rows for the record.
func (v *virtual) file(name string) File {
	d := fmt.Sprintf("%s; stream %s, seed %d, rows %d to %d", v.description, v.purpose, v.seed, v.first+1, v.first+v.n)
	sum := sha256.Sum256([]byte(d))
	return File{Name: fmt.Sprintf("%s %s, seed %d", name, v.purpose, v.seed), SHA256: hex.EncodeToString(sum[:]), Rows: v.n}
}

// openSource loads a registered set from its files.
func (l *Library) openSource(ctx context.Context, o Options, s *Source) (*Set, error) {
	var inputs []*input
	f := l.form(s)
	files := o.filesOf(f)
	for i := range files {
		path, _ := l.find(s.folder(), files[i].Name)
		if path == "" {
			return nil, l.missing(s, &files[i])
		}
		in := &input{path: path, format: f.format, dims: s.Dims, outputs: max(s.outputs, 1), pixels: s.pixels, remote: &files[i]}
		o.labels(in, s.label)
		inputs = append(inputs, in)
	}
	switch {
	case s.augment != nil:
		return l.openAugmented(ctx, o, s, inputs)
	case s.Bring != "" || f.brought:
		return openFeatures(ctx, o, s, inputs)
	case s.read != nil:
		return openTables(ctx, o, s, inputs)
	case f.format == "idx":
		inputs = inPairs(inputs)
	}
	return open(ctx, o, s.Name, inputs)
}

// inPairs joins files of images with the files of their labels, which follow them.
func inPairs(files []*input) (pairs []*input) {
	for i := 0; i < len(files); i += 2 {
		files[i].beside = files[i+1]
		pairs = append(pairs, files[i])
	}
	return pairs
}

// labels says what the targets of a file become while it is read: with classes, which are chosen
// later, nothing.
func (o Options) labels(in *input, label func(float64) (float64, bool)) {
	if len(o.Classes) == 0 {
		in.binary, in.label = o.Task == taskBinary, label
	}
}

// ownTest reports whether the test rows come from files of their own.
func (o Options) ownTest() bool { return o.Holdout == 0 && o.TestPart == 0 && len(o.TestRows) == 0 }

// filesOf returns the files of a source that o needs: training rows, then test rows.
func (o Options) filesOf(f form) []RemoteFile {
	if !o.ownTest() {
		return f.files[:f.training]
	}
	return f.files
}

// An ownFile is a file of the user, by its key in the spec.
type ownFile struct{ key, path string }

// ownFiles returns the user's files that o needs: training rows, then test rows.
func (o Options) ownFiles() []ownFile {
	files := []ownFile{{"file", o.File}}
	if o.TestFile != "" && o.ownTest() {
		files = append(files, ownFile{"test_file", o.TestFile})
	}
	return files
}

// resolve returns path, relative to dir unless it is absolute.
func resolve(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// openOwn loads the user's own files.
func openOwn(ctx context.Context, o Options, specDir string) (*Set, error) {
	var inputs []*input
	for _, f := range o.ownFiles() {
		format, err := formatOf(f.path, o.Format)
		if err != nil {
			return nil, err
		}
		in := &input{key: f.key, path: resolve(specDir, f.path), format: format, target: o.Target, header: o.Header, dims: o.Columns}
		o.labels(in, nil)
		inputs = append(inputs, in)
	}
	return open(ctx, o, filepath.Base(o.File), inputs)
}

// open loads the training file and, if given, the test file, splits and transforms.
func open(ctx context.Context, o Options, name string, inputs []*input) (*Set, error) {
	inputs[0].choose = func(y compute.Matrix) ([]int, error) { return o.used(y, len(inputs) == 1) }
	all, err := inputs[0].load(ctx)
	if err != nil {
		return nil, err
	}
	all.files = inputs[0].files(all)
	if len(inputs) == 1 {
		return o.setOf(ctx, name, all, nil)
	}
	test, err := inputs[1].loadTest(ctx, all)
	if err != nil {
		return nil, err
	}
	test.files = inputs[1].files(test)
	return o.setOf(ctx, name, all, test)
}

// used returns the rows, increasing, of a file with targets y that are trained on, or tested on if there is no
// other file; nil if all are.
func (o Options) used(y compute.Matrix, alone bool) ([]int, error) {
	train, test, err := o.choose(y)
	if err != nil {
		return nil, err
	}
	if alone {
		if test, err = o.keep(test, o.Test, "test"); err != nil {
			return nil, err
		}
	}
	rows := slices.Concat(train, test)
	slices.Sort(rows)
	if len(rows) == y.Rows {
		return nil, nil
	}
	return rows, nil
}

// choose returns the training rows of a file with targets y, and those of its rows that test.
func (o Options) choose(y compute.Matrix) (train, test []int, err error) {
	if train, test, err = o.split(y.Rows); err != nil {
		return nil, nil, err
	}
	train, test = o.ofClasses(train, y), o.ofClasses(test, y)
	if len(train) == 0 {
		return nil, nil, optionErrorf("classes", "no training row has one of %v", o.Classes)
	}
	if o.Holdout > 0 {
		if train, test, err = o.hold(train); err != nil {
			return nil, nil, err
		}
	}
	train, err = o.keep(train, o.Train, "train")
	return train, test, err
}

// ofClasses returns those of the given rows whose target is among Classes; all if none are asked for.
func (o Options) ofClasses(rows []int, y compute.Matrix) []int {
	if len(o.Classes) == 0 {
		return rows
	}
	return slices.DeleteFunc(rows, func(i int) bool { return o.class(y.At(i, 0)) < 0 })
}

// class returns the number of a label among Classes, -1 if it is none of them.
func (o Options) class(label float64) int {
	return slices.IndexFunc(o.Classes, func(c int) bool { return float64(c) == label })
}

// relabel replaces labels by the numbers of their classes, or in a binary task by 1 for the first
// class and -1 for the second.
func (o Options) relabel(targets ...compute.Matrix) {
	if len(o.Classes) == 0 {
		return
	}
	for _, y := range targets {
		for i := range y.Rows {
			v := float64(o.class(y.At(i, 0)))
			if o.Task == taskBinary {
				v = 1 - 2*v
			}
			y.Set(i, 0, v)
		}
	}
}

// loadTest loads a test file, which must have the columns of the training rows.
func (in *input) loadTest(ctx context.Context, train *table) (*table, error) {
	if in.format == "libsvm" && in.dims == 0 {
		in.dims = train.x.Cols
	}
	t, err := in.load(ctx)
	if err != nil {
		return nil, err
	}
	return t, t.matches(in, train)
}

// files describes what was read for the record.
func (in *input) files(t *table) []File {
	if t.files != nil {
		return t.files
	}
	name := filepath.Base(in.path)
	if in.remote != nil {
		name = in.remote.Name
	}
	return []File{{Name: name, SHA256: t.sha, Rows: t.y.Rows}}
}
