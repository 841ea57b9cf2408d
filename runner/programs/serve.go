package programs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	Save     bool   `json:"save"`  // it can save and restore
	Again    bool   `json:"again"` // another start begins anew

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

// A session is a served program that has said hello.
type session struct {
	*process
	dir   string
	asks  int    // requests so far, the id of the last
	save  bool   // it can save and restore
	again bool   // it can begin another cell
	calls string // itself, by name and version
	used  bool   // it has begun a cell
}

// A Served is a program that is asked step by step.
type Served struct {
	*Program
	*session
	ctx    context.Context // of the cell
	err    error           // of the first request that failed
	atOnce int             // steps that a request asks for, so that it does not take long
	state  servedState
	asked  int // files that predictions were asked for
}

// A servedState is a checkpoint of a program.
type servedState struct {
	Version string // of the program that saved it
	Saved   []byte
}

// Serve starts the program, or takes one whose cell has ended, and tells it what it learns from. It returns the seconds of the request
// start. The program runs until Close. broken says which promise of its hello it did not keep, of the first cell of a method.
func (p *Program) Serve(ctx context.Context, start Start) (s *Served, seconds float64, broken, err error) {
	first := false
	kept, err := p.rows.Folder.once(p.method, func() (promise, error) { first = true; return p.promises(ctx, start) })
	if err != nil {
		return nil, 0, nil, err
	}
	if s, err = p.hello(ctx); err != nil {
		return nil, 0, nil, err
	}
	if s.save, s.again = s.save && kept.save, s.again && kept.again; first {
		broken = kept.broken
	}
	if s.Record.Version == "" {
		s.Record.Version = s.calls
	}
	if seconds, err = s.begin(start); err != nil {
		s.Close()
	}
	return s, seconds, broken, err
}

