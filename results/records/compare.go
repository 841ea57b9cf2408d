package records

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repro/results/files"
	"repro/results/printed"
)

// A Match says what became of something that was compared with an earlier state: a cell, a claim's number, a curve or a count.
type Match string

const (
	Same          Match = "same"           // it has the same bits, or stayed within its margin
	Better        Match = "better"         // it moved beyond its margin to the better
	Worse         Match = "worse"          // it moved beyond its margin, and not to the better, or a run failed that did not before
	Undecided     Match = "undecided"      // the seeds do not say whether it stayed within its margin
	NotComparable Match = "not comparable" // there is nothing to compare with, something else ran, or the claim is not the accepted one
)

// Matches lists them in the order in which they are printed.
var Matches = []Match{Worse, NotComparable, Undecided, Better, Same}

// ByTime is why the comparison of what the clock decides is left out.
const ByTime = "the clock decides it"

// former are the words of earlier programs.
var former = map[string]Match{"identical": Same, "equivalent": Same, "moved": Same, "close": Same, "improved": Better, "regressed": Worse,
	"failed": Worse, "drifted": Worse, "inconclusive": Undecided, "redefined": NotComparable, "not reproducible": NotComparable,
	"not run": NotComparable, "missing": NotComparable, "settings differ": NotComparable}

// UnmarshalText reads a match as this program or an earlier one writes it.
func (m *Match) UnmarshalText(text []byte) error {
	*m = cmp.Or(former[string(text)], Match(text))
	return nil
}

// A Drift is the comparison of one cell with its baseline. Metric, Step, Base and Got are those of
// the largest relative difference, if values differ; nil stands for a number that is not finite or absent.
type Drift struct {
	Experiment string   `json:"experiment"`
	Cell       string   `json:"cell"`
	Profile    string   `json:"profile"`
	State      Match    `json:"state"`
	Metric     string   `json:"metric,omitempty"`
	Step       int      `json:"step,omitempty"`
	Base       *float64 `json:"base,omitempty"`
	Got        *float64 `json:"got,omitempty"`
	Difference *float64 `json:"difference,omitempty"` // relative to the larger of the two
	LeftOut    string   `json:"left_out,omitempty"`   // why it does not count, empty if it does
	Reason     string   `json:"reason"`
}

// Compare compares every cell of a baseline with the cell of the same experiment, name and profile
// in got, in the order of the baseline. Values may differ by tol relative to the larger; seconds are
// not compared. Cells that are only in got are left out.
func Compare(base, got *Store, tol float64) []Drift {
	found := map[[3]string]*Record{}
	for _, r := range got.Records {
		found[cellKey(r)] = r
	}
	drifts := make([]Drift, 0, len(base.Records))
	for _, b := range base.Records {
		h := b.Header
		d := Drift{Experiment: h.Experiment, Cell: h.Cell, Profile: h.Profile}
		d.compare(b, found[cellKey(b)], tol)
		drifts = append(drifts, d)
	}
	return drifts
}

func cellKey(r *Record) [3]string {
	return [3]string{r.Header.Experiment, r.Header.Cell, r.Header.Profile}
}

// compare fills in the outcome for two records; got may be nil.
func (d *Drift) compare(base, got *Record, tol float64) {
	switch {
	case got == nil:
		d.State, d.Reason = NotComparable, "no record of this run at this profile"
	case got.Status() == Partial:
		d.State, d.Reason = NotComparable, "its run was interrupted; run it again to continue it"
	case base.Header.Digest != got.Header.Digest:
		d.State, d.Reason = NotComparable, "settings differ"
		if keys := differences(base.Header, got.Header); len(keys) > 0 {
			d.Reason += " in " + strings.Join(keys, ", ")
		}
	case got.Status() == Skipped && base.Status() != Skipped:
		d.State, d.Reason = NotComparable, "it was "+got.Ending()
	case base.Header.Provenance.Exempt != "":
		d.State, d.LeftOut, d.Reason = NotComparable, ByTime, base.Header.Provenance.Exempt
	case base.Status() != got.Status():
		d.State, d.Reason = Worse, fmt.Sprintf("ended as %s, the baseline as %s", got.Ending(), base.Ending())
	default:
		d.values(base, got, tol)
	}
}

