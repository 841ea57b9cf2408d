package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"repro/algos/compute"
)

// A Source is a registered data set: a generator, or files with a home on the network.
type Source struct {
	Name     string
	Title    string
	Licence  string // of the data
	Citation string
	Notes    string // anything a user should know

	Task     string // "regression" or "binary"
	Dims     int    // inputs
	Rows     int    // training rows; for a generator, their number unless the spec says otherwise
	TestRows int    // test rows, likewise; 0 if there is no test set
	Files    []RemoteFile

	format   string                          // of all Files
	label    func(v float64) (float64, bool) // turns a target into ±1, false if it is none; nil keeps it
	generate *generator                      // instead of Files
}

// A RemoteFile is a file at its canonical place. The first of a source holds the training rows, the
// second the test rows.
type RemoteFile struct {
	Name  string // as downloaded, and in the cache folder
	URLs  []string
	Bytes int64 // size of the download, 0 if unknown
	Rows  int

	// Digests in hexadecimal, of the uncompressed content; of the download as it is if Packed.
	SHA256, MD5 string
	Packed      bool
}

// Generated reports whether the source needs no file.
func (s *Source) Generated() bool { return s.generate != nil }

// A generator makes rows. Row i of a purpose is a pure function of (seed, purpose, i).
type generator struct {
	description string // of the distribution, with a version to raise when bits change
	row         func(s *compute.Stream, x, y []float64)
	truth       func(x []float64) float64
	domain      [][2]float64
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

// Shape returns the training rows, test rows and inputs that the options ask for, without reading any
// data; zeros if the source is unknown.
func (o Options) Shape() (train, test, in int) {
	d, err := Describe(o.Name)
	if err != nil {
		return 0, 0, 0
	}
	train, test, in = d.Rows, d.TestRows, d.Dims
	if o.Train > 0 {
		train = o.Train
	}
	if o.Test > 0 {
		test = o.Test
	}
	if len(o.Rows) == 2 {
		train = min(train, o.Rows[1]-o.Rows[0]+1)
	}
	if o.Holdout > 0 {
		test = int(math.Round(o.Holdout * float64(train)))
		train -= test
	}
	return train, test, in
}

func lookup(name string) (*Source, error) {
	s, ok := registry[name]
	if !ok {
		return nil, fmt.Errorf("unknown data set %q: it is none of %s", name, strings.Join(Names(), ", "))
	}
	return s, nil
}
