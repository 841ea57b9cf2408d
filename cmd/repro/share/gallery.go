package share

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/studies"
	"repro/cmd/repro/terminal"
	"repro/experiments/catalog"
	"repro/plots/site"
	"repro/results/audits"
	"repro/results/builds"
	"repro/results/bundles"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
	"repro/results/signatures"
)

func newGallery(t *terminal.Terminal) *cobra.Command {
	var out string
	var json bool
	var keys []string
	cmd := &cobra.Command{
		Use:   "gallery DIR|FILE.zip...",
		Short: "Make a static site of bundles: who reproduced what, where machines disagree",
		Long: `Gallery reads bundles and the logs of their audits (repro audit) and writes a site of plain files: for each paper and claim
the verdicts side by side, who ran them where (machine, instruction set, commit, days), which cells were audited on which
machine, and where machines disagree and by how much. It judges all claims again from the records. Of a folder it
takes every file below it that ends in .zip or .audit.jsonl.

A bundle that does not fit together (entries that are not those of its manifest, damaged records, verdicts that its records
do not give) is named with the reason, and its verdicts are not shown. Nothing is served or uploaded, and the
pages load nothing. --key NAME.pub checks the signatures that this public key made, and shows them under the name of its file.

Exit status: 0 all files are shown; 1 some are not, or an audit found another cell than was recorded; 2 a mistake in the arguments.`,
		Example: `  repro gallery bundles --out gallery      then open gallery/index.html
  repro gallery ours.zip theirs.zip --key theirs.pub
  repro gallery bundles --json             the same as JSON, and no files`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return gallery(t, args, keys, out, json) },
	}
	cmd.Flags().StringVarP(&out, "out", "o", "gallery", "folder of the site")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cmd.Flags().StringArrayVar(&keys, "key", nil, "a public key of minisign, whose signatures are checked; may be repeated")
	flags.JSON(cmd, &json)
	return cmd
}

// gallery writes the site.
func gallery(t *terminal.Terminal, args, keys []string, out string, json bool) error {
	g, err := collect(t, args, keys)
	if err != nil {
		return err
	}
	if json {
		err = terminal.PrintJSON(t.Stdout, g.Gallery)
	} else {
		var pages map[string][]byte
		if pages, err = g.Pages(); err != nil {
			return err
		}
		for name, page := range pages {
			if err := files.Write(out, filepath.Join(out, name), page); err != nil {
				return err
			}
		}
		t.Stdout.Message("%s of %s; open %s", printed.Count(len(g.Bundles), "bundle"), printed.Count(len(g.Papers), "paper"), filepath.Join(out, "index.html"))
	}
	wrong := len(g.Refused) > 0
	for _, r := range g.Refused {
		t.Note("%s: not shown: %s", r.File, r.Reason)
	}
	for _, b := range g.Bundles {
		for _, fault := range b.Faults {
			t.Note("%s: does not fit together: %s", b.File, fault)
			wrong = true
		}
		for _, a := range b.Audits {
			if a.Differs+a.Failed > 0 {
				t.Note("%s: an audit on %s found %d cells that are not as recorded, and %d failed", b.File, a.Machine, a.Differs, a.Failed)
				wrong = true
			}
		}
	}
	if err == nil && wrong {
		err = exits.Status(1)
	}
	return err
}

// A galleryMaker is a gallery while bundles are added.
type galleryMaker struct {
	site.Gallery
	keys   []signatures.PublicKey
	first  map[string]*records.Record // of the cells, by experiment, cell, profile and digest
	claims map[[2]string]*site.GalleryClaim
	words  map[*site.GalleryClaim][]claims.Verdict // by number of the bundle, from 1; the zero Verdict where there is none
}

// collect reads all bundles and logs, one after the other.
func collect(t *terminal.Terminal, args, keys []string) (*galleryMaker, error) {
	zips, logs, err := below(args)
	if err != nil {
		return nil, err
	}
	g := &galleryMaker{first: map[string]*records.Record{}, claims: map[[2]string]*site.GalleryClaim{}, words: map[*site.GalleryClaim][]claims.Verdict{}}
	g.Gallery = site.Gallery{Bundles: []*site.GalleryBundle{}, Papers: []*site.GalleryPaper{}, Refused: []site.Refused{}}
	for _, file := range keys {
		key, err := signatures.ReadPublicKey(file)
		if err != nil {
			return nil, fmt.Errorf("--key: %w", err)
		}
		g.keys = append(g.keys, key)
	}
	for _, path := range zips {
		b, s, err := studies.Unpack(path, "")
		if err != nil {
			g.refuse(path, err)
			continue
		}
		if i := slices.IndexFunc(g.Bundles, func(o *site.GalleryBundle) bool { return o.SHA256 == b.SHA256 }); i >= 0 {
			g.refuse(path, fmt.Errorf("has the bytes of %s", g.Bundles[i].File))
			continue
		}
		t.Tell(true, "%s: %s", path, printed.Count(len(b.Records), "record"))
		g.add(b, s)
	}
	if len(g.Bundles) == 0 {
		return nil, fmt.Errorf("gallery: there is no bundle in %s; %s makes one", strings.Join(args, " "), printed.Command("bundle results.zip"))
	}
	for _, path := range logs {
		log, err := audits.ReadLog(path)
		if err != nil {
			g.refuse(path, err)
			continue
		}
		for _, fault := range log.Faults {
			g.refuse(path, fault)
		}
		for _, a := range log.Audits {
			g.audited(path, a)
		}
	}
	g.compareVerdicts()
	return g, nil
}

