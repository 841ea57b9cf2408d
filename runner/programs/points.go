package programs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"repro/experiments"
)

// A Point is what a program printed of itself.
type Point struct {
	Step    int
	Seconds float64 // since it began, by its own clock; NaN if it does not say
	Values  map[string]float64
}

// Points are those of a program that prints them: lines of JSON, or CSV with a first line of names. One of the names is step.
type Points struct {
	*Program
	*process
	dir     string
	ends    time.Time // of its timeout
	columns []string  // of CSV; nil for JSON
	line    int       // the last one read
	last    Point
	ahead   *Point // the one that Next returns; nil at the end
	broken  error  // why it does not
}

// mostPoints bounds a record, which has a line for each point.
const mostPoints = 100_000

// Print starts a program that prints its points. It runs until Close.
func (p *Program) Print(ctx context.Context, iterations int) (s *Points, err error) {
	dir, err := p.rows.Folder.place()
	if err != nil {
		return nil, err
	}
	s = &Points{Program: p, dir: dir, ends: time.Now().Add(p.limit())}
	if err = p.rows.export(ctx, dir, p.method.Format); err == nil {
		command := experiments.Fill(p.run, map[string]string{"iterations": strconv.Itoa(iterations)})
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
		s.broken = s.failure(errors.New("ended without a point; print lines of JSON, or CSV with a first line of names"))
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
				return failed(s.argv, err, s.stderr.words())
			}
			return nil
		case errors.Is(err, errLate):
			s.kill()
			return s.timedOut()
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
	case s.columns == nil && s.last.Step == 0 && strings.Contains(text, "step"):
		for name := range strings.SplitSeq(text, ",") {
			s.columns = append(s.columns, strings.Trim(strings.TrimSpace(name), `"`))
		}
		return nil, nil
	case s.columns == nil:
		return nil, fmt.Errorf(`want {"step": 1, …} or the names of columns, one of them step, got %s`, clip(text))
	default:
		cells := strings.Split(text, ",")
		if len(cells) != len(s.columns) {
			return nil, fmt.Errorf("%s has %d cells, and the first line %d names", clip(text), len(cells), len(s.columns))
		}
		for i, cell := range cells {
			v := new(number)
			if err := v.UnmarshalJSON([]byte(strings.TrimSpace(cell))); err != nil {
				return nil, fmt.Errorf("column %s: %w", clip(s.columns[i]), err)
			}
			fields[s.columns[i]] = v
		}
	}
	return s.point(fields)
}

// point checks the place of a point.
func (s *Points) point(fields map[string]*number) (*Point, error) {
	p := &Point{Seconds: math.NaN(), Values: map[string]float64{}}
	step := math.NaN()
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
