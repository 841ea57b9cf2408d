package datasets

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// A pack is the rows of a file, read in one pass: the targets in memory, the inputs in a store.
type pack struct {
	key    string // file and way of reading
	now    stamp  // of the file when it was read
	in     int    // inputs of a row
	widest int    // libsvm: the first row, from 1, with an index of in
	passed int64  // bytes of uncompressed content
	y      []float64
	names  []string // of the columns, nil if the file does not say
	file   File
	ends   []int64 // of the rows in the store
	store  store
}

// packs are those of the user's own files that were asked for last, so that Measure and Open read a file once.
var packs struct {
	sync.Mutex
	recent []*pack
}

// keepPacks is how many packs stay when nobody uses them.
const keepPacks = 4

// pack reads the file. One of the user's own is not read again before it changes.
func (in *Input) pack(ctx context.Context) (*pack, error) {
	if in.Remote != nil {
		return in.read(ctx)
	}
	info, err := os.Stat(in.Path)
	if err != nil {
		return nil, in.openError(err)
	}
	now := stamp{info.Size(), info.ModTime()}
	key := fmt.Sprintf("%q %q %q %v %v %v %v", in.Path, in.Format, in.target, in.header, in.dims, in.binary, in.classes)
	packs.Lock()
	defer packs.Unlock()
	old := slices.IndexFunc(packs.recent, func(p *pack) bool { return p.key == key })
	if old >= 0 && packs.recent[old].now == now {
		return packs.recent[old], nil
	}
	p, err := in.read(ctx)
	if err != nil {
		return nil, err
	}
	p.key, p.now = key, now
	if old >= 0 {
		packs.recent = slices.Delete(packs.recent, old, old+1)
	}
	packs.recent = append(packs.recent, p)
	packs.recent = packs.recent[max(0, len(packs.recent)-keepPacks):]
	return p, nil
}

// read reads the file row by row.
func (in *Input) read(ctx context.Context) (*pack, error) {
	p := &pack{in: in.dims, store: store{dir: in.folder, most: in.limit()}}
	var row []byte
	add := func(r formats.Rows, y float64) error {
		w := r.Width()
		if in.Remote != nil && len(p.y) == in.Remote.Rows {
			return r.Errorf("there are more than the %d rows expected", in.Remote.Rows)
		}
		if in.dims > 0 && (w > in.dims || w < in.dims && in.Format != "libsvm") {
			return r.Errorf("the row has %d inputs, %d expected", w, in.dims)
		}
		p.y = append(p.y, y)
		if w > p.in {
			p.in, p.widest = w, len(p.y)
		}
		row = encodeRow(row[:0], r)
		p.ends = append(p.ends, p.store.end()+int64(len(row)))
		return p.store.add(row)
	}
	sha, err := in.Content(ctx, func(c *formats.Content) error { return in.visit(c, add, &p.names) })
	switch n := len(p.y); {
	case err != nil:
	case n == 0 && (in.Remote == nil || in.few):
		err = formats.Faultf(formats.ErrFormat, "%s: the file has no rows", in.Path)
	case p.in == 0:
		err = formats.Faultf(formats.ErrFormat, "%s: the rows have no inputs", in.Path)
	case in.Remote != nil && n < in.Remote.Rows && !in.few:
		err = formats.Faultf(formats.ErrFormat, "%s: %d rows, %d expected", in.Path, n, in.Remote.Rows)
	}
	if err == nil {
		err = p.store.close()
	}
	p.file, p.passed = in.file(sha, len(p.y)), in.passed
	return p, err
}

