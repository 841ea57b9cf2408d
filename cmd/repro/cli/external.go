package cli

import (
	"fmt"
	"slices"
	"strings"

	"repro/experiments"
)

// checkExternal says which programs a run starts, or leaves out because they were not allowed. It
// returns an error if nothing else is to be run.
func (a *app) checkExternal(cells []experiments.Cell) error {
	var told []string
	others := false
	for i := range cells {
		c := &cells[i]
		e, program := c.Method.Configured.(*experiments.External)
		if a.state(c) == stateComplete {
			continue
		}
		if !program {
			others = true
			continue
		}
		text := fmt.Sprintf("%s: method %s runs %s on this machine", c.Experiment, c.Method.ID, strings.Join(programs(e), " and "))
		if !slices.Contains(told, text) {
			told = append(told, text)
		}
	}
	const fix = "repro plan shows the commands, --allow-external allows them"
	if len(told) > 0 && !a.allowExternal && !others {
		return fmt.Errorf("%s, and nothing else is to be run; %s", strings.Join(told, ", "), fix)
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
