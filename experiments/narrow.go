package experiments

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/results/printed"
)

// plannedOf returns the number of seeds of the first look that the spec plans for a method, or other if it has none of that id.
func (s *Spec) plannedOf(id string, other int) int {
	for i := range s.Methods {
		if m := &s.Methods[i]; m.ID == id {
			return s.effective(m).planned()
		}
	}
	return other
}

// narrow applies the options that choose methods and seeds, and drops references to methods that are left out. The seeds of the first
// look at the verdicts are those of plan, which is the spec without edits; nil if it is this one.
func (s *Spec) narrow(opts LoadOptions, known names, plan *Spec) error {
	if opts.Seeds < 0 {
		return fmt.Errorf("%s: --seeds must be > 0, got %d", s.File, opts.Seeds)
	}
	for i := range s.Methods {
		m := &s.Methods[i]
		if m.first = s.effective(m).planned(); plan != nil {
			m.first = plan.plannedOf(m.ID, m.first)
		}
	}
	if opts.Seeds > 0 {
		for i := range s.Methods {
			if m := &s.Methods[i]; m.Seeds >= s.Repeat.Seeds {
				m.Seeds = 0 // it is not fewer than the others have
			}
		}
		s.Repeat.Seeds = opts.Seeds
		if wrong := strict.Check[Repeat]("seeds", float64(opts.Seeds)); wrong != "" {
			return fmt.Errorf("%s: --seeds %s", s.File, wrong)
		}
	}
	if len(opts.Methods) > 0 {
		if err := s.keep(opts.Methods, known); err != nil {
			return err
		}
	}
	if wrong := s.tooManyCells(); wrong != "" {
		return fmt.Errorf("%s: --seeds %s", s.File, wrong)
	}
	s.spread()
	return nil
}

// maxCells bounds the cells of a spec, each of which is a run with a record of its own.
const maxCells = 20_000

// tooManyCells returns what is wrong with the number of cells, empty if nothing is.
func (s *Spec) tooManyCells() string {
	n := 0
	for i := range s.Methods {
		n += s.effective(&s.Methods[i]).seedsAsked()
	}
	if n <= maxCells {
		return ""
	}
	return fmt.Sprintf("makes %d runs with %d methods, more than %d; give fewer seeds", n, len(s.Methods), maxCells)
}

// keep drops the methods not named by id or group, except those whose time a kept one takes.
func (s *Spec) keep(names []string, known names) error {
	kept := map[string]bool{}
	for _, name := range names {
		if !known.methods[name] {
			return fmt.Errorf("%s: unknown method %s; %s", s.File, printed.Quote(name), printed.Suggest(name, slices.Sorted(maps.Keys(known.methods))))
		}
		for _, m := range s.Methods {
			if m.ID == name || m.Group == name {
				kept[m.ID] = true
			}
		}
	}
	for range s.Methods {
		for _, m := range s.Methods {
			if kept[m.ID] && m.Budget != nil && m.Budget.TimeOf != "" {
				kept[m.Budget.TimeOf] = true
			}
		}
	}
	s.Methods = slices.DeleteFunc(s.Methods, func(m Method) bool { return !kept[m.ID] })
	if len(s.Methods) == 0 {
		return fmt.Errorf("%s: profile %s removes %s; choose another profile or method", s.File, s.Profile, strings.Join(names, ", "))
	}
	return nil
}

// members lists the methods that a name stands for: the method of that id, or the combinations of a grid. It is
// empty if the method is left out.
func (s *Spec) members(name string) (ids []string) {
	for _, m := range s.Methods {
		if m.ID == name || m.Group == name {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// LoadOptions say how to lay out a spec.
type LoadOptions struct {
	Profile string   // "paper" if empty
	Set     []string // edits "path=value", applied after the profile
	Methods []string // ids of the methods to keep, with those whose time they take; all if empty
	Seeds   int      // number of seeds in place of the spec's, if positive
}

// Profiles are the profiles that every spec has. A profile that the spec does not change is the spec as it stands.
var Profiles = []string{"smoke", "quick", "paper"}

// CI is the profile of continuous integration: problems that are small, with seeds enough that every claim can change its
// verdict. A spec has it only if it has the table [profile.ci].
const CI = "ci"

// LeastSeedsCI is the least number of seeds, at profile ci, of the methods that a claim compares or fits a line to.
const LeastSeedsCI = 10

// profileNames lists the profiles of a spec.
func profileNames(root *spectree.Node) []string {
	names := slices.Clone(Profiles)
	if t := root.Find("profile").Table(); t != nil {
		for _, k := range t.Keys {
			if !slices.Contains(names, k) {
				names = append(names, k)
			}
		}
	}
	return names
}

// An UnknownProfile is the error that a spec has no profile of a name.
type UnknownProfile struct {
	File, Profile string
	Known         []string
}

func (e UnknownProfile) Error() string {
	return fmt.Sprintf("%s: unknown profile %s; %s", e.File, printed.Quote(e.Profile), printed.Suggest(e.Profile, e.Known))
}