func (g *galleryMaker) refuse(path string, err error) {
	reason := strings.TrimPrefix(err.Error(), path+": ")
	g.Refused = append(g.Refused, site.Refused{File: printed.Visible(path), Reason: printed.Visible(reason)})
}

// below lists the bundles and the logs of audits that arguments name.
func below(args []string) (zips, logs []string, err error) {
	take := func(path string) {
		switch {
		case studies.IsBundle(path):
			zips = append(zips, path)
		case strings.HasSuffix(path, audits.LogOf("")):
			logs = append(logs, path)
		}
	}
	for _, arg := range args {
		if studies.IsBundle(arg) {
			take(arg)
			if log := audits.LogOf(arg); there(log) {
				take(log)
			}
			continue
		}
		err := filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				take(path)
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return zips, logs, nil
}

// add adds a bundle: its verdicts as its records give them, unless it does not fit together.
func (g *galleryMaker) add(b *bundles.Bundle, s *studies.Study) {
	r := &site.GalleryBundle{
		Number: len(g.Bundles) + 1, File: printed.Visible(b.Path), SHA256: b.SHA256, Program: printed.Visible(b.Program.Name() + " " + b.Program.String()), Commit: printed.Visible(b.Program.Commit),
		From: "-", To: "-", Experiments: len(b.Experiments), Records: len(b.Records), Faults: []string{}, Notes: []string{}, Audits: []site.GalleryAudit{},
	}
	g.Bundles = append(g.Bundles, r)
	for _, one := range b.Records {
		ran(r, one.Header.Timing)
	}
	judgeBundle(r, b, s)
	signed, err := signatures.Find(b.Path, b.SHA256, g.keys, false)
	if err != nil {
		r.Faults = append(r.Faults, printed.Visible(err.Error()))
	} else if signed != nil {
		r.Signature = signed.Words()
	}
	for _, e := range b.Experiments {
		if text, _, err := catalog.Written(catalog.Ref{ID: e.ID}); err != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("The spec of %s does not come with this program.", e.ID))
		} else if !bytes.Equal(text, e.Text) {
			r.Notes = append(r.Notes, fmt.Sprintf("The spec of %s is not as this program has it.", e.ID))
		}
	}
	if !r.Counts() {
		return
	}
	for _, c := range s.Cases {
		g.addCase(r, c)
	}
	for _, one := range b.Records {
		g.compareCell(r, one.Record)
	}
}

// ran notes when and on what a cell ran.
func ran(r *site.GalleryBundle, h records.HeaderTiming) {
	day := printed.Visible(h.Started[:min(len(time.DateOnly), len(h.Started))])
	if r.From == "-" || day < r.From {
		r.From = day
	}
	if r.To == "-" || day > r.To {
		r.To = day
	}
	r.Machines = with(r.Machines, printed.Visible(fmt.Sprintf("%s, %s, %s", h.Host, h.CPU, printed.Count(h.Threads, "thread"))))
	r.ISA = with(r.ISA, printed.Visible(cmp.Or(h.ISA, "unknown")))
}

// judgeBundle says what of a bundle does not fit together: its entries, its records, and verdicts that its records do not give. Those of
// another commit may be of another rule.
func judgeBundle(r *site.GalleryBundle, b *bundles.Bundle, s *studies.Study) {
	faults := bundles.Unlike(s.Cases, b.Verdicts)
	if len(faults) > 0 && builds.This().Commit != b.Program.Commit {
		r.Notes = append(r.Notes, fmt.Sprintf("Its verdicts differ from those that this program, of another commit, gives its records, in %s. The first: %s", printed.Count(len(faults), "number or word"), printed.Visible(faults[0])))
		faults = nil
	}
	for _, err := range b.Faults {
		faults = append(faults, err.Error())
	}
	for i, fault := range faults {
		if i == mostFaults {
			r.Faults = append(r.Faults, fmt.Sprintf("and %d more; %s lists them", len(faults)-i, printed.Command("verify "+printed.ShellWord(b.Path))))
			break
		}
		r.Faults = append(r.Faults, printed.Visible(fault))
	}
}

