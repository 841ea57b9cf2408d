package exports

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"repro/results/bundles"
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

// Crate returns ro-crate-metadata.json: a Process Run Crate with one action for each experiment. Its date is that of the
// last record.
func Crate(s Study) ([]byte, error) {
	var parts, actions []string
	var graph []entity
	file := func(name, kind, description string) string {
		id := place(name)
		parts = append(parts, id)
		graph = append(graph, entity{"@id": id, "@type": "File", "name": path.Base(name), "encodingFormat": kind, "description": description})
		return id
	}
	folder := func(name, description string) string {
		id := place(name) + "/"
		parts = append(parts, id)
		graph = append(graph, entity{"@id": id, "@type": "Dataset", "name": name, "description": description})
		return id
	}
	file("manifest.json", "application/json", "the SHA-256 of every file of the bundle")
	verdicts := file("verdicts.json", "application/json", "the verdicts on the claims")
	file("environment.json", "application/json", "the machines and builds that made the records")
	file("data.json", "application/json", "names, digests and licences of the data")
	file(MarkdownName, "text/markdown", "artifact appendix")
	if s.Has("report.html") {
		file("report.html", "text/html", "the report, with figures and tables")
	}
	date := "1980-01-01"
	for i, e := range s.Experiments {
		c := s.costs(e.ID)
		if len(c.To) >= len(date) {
			date = max(date, c.To[:len(date)])
		}
		objects := []string{file("specs/"+e.ID+".toml", "application/toml", "what "+e.ID+" does and claims")}
		for _, d := range s.Data {
			if slices.Contains(d.Experiments, e.ID) {
				objects = append(objects, dataID(d))
			}
		}
		action := entity{
			"@id": "#run-" + e.ID, "@type": "CreateAction", "name": s.Judged[i].Title, "description": command(e),
			"instrument": references(s.instruments(e.ID)), "object": references(objects),
			"result":       references([]string{folder("records/"+e.ID, "a record for each cell of "+e.ID), verdicts}),
			"actionStatus": reference(completed),
		}
		if c.From != "" {
			action["startTime"] = c.From
		}
		if c.To != "" {
			action["endTime"] = c.To
		}
		if c.Cells > 0 && c.Failed == c.Cells {
			action["actionStatus"] = reference(failed)
		}
		actions = append(actions, "#run-"+e.ID)
		graph = append(graph, action)
	}
	for _, d := range s.Data {
		var sums []string
		for _, f := range d.Files {
			sums = append(sums, "sha256:"+f.SHA256)
		}
		graph = append(graph, entity{
			"@id": dataID(d), "@type": "CreativeWork", "name": d.Name, "description": strings.TrimSpace(d.Title + ". " + d.Citation),
			"identifier": sums, "license": d.Licence,
		})
	}
	for _, p := range s.builds() {
		graph = append(graph, entity{"@id": programID(p), "@type": "SoftwareApplication", "name": codeName, "softwareVersion": versionOf(p), "license": reference(licenceOfCode)})
	}
	root := []entity{
		{"@id": CrateName, "@type": "CreativeWork", "conformsTo": reference(crateSpec), "about": reference("./")},
		{
			"@id": "./", "@type": "Dataset", "name": "Results of " + strings.Join(ids(s.Experiments), ", "),
			"description": "Records, specs and verdicts of a reproduction. repro verify judges the claims again, repro audit runs a sample of the records again.",
			"conformsTo":  reference(processRun), "datePublished": date, "license": reference(licenceOfCode),
			"hasPart": references(parts), "mentions": references(actions),
		},
		{"@id": processRun, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
		{"@id": licenceOfCode, "@type": "CreativeWork", "name": "BSD 3-Clause License", "url": licenceOfCode},
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(map[string]any{"@context": []string{crateContext, processTerms}, "@graph": append(root, graph...)})
	return b.Bytes(), err
}

func ids(all []bundles.Experiment) (names []string) {
	for _, e := range all {
		names = append(names, e.ID)
	}
	return names
}

func dataID(d bundles.Dataset) string { return "#data-" + place(d.Name) }

func programID(p bundles.Program) string {
	id := "#repro-" + place(p.Commit)
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
			p := r.Header.Provenance
			all = append(all, programID(bundles.Program{Version: p.Version, Commit: p.Commit, Dirty: p.Dirty, Go: p.Go}))
		}
	}
	return all
}
