// Package bundles packs what a claim of reproduction rests on into one zip file, and reads such files without trusting them.
//
// A bundle has these entries, in alphabetical order:
//
//	manifest.json                     format, program, experiments, and the SHA-256 of every other entry
//	records/<experiment>/<cell>.jsonl  the records, byte for byte
//	specs/<experiment>.toml           the specs, as they were loaded
//	sources/<experiment>/             the files of a spec that has a base
//	programs/<experiment>/            the files of external methods that are below the spec's folder, as they ran
//	verdicts.json                     the verdicts on the claims
//	data.json                         names, digests and licences of the data, which is not in the bundle
//	environment.json                  the machines and builds that made the records
//	others                            the report with its figures and tables
//
// The same contents give the same bytes.
package bundles

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"

	"repro/results/builds"
	"repro/results/claims"
	"repro/results/records"
)

// Format is the version of the bundle format.
const Format = 1

// Names of entries.
const (
	manifestName    = "manifest.json"
	verdictsName    = "verdicts.json"
	dataName        = "data.json"
	environmentName = "environment.json"
	recordsFolder   = "records/"
	specsFolder     = "specs/"
	sourcesFolder   = "sources/"
	programsFolder  = "programs/"
)

// Contents are what a bundle holds.
type Contents struct {
	Program     builds.Program   // that made the bundle
	Experiments []Experiment     // by id
	Records     []records.Text   // of the experiments
	Verdicts    []claims.Verdict // on the claims of the experiments
	Data        []Dataset        // that the records name
	Machines    []Machine        // that made the records

	Files map[string][]byte // further entries by path: the report
}

// An Experiment is a spec with the options that its verdicts were made with.
type Experiment struct {
	ID      string   `json:"id"`
	File    string   `json:"file"`          // name of the spec's file, without folder
	Own     bool     `json:"own,omitempty"` // it does not come with repro
	Profile string   `json:"profile"`       // as --profile names it
	Set     []string `json:"set,omitempty"`
	Methods []string `json:"methods,omitempty"` // those of --method; all if empty
	Seeds   int      `json:"seeds,omitempty"`   // of --seeds; the spec's if 0

	Text  []byte            `json:"-"` // of the spec, in full
	Files map[string][]byte `json:"-"` // that the spec was made of, by path; not read back

	Programs map[string][]byte `json:"-"` // files of external methods, by their paths from the spec's folder
}

// entry returns the path of the spec in a bundle.
func (e Experiment) entry() string { return specsFolder + e.ID + ".toml" }

// programs returns the folder of the programs in a bundle.
func (e Experiment) programs() string { return programsFolder + e.ID + "/" }

// A Dataset describes data that records name. The bundle does not hold it.
type Dataset struct {
	Name        string               `json:"name"` // in specs; that of the file for a user's own data
	Title       string               `json:"title,omitempty"`
	Licence     string               `json:"licence,omitempty"`
	Citation    string               `json:"citation,omitempty"`
	URLs        []string             `json:"urls,omitempty"` // where its files can be downloaded
	Experiments []string             `json:"experiments"`    // that use it
	Files       []records.DataDigest `json:"files"`
}

// DataOf lists the data that records name. describe adds what is known of it.
func DataOf(recs []*records.Record, describe func(*Dataset)) []Dataset {
	var all []Dataset
	for _, r := range recs {
		name := nameOfData(r)
		if name == "" { // its methods have a problem of their own
			continue
		}
		i := slices.IndexFunc(all, func(d Dataset) bool { return d.Name == name })
		if i < 0 {
			i = len(all)
			all = append(all, Dataset{Name: name, Files: []records.DataDigest{}})
			describe(&all[i])
		}
		if !slices.Contains(all[i].Experiments, r.Header.Experiment) {
			all[i].Experiments = append(all[i].Experiments, r.Header.Experiment)
		}
		for _, f := range r.Header.Provenance.Data {
			if !slices.Contains(all[i].Files, f) {
				all[i].Files = append(all[i].Files, f)
			}
		}
	}
	slices.SortFunc(all, func(x, y Dataset) int { return cmp.Compare(x.Name, y.Name) })
	return all
}

// nameOfData returns the name of a record's data in specs, or that of the user's own file; empty if there is none.
func nameOfData(r *records.Record) string {
	data, known := r.Header.Settings["data"].(map[string]any)
	if known && len(data) == 0 {
		return ""
	}
	for _, key := range []string{"name", "file"} {
		if name, ok := data[key].(string); ok && name != "" {
			return filepath.Base(filepath.FromSlash(name))
		}
	}
	return "unknown"
}

// A Machine is a machine with a build of repro that made records.
type Machine struct {
	Host    string         `json:"host"` // operating system and architecture
	CPU     string         `json:"cpu"`
	ISA     string         `json:"isa,omitempty"`
	Threads int            `json:"threads"`
	Program builds.Program `json:"program"`
	Records int            `json:"records"`
}

// MachinesOf lists the machines that made records, those with the most records first.
func MachinesOf(recs []*records.Record) []Machine {
	var all []Machine
	for _, r := range recs {
		p, t := r.Header.Provenance, r.Header.Timing
		m := Machine{Host: t.Host, CPU: t.CPU, ISA: t.ISA, Threads: t.Threads, Program: p.Program}
		i := slices.IndexFunc(all, func(o Machine) bool { o.Records = 0; return o == m })
		if i < 0 {
			i = len(all)
			all = append(all, m)
		}
		all[i].Records++
	}
	slices.SortStableFunc(all, func(a, b Machine) int { return cmp.Compare(b.Records, a.Records) })
	return all
}

// RecordPath returns the path in a bundle of the record of a cell.
func RecordPath(h records.Header) string {
	return path.Clean(filepath.ToSlash(records.Path("", h.Experiment, h.Cell)))
}

// A manifest is the entry that lists the others.
type manifest struct {
	Format      int            `json:"format"`
	Program     builds.Program `json:"program"`
	Experiments []Experiment   `json:"experiments"`
	Entries     []listed       `json:"entries"` // by path
}

// A listed is one entry of a manifest.
type listed struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}
