// Package machine has the verbs about data and this machine: doctor and fetch.
package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/algos/compute"
	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/results/builds"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

func newDoctor(t *terminal.Terminal) *cobra.Command {
	r := doctorRequest{Library: flags.Library(t)}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check that this machine, the data and the output folder are ready",
		Long: `Doctor checks the processor, memory, the cache folder, every data set, the output folder and its records,
and prints advice for every problem. The exit status is 1 if a check fails, and 0 if there are only
warnings. With --clean it removes the temporary files that killed commands left in the output folder.`,
		Example: `  repro doctor
  repro doctor --out paper --json
  repro doctor --clean`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := doctor(cmd.Context(), r)
			err := t.Show(r.json, all, func() {
				for _, c := range all {
					c.print(t.Stdout)
				}
			})
			if err == nil && slices.ContainsFunc(all, func(c checked) bool { return c.State == failing }) {
				err = exits.No
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&r.clean, "clean", false, "remove the temporary files that killed commands left in the output folder")
	flags.Out(cmd, &r.Out)
	flags.JSON(cmd, &r.json)
	return cmd
}

func doctor(ctx context.Context, r doctorRequest) []checked {
	all := []checked{{"version", healthy, builds.Here(), ""}, checkProcessor(), checkMemory(),
		checkFolder("cache folder", r.CacheDir, "make it writable, or set REPRO_CACHE to a folder that is; without it data cannot be downloaded")}
	all = append(all, checkSearchPath(r.SearchPath)...)
	all = append(all, checkDatasets(ctx, r.Library, datasets.Names())...)
	all = append(all, checkFolder("output folder", r.Out, "make it writable, or name another with --out"), checkLeftovers(r.Out, r.clean))
	return append(all, checkRecords(r.Out)...)
}

// Commands are the verbs of the package.
func Commands(t *terminal.Terminal) []*cobra.Command {
	return []*cobra.Command{newDoctor(t), newFetch(t)}
}

// A checked is the outcome of one check in `doctor --json`.
type checked struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warn or fail
	Detail string `json:"detail"`
	Advice string `json:"advice"` // what to do; empty if it is ok
}

const (
	healthy = "ok"
	warning = "warn"
	failing = "fail"
)

// A doctorRequest is what the flags of doctor say.
type doctorRequest struct {
	*datasets.Library
	Out         string
	clean, json bool
}

// print prints a check in the colour of its state, with the advice below it.
func (c checked) print(o *terminal.Output) {
	const indent = 24
	below := func(s string) string {
		return strings.ReplaceAll(terminal.Filled(s, o.Width-indent), "\n", "\n"+strings.Repeat(" ", indent))
	}
	col := map[string]terminal.Colour{healthy: terminal.Green, warning: terminal.Yellow, failing: terminal.Red}[c.State]
	state := o.Paint(col, c.State) + strings.Repeat(" ", 6-len(c.State))
	o.Painted(strings.TrimRight(state+o.Paint(0, fmt.Sprintf("%-17s %s", c.Check, below(c.Detail))), " "))
	if c.Advice != "" {
		o.Painted(o.Paint(0, strings.Repeat(" ", indent)+below("→ "+c.Advice)))
	}
}

func checkProcessor() checked {
	c := checked{"processor", healthy, fmt.Sprintf("%s, vector code %s", printed.Count(runtime.GOMAXPROCS(0), "processor"), compute.ISA()), ""}
	if compute.ISA() == "generic" {
		c.State = warning
		c.Advice = "the portable code is several times slower, with the same results; it is used if the processor has no AVX2 or REPRO_CPU=generic is set"
	}
	return c
}

// checkMemory warns if less than a gigabyte is free, because the published sizes need that much.
func checkMemory() checked {
	total, ok := datasets.MachineMemory()
	if !ok {
		return checked{"memory", healthy, "unknown on this system", ""}
	}
	free := datasets.FreeMemory()
	if free == 0 {
		return checked{"memory", healthy, printed.Bytes(float64(total)), ""}
	}
	c := checked{"memory", healthy, fmt.Sprintf("%s, %s free", printed.Bytes(float64(total)), printed.Bytes(free)), ""}
	if free < 1e9 {
		c.State = warning
		c.Advice = "close other programs, and check the memory that " + printed.Command("plan") + " shows before you run profile paper"
	}
	return c
}

