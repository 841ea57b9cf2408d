package machine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/plots"
	"repro/results/baseline"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/runner"
)

// checkAll checks an output folder as a whole: whether its records, predictions, checkpoints, verdicts and report, the data in the cache and
// the accepted baseline have their checksums and agree with each other. With clean it removes what no run owns.
func checkAll(ctx context.Context, t *terminal.Terminal, r doctorRequest) ([]checked, error) {
	store, err := records.Open(r.Out)
	if err != nil {
		return nil, err
	}
	all := checkStore(store)
	for i := range all {
		if i > 0 { // a record that cannot be read
			all[i].State = failing
		}
	}
	troubles, err := runner.CheckFolder(r.Out, store)
	if err != nil {
		return nil, err
	}
	var orphans []string
	for _, w := range troubles {
		if w.Orphan {
			orphans = append(orphans, w.Path)
			t.Note("%s: %s", w.Path, w.What)
			continue
		}
		all = append(all, checked{"files of cells", warning, w.Path + ": " + w.What, ""})
	}
	if len(troubles) == len(orphans) {
		all = append(all, checked{"files of cells", healthy, "predictions have their checksums, checkpoints and failures their records", ""})
	}
	all = append(all, checkOrphans(r, orphans), checkLeftovers(r.Out, r.clean), checkDigests(store))
	reported, err := checkReport(r, store)
	if err != nil {
		return nil, err
	}
	all = append(all, reported...)
	var used []string
	for _, rec := range store.Records {
		data, _ := rec.Header.Settings["data"].(map[string]any)
		if name, _ := data["name"].(string); name != "" && slices.Contains(datasets.Names(), name) && !slices.Contains(used, name) {
			used = append(used, name)
		}
	}
	all = append(all, checkDatasets(ctx, r.Library, used)...)
	return append(all, checkBaseline()...), nil
}

// checkOrphans lists the files that no run owns, and removes them if asked for.
func checkOrphans(r doctorRequest, orphans []string) checked {
	c := checked{"owned by no run", healthy, "nothing", ""}
	if len(orphans) == 0 {
		return c
	}
	list := printed.Count(len(orphans), "file") + ": " + strings.Join(orphans, ", ")
	if !r.clean {
		return checked{c.Check, warning, list, printed.Again("doctor", append([]string{"--check", r.Out, "--clean"}, r.args...)...) + " removes them"}
	}
	for _, path := range orphans {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return checked{c.Check, failing, err.Error(), "make the folder and its files writable"}
		}
	}
	c.Detail = list + ", removed"
	return c
}

// checkDigests checks that records ran on the same data where they name the same.
func checkDigests(store *records.Store) checked {
	sums := map[string]string{}
	for _, r := range store.Records {
		for _, d := range r.Header.Provenance.Data {
			if !slices.Contains(datasets.Names(), d.Name) || datasets.Generated(d.Name) {
				continue
			}
			key := fmt.Sprintf("%s, %d rows", d.Name, d.Rows)
			if first, ok := sums[key]; ok && first != d.SHA256 {
				return checked{"data of records", failing, fmt.Sprintf("%s %s ran on another %s than records before it: SHA-256 %.12s… and %.12s…", r.Header.Experiment, r.Header.Cell, key, d.SHA256, first),
					"find out which file is right with " + printed.Command("fetch --list") + ", and run the other cells with --fresh"}
			}
			sums[key] = d.SHA256
		}
	}
	return checked{"data of records", healthy, "records that name the same data ran on the same bytes", ""}
}

