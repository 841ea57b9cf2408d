package programs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/experiments"
	"repro/results/files"
	"repro/results/records"
)

// A predictionReader reads a program's predictions: one line for each test row, which holds a label or one number for
// each output, separated by blanks or commas.
type predictionReader struct {
	rows, out int
	labels    bool
	classes   int // of a multi-class problem, whose labels are numbers from 1; 0 for others
}

// file reads the predictions at path. Errors name the file and the line.
func (r predictionReader) file(path string) (none compute.Matrix, err error) {
	name := filepath.Base(path)
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return none, fmt.Errorf("%s: the program ended without an error but did not write this file; pass it its path as {predictions}", name)
	case err != nil:
		return none, err
	case !info.Mode().IsRegular(): // reading a pipe would wait for ever
		return none, fmt.Errorf("%s: is not a regular file", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return none, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	longest := 64 * (1 + r.out) // bytes: twice what a number in any notation needs
	lines.Buffer(make([]byte, 0, longest), longest)
	p := compute.NewMatrix(r.rows, r.out)
	n := 0
	for ; lines.Scan(); n++ {
		if n == r.rows {
			return none, fmt.Errorf("%s:%d: there are only %d test rows; write one line for each test row, and nothing else", name, n+1, r.rows)
		}
		text := lines.Text()
		if n == 0 {
			text = strings.TrimPrefix(text, byteOrderMark)
		}
		if err := r.line(p.Row(n), text); err != nil {
			return none, fmt.Errorf("%s:%d: %w", name, n+1, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return none, fmt.Errorf("%s:%d: the line has more than %d bytes; write one prediction a line", name, n+1, longest)
	case err != nil:
		return none, fmt.Errorf("%s:%d: %w", name, n+1, err)
	case n < r.rows:
		return none, fmt.Errorf("%s:%d: the file ends here, after %d predictions for %d test rows", name, n+1, n, r.rows)
	}
	return p, nil
}

// line reads the prediction of one row from text into u.
func (r predictionReader) line(u []float64, text string) error {
	words := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\r,", c) })
	if want := r.width(); len(words) != want {
		return fmt.Errorf("want %s, got %s", numbers(want), clip(text))
	}
	if r.labels {
		return r.label(u, words[0])
	}
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) { // a number out of range becomes infinity or zero
			return fmt.Errorf("want %s, got %s", numbers(r.width()), clip(w))
		}
		u[i] = v
	}
	return nil
}

// base64 reads float64 numbers, little-endian, row after row.
func (r predictionReader) base64(text string) (none compute.Matrix, err error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return none, fmt.Errorf("base64: %w", err)
	}
	if want := 8 * r.rows * r.width(); len(b) != want {
		return none, fmt.Errorf("base64: %d bytes are not %d rows of %s, which have %d", len(b), r.rows, numbers(r.width()), want)
	}
	return r.matrix(formats.NpyType{Size: 8, Decode: func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }}, bytes.NewReader(b))
}

// npy reads an array of rows by outputs, or a vector if there is one output.
func (r predictionReader) npy(path string) (none compute.Matrix, err error) {
	f, err := files.OpenRegular(path)
	if err != nil {
		return none, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return none, err
	}
	a, err := formats.NewNpyArray(f, filepath.Base(path), info.Size())
	if err != nil {
		return none, err
	}
	n, _ := formats.Product(a.Dims...)
	if n != int64(r.rows*r.width()) || len(a.Dims) == 0 || a.Dims[0] != r.rows {
		return none, fmt.Errorf("%s: the shape (%s) is not that of %d rows of %s", filepath.Base(path), a.Shape, r.rows, numbers(r.width()))
	}
	return r.matrix(a.NpyType, a.R)
}

