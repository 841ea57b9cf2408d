package exports

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/printed"
)

// Identifiers of the profile that Crate writes: a Process Run Crate 0.5, which extends RO-Crate 1.1.
const (
	crateSpec     = "https://w3id.org/ro/crate/1.1"
	crateContext  = crateSpec + "/context"
	processRun    = "https://w3id.org/ro/wfrun/process/0.5"
	processTerms  = "https://w3id.org/ro/terms/workflow-run/context"
	completed     = "http://schema.org/CompletedActionStatus"
	failed        = "http://schema.org/FailedActionStatus"
	licenceOfCode = "https://spdx.org/licenses/BSD-3-Clause"
)

// An entity is one node of the graph of a crate.
type entity map[string]any

func reference(id string) entity { return entity{"@id": id} }

// references returns references to entities, in the order of their ids.
func references(ids []string) []entity {
	all := []entity{}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		all = append(all, reference(id))
	}
	return all
}

// place returns the id of a file or folder of the crate.
func place(name string) string { return (&url.URL{Path: name}).EscapedPath() }

// A crate is the graph of a Process Run Crate while it is made.
type crate struct {
	graph          []entity
	parts, actions []string // ids of files and folders, and of runs
	date           string   // of the last record
}

// add adds a file of the bundle.
func (c *crate) add(name, kind, description string) (id string) {
	return c.part(place(name), entity{"@type": "File", "name": path.Base(name), "encodingFormat": kind, "description": description})
}

// part adds a file or folder of the bundle.
func (c *crate) part(id string, e entity) string {
	e["@id"] = id
	c.parts, c.graph = append(c.parts, id), append(c.graph, e)
	return id
}

// Crate returns ro-crate-metadata.json: a Process Run Crate with one action for each experiment. Its date is that of the
// last record.
func Crate(s Study) ([]byte, error) {
	c := crate{date: "1980-01-01"}
	c.add("manifest.json", "application/json", "the SHA-256 of every file of the bundle")
	verdicts := c.add("verdicts.json", "application/json", "the verdicts on the claims")
	c.add("environment.json", "application/json", "the machines and builds that made the records")
	c.add("data.json", "application/json", "names, digests and licences of the data")
	c.add(MarkdownName, "text/markdown", "artifact appendix")
	if s.Has("report.html") {
		c.add("report.html", "text/html", "the report, with figures and tables")
	}
	for i, e := range s.Experiments {
		c.run(s, e, s.Cases[i].Title, verdicts)
	}
	for _, d := range s.Data {
		var sums []string
		for _, f := range d.Files {
			sums = append(sums, "sha256:"+f.SHA256)
		}
		c.graph = append(c.graph, entity{
			"@id": dataID(d), "@type": "CreativeWork", "name": d.Name, "description": strings.TrimSpace(d.Title + ". " + d.Citation),
			"identifier": sums, "license": d.Licence,
		})
	}
	for _, p := range s.builds() {
		c.graph = append(c.graph, entity{"@id": programID(p), "@type": "SoftwareApplication", "name": p.Name(), "softwareVersion": p.String(), "license": reference(licenceOfCode)})
	}
	return bundles.EncodeJSON(map[string]any{"@context": []string{crateContext, processTerms}, "@graph": append(c.about(s), c.graph...)})
}

// run adds the action that made the records of an experiment.
func (c *crate) run(s Study, e bundles.Experiment, title, verdicts string) {
	costs := s.costs(e.ID)
	if len(costs.To) >= len(c.date) {
		c.date = max(c.date, costs.To[:len(c.date)])
	}
	objects := []string{c.add("specs/"+e.ID+".toml", "application/toml", "what "+e.ID+" does and claims")}
	for _, d := range s.Data {
		if slices.Contains(d.Experiments, e.ID) {
			objects = append(objects, dataID(d))
		}
	}
	folder := "records/" + e.ID
	made := c.part(place(folder)+"/", entity{"@type": "Dataset", "name": folder, "description": "a record for each cell of " + e.ID})
	action := entity{
		"@id": "#run-" + e.ID, "@type": "CreateAction", "name": title, "description": command(e),
		"instrument": references(s.instruments(e.ID)), "object": references(objects),
		"result": references([]string{made, verdicts}), "actionStatus": reference(completed),
	}
	if costs.From != "" {
		action["startTime"] = costs.From
	}
	if costs.To != "" {
		action["endTime"] = costs.To
	}
	if costs.Cells > 0 && costs.Failed == costs.Cells {
		action["actionStatus"] = reference(failed)
	}
	c.actions, c.graph = append(c.actions, "#run-"+e.ID), append(c.graph, action)
}

// about returns the entities that say what the crate is.
func (c *crate) about(s Study) []entity {
	return []entity{
		{"@id": CrateName, "@type": "CreativeWork", "conformsTo": reference(crateSpec), "about": reference("./")},
		{
			"@id": "./", "@type": "Dataset", "name": "Results of " + strings.Join(ids(s.Experiments), ", "),
			"description": "Records, specs and verdicts of a reproduction. " + printed.Command("verify") + " judges the claims again, " + printed.Command("audit") + " runs a sample of the records again.",
			"conformsTo":  reference(processRun), "datePublished": c.date, "license": reference(licenceOfCode),
			"hasPart": references(c.parts), "mentions": references(c.actions),
		},
		{"@id": processRun, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
		{"@id": licenceOfCode, "@type": "CreativeWork", "name": "BSD 3-Clause License", "url": licenceOfCode},
	}
}

func ids(all []bundles.Experiment) (names []string) {
	return printed.Each(all, func(e bundles.Experiment) string { return e.ID })
}

func dataID(d bundles.Dataset) string { return "#data-" + place(d.Name) }

func programID(p builds.Program) string {
	id := "#" + p.Name() + "-" + place(p.Commit)
	if p.Dirty {
		id += "-with-changes"
	}
	return id + "-" + place(p.Go)
}

// instruments lists the ids of the builds that made the records of an experiment.
func (s Study) instruments(experiment string) []string {
	var all []string
	for _, r := range s.Records {
		if r.Header.Experiment == experiment {
			all = append(all, programID(r.Header.Provenance.Program))
		}
	}
	return all
}
