// Package datasets turns names and files into training and test data: the registry of data sets, the options of the [data]
// table of a spec, checksums, the cache of downloads and the choice of training and test rows. Package generators registers
// the data sets that are drawn, package sources those in files; Register adds one of your own. Package formats reads the
// files; package transforms scales the rows and makes copies of them.
package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
	"repro/results/printed"
)

// Samples are training rows by index; package algos has the same interface.
type Samples = transforms.Samples

// A Set is data ready for an experiment: split and scaled. Sets of the same file share their
// memory, so nobody may write to it.
type Set struct {
	Name  string
	Task  string // "regression", "binary" (targets 1 or -1), "multiclass" (a column a class) or "none"
	Train Samples
	TestX compute.Matrix // without rows, but with all columns, if the data is one stream; TestY too
	TestY compute.Matrix

	// Truth is the noise-free function that generated the data, nil if unknown: for a binary target the log odds of 1, for a
	// multi-class target the number, from 1, of the likeliest class.
	Truth func(x []float64) float64
	// Domain is the box that inputs lie in, one [low, high] an input, nil if unknown.
	Domain [][2]float64

	// Classes are the labels of a multi-class task as the file has them, in the order of the columns of targets; nil if
	// the data is generated, with classes numbered from 1.
	Classes []float64

	// Groups gives every test row the number of its group, from 0 and increasing: rows of a group show the same thing in
	// several ways, and its prediction is the mean over them. Nil if every row is a group of its own.
	Groups []int
	// TargetUnit is the size, in the units of the data, of a difference of 1 between targets: other than 1 if target_scale
	// scaled them, 0 if unknown.
	TargetUnit float64

	// Adversarial says that the rows are to be chosen against the method that learns them. Train then has their number and
	// dimensions only, and Gather panics.
	Adversarial bool

	Files      []File
	Substitute string // why this is not the data of the paper, "" if it is

	memory int64 // bytes that rows may take, 0 for what this machine has
}

func (s *Set) bound() int64 { return cmp.Or(s.memory, machineMemory()) }

// A File is an input file as the record lists it. For a generator, SHA256 is the digest of its description.
type File struct {
	Name   string // base name, or generator and parameters
	SHA256 string // of the uncompressed content
	Rows   int    // in the whole file, or drawn from the generator

	Differs string // how it is known to differ from the published file, "" if it is not
}

// The kinds of errors; compare with errors.Is.
var (
	// ErrMissing says that the data is not on this machine.
	ErrMissing = errors.New("data is missing")
	// ErrChecksum says that a file is not the one its source names.
	ErrChecksum = errors.New("checksum differs")
	// ErrFormat says that a file cannot be read as what it should be.
	ErrFormat = formats.ErrFormat
)

// A Source is a data set that specs call by its name: a generator, or files that can be downloaded. Register adds one.
type Source struct {
	Name     string // in specs: [data] name
	Title    string // one line, for lists
	Licence  string // of the data
	Citation string
	Notes    string // anything a user should know

	Task     string // what the target is, as in Set
	Dims     int    // inputs
	Rows     int    // training rows; of a generator, unless the spec says otherwise
	TestRows int    // test rows, likewise; 0 if there is no test set

	Generate *Generator // makes the rows; nil if they are in Files

	Files    []RemoteFile                    // the training rows, then the test rows if they are in a file of their own
	Format   string                          // of all Files: csv, libsvm or npy, or any word that Load knows
	Target   string                          // csv, npy: the target column, a number from 1 or a name in the header; "" for the last
	Header   bool                            // csv: the first line names the columns
	Label    func(v float64) (float64, bool) // turns a target of the file into 1 or -1, false if it is unknown; nil keeps it
	Load     Loader                          // reads Files; nil if they have a row a sample, in Format
	Training int                             // how many of Files hold training rows, 0 for the first only; the others hold the test rows
	Others   []Form                          // other forms that the data may have on this machine
	Home     string                          // the source in whose folder the files lie, "" for its own
	Outputs  int                             // targets of a row, 0 for one
	Splits   int                             // published splits into training and test rows, of which data.seed chooses one; 0 if there are none
	Counts   [2][]int                        // training and test rows of each class, if the classes are numbered from 0
	Copies   *Copies                         // rows are copies of what the files have; nil if they are in the files

	Substitute string // why this is not the data of the papers it stands for; "" if it is
	Bring      string // what the user must put on this machine, if nobody offers the data for download
}

// A Form is a set of files that hold the rows of a source.
type Form struct {
	Format   string
	Files    []RemoteFile
	Load     Loader // as in Source
	Training int    // as in Source
	Brought  bool   // by the user, who is asked for it in no other place
}

// forms lists those a source may have, the canonical one first.
func (s *Source) forms() []Form {
	return append([]Form{{s.Format, s.Files, s.Load, s.Training, s.Bring != ""}}, s.Others...)
}

// trains returns the files that training rows are in.
func (f Form) trains() []RemoteFile { return f.Files[:max(f.Training, 1)] }

// tested reports whether the source says which rows are for testing.
func (s *Source) tested() bool { return s.Load != nil || len(s.Files) > 1 }

// folder returns the name of the folder that the source's files lie in.
func (s *Source) folder() string { return cmp.Or(s.Home, s.Name) }

