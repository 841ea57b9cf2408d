// Command performance prints the performance plot of the paper as a table: for every preconditioner and draw of rows, the share of the
// problems below an output folder whose relative residual has come to 10⁻³, against iterations, and the mean of that share over all
// iterations so far. performance.toml reads it.
package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"slices"

	"repro/results/records"
)

const solved = 1e-3

// A run is a preconditioner with a seed.
type run struct {
	method string
	seed   uint64
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: performance FOLDER > solved.csv")
		os.Exit(2)
	}
	store, err := records.Open(os.Args[1])
	if err == nil {
		err = write(csv.NewWriter(os.Stdout), store.Records)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

// write prints a row for every iteration at which some run was looked at.
func write(w *csv.Writer, recs []*records.Record) error {
	first, steps := map[run][]int{}, map[int]bool{}
	problems := map[run]int{}
	for _, r := range recs {
		of := run{r.Header.Method, r.Header.Seed}
		at := -1
		for _, p := range r.Points {
			v, ok := p.Measure("relative-gradient")
			if !ok || p.Step == 0 {
				continue
			}
			steps[p.Step] = true
			if at < 0 && v <= solved {
				at = p.Step
			}
		}
		problems[of]++
		if at >= 0 {
			first[of] = append(first[of], at)
		}
	}
	w.Write([]string{"method", "seed", "iteration", "solved", "mean"})
	share := func(n, of int) string { return fmt.Sprintf("%.6g", float64(n)/float64(of)) }
	looked := slices.Sorted(maps.Keys(steps))
	for _, of := range slices.SortedFunc(maps.Keys(problems), func(a, b run) int { return cmp.Or(cmp.Compare(a.method, b.method), cmp.Compare(a.seed, b.seed)) }) {
		for _, step := range looked {
			now, sum := 0, 0 // problems solved at this iteration, and over all so far
			for _, at := range first[of] {
				if at <= step {
					now, sum = now+1, sum+step-at+1
				}
			}
			w.Write([]string{of.method, fmt.Sprint(of.seed), fmt.Sprint(step), share(now, problems[of]), share(sum, step*problems[of])})
		}
	}
	w.Flush()
	return w.Error()
}