// matrix reads predictions row after row.
func (r predictionReader) matrix(t formats.NpyType, from io.Reader) (none compute.Matrix, err error) {
	p, row, b := compute.NewMatrix(r.rows, r.out), make([]float64, r.width()), make([]byte, r.width()*t.Size)
	for i := range r.rows {
		if _, err := io.ReadFull(from, b); err != nil {
			return none, fmt.Errorf("predictions of row %d: %w", i+1, err)
		}
		if t.Put(row, b); !r.labels {
			copy(p.Row(i), row)
		} else if err := r.label(p.Row(i), strconv.FormatFloat(row[0], 'g', -1, 64)); err != nil {
			return none, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return p, nil
}

// width is how many numbers a row of predictions has.
func (r predictionReader) width() int {
	if r.labels {
		return 1
	}
	return r.out
}

// label writes a label into u in the coding of the targets: 1 or -1, or 1 for its class and 0 for the others.
func (r predictionReader) label(u []float64, word string) error {
	v, err := strconv.ParseFloat(word, 64)
	switch {
	case r.classes == 0 && err == nil && (v == 1 || v == -1):
		u[0] = v
	case r.classes > 0 && err == nil && v >= 1 && v <= float64(r.classes) && v == float64(int(v)):
		u[int(v)-1] = 1
	case r.classes == 0:
		return fmt.Errorf("want a label, 1 or -1, got %s", clip(word))
	default:
		return fmt.Errorf("want a label, 1 to %d, got %s", r.classes, clip(word))
	}
	return nil
}

func numbers(n int) string {
	if n == 1 {
		return "a number"
	}
	return fmt.Sprintf("%d numbers", n)
}

// clip quotes the beginning of a text that a program wrote.
func clip(s string) string {
	const most = 40 // characters
	if r := []rune(s[:min(len(s), 4*most+4)]); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// A Point is what a program printed of itself.
type Point struct {
	Step    int
	Seconds float64 // since it began, by its own clock; NaN if it does not say
	Values  map[string]float64
}

// Points are those of a program that prints them: lines of JSON, or a table with a first line of names. One of the names is step or,
// where the points are meshes, they are counted.
type Points struct {
	*Program
	*process
	meshes  []records.Abscissa // the discretisation parameters of the points, which are counted; nil if they have steps
	dir     string
	ends    time.Time // of its timeout
	columns []string  // of CSV; nil for JSON
	line    int       // the last one read
	last    Point
	ahead   *Point // the one that Next returns; nil at the end
	broken  error  // why it does not
}

// toStderr is what to do about lines that are no points.
const toStderr = "print to stderr what is no point"

// mostPoints bounds a record, which has a line for each point.
const mostPoints = 100_000

// Print starts a program that prints its points. It runs until Close. values are those of the placeholders of this run, such as
// iterations; meshes are the discretisation parameters of its points, nil if these have steps.
func (p *Program) Print(ctx context.Context, values map[string]string, meshes []records.Abscissa) (s *Points, err error) {
	dir, err := p.rows.Folder.place()
	if err != nil {
		return nil, err
	}
	s = &Points{Program: p, meshes: meshes, dir: dir, ends: time.Now().Add(p.limit())}
	if err = p.rows.export(ctx, dir, p.method.Format); err == nil {
		command := experiments.Fill(p.run, values)
		s.process, err = p.open(dir, command, longestLine)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, s.stdin.Close()
}

// Next returns the next point, and whether it is the last one. It is an error if there is none.
func (s *Points) Next(ctx context.Context) (p Point, last bool, err error) {
	if s.line == 0 {
		s.broken = s.read(ctx)
	}
	if s.broken == nil && s.ahead == nil {
		why := errors.New("ended without a point; print lines of JSON, or CSV with a first line of names")
		s.broken = s.Program.failed(s.argv, why, &s.stderr, !s.spoke)
	}
	if s.broken != nil {
		return p, false, s.broken
	}
	p = *s.ahead
	s.broken = s.read(ctx)
	return p, s.ahead == nil && s.broken == nil, nil
}

// read reads the point ahead. At the end of the output there is none, and it is an error if the program ended badly.
func (s *Points) read(ctx context.Context) error {
	s.ahead = nil
	for {
		text, err := s.next(ctx, time.Until(s.ends))
		switch {
		case errors.Is(err, errEnd):
			if err := s.end(); err != nil {
				return s.failed(s.argv, err, &s.stderr, !s.spoke)
			}
			if s.held.Load() {
				s.note(leftRunning)
			}
			return nil
		case errors.Is(err, errLate):
			s.kill()
			return s.timedOut(!s.spoke)
		case errors.Is(err, ErrCancelled):
			s.kill()
			return err
		case err != nil:
			return s.failure(err)
		}
		s.line++
		p, err := s.parse(strings.TrimSpace(text))
		if err != nil {
			return s.failure(fmt.Errorf("line %d of its output: %w", s.line, err))
		}
		if p != nil && p.Step > 0 {
			s.ahead, s.last = p, *p
			return nil
		}
	}
}

// parse reads a line. It returns nil for the names of CSV and for an empty line.
func (s *Points) parse(text string) (*Point, error) {
	fields := map[string]*number{}
	switch {
	case text == "":
		return nil, nil
	case strings.HasPrefix(text, "{"):
		if err := decode(text, &fields); err != nil {
			return nil, err
		}
	case s.columns == nil && s.last.Step == 0 && (strings.Contains(text, "step") || s.names(text)):
		for _, name := range cells(strings.TrimLeft(text, "# ")) {
			s.columns = append(s.columns, strings.Trim(strings.TrimSpace(name), `"`))
		}
		return nil, nil
	case s.columns == nil:
		return nil, fmt.Errorf(`want {"step": 1, …} or the names of columns, one of them step, got %s; %s`, clip(text), toStderr)
	default:
		cells := cells(text)
		if len(cells) != len(s.columns) {
			return nil, fmt.Errorf("%s has %d cells, and the first line %d names; %s", clip(text), len(cells), len(s.columns), toStderr)
		}
		for i, cell := range cells {
			v := new(number)
			if err := v.UnmarshalJSON([]byte(strings.TrimSpace(cell))); err != nil {
				return nil, fmt.Errorf("column %s: %w; %s", clip(s.columns[i]), err, toStderr)
			}
			fields[s.columns[i]] = v
		}
	}
	return s.point(fields)
}

// names reports whether a line has the names of columns of points that are counted: none of its cells is a number.
func (s *Points) names(text string) bool {
	return s.meshes != nil && !slices.ContainsFunc(cells(text), func(cell string) bool { return new(number).UnmarshalJSON([]byte(strings.TrimSpace(cell))) == nil })
}

// cells returns the cells of a line of a table, between which there are commas or blanks.
func cells(text string) []string {
	if strings.Contains(text, ",") {
		return strings.Split(text, ",")
	}
	return strings.Fields(text)
}

// refines returns what is wrong with the discretisation parameters of a point, empty if nothing is.
func (s *Points) refines(values map[string]float64) string {
	same := ""
	for _, m := range s.meshes {
		v, ok := values[m.Name]
		before, again := s.last.Values[m.Name]
		switch {
		case !ok: // who measures it asks
			return ""
		case !(v > 0) || math.IsInf(v, 0):
			return fmt.Sprintf("%s is %v, and a mesh has a finite number above 0", m.Name, v)
		case again && v == before:
			same = fmt.Sprintf("%s is %v a second time; print each mesh once", m.Name, v)
			continue
		case again && (v < before) != (m.Finer == records.FinerSmaller):
			return fmt.Sprintf("%s %v follows %v; print the meshes from coarse to fine", m.Name, v, before)
		}
		return ""
	}
	return same
}

// point checks the place of a point.
func (s *Points) point(fields map[string]*number) (*Point, error) {
	p := &Point{Seconds: math.NaN(), Values: map[string]float64{}}
	step := math.NaN()
	if s.meshes != nil {
		step = float64(s.last.Step + 1)
	}
	for name, v := range fields {
		value := math.NaN()
		if v != nil {
			value = float64(*v)
		}
		switch name {
		case "step":
			step = value
		case "seconds":
			p.Seconds = value
		default:
			p.Values[name] = value
		}
	}
	if !(step >= 0 && step < 1<<53 && step == math.Floor(step)) {
		return nil, errors.New(`it has no whole number "step"`)
	}
	if wrong := s.refines(p.Values); wrong != "" {
		return nil, errors.New(wrong)
	}
	p.Step = int(step)
	switch {
	case s.last.Step > 0 && p.Step <= s.last.Step:
		return nil, fmt.Errorf("step %d follows step %d; print each step once, in order", p.Step, s.last.Step)
	case p.Seconds < s.last.Seconds || math.IsInf(p.Seconds, 0):
		return nil, fmt.Errorf("%v seconds follow %v; print the seconds since the beginning", p.Seconds, s.last.Seconds)
	case s.line > mostPoints:
		return nil, fmt.Errorf("there are more than %d points; print fewer", mostPoints)
	}
	return p, nil
}

// Close kills the program if it runs.
func (s *Points) Close() error {
	if s.process != nil {
		s.kill()
	}
	return os.RemoveAll(s.dir)
}
