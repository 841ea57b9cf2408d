package cli

import (
	"fmt"
	"time"

	prettyprogress "github.com/jedib0t/go-pretty/v6/progress"

	"repro/results/printed"
)

// A downloads shows the progress of the files of one data set: bars on a terminal, lines elsewhere.
type downloads struct {
	app    *app
	name   string
	w      prettyprogress.Writer // nil where there is no terminal
	done   chan struct{}
	file   string
	bar    *prettyprogress.Tracker
	spoken time.Time
}

func (a *app) newDownloads(name string) *downloads { return &downloads{app: a, name: name} }

// progress shows how many bytes of a file are on this machine.
func (d *downloads) progress(file string, done, total int64) {
	if d.file != file {
		d.begin(file, total)
	}
	if d.bar != nil {
		d.bar.UpdateTotal(total)
		d.bar.SetValue(done)
		return
	}
	if time.Since(d.spoken) >= 10*time.Second {
		d.spoken = time.Now()
		d.note(fmt.Sprintf("%s: %s: %s of %s", d.name, file, printed.Bytes(float64(done)), size(total)))
	}
}

func (d *downloads) begin(file string, total int64) {
	d.file, d.spoken = file, time.Now()
	if !d.app.terminal() {
		d.note(fmt.Sprintf("%s: downloading %s, %s", d.name, file, size(total)))
		return
	}
	if d.w == nil {
		d.w, d.done = newPretty(d.app.screen, widthOf(d.app.screen), true)
	}
	if d.bar != nil {
		d.bar.MarkAsDone()
	}
	d.bar = &prettyprogress.Tracker{Message: printed.Visible(d.name + ": " + file), Total: total, Units: prettyprogress.UnitsBytes, AutoStopDisabled: true}
	d.w.AppendTracker(d.bar)
}

func size(total int64) string {
	if total <= 0 {
		return "size unknown"
	}
	return printed.Bytes(float64(total))
}

func (d *downloads) note(line string) {
	if d.w != nil {
		d.w.Log("%s", printed.Visible(line))
		return
	}
	fmt.Fprintln(d.app.stderr, line)
}

func (d *downloads) close() {
	if d.w == nil {
		return
	}
	d.bar.MarkAsDone()
	stopPretty(d.w, d.done)
}
