package flags

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// whole is a flag that is a whole number of at least some size.
type whole struct {
	to    *int
	least int
	want  string
}

func (w whole) Type() string { return "int" }

func (w whole) String() string { return strconv.Itoa(*w.to) }

func (w whole) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < w.least {
		return fmt.Errorf("must be %s, got %s", w.want, text)
	}
	*w.to = n
	return nil
}

// Explains reports whether the errors of a flag say what it wants.
func Explains(v pflag.Value) bool {
	switch v.(type) {
	case Parsed, whole:
		return true
	}
	return false
}

// Parsed is a flag that a function reads, whose errors say what it wants.
type Parsed struct{ Read func(string) error }

func (p Parsed) Set(s string) error { return p.Read(s) }

func (p Parsed) String() string { return "" }

func (p Parsed) Type() string { return "string" }