// values compares the values of two records point by point, and keeps the largest difference.
func (d *Drift) values(base, got *Record, tol float64) {
	if a, b := len(base.Points), len(got.Points); a != b {
		d.State, d.Reason = Worse, fmt.Sprintf("has %d evaluations, the baseline %d", b, a)
		return
	}
	worst := 0.0
	for i, p := range base.Points {
		q := got.Points[i]
		if p.Step != q.Step {
			d.State, d.Reason = Worse, fmt.Sprintf("evaluates at step %d, the baseline at %d", q.Step, p.Step)
			return
		}
		for _, m := range p.Metrics() {
			v, ok := q.Values[m]
			if !ok {
				d.State, d.Reason = Worse, fmt.Sprintf("does not measure %s at step %d", m, p.Step)
				return
			}
			if diff := relative(p.Values[m], v); diff > worst {
				worst = diff
				d.Metric, d.Step, d.Base, d.Got, d.Difference = m, p.Step, p.Values[m], v, Value(diff)
			}
		}
	}
	switch {
	case worst == 0:
		d.State, d.Reason = Same, "identical values"
	case worst <= tol:
		d.State, d.Reason = Same, fmt.Sprintf("differs by at most %s, tolerance %s", printed.Number(worst), printed.Number(tol))
	default:
		d.State, d.Reason = Worse, fmt.Sprintf("%s at step %d is %s, the baseline %s: differs by %s, tolerance %s",
			d.Metric, d.Step, text(d.Got), text(d.Base), printed.Number(worst), printed.Number(tol))
	}
}

// relative returns |a − b| over the larger magnitude; +Inf if only one is finite.
func relative(a, b *float64) float64 {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil || b == nil:
		return math.Inf(1)
	case *a == *b:
		return 0
	}
	return math.Abs(*a-*b) / math.Max(math.Abs(*a), math.Abs(*b))
}

