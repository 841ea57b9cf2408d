package datasets

import (
	"context"
	"fmt"
	"path/filepath"
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
	var inputs []*Input
	f, files := l.look(s)
	for _, file := range o.filesOf(f, files) {
		if file.Path == "" {
			return nil, l.missing(s, &file.RemoteFile)
		}
		remote, err := l.known(&file)
		if err != nil {
			return nil, err
		}
		in := s.input(file.Path, f.Format, &remote, l.memory())
		in.folder = l.CacheDir
		if f.Brought {
			in.Remote = nil // nothing is known of the file
		}
		o.labels(in, s.Label)
		inputs = append(inputs, in)
	}
	load := f.Load
	if load == nil {
		load = loadTables
	}
	train, test, err := load(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	set := &Set{Name: s.Name, Task: o.Task, memory: l.memory()}
	switch {
	case f.Brought, s.Copies != nil:
		set.Substitute = s.Substitute
	case s.Load != nil:
		set.Substitute = s.altered(train, test, o.Stream)
	}
	if !o.ownTest() {
		test = nil
	}
	if err := o.arrange(ctx, set, train, test, s.Copies); err != nil {
		return nil, err
	}
	if s.Copies != nil {
		set.Files = append(set.Files, s.Copies.file(s, o.Seed))
	}
	return set, nil
}

// input says how to read a file of the source.
func (s *Source) input(path, format string, f *RemoteFile, memory int64) *Input {
	return &Input{Path: path, Format: format, Remote: f, target: s.Target, header: s.Header, dims: s.Dims, outputs: max(s.Outputs, 1), memory: memory}
}

// labels says what the targets of a file become while it is read: with classes, which are chosen
// later, nothing.
func (o Options) labels(in *Input, label func(float64) (float64, bool)) {
	in.classes = o.Task == taskMulticlass || len(o.Classes) > 0
	if len(o.Classes) == 0 {
		in.binary, in.label = o.Task == taskBinary, label
	}
}

// ownTest reports whether the test rows come from files of their own.
func (o Options) ownTest() bool { return !o.Stream && !o.splits() }

// splits reports whether the test rows are among those of the training files.
func (o Options) splits() bool { return o.Holdout != 0 || o.TestPart != 0 || len(o.TestRows) > 0 }

// filesOf returns the files of a form that o needs: training rows, then test rows.
func (o Options) filesOf(f Form, files []Located) []Located {
	if o.splits() {
		return files[:len(f.trains())]
	}
	return files
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
	inputs, err := l.ownInputs(o, specDir)
	if err != nil {
		return nil, err
	}
	train, test, err := loadTables(ctx, inputs, o)
	if err != nil {
		return nil, err
	}
	set := &Set{Name: filepath.Base(o.File), Task: o.Task, memory: l.memory()}
	return set, o.arrange(ctx, set, train, test, nil)
}

// ownInputs says how to read the user's own files, training rows, then test rows.
func (l *Library) ownInputs(o Options, specDir string) (inputs []*Input, err error) {
	for _, f := range o.ownFiles() {
		format, err := formatOf(f.path, o.Format)
		if err != nil {
			return nil, err
		}
		in := &Input{key: f.key, Path: resolve(specDir, f.path), Format: format, target: o.Target, header: o.Header, dims: o.Columns, memory: l.memory(), folder: l.CacheDir}
		o.labels(in, nil)
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// altered says how the rows that were read differ in number from those of the source, "" if they do not. It can
// happen only to files whose checksum nobody knows.
func (s *Source) altered(train, test *Part, stream bool) string {
	switch {
	case stream && train.Y.Rows == s.Rows+s.TestRows:
		return ""
	case stream:
		return fmt.Sprintf("%s has %d rows, not %d", s.Name, train.Y.Rows, s.Rows+s.TestRows)
	case train.Y.Rows != s.Rows:
		return fmt.Sprintf("%s has %d training rows, not %d", s.Name, train.Y.Rows, s.Rows)
	case test != nil && test.Y.Rows != s.TestRows:
		return fmt.Sprintf("%s has %d test rows, not %d", s.Name, test.Y.Rows, s.TestRows)
	}
	return ""
}
