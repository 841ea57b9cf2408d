package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"repro/cmd/repro/terminal"
	"repro/results/baseline"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/stats"
)

// A historian reads the accepted states of claims from the commits of a checkout. Every file is read once, however many
// commits have it.
type historian struct {
	checkout
	paper    bool // reads the verdicts at profile paper, not the snapshots at profile ci
	segments stats.Segments
	runs     []string // logs of runs
	specs    book
	files    map[string]accepted // by hash
	moments  []moment            // what snapshots and runs said of experiments, in the order of the commits
}

// An accepted is the content of a file of a baseline.
type accepted struct {
	versions map[string]changes.Version // by claim
	snapshot *changes.Snapshot          // nil for verdicts
}

// read returns the histories of the claims that match one of the patterns, or of all, in alphabetical order: of what was
// accepted, and of the runs of logs.
func (h *historian) read(ctx context.Context, t *terminal.Terminal, dir string, patterns []string) ([]*past, error) {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("%q: not a pattern; use * and ? as in dai2014/rate#*", p)
		}
	}
	if dir == "" {
		if dir = baseline.DefaultDir(); h.paper {
			dir = filepath.Join(baseline.Folder(), "paper")
		}
	}
	h.checkout, h.files, h.specs = checkout{dir}, map[string]accepted{}, book{}
	pasts := map[string]*past{}
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		if err := h.baselines(ctx, pasts, patterns); err != nil {
			return nil, err
		}
	case len(h.runs) == 0:
		return nil, fmt.Errorf("there is no folder %s; run at the top of a module that has an accepted baseline, or name its folder with --baseline", dir)
	}
	if err := h.logged(t, pasts, patterns); err != nil {
		return nil, err
	}
	var all []*past
	for _, key := range slices.Sorted(maps.Keys(pasts)) {
		p := pasts[key]
		versions := make([]changes.Version, len(p.Versions))
		for i, v := range p.Versions {
			versions[i] = v.Version
		}
		for _, c := range changes.Levels(versions, h.segments) {
			v := p.Versions[c.At]
			p.ChangePoints = append(p.ChangePoints, pastChange{v.revision, v.Dirty, c.Before, c.After, c.P, v.Ratio()})
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no commit has an accepted state of %s below %s", cmp.Or(strings.Join(patterns, ", "), "any claim"), dir)
	}
	return all, nil
}

// baselines adds what the commits accepted.
func (h *historian) baselines(ctx context.Context, pasts map[string]*past, patterns []string) error {
	commits, err := h.revisions(ctx, ".")
	if err != nil {
		return err
	}
	last := map[string]string{} // hash of the file, by experiment
	for _, r := range commits {
		files, err := h.at(ctx, r)
		if err != nil {
			return err
		}
		now := map[string]changes.Version{}
		for hash, f := range files {
			for claim, v := range f.versions {
				if matches(patterns, claim) {
					now[claim] = v
				}
			}
			if s := f.snapshot; s != nil && last[s.Experiment] != hash {
				last[s.Experiment] = hash
				h.moments = append(h.moments, moment{revision: r, snapshot: s})
			}
		}
		add(pasts, r, now)
	}
	return nil
}

// add adds what is accepted at a commit to the histories of claims.
func add(pasts map[string]*past, r revision, accepted map[string]changes.Version) {
	for claim, v := range accepted {
		p := pasts[claim]
		if p == nil {
			p = &past{Claim: claim, ChangePoints: []pastChange{}}
			pasts[claim] = p
		}
		p.Gone = nil
		if n := len(p.Versions); n == 0 || v.Follow(p.Versions[n-1].Version) {
			p.Versions = append(p.Versions, pastVersion{revision: r, Version: v})
		}
	}
	for claim, p := range pasts {
		if _, there := accepted[claim]; !there && p.Gone == nil {
			p.Gone = &r
		}
	}
}

func matches(patterns []string, claim string) bool {
	name, _, _ := strings.Cut(claim, " against ")
	experiment, id, _ := strings.Cut(name, "#")
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		all := !strings.Contains(p, "#") && claims.Named(p+"#*", experiment, id)
		return all || p == claim || claims.Named(p, experiment, id)
	})
}

