package site

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"repro/plots/web"
)

// A Gallery is who reproduced what: bundles side by side.
type Gallery struct {
	Bundles []*GalleryBundle `json:"bundles"`
	Papers  []*GalleryPaper  `json:"papers"`
	Refused []Refused        `json:"refused"` // files that are no bundles
}

// A GalleryBundle is a bundle.
type GalleryBundle struct {
	Number      int               `json:"number"` // from 1, in the order of the columns
	File        string            `json:"file"`
	SHA256      string            `json:"sha256"`
	Program     string            `json:"program"` // that made the bundle
	Commit      string            `json:"commit"`
	From        string            `json:"from"` // first day and last day on which a cell began
	To          string            `json:"to"`
	Machines    []string          `json:"machines"`
	ISA         []string          `json:"instruction_sets"`
	Experiments int               `json:"experiments"`
	Records     int               `json:"records"`
	Faults      []string          `json:"faults"`    // why it does not count: it does not fit together
	Notes       []string          `json:"notes"`     // what a reader must know besides
	Signature   string            `json:"signature"` // who signed it, "" if nobody did
	Audits      []GalleryAudit    `json:"audits"`
	Compared    GalleryDifference `json:"compared"`
}

// Counts reports whether its verdicts are shown.
func (r *GalleryBundle) Counts() bool { return len(r.Faults) == 0 }

// A GalleryAudit is an audit of a bundle: who ran which cells again.
type GalleryAudit struct {
	Time    string   `json:"time"`
	Machine string   `json:"machine"`
	ISA     string   `json:"instruction_set"`
	Program string   `json:"program"`
	Same    int      `json:"same"`
	Close   int      `json:"close"`
	Differs int      `json:"differs"`
	Failed  int      `json:"failed"`
	Of      int      `json:"of"` // cells that could be drawn
	Cells   []string `json:"cells"`
}

// A GalleryDifference is how the cells of a bundle differ from those of the first bundle with the same cell and settings.
type GalleryDifference struct {
	Same    int     `json:"same"` // bits
	Differs int     `json:"differs"`
	Most    float64 `json:"most"`  // largest relative difference of a number
	Where   string  `json:"where"` // it is
	Other   int     `json:"other"` // cells that ended otherwise, or evaluate elsewhere
	Says    string  `json:"says"`  // the first of them
}

// A GalleryPaper is a paper.
type GalleryPaper struct {
	Key         string               `json:"key"`
	Title       string               `json:"title"`
	Cited       string               `json:"cited"` // authors, venue, year
	URL         string               `json:"url"`
	Page        string               `json:"-"` // its file
	Experiments []*GalleryExperiment `json:"experiments"`
}

// A GalleryExperiment is an experiment with its claims.
type GalleryExperiment struct {
	ID     string          `json:"id"`
	Title  string          `json:"title"`
	Claims []*GalleryClaim `json:"claims"`
}

// A GalleryClaim is a claim with the verdict of every bundle.
type GalleryClaim struct {
	ID        string            `json:"id"`
	Statement string            `json:"statement"`
	Source    string            `json:"source"`
	Published string            `json:"published"`
	Verdicts  []*GalleryVerdict `json:"verdicts"` // one for each bundle; nil where it has none
	Disagree  bool              `json:"disagree"` // the words differ
	Spread    float64           `json:"spread"`   // of the measured numbers, relative to the largest
}

// A GalleryVerdict is the verdict of a bundle.
type GalleryVerdict struct {
	Word     string `json:"verdict"`
	Sign     string `json:"-"`
	Measured string `json:"measured"`
	Profile  string `json:"profile"`
	Seeds    int    `json:"seeds"`
	Reason   string `json:"reason"`
}

// A Refused is a file that is not shown, and why.
type Refused struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

var unsafeInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Words counts the verdicts of a bundle on the paper.
func (e *GalleryPaper) Words(number int) string {
	counts := map[string]int{}
	var order []string
	for _, x := range e.Experiments {
		for _, c := range x.Claims {
			if v := c.Verdicts[number-1]; v != nil {
				if counts[v.Word] == 0 {
					order = append(order, v.Word)
				}
				counts[v.Word]++
			}
		}
	}
	var words []string
	for _, w := range order {
		words = append(words, fmt.Sprintf("%d %s", counts[w], w))
	}
	return strings.Join(words, ", ")
}

// Disagreements counts the claims whose verdicts differ between bundles.
func (e *GalleryPaper) Disagreements() (n int) {
	for _, x := range e.Experiments {
		for _, c := range x.Claims {
			if c.Disagree {
				n++
			}
		}
	}
	return n
}

// Pages returns the gallery as files: index.html and a page for each paper. They load nothing.
func (g *Gallery) Pages() (map[string][]byte, error) {
	page, err := web.NewPage("", []string{"class.css"}, "")
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	add := func(name, tmpl string, e *GalleryPaper) error {
		var b bytes.Buffer
		err := templates.ExecuteTemplate(&b, tmpl, struct {
			web.Page
			*Gallery
			Paper *GalleryPaper
		}{page, g, e})
		all[name] = b.Bytes()
		return err
	}
	for i, e := range g.Papers { // whose keys may be anything
		e.Page = "paper-" + unsafeInNames.ReplaceAllString(strings.ToLower(e.Key), "-") + ".html"
		if all[e.Page] != nil {
			e.Page = fmt.Sprintf("paper--%d.html", i+1)
		}
		if err := add(e.Page, "gallery_paper.tmpl", e); err != nil {
			return nil, err
		}
	}
	return all, add("index.html", "gallery.tmpl", nil)
}

// share writes a relative difference.
func share(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.2g", v)
}

// safeURL returns an address that a link may have, "" for others.
func safeURL(url string) template.URL {
	if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
		return template.URL(url)
	}
	return ""
}