// hello takes an idle program, or starts one and asks who it is.
func (p *Program) hello(ctx context.Context) (s *Served, err error) {
	s = &Served{Program: p, ctx: ctx, atOnce: 1}
	if s.session = p.rows.Folder.take(p); s.session != nil {
		s.process.of = p
		s.stderr.turn(p.Log)
		return s, nil
	}
	dir, err := p.rows.Folder.place()
	if err != nil {
		return nil, err
	}
	s.session = &session{dir: dir}
	if s.process, err = p.open(dir, p.serve, p.rows.longestReply()); err == nil {
		err = s.greet()
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

// greet asks the program who it is.
func (s *Served) greet() error {
	hello, err := s.ask(request{Request: "hello", Protocol: protocol})
	if err != nil {
		return err
	}
	if hello.Protocol != protocol {
		return s.failure(fmt.Errorf("hello: the program speaks protocol %d, and repro %d; write \"protocol\": %d", hello.Protocol, protocol, protocol))
	}
	s.save, s.again, s.calls = hello.Save, hello.Again, oneLine(hello.Name+" "+hello.Version)
	return nil
}

// begin tells the program what it learns from, in a folder with nothing else. It returns the seconds of the request.
func (s *Served) begin(start Start) (seconds float64, err error) {
	p := s.Program
	if s.used {
		if err := empty(s.dir); err != nil {
			return 0, err
		}
	}
	s.used, s.atOnce = true, 1
	if err := p.rows.export(s.ctx, s.dir, p.method.Format); err != nil {
		return 0, err
	}
	if p.rows.Train != nil {
		start.Train, start.Test = "train."+p.method.Format, "test."+p.method.Format
		start.In, start.Out = p.rows.Train.Dims()
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
	s.asks++
	r.ID = s.asks
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
		err = s.timedOut(!s.spoke)
	case errors.Is(err, ErrCancelled):
		s.kill()
		return nil, err
	case err != nil:
	case a.ID == nil:
		err = fmt.Errorf("%s has no id; repeat that of the request", clip(text))
	case *a.ID != s.asks:
		err = fmt.Errorf("%s is the reply to request %d, and this is request %d; write one line for each request, and what is no reply to stderr", clip(text), *a.ID, s.asks)
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

// Saves says whether the program can save its state, and keeps to it.
func (s *Served) Saves() bool { return s.save }

// A promise is what a program says in hello that it can do.
type promise struct {
	save, again bool
	broken      error // what it does not keep, and what follows
}

// promises holds a program to what it promises, once for each method and run. One process begins with another seed, makes a step, begins
// again with that of the cell and makes one more; it saves, and makes a third. A new process begins, restores and makes the third, too.
// Both must report and predict the same numbers, bit for bit. An error is that of a program that does not start; what else goes wrong is
// left to the cell.
func (p *Program) promises(ctx context.Context, start Start) (kept promise, err error) {
	var pair [2]*Served
	var errs [2]error
	var wg sync.WaitGroup
	for i := range pair { // side by side, for the program may be slow to begin
		wg.Go(func() { pair[i], errs[i] = p.hello(ctx) })
	}
	wg.Wait()
	if err = cmp.Or(errs[0], errs[1]); err == nil {
		kept = keeps(pair[0], pair[1], start)
	}
	for i, s := range pair {
		if errs[i] == nil {
			s.again = kept.again
			s.Close()
		}
	}
	return kept, err
}

// keeps returns which promises two new processes of a program keep.
func keeps(a, b *Served, start Start) promise {
	made := promise{save: a.save, again: a.again}
	if !a.save && !a.again {
		return made
	}
	a.stderr.turn(nil) // what follows is of no cell
	b.stderr.turn(nil)
	if a.again {
		other := start
		other.Seed++
		if _, err := a.begin(other); err != nil || a.probe().err != nil {
			return made
		}
	}
	if _, err := a.begin(start); err != nil && a.again {
		return promise{broken: anew(err)}
	}
	first := a.probe()
	if first.err != nil {
		return made
	}
	if a.save {
		next := probe{}
		if a.Save(func() { b.state = a.state }); a.err == nil {
			next = a.probe()
		}
		if _, err := b.begin(start); err != nil || a.err != nil && next.err != nil {
			return made
		}
		why := a.err
		if why == nil {
			why = b.probe().differs(next, "it was restored")
		}
		if made.save = why == nil; why != nil {
			made.broken = fmt.Errorf("the program does not go on from the state that it saves, so a cell that is interrupted starts again: %w", why)
		}
	}
	if !a.again {
		return made
	}
	if _, err := b.begin(start); err != nil {
		return promise{broken: made.broken}
	}
	if why := first.differs(b.probe(), "it began again"); why != nil {
		if why = anew(why); made.broken != nil {
			why = fmt.Errorf("%w; and %w", made.broken, why)
		}
		made.again, made.broken = false, why
	}
	return made
}

// anew says that a program does not keep the promise again.
func anew(why error) error {
	return fmt.Errorf("the program does not begin anew at another start, so each cell starts a process: %w", why)
}

// A probe is where a program is after a step.
type probe struct {
	values    map[string]float64
	predicted compute.Matrix
	err       error
}

// probe makes a step.
func (s *Served) probe() (a probe) {
	i, _ := s.Advance(1)
	if a.values = s.Report(); s.rows.Train != nil {
		a.predicted = s.Predict(s.rows.Test)
	}
	a.err = errors.Join(i.Err, s.err)
	return a
}

// differs returns in what a program is not where one without a break is.
func (a probe) differs(without probe, after string) error {
	if err := cmp.Or(a.err, without.err); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(without.values)) {
		want := without.values[name]
		if got, ok := a.values[name]; !ok || math.Float64bits(got) != math.Float64bits(want) {
			return fmt.Errorf("one step after %s %s is %v, and %v without", after, name, got, want)
		}
	}
	for i, want := range without.predicted.Data {
		if got := a.predicted.Data[i]; math.Float64bits(got) != math.Float64bits(want) {
			return fmt.Errorf("one step after %s a prediction is %v, and %v without", after, got, want)
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
	s.state = servedState{s.calls, b}
	keep()
	s.state.Saved = nil
}

// Restored checks the state of a checkpoint, which the next step begins with: another version of the program starts again.
func (s *Served) Restored() error {
	if saved := s.state.Version; saved != s.calls {
		s.state.Saved = nil
		return fmt.Errorf("the program was %s, and is now %s", printed.Quote(saved), printed.Quote(s.calls))
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

// Close keeps a program for other cells that can begin again. It asks any other one to stop, and kills it if it does not.
func (s *Served) Close() error {
	if s.session == nil {
		return nil
	}
	if s.process != nil && s.err == nil && s.ctx.Err() == nil && (s.again || !s.used) {
		return s.rows.Folder.keep(s)
	}
	return s.stop()
}

func (s *Served) stop() error {
	if s.process != nil {
		if line, err := json.Marshal(request{ID: s.asks + 1, Request: "stop"}); err == nil && s.err == nil {
			_, _ = s.stdin.Write(append(line, '\n'))
		}
		s.stdin.Close()
		if s.err == nil && s.ctx.Err() == nil {
			select {
			case <-s.ended:
			case <-time.After(drainTime):
			}
		}
		s.kill()
	}
	return os.RemoveAll(s.dir)
}