// at returns the files of a baseline at a commit, by hash.
func (h *historian) at(ctx context.Context, r revision) (map[string]accepted, error) {
	files, err := h.blobs(ctx, r.Commit)
	if err != nil {
		return nil, err
	}
	all := map[string]accepted{}
	for _, f := range files {
		if path.Ext(f.path) != ".json" {
			continue
		}
		if _, known := h.files[f.hash]; !known {
			text, err := h.git(ctx, "cat-file", "blob", f.hash)
			if err != nil {
				return nil, err
			}
			if h.files[f.hash], err = h.parse([]byte(text)); err != nil {
				return nil, fmt.Errorf("%s at commit %s: %w", f.path, r.short(), err)
			}
		}
		all[f.hash] = h.files[f.hash]
	}
	return all, nil
}

// parse reads a file of a baseline. Keys that are unknown, as those of another version of the program may be, are left out.
func (h *historian) parse(text []byte) (accepted, error) {
	all := map[string]changes.Version{}
	if h.paper {
		var verdicts []claims.Verdict
		if err := json.Unmarshal(text, &verdicts); err != nil {
			return accepted{}, err
		}
		for _, v := range verdicts {
			all[v.Experiment+"#"+v.Claim] = changes.VersionOf(v)
		}
		return accepted{versions: all}, nil
	}
	var s changes.Snapshot
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&s); err != nil {
		return accepted{}, err
	}
	return accepted{h.versions(s), &s}, nil
}

// versions returns the states of the claims of a snapshot, by experiment#claim.
func (h *historian) versions(s changes.Snapshot) map[string]changes.Version {
	all := map[string]changes.Version{}
	of := func(claim string) []string {
		if c, ok := h.specs.claim(s.Experiment, claim); ok {
			return c.Methods()
		}
		return nil
	}
	for claim, v := range s.Versions(of) {
		all[s.Experiment+"#"+claim] = v
	}
	return all
}

// logged adds the runs of logs: of every commit and experiment the last one.
func (h *historian) logged(t *terminal.Terminal, pasts map[string]*past, patterns []string) error {
	var all []baseline.Entry
	for _, name := range h.runs {
		entries, warnings, err := baseline.ReadLog(name)
		if err != nil {
			return err
		}
		for _, w := range warnings {
			t.Note("warning: %v", w)
		}
		all = append(all, entries...)
	}
	profiles, others := map[string]string{}, 0
	for _, e := range all {
		profiles[e.Snapshot.Experiment] = e.Snapshot.Profile
	}
	var runs []moment
	for _, e := range all {
		m := moment{newRevision(e.Commit, e.Time, e.Subject), e.Dirty, true, &e.Snapshot, e.Seconds, e.CPU}
		if e.Snapshot.Profile != profiles[e.Snapshot.Experiment] {
			others++
			continue
		}
		same := func(o moment) bool { return o.mark() == m.mark() && o.snapshot.Experiment == m.snapshot.Experiment }
		runs = append(slices.DeleteFunc(runs, same), m)
	}
	if others > 0 {
		t.Note("%s of other profiles than the last run of their experiment left out", printed.Count(others, "run"))
	}
	slices.SortStableFunc(runs, func(a, b moment) int { return a.at().Compare(b.at()) })
	for _, m := range runs {
		for claim, v := range h.versions(*m.snapshot) {
			if matches(patterns, claim) {
				addRun(pasts, claim, pastVersion{m.revision, m.dirty, v})
			}
		}
	}
	h.moments = append(h.moments, runs...)
	return nil
}

// addRun adds what a run measured to the history of a claim.
func addRun(pasts map[string]*past, claim string, v pastVersion) {
	p := &past{Claim: claim, Source: runSource, ChangePoints: []pastChange{}}
	if known := pasts[p.name()]; known != nil {
		p = known
	}
	pasts[p.name()] = p
	if n := len(p.Versions); n > 0 {
		v.Follow(p.Versions[n-1].Version)
	}
	p.Versions = append(p.Versions, v)
}