// A RemoteFile is a file and where to download it from. It may be compressed with gzip, bzip2, xz or zstd.
type RemoteFile struct {
	Name  string   // as downloaded, and in the cache folder
	URLs  []string // tried in their order
	Bytes int64    // size of the download, 0 if unknown
	Rows  int

	// Checksums in hexadecimal, "" if unknown: of the uncompressed content, or of the download as it is if Packed.
	SHA256, MD5 string
	Packed      bool

	content int64  // bound of the uncompressed content in bytes, 0 if unknown
	since   string // the day of the first download, if the checksum is of that
}

// bound returns the bytes that the uncompressed content of the file may have.
func (f *RemoteFile) bound() int64 { return cmp.Or(f.content, machineMemory()) }

var registry = map[string]*Source{}

// Register adds a data set under its name, before any spec is loaded: in an init function, say. A source has a
// Generate function or Files; see the examples. Register panics if the name is taken or the source is incomplete.
func Register(s Source) {
	err := s.check()
	if err == nil && registry[s.Name] != nil {
		panic("datasets: " + s.Name + " registered twice")
	}
	if err != nil {
		panic("datasets: " + s.Name + ": " + err.Error())
	}
	s.Files, s.Others = s.sized(s.Format, s.Files), slices.Clone(s.Others)
	for i, f := range s.Others {
		s.Others[i].Files = s.sized(f.Format, f.Files)
	}
	registry[s.Name] = &s
}

// sized returns files of the source with the most that each may have uncompressed: a number takes up to 32 bytes of text
// with its index, or 8 bytes, and what else a file has 1 MiB.
func (s *Source) sized(format string, files []RemoteFile) []RemoteFile {
	files = slices.Clone(files)
	width := 8
	if format == "csv" || format == "libsvm" {
		width = 32
	}
	for i := range files {
		if n, ok := formats.Product(files[i].Rows, s.Dims+max(s.Outputs, 1), width); ok && n > 0 {
			files[i].content = n + 1<<20
		}
	}
	return files
}

// check returns an error if the source cannot be opened as it is described.
func (s *Source) check() error {
	switch {
	case s.Name == "":
		return errors.New("a data set needs a Name")
	case !isBaseName(s.Name):
		return fmt.Errorf("its Name %q cannot be that of a folder", s.Name)
	case s.Title == "":
		return errors.New("a data set needs a Title, one line for lists")
	case !slices.Contains([]string{taskRegression, taskBinary, taskMulticlass, taskNone}, s.Task):
		return fmt.Errorf("its Task %q is not one of regression, binary, multiclass, none", s.Task)
	case s.Dims < 1 && s.Bring == "" || s.Rows < 1 || s.TestRows < 0:
		return errors.New("its Dims and Rows must be positive, and TestRows not negative")
	case s.Generate != nil && len(s.Files) > 0 || s.Generate == nil && len(s.Files) == 0:
		return errors.New("set one of Generate and Files")
	case s.Generate != nil:
		return s.Generate.check(s)
	case s.Load != nil:
		return s.checkNames()
	case !isRowFormat(s.Format):
		return fmt.Errorf("its Format %q is not one of %s", s.Format, strings.Join(formats.Names, ", "))
	case len(s.Files) > 2:
		return errors.New("its Files are one of training rows and at most one of test rows")
	}
	for i, rows := range []int{s.Rows, s.TestRows}[:len(s.Files)] {
		if f := s.Files[i]; f.Name != "" && f.Rows != rows {
			return fmt.Errorf("file %s has %d rows, and the source says %d", f.Name, f.Rows, rows)
		}
	}
	return s.checkNames()
}

// checkNames returns an error if a file of the source has no name, or one that leads out of its folder.
func (s *Source) checkNames() error {
	for _, f := range s.Files {
		switch {
		case f.Name == "" || len(f.URLs) == 0 && s.Bring == "":
			return errors.New("a file needs a Name and URLs")
		case !isBaseName(f.Name):
			return fmt.Errorf("the Name %q of a file is not that of a file in a folder", f.Name)
		}
	}
	return nil
}

// isRowFormat reports whether files of a format have a row a sample.
func isRowFormat(format string) bool { return slices.Contains(formats.Names, format) }

// isBaseName reports whether a name is that of a file in any folder, on every system.
func isBaseName(name string) bool {
	return filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, `/\:`)
}

// Names lists the registered data sets in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Doc returns the line that lists print for the named data set, "" if there is not one of that name.
func Doc(name string) string {
	if s, ok := registry[name]; ok {
		return s.Title
	}
	return ""
}

// Describe returns the named source.
func Describe(name string) (Source, error) {
	s, err := lookup(name)
	if err != nil {
		return Source{}, err
	}
	return *s, nil
}

func lookup(name string) (*Source, error) {
	s, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown data set %q; %s", name, printed.Suggest(name, Names()))
	}
	return s, nil
}

// Words for whether the data of an experiment is on this machine.
const (
	Here    = "yes"   // it is, or it is generated
	ToFetch = "fetch" // repro fetch downloads it
	ToBring = "bring" // nobody offers it for download
	InPart  = "part"  // some of its files are here
)

// Generated reports whether a registered data set needs no file. The empty name stands for no data.
func Generated(name string) bool {
	s, err := Describe(name)
	return name == "" || err == nil && s.Generated()
}

// Brought reports whether only the user can provide a registered data set.
func Brought(name string) bool {
	s, err := Describe(name)
	return err == nil && s.Bring != ""
}

// Whereabouts says in a word whether a registered data set is on this machine.
func (l *Library) Whereabouts(name string) string {
	if ok, _ := l.Available(name); ok {
		return Here
	}
	if absent, files := l.Absent(name); len(absent) < files {
		return InPart
	}
	if Brought(name) {
		return ToBring
	}
	return ToFetch
}
