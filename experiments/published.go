package experiments

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"repro/experiments/spectree"
	"repro/results/claims"
	"repro/results/files"
	"repro/results/imports"
	"repro/results/printed"
)

// readCurves puts the points of published curves in place of the files that have them, so that the tree is the whole spec. It reports
// whether there are any.
func readCurves(src Source, root *spectree.Node, found *spectree.Mistakes) (read bool) {
	for i, n := range root.Find("published_curve").Items() {
		file, path := n.Find("file"), spectree.Join(spectree.Entry("published_curve", n, i), "file")
		if file == nil || n.Find("points") != nil { // the binder says that they contradict each other
			continue
		}
		curve := n.Find("curve")
		text, err := src.beside(file.Text())
		if err != nil {
			found.Add(file.Place, path, "%v", err)
			continue
		}
		asked := curve.Text()
		if curve == nil {
			asked = spectree.IDOf(n)
		}
		points, err := imports.Points(text, asked)
		if err != nil {
			found.Add(file.Place, path, "%s %v", printed.Quote(file.Text()), err)
			continue
		}
		var list []*spectree.Node
		for _, p := range points {
			var row []*spectree.Node
			for _, v := range p {
				row = append(row, &spectree.Node{Place: file.Place, Value: v})
			}
			list = append(list, &spectree.Node{Place: file.Place, Value: row})
		}
		t := n.Table()
		t.Remove("file")
		t.Remove("curve")
		t.Set("points", &spectree.Node{Place: file.Place, Value: list})
		read = true
	}
	return read
}

// beside reads a file of published curves: below the folder of a registered spec, or anywhere on the disk.
func (src Source) beside(name string) ([]byte, error) {
	switch {
	case src.Catalog && (src.Files == nil || name == "" || !filepath.IsLocal(filepath.FromSlash(name))):
		return nil, errors.New("a spec of the catalog has no other files than those registered with it; write the points themselves into points")
	case src.Catalog:
		return fs.ReadFile(src.Files, path.Join(path.Dir(src.File), name))
	case !filepath.IsAbs(name):
		name = filepath.Join(filepath.Dir(src.File), filepath.FromSlash(name))
	}
	return files.ReadRegular(name, imports.PointsBytes)
}

// publishedCurves checks the points of published curves, and gives each to the claims that name it.
func (c checker) publishedCurves() {
	curves := c.tree.Find("published_curve").Items()
	for i, n := range curves {
		p, path := &c.spec.PublishedCurves[i], spectree.Entry("published_curve", n, i)
		points := n.Find("points")
		if points == nil {
			c.Add(n.Place, path+".points", "missing; give the points, or their file")
			continue
		}
		if wrong, at := p.Wrong(); wrong != "" {
			c.Add(spectree.At(n, "points"), path+".points", "point %d %s", at+1, wrong)
		}
		if !slices.ContainsFunc(c.spec.Claims, func(k claims.Claim) bool { return k.Curve == p.ID }) && c.full {
			c.Add(n.Place, path, "no claim has curve = %s, and figures draw those of their claims; claim it, or remove the table", printed.Quote(p.ID))
		}
	}
	for i, n := range c.tree.Find("claim").Items() {
		e := n.Find("curve")
		if e == nil || i >= len(c.spec.Claims) {
			continue
		}
		at := slices.IndexFunc(c.spec.PublishedCurves, func(p claims.PublishedCurve) bool { return p.ID == c.spec.Claims[i].Curve })
		if at < 0 {
			c.Add(e.Place, spectree.Join(spectree.Entry("claim", n, i), "curve"), "there is no [[published_curve]] %s; %s", printed.Quote(e.Text()), printed.Suggest(e.Text(), spectree.IDs(c.tree.Find("published_curve"))))
			continue
		}
		c.spec.Claims[i].Reference = &c.spec.PublishedCurves[at]
	}
}
