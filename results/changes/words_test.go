package changes

import "repro/results/records"

// What the states leave out, in words.
const (
	isIdentical records.Match = "identical"
	isMoved     records.Match = "moved"
	isFailed    records.Match = "failed"
	isRedefined records.Match = "redefined"
	isByTime    records.Match = "by time"
	isNotRun    records.Match = "not run"
)

// count counts the changes in every state.
func count(all []Change) map[records.Match]int {
	n := map[records.Match]int{}
	for _, c := range all {
		n[detail(c)]++
	}
	return n
}

// detail returns the state of a change or a shift, with what the states leave out.
func detail(of any) records.Match {
	s, ok := of.(Shift)
	c, _ := of.(Change)
	switch {
	case s.Moved || c.Moved:
		return isMoved
	case ok:
		return s.State
	case c.Failed:
		return isFailed
	case len(c.Terms) > 0:
		return isRedefined
	case c.LeftOut == records.ByTime:
		return isByTime
	case c.LeftOut == NotRun:
		return isNotRun
	case c.Identical():
		return isIdentical
	}
	return c.State
}
