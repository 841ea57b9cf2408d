package programs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"repro/algos"
	"repro/algos/compute"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// protocol is the version of the requests and replies of command.serve.
const protocol = 1

// A request is a line to a served program. The reply has its id.
type request struct {
	ID      int    `json:"id"`
	Request string `json:"request"`

	Protocol int    `json:"protocol,omitempty"` // of hello
	*Start          // of start
	N        int    `json:"n,omitempty"`    // of step
	Rows     string `json:"rows,omitempty"` // of predict: a file of rows
	File     string `json:"file,omitempty"` // of save and restore: that of the state
}

// A Start is what a served program learns from. An own problem has only the first line of keys.
type Start struct {
	Seed    uint64  `json:"seed"`
	Threads int     `json:"threads"`
	Steps   int     `json:"steps,omitempty"`   // that the budget allows
	Seconds float64 `json:"seconds,omitempty"` // the same

	Train  string  `json:"train,omitempty"` // files of rows
	Test   string  `json:"test,omitempty"`
	In     int     `json:"in,omitempty"`
	Out    int     `json:"out,omitempty"`
	Loss   any     `json:"loss,omitempty"` // as the spec names it, and so the kernel
	Kernel any     `json:"kernel,omitempty"`
	Sigma  float64 `json:"sigma,omitempty"`
	Nu     float64 `json:"nu,omitempty"`
}

// A reply is a line of a served program.
type reply struct {
	ID    *int   `json:"id"`
	Error string `json:"error"` // that it cannot, and why

	Protocol int    `json:"protocol"` // to hello
	Name     string `json:"name"`
	Version  string `json:"version"`
	Save     bool   `json:"save"` // it can save and restore

	Made   *int               `json:"made"` // to step: n if left out
	Seen   int                `json:"seen"`
	Done   bool               `json:"done"`
	File   string             `json:"file"`   // to predict: predictions.npy, or lines of text in predictions.txt
	Base64 *string            `json:"base64"` // to predict: float64, little-endian, row after row
	Values map[string]*number `json:"values"` // to value
}

// A number is a float64 in JSON, with the spellings of other languages of those that JSON has not.
type number float64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("want a number, got %s", clip(text))
	}
	*n = number(v)
	return nil
}

