package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
)

// UsualProfile is the profile of commands that are not told one.
const UsualProfile = "quick"

// A Say writes a command of a verb: printed.Again for one that goes on with this call, printed.Line for one that depends on nothing else.
type Say func(verb string, words ...string) string

// Command returns the command of a verb about the experiment, with the profile and the permission that it needs. Curves that other programs
// made are not run but judged.
func (e Experiment) Command(say Say, verb string, words ...string) string {
	own := []string{cmp.Or(e.Argument, e.ID)}
	if verb == "run" {
		if len(e.Imported) > 0 && len(e.Imported) == len(e.Methods) {
			return say("judge", own...)
		}
		if profile, _ := e.profile(); profile != "" && profile != UsualProfile && !slices.Contains(words, "--profile") {
			own = append(own, "--profile", profile)
		}
		if e.External {
			words = append(words, "--allow-external")
		}
	}
	return say(verb, append(own, words...)...)
}

// profile returns the name of the profile, and whether its values were edited for one run.
func (e Experiment) profile() (name string, edited bool) {
	name, _, edited = strings.Cut(e.Profile, " ")
	return name, edited
}

// MoreSeeds says how the experiment gets n seeds of methods: by a command or, of curves that other programs made, by more of these.
func (e Experiment) MoreSeeds(say Say, n int, methods []string) string {
	imported := slices.DeleteFunc(slices.Clone(e.Imported), func(m string) bool { return !slices.Contains(methods, m) })
	if len(imported) == 0 {
		return e.Command(say, "run", "--seeds", strconv.Itoa(n))
	}
	have := 0
	for _, p := range e.Expected {
		if p.Method == imported[0] {
			have++
		}
	}
	return fmt.Sprintf("train %s of %s and add the files, write repeat.seeds = %d into the spec, then: %s",
		printed.Count(max(1, n-have), "more run"), printed.List(imported), n, e.Command(say, "run"))
}