// with returns words with one more, once, and at most as many as a page shows.
func with(words []string, word string) []string {
	if len(words) > 10 || slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// addCase adds the verdicts of a bundle on an experiment.
func (g *galleryMaker) addCase(r *site.GalleryBundle, c claims.Case) {
	key, _, _ := strings.Cut(c.ID, "/")
	i := slices.IndexFunc(g.Papers, func(p *site.GalleryPaper) bool { return p.Key == key })
	if i < 0 {
		i = len(g.Papers)
		p := c.Paper
		var cited []string
		for _, part := range []string{printed.List(p.Authors), p.Venue, fmt.Sprint(p.Year)} {
			if part != "" && part != "0" {
				cited = append(cited, part)
			}
		}
		g.Papers = append(g.Papers, &site.GalleryPaper{Key: key, Title: p.Title, Cited: strings.Join(cited, ", "), URL: p.URL})
	}
	p := g.Papers[i]
	j := slices.IndexFunc(p.Experiments, func(x *site.GalleryExperiment) bool { return x.ID == c.ID })
	if j < 0 {
		j = len(p.Experiments)
		p.Experiments = append(p.Experiments, &site.GalleryExperiment{ID: c.ID, Title: c.Title})
	}
	for _, v := range c.Verdicts {
		id := [2]string{v.Experiment, v.Claim}
		one := g.claims[id]
		if one == nil {
			one = &site.GalleryClaim{ID: v.Claim, Statement: v.Statement, Source: v.Source, Published: v.PublishedText()}
			g.claims[id] = one
			p.Experiments[j].Claims = append(p.Experiments[j].Claims, one)
		}
		for len(g.words[one]) < r.Number {
			g.words[one] = append(g.words[one], claims.Verdict{})
		}
		g.words[one] = append(g.words[one][:r.Number], v)
	}
}

// compareVerdicts says of every claim what the bundles say, and whether those at one profile disagree.
func (g *galleryMaker) compareVerdicts() {
	for one, all := range g.words {
		one.Verdicts = make([]*site.GalleryVerdict, len(g.Bundles))
		low, high := math.Inf(1), math.Inf(-1)
		for i, v := range all {
			if v.Claim == "" {
				continue
			}
			one.Verdicts[i-1] = &site.GalleryVerdict{Word: string(v.Called()), Sign: v.ByNumbers().Sign(), Measured: v.MeasuredText(printed.Number), Profile: v.Profile, Seeds: v.Seeds, Reason: v.Reason}
			for _, w := range all[:i] {
				one.Disagree = one.Disagree || w.Claim != "" && w.Profile == v.Profile && w.ByNumbers() != v.ByNumbers() && w.Verdict != claims.NotRun && v.Verdict != claims.NotRun
			}
			if v.Measured != nil {
				low, high = min(low, *v.Measured), max(high, *v.Measured)
			}
		}
		if high > low {
			one.Spread = (high - low) / max(math.Abs(low), math.Abs(high))
		}
	}
}

// compareCell compares a cell with that of the first bundle that has it.
func (g *galleryMaker) compareCell(r *site.GalleryBundle, one *records.Record) {
	h := one.Header
	key := fmt.Sprintf("%q %q %q %q", h.Experiment, h.Cell, h.Profile, h.Digest)
	before := g.first[key]
	if before == nil {
		g.first[key] = one
		return
	}
	d := records.Compare(&records.Store{Records: []*records.Record{before}}, &records.Store{Records: []*records.Record{one}}, math.MaxFloat64)[0]
	c := &r.Compared
	switch {
	case d.State == records.NotReproducible:
	case d.State == records.Same:
		c.Same++
	case d.State == records.Close:
		c.Differs++
		if d.Difference != nil && *d.Difference > c.Most {
			c.Most, c.Where = *d.Difference, printed.Visible(fmt.Sprintf("%s %s, %s at step %d", h.Experiment, h.Cell, d.Metric, d.Step))
		}
	default:
		if c.Other++; c.Says == "" {
			c.Says = printed.Visible(fmt.Sprintf("%s %s: %s", h.Experiment, h.Cell, strings.ReplaceAll(d.Reason, "the baseline", "the first bundle")))
		}
	}
}

// audited adds an audit to the bundle that it is of.
func (g *galleryMaker) audited(path string, a audits.Audit) {
	i := slices.IndexFunc(g.Bundles, func(b *site.GalleryBundle) bool { return b.SHA256 == a.SHA256 })
	if i < 0 {
		g.refuse(path, fmt.Errorf("the audit of %s is of a bundle with the SHA-256 %.16s…, which is not here", a.Time, a.SHA256))
		return
	}
	one := site.GalleryAudit{Time: printed.Visible(a.Time), Machine: printed.Visible(a.Host + ", " + a.CPU), ISA: printed.Visible(a.ISA), Program: printed.Visible(a.Program.Name() + " " + a.Program.String()),
		Same: a.Same, Close: a.Close, Differs: a.Differs, Failed: a.Failed, Of: a.Cells, Cells: []string{}}
	for _, o := range a.Outcomes {
		one.Cells = append(one.Cells, printed.Visible(fmt.Sprintf("%s %s: %s", o.Experiment, o.Cell, o.State)))
	}
	g.Bundles[i].Audits = append(g.Bundles[i].Audits, one)
}

// there reports whether there is a file at path.
func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
