package cli

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"repro/datasets"
	"repro/results/printed"
)

// agreed lists what is missing of the data sets with its size, asks whether to download it, and returns the names of what was
// agreed to. Where nobody can be asked, it is an error that says what to pass.
func (a *app) agreed(names []string) ([]string, error) {
	var missing []string
	g := grid{head: []string{"data set", "size", "what it is"}, right: []int{2}, wrap: 3}
	seen := map[string]bool{} // data sets may share files
	total, unknown := int64(0), 0
	for _, name := range names {
		absent, _ := a.library().Absent(name)
		if len(absent) == 0 {
			continue
		}
		missing = append(missing, name)
		sum := int64(0)
		for _, f := range absent {
			sum += f.Bytes
			key := strings.Join(f.URLs, " ")
			if seen[key] {
				continue
			}
			seen[key] = true
			total += f.Bytes
			if f.Bytes == 0 {
				unknown++
			}
		}
		title := name
		if s, err := datasets.Describe(name); err == nil {
			title = s.Title
		}
		g.rows = append(g.rows, []string{name, size(sum), title})
	}
	if len(missing) == 0 {
		a.note("nothing to download: the data of all experiments is here, or you bring it (%s)", printed.Command("fetch --list"))
		return nil, nil
	}
	if !a.json {
		a.print(g)
	}
	text := fmt.Sprintf("%s, %s", printed.Count(len(missing), "data set"), printed.Bytes(float64(total)))
	if unknown > 0 {
		text += fmt.Sprintf(" and %s of unknown size", printed.Count(unknown, "file"))
	}
	hint := printed.Command("fetch NAME") + " downloads one of them"
	if a.stdin == nil || a.json {
		a.tell("%s", text)
		return nil, errors.New("fetch: downloaded nothing; " + hint + ", " + printed.Command("fetch --all") + " downloads all")
	}
	fmt.Fprintf(a.screen, "%s to %s. Download them? [y/N] ", text, a.library().CacheDir)
	answer, _ := bufio.NewReader(a.stdin).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return missing, nil
	}
	a.note("downloaded nothing; %s", hint)
	return nil, nil
}
