package datasets

import (
	"context"
	"fmt"
	"path/filepath"

	"repro/algos/compute"
	"repro/datasets/transforms"
)

// Open returns the data that o describes. The task is what the loss takes, one of the words of Set.Task; o.Task overrides it,
// and regression is the default. The seed decides generated rows only: loaded data has the same split for every seed. Paths
// in o are relative to specDir.
//
// Open downloads nothing: its error wraps ErrMissing if the data is not here, ErrChecksum if a
// source's file is not the canonical one, formats.ErrFormat if a file is malformed, and is an *OptionError
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
		return l.shared(ctx, o, specDir, func() (*Set, error) { return o.multiclass(l.openOwn(ctx, o, specDir)) })
	}
	s, err := lookup(o.Name)
	if err != nil {
		return nil, err
	}
	if s.Generated() {
		return s.draw(ctx, o, seed, l.memory())
	}
	return l.shared(ctx, o, "", func() (*Set, error) { return o.multiclass(l.openSource(ctx, o, s)) })
}

// openSource loads a registered set from its files.
func (l *Library) openSource(ctx context.Context, o Options, s *Source) (*Set, error) {
	var inputs []*input
	f := l.form(s)
	files := o.filesOf(f)
	for i := range files {
		path, cached := l.find(s.folder(), files[i].Name)
		if path == "" {
			return nil, l.missing(s, &files[i])
		}
		remote, err := l.known(path, cached, files[i])
		if err != nil {
			return nil, err
		}
		in := s.input(path, f.format, &remote, l.memory())
		o.labels(in, s.Label)
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

// input says how to read a file of the source.
func (s *Source) input(path, format string, f *RemoteFile, memory int64) *input {
	return &input{path: path, format: format, target: s.Target, header: s.Header, dims: s.Dims, outputs: max(s.outputs, 1), pixels: s.pixels, remote: f, memory: memory}
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
func (o Options) ownTest() bool { return !o.Stream && !o.splits() }

// splits reports whether the test rows are among those of the training files.
func (o Options) splits() bool { return o.Holdout != 0 || o.TestPart != 0 || len(o.TestRows) > 0 }

// filesOf returns the files of a source that o needs: training rows, then test rows.
func (o Options) filesOf(f form) []RemoteFile {
	if o.splits() {
		return f.files[:f.training]
	}
	return f.files
}

// An ownFile is a file of the user, by its key in the spec.
type ownFile struct{ key, path string }

// ownFiles returns the user's files that o needs: training rows, then test rows.
func (o Options) ownFiles() []ownFile {
	files := []ownFile{{"file", o.File}}
	if o.TestFile != "" && !o.splits() {
		files = append(files, ownFile{"test_file", o.TestFile})
	}
	return files
}

// OwnFiles returns the paths of the user's own files, by their names in the options.
func (o Options) OwnFiles(specDir string) map[string]string {
	files := map[string]string{}
	if o.File != "" {
		for _, f := range o.ownFiles() {
			files[f.path] = resolve(specDir, f.path)
		}
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
func (l *Library) openOwn(ctx context.Context, o Options, specDir string) (*Set, error) {
	inputs, err := o.ownInputs(specDir, l.memory())
	if err != nil {
		return nil, err
	}
	return open(ctx, o, filepath.Base(o.File), inputs)
}

// ownInputs says how to read the user's own files, training rows, then test rows, into the given bytes of memory.
func (o Options) ownInputs(specDir string, memory int64) (inputs []*input, err error) {
	for _, f := range o.ownFiles() {
		format, err := formatOf(f.path, o.Format)
		if err != nil {
			return nil, err
		}
		in := &input{key: f.key, path: resolve(specDir, f.path), format: format, target: o.Target, header: o.Header, dims: o.Columns, memory: memory}
		o.labels(in, nil)
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// open loads the training file and, if given, the test file, splits and transforms. Both files may be one stream.
func open(ctx context.Context, o Options, name string, inputs []*input) (*Set, error) {
	set := &Set{Name: name, Task: o.Task, memory: inputs[0].memory}
	training := inputs
	if !o.Stream {
		training = inputs[:1]
	}
	all, err := load(ctx, training, len(o.Classes) > 0, func(y compute.Matrix) ([]int, error) { return o.used(y, len(inputs) == len(training)) })
	if err != nil {
		return nil, err
	}
	if len(inputs) == len(training) {
		return o.setOf(ctx, set, all, nil)
	}
	test, err := inputs[1].loadTest(ctx, all)
	if err != nil {
		return nil, err
	}
	return o.setOf(ctx, set, all, test)
}

// openTables loads a source that has a reader of its own.
func openTables(ctx context.Context, o Options, s *Source, inputs []*input) (*Set, error) {
	all, test, err := s.read(ctx, inputs, o.Stream)
	if err != nil {
		return nil, err
	}
	altered := s.altered(all, test, o.Stream)
	if !o.ownTest() {
		test = nil
	}
	return o.setOf(ctx, &Set{Name: s.Name, Task: o.Task, Substitute: altered, memory: inputs[0].memory}, all, test)
}

// A tablesReader reads the files of a source, those of the training rows before the others, into a table of
// training rows and one of test rows. The latter may be nil if its files are not among those given. Of a stream, train has
// the rows of all files and test is nil.
type tablesReader func(ctx context.Context, files []*input, stream bool) (train, test *table, err error)

// altered says how the rows that were read differ in number from those of the source, "" if they do not. It can
// happen only to files whose checksum nobody knows.
func (s *Source) altered(train, test *table, stream bool) string {
	switch {
	case stream && train.x.Rows == s.Rows+s.TestRows:
		return ""
	case stream:
		return fmt.Sprintf("%s has %d rows, not %d", s.Name, train.x.Rows, s.Rows+s.TestRows)
	case train.x.Rows != s.Rows:
		return fmt.Sprintf("%s has %d training rows, not %d", s.Name, train.x.Rows, s.Rows)
	case test != nil && test.x.Rows != s.TestRows:
		return fmt.Sprintf("%s has %d test rows, not %d", s.Name, test.x.Rows, s.TestRows)
	}
	return ""
}

// setOf splits and transforms tables, whose memory it takes over, into the set; test is nil if the test rows are among
// the others.
func (o Options) setOf(ctx context.Context, set *Set, all, test *table) (*Set, error) {
	set.Files = all.files
	rows, held, err := o.choose(all.y)
	if err != nil {
		return nil, err
	}
	if test != nil {
		set.Files = append(set.Files, test.files...)
		held = o.ofClasses(transforms.Span(0, test.x.Rows), test.y)
	}
	if held, err = o.keep(held, o.Test, "test"); err != nil {
		return nil, err
	}
	if test != nil {
		all.find(rows)
	} else {
		all.find(rows, held)
	}
	if test != nil {
		test = test.compact(held)
	} else {
		test = &table{x: transforms.Pick(all.x, held), y: transforms.Pick(all.y, held)}
	}
	train := all.compact(rows)
	o.relabel(train.y, test.y)
	if err := o.scaleTargets(set, train.y, train.y, test.y); err != nil {
		return nil, err
	}
	return set, o.finish(ctx, set, transforms.InMemory{X: train.x, Y: train.y}, transforms.InMemory{X: test.x, Y: test.y})
}
