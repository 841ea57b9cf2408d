package datasets

import (
	"fmt"
	"slices"
	"strings"
)

// A Source is a registered data set: a generator, or files with a home on the network.
type Source struct {
	Name     string
	Title    string
	Licence  string // of the data
	Citation string
	Notes    string // anything a user should know

	Task     string // as in Set
	Dims     int    // inputs
	Rows     int    // training rows; for a generator, their number unless the spec says otherwise
	TestRows int    // test rows, likewise; 0 if there is no test set
	Files    []RemoteFile
	Bring    string // what to put on this machine, of a source that nobody offers for download

	format   string                          // of all Files
	training int                             // how many of Files hold training rows, 0 for the first alone; the others hold the test rows
	others   []form                          // other forms that the data may have on this machine
	home     string                          // source in whose folder the files lie, "" for its own
	label    func(v float64) (float64, bool) // turns a target into ±1, false if it is none; nil keeps it
	outputs  int                             // targets of a row, 0 for one
	pixels   bool                            // as of an input
	counts   [2][]int                        // training and test rows by class, if the classes are numbered

	augment    *augmentation // what makes rows of those in the files
	read       tablesReader  // instead of the format, if that alone does not tell which rows are for testing
	substitute string        // why it is not the data of the papers that it stands for
	generate   *generator    // instead of Files
}

// A form is a set of files that hold the rows of a source.
type form struct {
	format   string
	files    []RemoteFile
	training int
	brought  bool // by the user, who is asked for it in no other place
}

// forms lists those a source may have, the canonical one first.
func (s *Source) forms() []form {
	return append([]form{{format: s.format, files: s.Files, training: max(s.training, 1)}}, s.others...)
}

// tested reports whether the source says which rows are for testing.
func (s *Source) tested() bool {
	return s.augment != nil || s.read != nil || len(s.Files) > max(s.training, 1)
}

// folder returns the name of the folder that the source's files lie in.
func (s *Source) folder() string {
	if s.home != "" {
		return s.home
	}
	return s.Name
}

// A RemoteFile is a file at its canonical place. Those with the training rows come before those with
// the test rows.
type RemoteFile struct {
	Name  string // as downloaded, and in the cache folder
	URLs  []string
	Bytes int64 // size of the download, 0 if unknown
	Rows  int

	// Digests in hexadecimal, of the uncompressed content; of the download as it is if Packed.
	SHA256, MD5 string
	Packed      bool
}

var registry = map[string]*Source{}

// register adds a source under its name in specs.
func register(s *Source) struct{} {
	if registry[s.Name] != nil {
		panic("datasets: " + s.Name + " registered twice")
	}
	registry[s.Name] = s
	return struct{}{}
}

// Names lists the registered data sets in alphabetical order.
func Names() []string {
	names := make([]string, 0, len(registry))
	for n := range registry {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
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
		return nil, fmt.Errorf("unknown data set %q: it is none of %s", name, strings.Join(Names(), ", "))
	}
	return s, nil
}
