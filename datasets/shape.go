package datasets

import "math"

// Shape returns the training rows, test rows and inputs that the options ask for, without reading any data; zeros if the
// source is unknown or does not say, and for the user's own files, which Measure counts.
func (o Options) Shape() (train, test, in int) {
	s, err := lookup(o.Name)
	if err != nil {
		return 0, 0, 0
	}
	in = s.Dims
	if o.PCA > 0 {
		in = o.PCA
	}
	switch {
	case s.Generated():
		train, test = o.drawn(s)
		in = s.inputs(o)
	case s.Copies != nil:
		train, test = o.unitsOf(s)
	default:
		train, test = o.read(s)
	}
	return train, test, in
}

// Streamed reports whether training rows are made or read when they are used and not kept in memory.
func (o Options) Streamed() bool {
	s, err := lookup(o.Name)
	if err != nil || o.InMemory {
		return false
	}
	return s.Generated() || s.Copies != nil || s.Bring != ""
}

// drawn returns the numbers of generated rows.
func (o Options) drawn(s *Source) (train, test int) {
	train, test = s.Rows, s.TestRows
	if len(o.Rows) == 2 {
		train = o.Rows[1] - o.Rows[0] + 1
	}
	train, test = wanted(train, o.Train), wanted(test, o.Test)
	if o.Stream {
		return train, 0
	}
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
		test = wanted(test, o.Test)
	}
	return train, test
}

// unitsOf returns the numbers of rows made of a source's units.
func (o Options) unitsOf(s *Source) (train, test int) {
	c := s.Copies
	train, test = s.Rows/c.Train, s.TestRows/c.Test
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
	}
	return wanted(train*c.Train, o.Train), wanted(test, o.Test) * c.Test
}

// read returns the numbers of rows read from files.
func (o Options) read(s *Source) (train, test int) {
	train, test = o.ofCounts(s.Rows, s.Counts[0]), o.ofCounts(s.TestRows, s.Counts[1])
	if o.Stream {
		train, test = train+test, 0
	}
	if len(o.TestRows) == 2 {
		test = o.TestRows[1] - o.TestRows[0] + 1
		train -= test
	}
	if len(o.Rows) == 2 {
		train = min(train, o.Rows[1]-o.Rows[0]+1)
	}
	if o.TestPart > 0 {
		train, test = divide(train, o.TestPart)
	}
	if o.Holdout > 0 {
		train, test = divide(train, o.Holdout)
	}
	return wanted(train, o.Train), wanted(test, o.Test)
}

// ofCounts returns how many of n rows have the classes asked for, if their counts are known.
func (o Options) ofCounts(n int, counts []int) int {
	if len(o.Classes) == 0 || counts == nil {
		return n
	}
	n = 0
	for _, c := range o.Classes {
		if c >= 0 && c < len(counts) {
			n += counts[c]
		}
	}
	return n
}

// divide returns n rows without a fraction of them, and how many that fraction is.
func divide(n int, fraction float64) (rest, taken int) {
	taken = int(math.Round(fraction * float64(n)))
	return n - taken, taken
}

// wanted returns count, or n if it is 0.
func wanted(n, count int) int {
	if count > 0 {
		return count
	}
	return n
}
