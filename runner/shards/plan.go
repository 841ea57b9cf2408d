// Package shards holds what the processes of a plan share in its output folder: the plan itself, and the lease of every shard.
// It runs nothing.
package shards

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"repro/results/files"
)

// A Plan is a list of cells, each in one of Of shards.
type Plan struct {
	ID    string   `json:"id"`    // the first digits of the SHA-256 of Of and what decides the cells' records
	Words []string `json:"words"` // the arguments and flags of repro run that choose the cells
	Of    int      `json:"of"`
	Cells []Cell   `json:"cells"` // in the order they run

	written time.Time
}

// A Cell is one cell of a plan.
type Cell struct {
	Experiment string `json:"experiment"`
	Cell       string `json:"cell"`
	Profile    string `json:"profile"`
	Digest     string `json:"digest"`  // of its settings
	Shard      int    `json:"shard"`   // from 1
	Command    string `json:"command"` // runs the cell by itself, in another folder
}

// New returns the plan of cells in that many shards.
func New(words []string, of int, cells []Cell) *Plan {
	h := sha256.New()
	fmt.Fprintln(h, of)
	for _, c := range cells {
		fmt.Fprintf(h, "%q %q %s %d\n", c.Experiment, c.Cell, c.Digest, c.Shard)
	}
	return &Plan{ID: hex.EncodeToString(h.Sum(nil))[:12], Words: words, Of: of, Cells: cells}
}

// folder is where plans lie below an output folder.
const folder = "shards"

// Dir returns the plan's folder below an output folder. It holds the plan, its leases, and what a scheduler needs.
func (p *Plan) Dir(out string) string { return filepath.Join(out, folder, p.ID) }

// Save writes the plan below an output folder.
func (p *Plan) Save(out string) error {
	text, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	return files.Keep(out, filepath.Join(p.Dir(out), "plan.json"), append(text, '\n'))
}

// Plans reads the plans below an output folder, the latest first.
func Plans(out string) ([]*Plan, error) {
	dirs, err := os.ReadDir(filepath.Join(out, folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []*Plan
	for _, d := range dirs {
		path := filepath.Join(out, folder, d.Name(), "plan.json")
		text, err := files.Read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		p := &Plan{}
		if err := json.Unmarshal(text, p); err != nil {
			return nil, fmt.Errorf("%s: %w; remove it, and submit or run the shards again", path, err)
		}
		if info, err := os.Stat(path); err == nil {
			p.written = info.ModTime()
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b *Plan) int { return b.written.Compare(a.written) })
	return all, nil
}

// Latest returns the cells of all plans, each from the latest plan that has it, with that plan, in the plans' order.
func Latest(plans []*Plan) map[*Plan][]Cell {
	taken, of := map[[2]string]bool{}, map[*Plan][]Cell{}
	for _, p := range plans {
		for _, c := range p.Cells {
			if key := [2]string{c.Experiment, c.Cell}; !taken[key] {
				taken[key] = true
				of[p] = append(of[p], c)
			}
		}
	}
	return of
}

// A State says who has a shard, or had it last.
type State struct {
	Holder
	Alive bool // it has not ended, and its last heartbeat is not older than 2.5 of them
}

// States returns the states of a plan's shards that were taken, by index. The age of a heartbeat is the difference between
// two times of the file system, so hosts with other clocks do not disturb it.
func (p *Plan) States(out string) (map[int]State, error) {
	dir := p.Dir(out)
	all, err := leases(dir)
	if err != nil {
		return nil, err
	}
	now, states := clockOf(dir), map[int]State{}
	for name, s := range all {
		i, err := strconv.Atoi(name)
		if err != nil {
			continue // of something else than a shard
		}
		alive := s.Ended == "" && !s.dead()
		if info, err := os.Stat(path(dir, name, s.generation)); alive && err == nil {
			alive = now.Sub(info.ModTime()).Seconds() <= silent*cmp.Or(s.Every, Every.Seconds())
		}
		states[i] = State{s.Holder, alive}
	}
	return states, nil
}

// clockOf returns the time of the file system of a folder, or this machine's if nothing can be written there.
func clockOf(dir string) time.Time {
	f, err := os.CreateTemp(dir, ".repro-now-*")
	if err != nil {
		return time.Now()
	}
	defer os.Remove(f.Name())
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Now()
	}
	return info.ModTime()
}

// Parse reads the value of --shard: i/n, or i/n@plan.
func Parse(text string) (index, of int, plan string, err error) {
	part, plan, _ := strings.Cut(text, "@")
	i, n, ok := strings.Cut(part, "/")
	index, err1 := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !ok || err1 != nil || err2 != nil || of < 1 || index < 1 || index > of {
		return 0, 0, "", fmt.Errorf("--shard: want i/n with 1 ≤ i ≤ n, such as 3/8, got %q", text)
	}
	return index, of, plan, nil
}
