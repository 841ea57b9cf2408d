package cli

import (
	"fmt"
	"slices"
	"strings"

	"repro/experiments"
	"repro/results/printed"
	"repro/runner"
)

// checkExternal prints which programs a run starts, or skips because --allow-external is not given. If nothing else would
// run, it returns an error.
func (a *app) checkExternal(cells []experiments.Cell) error {
	o := a.runnerOptions()
	var told []string
	for i := range cells {
		c := &cells[i]
		e, program := c.Method.Configured.(*experiments.External)
		if !program || o.State(c) == runner.Complete {
			continue
		}
		text := fmt.Sprintf("%s: method %s runs %s on this machine", c.Experiment, c.Method.ID, strings.Join(programs(e), " and "))
		if !slices.Contains(told, text) {
			told = append(told, text)
		}
	}
	fix := printed.Command("plan") + " shows the commands, --allow-external allows them"
	other := func(c experiments.Cell) bool {
		_, program := c.Method.Configured.(*experiments.External)
		return !program && o.State(&c) != runner.Complete
	}
	if len(told) > 0 && !a.allowExternal && !slices.ContainsFunc(cells, other) {
		return fmt.Errorf("%s, and there is nothing else to run; %s", strings.Join(told, ", "), fix)
	}
	for _, text := range told {
		if !a.allowExternal {
			text += " and is skipped; " + fix
		}
		a.note("%s", text)
	}
	return nil
}

// programs lists the programs that a method runs.
func programs(e *experiments.External) []string {
	var names []string
	for _, command := range [][]string{e.Command.Train, e.Command.Predict} {
		if len(command) > 0 && !slices.Contains(names, command[0]) {
			names = append(names, command[0])
		}
	}
	return names
}