// checkLeftovers looks for files that killed commands left in the output folder, and removes them if it is to clean.
func checkLeftovers(out string, clean bool) checked {
	c := checked{"left behind", healthy, "nothing", ""}
	left, err := files.Leftovers(out, nil)
	for i := 0; clean && err == nil && i < len(left); i++ {
		err = os.Remove(left[i])
	}
	switch {
	case err != nil:
		c.State, c.Detail = failing, err.Error()
		c.Advice = "make the folder and its files writable"
	case len(left) > 0 && clean:
		c.Detail = fmt.Sprintf("%s removed: %s", printed.Count(len(left), "temporary file"), printed.List(left))
	case len(left) > 0:
		c.State = warning
		c.Detail = fmt.Sprintf("%s of killed commands: %s", printed.Count(len(left), "temporary file"), printed.List(left))
		c.Advice = printed.Again("doctor", append(flags.Elsewhere(out), "--clean")...) + " removes them"
	}
	return c
}

// checkFolder checks that commands can write into a folder; advice is what to do if not.
func checkFolder(name, dir, advice string) checked {
	if err := files.Writable(dir); err != nil {
		return checked{name, failing, fmt.Sprintf("%s: %v", dir, err), advice}
	}
	return checked{name, healthy, dir, ""}
}

func checkSearchPath(dirs []string) []checked {
	if len(dirs) == 0 {
		return []checked{{"REPRO_DATA", healthy, "not set; data comes from the cache folder", ""}}
	}
	var all []checked
	for _, dir := range dirs {
		c := checked{"REPRO_DATA", healthy, dir, ""}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			c.State, c.Detail = warning, dir+": there is no such folder"
			c.Advice = "set REPRO_DATA to folders that exist, or unset it"
		}
		all = append(all, c)
	}
	return all
}

// checkDatasets checks the data sets that are here, one by one, and lists the others together.
func checkDatasets(ctx context.Context, lib *datasets.Library, names []string) []checked {
	var all []checked
	var fetch, bring []string
	for _, name := range names {
		if datasets.Generated(name) {
			continue
		}
		c := checked{"data " + name, healthy, "", ""}
		files, err := lib.Locate(ctx, name)
		if err != nil {
			c.State, c.Detail = failing, err.Error()
		}
		var here, absent []string
		for _, f := range files {
			switch {
			case f.Path == "":
				absent = append(absent, f.Name)
			case f.Err != nil:
				c.State, c.Advice = failing, "remove the file, then run "+printed.Command("fetch "+name)
				if datasets.Brought(name) {
					c.Advice = "put the right file in its place"
				}
				here = append(here, f.Err.Error())
			default:
				here = append(here, f.Path)
			}
		}
		if len(here) == 0 && err == nil {
			if datasets.Brought(name) {
				bring = append(bring, name)
			} else {
				fetch = append(fetch, name)
			}
			continue
		}
		c.Detail += strings.Join(here, ", ")
		if len(absent) > 0 && c.State == healthy {
			c.State, c.Detail = warning, strings.Join(absent, ", ")+" not found"
			c.Advice = "run " + printed.Command("fetch "+name) + ", if you need it"
			if _, reason := lib.Available(name); datasets.Brought(name) {
				c.Advice = reason
			}
		}
		all = append(all, c)
	}
	if len(fetch) > 0 {
		all = append(all, checked{"data to fetch", healthy, strings.Join(fetch, ", "), printed.Command("fetch NAME") + " downloads one of them, if you need it"})
	}
	if len(bring) > 0 {
		all = append(all, checked{"not downloadable", healthy, strings.Join(bring, ", "), printed.Command("show ID") + " says which files an experiment needs, and where to put them"})
	}
	return all
}

func checkRecords(out string) []checked {
	store, err := records.Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return []checked{{"records", healthy, "none yet", ""}}
	}
	if err != nil {
		return []checked{{"records", failing, err.Error(), "make the folder readable, or name another with --out"}}
	}
	partial := 0
	for _, r := range store.Records {
		if r.Status() == records.Partial {
			partial++
		}
	}
	c := checked{"records", healthy, fmt.Sprintf("%s of %s", printed.Count(len(store.Records), "run"), printed.Count(len(store.Experiments()), "experiment")), ""}
	if partial > 0 {
		c.State, c.Detail = warning, fmt.Sprintf("%s, %d interrupted", c.Detail, partial)
		c.Advice = "run their experiments again to continue them"
	}
	all := []checked{c}
	for _, w := range store.Warnings {
		all = append(all, checked{"records", warning, w.Error(), "figures, tables and verdicts leave it out; run it again with --fresh"})
	}
	return all
}
