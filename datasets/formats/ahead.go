package formats

import (
	"bytes"
	"runtime"
	"sync"
)

// ahead is rows parsed before they are asked for, on all threads. They are those that a row parser reads without looking at the
// lines before: nearly all of most files. The others, and all mistakes, are left to the line by line code of a format.
type ahead struct {
	parse     rowParser // nil to parse nothing ahead
	least     int       // bytes from which a part of the window is worth a goroutine
	parts     []batch   // of the window, in order
	part, row int       // of the next row
	wait      int       // lines to read before rows are parsed ahead again
	pause     int       // what wait was last
}

// A batch is the rows of some lines that follow one another.
type batch struct {
	y, x  []float64
	index []int // libsvm: of each number of x
	ends  []int // of the numbers of each row
	bytes int   // of the lines
	all   bool  // all of the part was parsed
}

// A row is one of a batch.
type row struct {
	y     float64
	x     []float64
	index []int
}

func (b *batch) reset() {
	*b = batch{y: b.y[:0], x: b.x[:0], index: b.index[:0], ends: b.ends[:0]}
}

// at returns row i.
func (b *batch) at(i int) row {
	from := 0
	if i > 0 {
		from = b.ends[i-1]
	}
	r := row{y: b.y[i], x: b.x[from:b.ends[i]]}
	if len(b.index) > 0 {
		r.index = b.index[from:b.ends[i]]
	}
	return r
}

// A rowParser appends the row of a line, without its end, to a batch. It reports false, and leaves anything behind the rows of
// the batch, if the line is not of the simplest form. Several goroutines call it at a time.
type rowParser func(line []byte, b *batch) bool

// mostPause is the number of lines after which rows are parsed ahead again where that did not help.
const mostPause = 1 << 12

// nextAhead returns the next row if it is parsed ahead or can be. If not, text.next returns the next line.
func (t *text) nextAhead() (r row, ok bool) {
	a := &t.ahead
	for {
		if a.part < len(a.parts) {
			b := &a.parts[a.part]
			if a.row < len(b.y) {
				a.row++
				t.line++
				return b.at(a.row - 1), true
			}
			t.pos += b.bytes
			a.part, a.row = a.part+1, 0
			if !b.all {
				a.pause = min(2*max(a.pause, 1), mostPause)
				if len(b.y) > 0 {
					a.pause = 1
				}
				a.wait, a.parts = a.pause, a.parts[:0]
			}
			continue
		}
		if a.wait > 0 {
			a.wait--
			return row{}, false
		}
		if !t.parseAhead() {
			return row{}, false
		}
	}
}

// forget makes the lines of rows that are parsed ahead, and were not asked for, those that text.next returns next.
func (t *text) forget() {
	a := &t.ahead
	if a.part == len(a.parts) {
		return
	}
	for range a.row {
		t.pos += bytes.IndexByte(t.window[t.pos:], '\n') + 1
	}
	a.parts, a.part, a.row = a.parts[:0], 0, 0
}

// parseAhead parses the whole lines of the window, of which there is at least one if it returns true.
func (t *text) parseAhead() bool {
	if t.line == 0 || t.ahead.parse == nil {
		return false // the first line may begin with a byte order mark
	}
	end := bytes.LastIndexByte(t.window[t.pos:], '\n')
	if end < 0 && t.err == nil {
		t.fill()
		end = bytes.LastIndexByte(t.window[t.pos:], '\n')
	}
	if end < 0 {
		return false
	}
	lines := t.window[t.pos : t.pos+end+1]
	a := &t.ahead
	n := max(1, min(runtime.GOMAXPROCS(0), len(lines)/a.least))
	if cap(a.parts) < n {
		a.parts = append(a.parts[:cap(a.parts)], make([]batch, n-cap(a.parts))...)
	}
	a.parts, a.part, a.row = a.parts[:n], 0, 0
	var others sync.WaitGroup
	for i := range n {
		part := lines
		if i < n-1 {
			part = lines[:bytes.IndexByte(lines[len(lines)/(n-i):], '\n')+len(lines)/(n-i)+1]
			lines = lines[len(part):]
			others.Go(func() { a.parts[i].parse(part, a.parse) })
		} else {
			a.parts[i].parse(part, a.parse)
		}
	}
	others.Wait()
	return true
}

// parse appends the rows of lines, up to the first that parse refuses.
func (b *batch) parse(lines []byte, parse rowParser) {
	b.reset()
	all := len(lines)
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		line := lines[:end]
		if end > 0 && line[end-1] == '\r' {
			line = line[:end-1]
		}
		numbers := len(b.x)
		if !parse(line, b) {
			b.x, b.index = b.x[:numbers], b.index[:min(numbers, len(b.index))]
			break
		}
		b.ends = append(b.ends, len(b.x))
		lines = lines[end+1:]
	}
	b.bytes = all - len(lines)
	b.all = len(lines) == 0
}