// checkReport judges the records again and writes the report into a folder of its own: what the output folder has must be the same.
func checkReport(r doctorRequest, store *records.Store) ([]checked, error) {
	if _, err := os.Stat(filepath.Join(r.Out, "verdicts.json")); errors.Is(err, fs.ErrNotExist) {
		return []checked{{"verdicts", healthy, "none yet", ""}}, nil
	}
	f, err := os.Open(filepath.Join(r.Out, "verdicts.json"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	again := printed.Again("report", append(flags.Elsewhere(r.Out), r.args...)...)
	written, err := claims.ReadVerdicts(f)
	if err != nil {
		return []checked{{"verdicts", failing, fmt.Sprintf("%s: %v", f.Name(), err), again + " writes it again"}}, nil
	}
	_, cases, err := findings.Recorded(terminal.New(io.Discard, io.Discard), r.Out, flags.Choice{Also: r.args})
	if errors.Is(err, fs.ErrNotExist) {
		return []checked{{"verdicts", warning, "not judged: the specs of these experiments do not come with " + printed.Name(), "name the specs: " + printed.Again("doctor", "--check", r.Out, "SPEC.toml")}}, nil
	}
	if err != nil {
		return nil, err
	}
	judged := map[string]bool{}
	for _, c := range cases {
		judged[c.ID] = true
	}
	all := len(written)
	written = slices.DeleteFunc(written, func(v claims.Verdict) bool { return !judged[v.Experiment] })
	differences := bundles.Unlike(cases, written)
	for i, d := range differences {
		differences[i] = strings.Replace(d, ": bundled ", ": written ", 1)
	}
	verdicts := checked{"verdicts", healthy, fmt.Sprintf("%s, as the records give them", printed.Count(len(written), "verdict")), ""}
	if left := all - len(written); left > 0 {
		verdicts.Detail += fmt.Sprintf("; %d on specs that do not come with %s, not judged", left, printed.Name())
	}
	if len(differences) > 0 {
		verdicts = checked{"verdicts", failing, fmt.Sprintf("%s not as the records give them: %s", printed.Count(len(differences), "statement"), printed.List(differences)), again + " judges them again"}
		return []checked{verdicts}, nil
	}
	report, err := compareReport(r.Out, store, cases, again)
	return []checked{verdicts, report}, err
}

// compareReport writes the report anew and compares its files with those of the output folder, which the command again writes.
func compareReport(out string, store *records.Store, cases []claims.Case, again string) (checked, error) {
	dir, err := files.MkdirTemp("repro-report-")
	if err != nil {
		return checked{}, err
	}
	defer os.RemoveAll(dir)
	whole, err := filepath.Abs(filepath.Join(out, "predictions"))
	if err != nil {
		return checked{}, err
	}
	if err := os.Symlink(whole, filepath.Join(dir, "predictions")); err != nil { // figures read them beside the report
		return checked{"report", healthy, "not compared, because this system makes no links: " + err.Error(), ""}, nil
	}
	paths, err := findings.Write(dir, cases, store.Warnings, plots.Output{Elsewhere: flags.Elsewhere(out)})
	if err != nil {
		return checked{}, err
	}
	var other []string
	for _, path := range paths {
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return checked{}, err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return checked{}, err
		}
		if got, err := files.Read(filepath.Join(out, rel)); err != nil || string(got) != string(want) {
			other = append(other, rel)
		}
	}
	c := checked{"report", healthy, fmt.Sprintf("%s, as the records give them", printed.Count(len(paths), "file")), ""}
	if len(other) > 0 {
		slices.Sort(other)
		c.State, c.Detail = warning, fmt.Sprintf("%d of %d files are not those that the records give, or were written with other flags: %s", len(other), len(paths), printed.List(other))
		c.Advice = again + " writes them again"
	}
	return c, nil
}

// checkBaseline checks that the accepted numbers and verdicts can be read and have their seals.
func checkBaseline() []checked {
	c := checked{"baseline", healthy, "none", ""}
	bad := func(err error) []checked {
		return []checked{{"baseline", failing, err.Error(), "take the file from the commit that accepted it"}}
	}
	a, err := baseline.OpenAccepted("")
	if err != nil {
		return bad(err)
	}
	ids, err := a.Experiments()
	if err != nil {
		return bad(err)
	}
	for _, id := range ids {
		if _, err := a.Read(id); err != nil {
			return bad(err)
		}
	}
	shipped, err := baseline.Verdicts()
	if err != nil {
		return bad(err)
	}
	if len(ids) > 0 {
		c.Detail = fmt.Sprintf("accepted numbers of %s in %s, %s of the published size", printed.Count(len(ids), "experiment"), a.Dir, printed.Count(len(shipped), "verdict"))
	}
	return []checked{c}
}
