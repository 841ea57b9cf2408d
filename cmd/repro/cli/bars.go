package cli

import (
	"fmt"
	"io"
	"time"

	prettyprogress "github.com/jedib0t/go-pretty/v6/progress"

	"repro/experiments"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// barUnits is the length of a full bar, fine enough for runs of hours.
const barUnits = 10000

// bars show the progress of a run on a terminal: one bar for each running cell and one for the whole run.
type bars struct {
	w       prettyprogress.Writer
	work    *workload
	width   int
	quiet   bool // says nothing of cells that diverged
	total   *prettyprogress.Tracker
	running map[*experiments.Cell]*prettyprogress.Tracker
	done    chan struct{}
}

// newPretty returns a writer of bars in this package's style, which renders until stopPretty stops it. With values, bars
// show their values.
func newPretty(out io.Writer, width int, values bool) (w prettyprogress.Writer, done chan struct{}) {
	w = prettyprogress.NewWriter()
	w.SetOutputWriter(out)
	w.SetTerminalWidth(width)
	w.SetMessageLength(max(20, min(60, width-40)))
	w.SetTrackerLength(20)
	w.SetTrackerPosition(prettyprogress.PositionRight)
	w.SetSortBy(prettyprogress.SortByIndex)
	style := prettyprogress.StyleDefault
	style.Options.Separator = " "
	style.Options.DoneString = ""
	style.Options.PercentFormat = "%3.0f%%"
	style.Options.TimeInProgressPrecision = time.Second
	style.Options.TimeDonePrecision = 10 * time.Millisecond
	style.Visibility.Value = values
	style.Visibility.ETA = false
	w.SetStyle(style)
	done = make(chan struct{})
	go func() {
		w.Render()
		close(done)
	}()
	return w, done
}

func newBars(out io.Writer, width int, t *workload, quiet bool) *bars {
	b := &bars{work: t, width: width, quiet: quiet, running: map[*experiments.Cell]*prettyprogress.Tracker{}}
	b.w, b.done = newPretty(out, width, false)
	b.total = &prettyprogress.Tracker{Message: t.String(), Total: barUnits, AutoStopDisabled: true, Index: 1 << 62}
	b.w.AppendTracker(b.total)
	return b
}

func (b *bars) observe(e runner.Event) {
	name := printed.Visible(e.Cell.Experiment + " " + e.Cell.Name)
	switch e.Kind {
	case runner.Started:
		t := &prettyprogress.Tracker{Message: name, Total: barUnits, AutoStopDisabled: true, RemoveOnCompletion: true}
		if e.Work < 0 {
			t.Total = 0
		}
		b.running[e.Cell] = t
		b.w.AppendTracker(t)
	case runner.Advanced:
		if t := b.running[e.Cell]; e.Work >= 0 {
			t.SetValue(int64(e.Work * barUnits))
		}
	case runner.Ended:
		b.end(e, name)
	}
	b.total.UpdateMessage(b.work.String())
	b.total.SetValue(int64(b.work.fraction() * barUnits))
}

// end removes the bar of a cell that ended, and prints a line if it is not done.
func (b *bars) end(e runner.Event, name string) {
	if t := b.running[e.Cell]; t != nil {
		t.MarkAsDone()
		delete(b.running, e.Cell)
	}
	if e.Status != records.Done && e.Status != records.Budget && !(b.quiet && e.Status == records.Diverged) {
		b.note(fmt.Sprintf("%s: %s", name, words(e.Status, e.Reason)))
	}
}

func (b *bars) note(line string) { b.show(printed.Visible(wrapped(line, b.width))) }

func (b *bars) show(painted string) { b.w.Log("%s", painted) }

func (b *bars) close() {
	if b.work.ended == len(b.work.cells) {
		b.total.MarkAsDone()
	}
	stopPretty(b.w, b.done)
}

// stopPretty draws the bars a last time. A stop before the first frame is lost, so it repeats the stop.
func stopPretty(w prettyprogress.Writer, done chan struct{}) {
	for {
		w.Stop()
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}
