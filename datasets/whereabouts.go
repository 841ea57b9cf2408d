package datasets

// Words for whether the data of an experiment is on this machine.
const (
	Here    = "yes"   // it is, or it is generated
	ToFetch = "fetch" // repro fetch downloads it
	ToBring = "bring" // nobody offers it for download
	InPart  = "part"  // some of its files are here
)

// Generated reports whether a registered data set needs no file.
func Generated(name string) bool {
	s, err := Describe(name)
	return err == nil && s.Generated()
}

// Brought reports whether only the user can provide a registered data set.
func Brought(name string) bool {
	s, err := Describe(name)
	return err == nil && s.Bring != ""
}

// Whereabouts says in a word whether a registered data set is on this machine.
func (l *Library) Whereabouts(name string) string {
	if ok, _ := l.Available(name); ok {
		return Here
	}
	if absent, files := l.Absent(name); len(absent) < files {
		return InPart
	}
	if Brought(name) {
		return ToBring
	}
	return ToFetch
}