// text writes a recorded value in full.
func text(v *float64) string {
	if v == nil {
		return "not finite"
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// A Merged counts what Merge did.
type Merged struct {
	Written int      `json:"written"` // records that the folder did not have, or had from an interrupted run
	Kept    int      `json:"kept"`    // records that the folder had
	Equal   int      `json:"equal"`   // records that were found more than once, with equal bits
	Exempt  []string `json:"exempt"`  // cells found more than once that may differ, because a budget in seconds ends them: the first one was taken
}

// Merge brings the records below several output folders into one, with the files of predictions that they name. Of a cell that
// is in several folders it takes a complete record, else one with an end line, else the one with the most points. Complete
// records of one cell must be equal but for what Varying names; if they are not, or a record or a file is damaged, Merge writes
// nothing and returns an error that names them. It replaces every file in one step, predictions before the records that name
// them, so an interrupted Merge can be repeated. All of them are on the disk when it returns.
func Merge(from []string, to string) (Merged, error) {
	g := gathered{chosen: map[[2]string]found{}, own: map[[2]string]found{}}
	if err := g.walk(to, true); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return g.Merged, err
	}
	for _, dir := range from {
		if filepath.Clean(dir) == filepath.Clean(to) {
			continue
		}
		if err := g.walk(dir, false); err != nil {
			return g.Merged, err
		}
	}
	written, beside := map[string][]byte{}, map[string][]byte{} // records and files of predictions, by path
	packs := map[string][][]byte{}                              // records of an experiment that are written in packs
	var there []string                                          // files of records that are not written
	for _, key := range slices.SortedFunc(maps.Keys(g.chosen), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		c := g.chosen[key]
		own, ok := g.own[key]
		switch {
		case ok && own.dir == c.dir:
			g.Kept++
			there = append(there, own.file)
			continue
		case !ok && len(g.chosen) > Many && c.Status().Complete():
			packs[key[0]] = append(packs[key[0]], c.data)
		default:
			written[Path(to, key[0], key[1])] = c.data
		}
		g.Written++
		g.faults = append(g.faults, c.predictions(to, beside)...)
	}
	if len(g.faults) > 0 {
		return Merged{}, fmt.Errorf("%w\nnothing was merged", errors.Join(g.faults...))
	}
	if err := files.KeepAll(to, beside); err != nil {
		return g.Merged, err
	}
	if err := files.KeepAll(to, written); err != nil {
		return g.Merged, err
	}
	for _, experiment := range slices.Sorted(maps.Keys(packs)) {
		if _, err := writePacks(to, experiment, packs[experiment]); err != nil {
			return g.Merged, err
		}
	}
	slices.Sort(there)
	return g.Merged, files.Settle(to, slices.Compact(there)...)
}

// A gathered is what Merge finds: the best record of every cell, by experiment and cell.
type gathered struct {
	Merged
	chosen map[[2]string]found
	own    map[[2]string]found // of the folder that the others are merged into
	faults []error
}

// walk gathers the records of a folder.
func (g *gathered) walk(dir string, own bool) error {
	return walk(dir, readParts, readPack, func(p *part) error {
		h := p.record.Header
		f, key := found{&Record{Header: h, End: p.record.End}, len(p.record.Points), p.text, dir, p.path}, [2]string{h.Experiment, h.Cell}
		if own {
			g.own[key] = f
		}
		first, ok := g.chosen[key]
		if !ok {
			g.chosen[key] = f
			return nil
		}
		better, err := first.against(f, &g.Merged)
		g.chosen[key] = better
		if err != nil {
			g.faults = append(g.faults, err)
		}
		return nil
	}, func(fault error) {
		if !errors.Is(fault, ErrNoHeader) { // which is what a killed run leaves
			g.faults = append(g.faults, fault)
		}
	})
}

// A found is a record in one of the folders.
type found struct {
	*Record // without its points
	points  int
	data    []byte
	dir     string
	file    string
}

// where returns the name of a record's file in words.
func (f found) where() string {
	return fmt.Sprintf("%s (%s, %s)", f.file, f.Header.Timing.CPU, f.Header.Timing.ISA)
}

// rank orders records of one cell by how much of it they hold.
func (f found) rank() int {
	switch {
	case f.Status().Complete():
		return 2
	case f.End != nil:
		return 1
	}
	return 0
}

// against returns the better of two records of one cell, the first if they are as good.
func (f found) against(g found, m *Merged) (found, error) {
	cell := f.Header.Experiment + " " + f.Header.Cell
	switch {
	case f.Header.Digest != g.Header.Digest:
		return f, fmt.Errorf("%s: %s and %s ran it with other settings (%s); merge them into different folders",
			cell, f.where(), g.where(), strings.Join(append(differences(f.Header, g.Header), "profile "+f.Header.Profile+" and "+g.Header.Profile), ", "))
	case f.rank() != g.rank():
		if g.rank() > f.rank() {
			f, g = g, f
		}
		return f, nil
	case f.rank() == 0 && g.points > f.points:
		return g, nil
	case f.rank() < 2:
		return f, nil
	case f.Header.Provenance.Exempt != "" && g.Header.Provenance.Exempt != "":
		m.Exempt = append(m.Exempt, cell)
		return f, nil
	}
	if where := unlike(f.data, g.data); where != "" {
		return f, fmt.Errorf("%s: %s and %s are of the same method and seed and differ: %s; run it again on both machines, or leave one of them out", cell, f.where(), g.where(), where)
	}
	m.Equal++
	if len(f.predictions("", map[string][]byte{})) > 0 {
		return g, nil
	}
	return f, nil
}

// predictions adds the files that a complete record names to those that are to be written below to. It returns what is wrong
// with them.
func (f found) predictions(to string, all map[string][]byte) []error {
	if !f.Status().Complete() {
		return nil
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(f.End.Files)) {
		path := files.Path(f.dir, "predictions", f.Header.Experiment, name)
		data, err := files.Read(path)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w; run it again", f.Header.Experiment, f.Header.Cell, err))
			continue
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.End.Files[name] {
			faults = append(faults, fmt.Errorf("%s: is not as the run %s %s wrote it; run it again", path, f.Header.Experiment, f.Header.Cell))
		}
		all[files.Path(to, "predictions", f.Header.Experiment, name)] = data
	}
	return faults
}

// unlike returns where two records differ besides Varying, empty if they do not.
func unlike(a, b []byte) string {
	p, q := slices.Collect(bytes.Lines(a)), slices.Collect(bytes.Lines(b))
	for i := range min(len(p), len(q)) {
		if all := Differences(besidesVarying(p[i]), besidesVarying(q[i])); len(all) > 0 {
			return fmt.Sprintf("line %d, %s is %s and %s", i+1, all[0].Key, all[0].Here, all[0].There)
		}
	}
	if len(p) != len(q) {
		return fmt.Sprintf("one has %d lines, the other %d", len(p), len(q))
	}
	return ""
}

// besidesVarying returns what a line of a record that was read says besides Varying, numbers with all their digits.
func besidesVarying(line []byte) (fields map[string]any) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	_ = d.Decode(&fields) // a record that was read is JSON
	for _, key := range Varying {
		delete(fields, key)
	}
	return fields
}
