package changes

// What the states leave out, in words.
const (
	isIdentical State = "identical"
	isMoved     State = "moved"
	isFailed    State = "failed"
	isRedefined State = "redefined"
	isByTime    State = "by time"
	isNotRun    State = "not run"
)

// count counts the changes in every state.
func count(all []Change) map[State]int {
	n := map[State]int{}
	for _, c := range all {
		n[detail(c)]++
	}
	return n
}

// detail returns the state of a change or a shift, with what the states leave out.
func detail(of any) State {
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
	case c.LeftOut == ByTime:
		return isByTime
	case c.LeftOut == NotRun:
		return isNotRun
	case c.Identical():
		return isIdentical
	}
	return c.State
}