// encodeRow appends a row: 0 and its numbers or, if that is shorter, 1 and its numbers with their indices.
func encodeRow(b []byte, r formats.Rows) []byte {
	index, values := r.Inputs()
	if index == nil || r.Width() == len(values) {
		b = append(b, 0)
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	b = append(b, 1)
	for k, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(index[k]))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// decodeRow writes a row to x.
func decodeRow(x []float64, b []byte) {
	clear(x)
	sparse := b[0] == 1
	for j, b := 0, b[1:]; len(b) > 0; j++ {
		if sparse {
			j, b = int(binary.LittleEndian.Uint32(b))-1, b[4:]
		}
		x[j] = math.Float64frombits(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
}

// rows is the stored form of a pack.
func (p *pack) rows() *stored {
	var buffers sync.Pool // of *[]byte
	start := func(row int) int64 {
		if row == 0 {
			return 0
		}
		return p.ends[row-1]
	}
	return &stored{in: p.in, y: vector(p.y), files: []File{p.file}, read: func(first int, x compute.Matrix) error {
		from, size := start(first), int(start(first+x.Rows)-start(first))
		buffer, _ := buffers.Get().(*[]byte)
		if buffer == nil {
			buffer = new([]byte)
		}
		defer buffers.Put(buffer)
		*buffer = slices.Grow((*buffer)[:0], size)[:size]
		if err := p.store.readAt(*buffer, from); err != nil {
			return err
		}
		for i := range x.Rows {
			decodeRow(x.Row(i), (*buffer)[start(first+i)-from:start(first+i+1)-from])
		}
		return nil
	}}
}

// vector returns v as a matrix of one column.
func vector(v []float64) compute.Matrix {
	return compute.Matrix{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}

// storeMemory is how many bytes of a store stay in memory.
const storeMemory = 16 << 20

// A store holds bytes that are added at its end: in memory while they are few, then in a file that goes with the store.
type store struct {
	dir  string // where the file is made
	most int64  // bytes that may stay in memory where no file can be made
	held []byte // what is not in the file
	file *os.File
	size int64 // of the file
	none bool  // no file can be made
}

func (s *store) end() int64 { return s.size + int64(len(s.held)) }

func (s *store) add(b []byte) error {
	s.held = append(s.held, b...)
	if len(s.held) < storeMemory || s.none && s.end() <= s.most {
		return nil
	}
	return s.flush()
}

// flush moves what is held to the file.
func (s *store) flush() error {
	if s.file == nil {
		f, err := temporary(s.dir)
		if err != nil && s.end() > s.most {
			return fmt.Errorf("rows of more than %s are kept in a file: %w; set REPRO_CACHE to a folder that can be written to", formats.Size(s.most), err)
		}
		if s.none = err != nil; s.none {
			return nil
		}
		s.file = f
	}
	n, err := s.file.Write(s.held)
	s.size += int64(n)
	if err != nil {
		return fmt.Errorf("rows of files are kept in %s: %w; make room there, or set REPRO_CACHE to another folder", s.file.Name(), err)
	}
	s.held = s.held[:0]
	return nil
}

// close ends the adding.
func (s *store) close() error {
	if s.file == nil {
		return nil
	}
	err := s.flush()
	s.held = nil
	return err
}

// readAt fills b with what begins at a place.
func (s *store) readAt(b []byte, at int64) error {
	if s.file == nil {
		copy(b, s.held[at:])
		return nil
	}
	_, err := s.file.ReadAt(b, at)
	return err
}

// temporary makes a file in a folder or, if that cannot be, in that of the system. It has no name any more if the system allows
// that, and is removed when nobody has it any more in any case.
func temporary(dir string) (*os.File, error) {
	err := os.MkdirAll(dir, 0o755)
	if dir == "" || err != nil {
		dir = ""
	}
	f, err := os.CreateTemp(dir, "rows-*.tmp")
	if err != nil && dir != "" {
		f, err = os.CreateTemp("", "rows-*.tmp")
	}
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) != nil {
		runtime.AddCleanup(f, func(name string) { os.Remove(name) }, f.Name())
	}
	return f, nil
}

// stored rows are read when they are used.
type stored struct {
	in    int
	y     compute.Matrix
	files []File
	read  func(first int, x compute.Matrix) error // the rows from a first one on, as many as x has
}

// partOf returns the rows of files, those of one after those of the one before.
func partOf(all ...*stored) *Part {
	p := &Part{Y: all[0].y, in: all[0].in}
	for i, s := range all {
		if p.Files = append(p.Files, s.files...); i > 0 {
			p.Append(&Part{Y: s.y})
		}
	}
	p.Take = func(rows []int, y compute.Matrix, _ bool) Samples { return &storedRows{all, rows, y} }
	return p
}

// storedRows are some rows of files, with their targets.
type storedRows struct {
	files []*stored
	rows  []int
	y     compute.Matrix
}

func (r *storedRows) Len() int            { return len(r.rows) }
func (r *storedRows) Dims() (in, out int) { return r.files[0].in, r.y.Cols }
func (r *storedRows) Labels() []float64   { return transforms.InMemory{Y: r.y}.Labels() }

// Gather panics if a file can no longer be read: it has no way to return an error, and the file was read before.
func (r *storedRows) Gather(rows []int, x, y compute.Matrix) {
	for lo := 0; lo < len(rows); {
		f, row := 0, r.rows[rows[lo]]
		for row >= r.files[f].y.Rows {
			row -= r.files[f].y.Rows
			f++
		}
		hi := lo + 1 // rows that follow one another are read at once
		for hi < len(rows) && r.rows[rows[hi]] == r.rows[rows[lo]]+hi-lo && row+hi-lo < r.files[f].y.Rows {
			hi++
		}
		if err := r.files[f].read(row, x.RowRange(lo, hi)); err != nil {
			panic(fmt.Sprintf("datasets: rows of %s can no longer be read: %v", r.files[f].files[0].Name, err))
		}
		for k := lo; k < hi; k++ {
			copy(y.Row(k), r.y.Row(rows[k]))
		}
		lo = hi
	}
}

// loadTables is the Loader of files with a row a sample.
func loadTables(ctx context.Context, files []*Input, o Options) (train, test *Part, err error) {
	training := files
	if !o.Stream {
		training = files[:1]
	}
	if train, err = table(ctx, training); err != nil || len(files) == len(training) {
		return train, nil, err
	}
	in := files[1]
	if in.Format == "libsvm" {
		in.dims = cmp.Or(in.dims, train.in)
	}
	if test, err = table(ctx, files[1:]); err != nil {
		return nil, nil, err
	}
	return train, test, test.matches(in, train)
}

// table reads files, one after the other, into one part. All have the columns of the first.
func table(ctx context.Context, files []*Input) (*Part, error) {
	var all []*stored
	var first *pack
	for _, in := range files {
		if first != nil {
			in.dims = cmp.Or(in.dims, first.in)
		}
		p, err := in.pack(ctx)
		if err != nil {
			return nil, err
		}
		if first = cmp.Or(first, p); !slices.Equal(p.names, first.names) {
			return nil, formats.Faultf(formats.ErrFormat, "%s:1: the columns %s are not those of the training file", in.Path, strings.Join(p.names, ", "))
		}
		all = append(all, p.rows())
	}
	t := partOf(all...)
	t.names, t.first, t.input = first.names, first, files[0]
	return t, nil
}

// Text has few of the numbers of its matrix if it leaves out zeros. A matrix of more than sparseFree bytes may have
// sparseFactor times the bytes of its text, unless the spec states the number of columns.
const (
	sparseFree   = 64 << 20
	sparseFactor = 4096
)

// batchRows is how many training rows must fit into memory in any case.
const batchRows = 1024

// stay returns an error if rows take more than the half of memory in which training rows of files are kept.
func stay(rows, inputs int, memory int64) error { return transforms.Fits(rows, inputs, memory/2) }

// fits returns an error if memory has no room for test rows beside training rows, which are read when they are used if they take more
// than half of it.
func (p *Part) fits(train, test int) error {
	if p.first == nil {
		return nil
	}
	most := p.input.limit()
	err := stay(train, p.in, most)
	if err == nil {
		most -= 8 * int64(train) * int64(p.in)
	} else {
		err = stay(min(train, batchRows), p.in, most)
	}
	if err = cmp.Or(err, transforms.Fits(test, p.in, most)); err != nil {
		return formats.Faultf(formats.ErrFormat, "%s: %w: use fewer rows or columns", p.where(), err)
	}
	return nil
}

// where names the file, and the first row that needs all columns if nothing else states their number.
func (p *Part) where() string {
	if p.first.widest == 0 || p.input.Format != "libsvm" {
		return p.input.Path
	}
	return fmt.Sprintf("%s:%d: index %d", p.input.Path, p.first.widest, p.in)
}

// accounted returns an error if a matrix of some rows of a file without a stated number of columns is more than the text that was
// read accounts for.
func (p *Part) accounted(rows int) error {
	n, ok := formats.Product(rows, p.in, 8)
	if p.first == nil || p.input.Format != "libsvm" || p.input.dims > 0 || ok && (n <= sparseFree || n/sparseFactor <= p.first.passed) {
		return nil
	}
	return formats.Faultf(formats.ErrFormat, "%s would make a matrix of %d rows × %d columns, %s, of a file of %s: correct the index, or state columns = %[3]d in [data] if it is right",
		p.where(), rows, p.in, formats.Size(n), formats.Size(p.first.passed))
}