// decode reads a line of JSON, in which keys that nobody knows are mistakes.
func decode(line string, into any) error {
	read := func() error {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(into); err != nil {
			return err
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return errors.New("more follows on the line")
		}
		return nil
	}
	err := read()
	if bad := (*json.SyntaxError)(nil); errors.As(err, &bad) {
		line = string(records.Lenient([]byte(line)))
		err = read()
	}
	if err != nil {
		return fmt.Errorf("%s is no line of the protocol: %s", clip(line), strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// A Served is a program that is asked step by step.
type Served struct {
	*Program
	*process
	ctx     context.Context // of the cell
	dir     string
	id      int // of the last request
	save    bool
	version string // as hello says it
	err     error  // of the first request that failed
	atOnce  int    // steps that a request asks for, so that it does not take long
	state   servedState
	asked   int // files that predictions were asked for
}

// A servedState is a checkpoint of a program.
type servedState struct {
	Version string // of the program that saved it
	Saved   []byte
}

// Serve starts the program and what it learns. It returns the seconds of the request start. The program runs until Close.
func (p *Program) Serve(ctx context.Context, start Start) (s *Served, seconds float64, err error) {
	dir, err := p.rows.Folder.place()
	if err != nil {
		return nil, 0, err
	}
	s = &Served{Program: p, ctx: ctx, dir: dir, atOnce: 1}
	if seconds, err = s.begin(start); err != nil {
		s.Close()
	}
	return s, seconds, err
}

// begin starts the program with what it learns.
func (s *Served) begin(start Start) (seconds float64, err error) {
	p, dir := s.Program, s.dir
	if err := p.rows.export(s.ctx, dir, p.method.Format); err != nil {
		return 0, err
	}
	if p.rows.Train != nil {
		start.Train, start.Test = "train."+p.method.Format, "test."+p.method.Format
		start.In, start.Out = p.rows.Train.Dims()
	}
	if s.process, err = p.open(dir, p.serve, p.rows.longestReply()); err != nil {
		return 0, err
	}
	return s.greet(start)
}

// greet asks who the program is, and tells it what it learns from. It returns the seconds of the request start.
func (s *Served) greet(start Start) (seconds float64, err error) {
	hello, err := s.ask(request{Request: "hello", Protocol: protocol})
	if err != nil {
		return 0, err
	}
	if hello.Protocol != protocol {
		return 0, s.failure(fmt.Errorf("hello: the program speaks protocol %d, and repro %d; write \"protocol\": %d", hello.Protocol, protocol, protocol))
	}
	s.save, s.version = hello.Save, oneLine(hello.Name+" "+hello.Version)
	if s.Record.Version == "" {
		s.Record.Version = s.version
	}
	began := time.Now()
	_, err = s.ask(request{Request: "start", Start: &start})
	return time.Since(began).Seconds(), err
}

// longestLine is the length in bytes of a line without predictions; surfaceRows are those of the largest grid of evaluate.surface.
const longestLine, surfaceRows = 1 << 20, 1000 * 1000

// longestReply is the length in bytes of the longest line of a served program: that of predictions, of which base64 makes 11 bytes of 8.
func (r Rows) longestReply() int {
	if r.Train == nil {
		return longestLine
	}
	return longestLine + 11*r.out()*max(r.Train.Len(), r.Test.Rows, surfaceRows)
}

// ask sends a request and returns the reply. After an error the program is dead, and so is every request.
func (s *Served) ask(r request) (a *reply, err error) {
	if s.err != nil {
		return nil, s.err
	}
	defer func() {
		if err != nil {
			s.err = err
		}
	}()
	s.id++
	r.ID = s.id
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	_, _ = s.stdin.Write(append(line, '\n')) // if it has ended, its output has
	text, err := s.next(s.ctx, s.limit())
	a = &reply{}
	if err == nil {
		err = decode(text, a)
	}
	switch {
	case errors.Is(err, errLate):
		err = s.timedOut()
	case errors.Is(err, ErrCancelled):
		s.kill()
		return nil, err
	case err != nil:
	case a.ID == nil:
		err = fmt.Errorf("%s has no id; repeat that of the request", clip(text))
	case *a.ID != s.id:
		err = fmt.Errorf("%s is the reply to request %d, and this is request %d; write one line for each request, and what is no reply to stderr", clip(text), *a.ID, s.id)
	case a.Error != "":
		err = errors.New(oneLine(a.Error))
	}
	if err != nil {
		return nil, s.failure(fmt.Errorf("%s: %w", r.Request, err))
	}
	return a, nil
}

// atMost is how long a request for steps may take, so that Ctrl-C and checkpoints do not wait for it.
const atMost = 200 * time.Millisecond

// Advance makes at least one step and at most n, and returns the seconds that they took.
func (s *Served) Advance(n int) (i algos.Iterations, seconds float64) {
	i.Made = 1
	if s.state.Saved != nil {
		if i.Err = s.restore(); i.Err != nil {
			return i, 0
		}
	}
	n = min(n, s.atOnce)
	began := time.Now()
	a, err := s.ask(request{Request: "step", N: n})
	took := time.Since(began)
	if i.Err = err; err != nil {
		return i, took.Seconds()
	}
	switch {
	case took < atMost/4 && n == s.atOnce:
		s.atOnce *= 2
	case took > atMost:
		s.atOnce = max(1, n/2)
	}
	i.Made, i.Progress = n, algos.Progress{Seen: a.Seen, Done: a.Done}
	if a.Made != nil {
		i.Made = *a.Made
	}
	if i.Made < 1 && !a.Done || i.Made > n || i.Made < 0 || a.Seen < 0 {
		s.err = s.failure(fmt.Errorf("step: it says that it made %d steps of %d and saw %d rows", i.Made, n, a.Seen))
		i.Made, i.Err = 1, s.err
	}
	return i, took.Seconds()
}

// Report implements algos.Reporter.
func (s *Served) Report() map[string]float64 {
	a, err := s.ask(request{Request: "value"})
	if err != nil {
		return nil
	}
	values := map[string]float64{}
	for name, v := range a.Values {
		if values[name] = math.NaN(); v != nil { // null, as some languages write NaN
			values[name] = float64(*v)
		}
	}
	return values
}

// Predict implements algos.Model. After an error, which Err returns, predictions are zero.
func (s *Served) Predict(x compute.Matrix) compute.Matrix {
	file := "test." + s.method.Format
	if test := s.rows.Test; x.Rows != test.Rows || x.Rows > 0 && &x.Data[0] != &test.Data[0] {
		s.asked++
		file = fmt.Sprintf("rows%d.%s", s.asked, s.method.Format)
		path := filepath.Join(s.dir, file)
		defer os.Remove(path)
		if err := exportInputs(s.ctx, path, s.method.Format, x); err != nil {
			return s.predicted(x.Rows, compute.Matrix{}, err)
		}
	}
	return s.predict(file, x.Rows)
}

// Fitted implements algos.Fitter: the program predicts a file of the training inputs that is written once.
func (s *Served) Fitted() compute.Matrix {
	n, name := s.rows.Train.Len(), "fitted."+s.method.Format
	if _, err := os.Stat(filepath.Join(s.dir, name)); err != nil {
		if err := s.rows.exportFitted(s.ctx, s.dir, "fitted", s.method.Format); err != nil {
			return s.predicted(n, compute.Matrix{}, err)
		}
	}
	return s.predict(name, n)
}

// predict asks for predictions of a file with so many rows.
func (s *Served) predict(file string, rows int) compute.Matrix {
	p, err := s.predictions(file, predictionReader{rows: rows, out: s.rows.out(), labels: s.method.Labels(), classes: s.rows.Classes})
	return s.predicted(rows, p, err)
}

// predicted returns predictions of so many rows, and zeros after an error, which Err returns.
func (s *Served) predicted(rows int, p compute.Matrix, err error) compute.Matrix {
	if err == nil {
		return p
	}
	if s.err == nil {
		s.err = s.failure(fmt.Errorf("predict: %w", err))
	}
	return compute.NewMatrix(rows, s.rows.out())
}

func (s *Served) predictions(file string, r predictionReader) (none compute.Matrix, err error) {
	a, err := s.ask(request{Request: "predict", Rows: file})
	switch {
	case err != nil:
		return none, err
	case a.Base64 != nil:
		return r.base64(*a.Base64)
	case a.File != arrayFile && a.File != predictionsFile:
		return none, fmt.Errorf(`the reply has no "base64", and its "file" is %q, not %s or %s`, a.File, arrayFile, predictionsFile)
	}
	path := filepath.Join(s.dir, a.File)
	defer os.Remove(path) // so that the next predictions are not these
	if a.File == arrayFile {
		return r.npy(path)
	}
	return r.file(path)
}

// arrayFile is where predictions are a npy array.
const arrayFile = "predictions.npy"

// mostState is the largest state of a program in bytes.
const mostState = 1 << 30

// State returns a state that a checkpoint holds. Save fills it, and what a checkpoint fills it with is restored before the next step.
func (s *Served) State() any { return &s.state }

// Model implements algos.Fit: it is the program.
func (s *Served) Model() algos.Model { return s }

// Step implements algos.Fit.
func (s *Served) Step() (algos.Progress, error) {
	i, _ := s.Advance(1)
	return i.Progress, i.Err
}

// Saves says whether the program can save its state.
func (s *Served) Saves() bool { return s.save }

// TrySaving holds a program that says it can save its state to that, once for each method and run: one process makes a step, saves
// and makes another one; a second process restores and makes that step, too. Both must report and predict the same numbers, bit for
// bit. If they do not, the program saves no longer, and the error says why.
func (s *Served) TrySaving(start Start) error {
	if !s.save {
		return nil
	}
	err := s.rows.Folder.once(s.method, func() error { return s.Program.resumes(s.ctx, start) })
	s.save = err == nil
	return err
}

// resumes returns an error if a program does not go on from a saved state as if it had not stopped. What else goes wrong is left to
// the cell.
func (p *Program) resumes(ctx context.Context, start Start) error {
	a, _, err := p.Serve(ctx, start)
	if err != nil {
		return nil
	}
	defer a.Close()
	b, _, err := p.Serve(ctx, start)
	if err != nil {
		return nil
	}
	defer b.Close()
	step := func(s *Served) (map[string]float64, compute.Matrix, error) {
		i, _ := s.Advance(1)
		values, predicted := s.Report(), compute.Matrix{}
		if p.rows.Train != nil {
			predicted = s.Predict(p.rows.Test)
		}
		return values, predicted, errors.Join(i.Err, s.Err())
	}
	if _, _, err := step(a); err != nil {
		return nil
	}
	if a.Save(func() { b.state = a.state }); a.Err() != nil {
		return a.Err()
	}
	x, u, err := step(a)
	if err != nil {
		return nil
	}
	y, v, err := step(b)
	if err != nil {
		return err
	}
	for name, want := range x {
		if got, ok := y[name]; !ok || math.Float64bits(got) != math.Float64bits(want) {
			return fmt.Errorf("one step after it was restored %s is %v, and %v without", name, got, want)
		}
	}
	for i, want := range u.Data {
		if math.Float64bits(v.Data[i]) != math.Float64bits(want) {
			return fmt.Errorf("one step after it was restored a prediction is %v, and %v without", v.Data[i], want)
		}
	}
	return nil
}

const stateFile = "state"

// Save asks for the state, and calls keep while State has it.
func (s *Served) Save(keep func()) {
	if _, err := s.ask(request{Request: "save", File: stateFile}); err != nil {
		return
	}
	b, err := files.ReadRegular(filepath.Join(s.dir, stateFile), mostState)
	if err != nil {
		s.err = s.failure(fmt.Errorf("save: %w", err))
		return
	}
	s.state = servedState{s.version, b}
	keep()
	s.state.Saved = nil
}

// Restored checks the state of a checkpoint, which the next step begins with: another version of the program starts again.
func (s *Served) Restored() error {
	if saved := s.state.Version; saved != s.version {
		s.state.Saved = nil
		return fmt.Errorf("the program was %s, and is now %s", printed.Quote(saved), printed.Quote(s.version))
	}
	return nil
}

func (s *Served) restore() error {
	b := s.state.Saved
	s.state.Saved = nil
	if err := os.WriteFile(filepath.Join(s.dir, stateFile), b, 0o600); err != nil {
		return err
	}
	_, err := s.ask(request{Request: "restore", File: stateFile})
	return err
}

// Err returns the error of the first request that failed.
func (s *Served) Err() error { return s.err }

// Close asks the program to stop, and kills it if it does not.
func (s *Served) Close() error {
	if s.process != nil {
		if line, err := json.Marshal(request{ID: s.id + 1, Request: "stop"}); err == nil && s.err == nil {
			_, _ = s.stdin.Write(append(line, '\n'))
		}
		s.stdin.Close()
		if s.err == nil {
			select {
			case <-s.ended:
			case <-time.After(drainTime):
			}
		}
		s.kill()
	}
	return os.RemoveAll(s.dir)
}
