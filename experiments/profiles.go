package experiments

import (
	"fmt"
	"slices"

	"repro/experiments/spectree"
	"repro/results/printed"
)

// profiles are the profiles that every spec has. A profile that the spec does not change is the spec as it stands.
var profiles = []string{"smoke", "quick", "paper"}

// CI is the profile of continuous integration: problems that are small, with seeds enough that every claim can change its
// verdict. A spec has it only if it has the table [profile.ci].
const CI = "ci"

// LeastSeedsCI is the least number of seeds, at profile ci, of the methods that a claim compares or fits a line to.
const LeastSeedsCI = 10

// profileNames lists the profiles of a spec.
func profileNames(root *spectree.Node) []string {
	names := slices.Clone(profiles)
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
