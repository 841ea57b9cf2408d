package experiments

import (
	"fmt"
	"slices"
	"strconv"

	"repro/results/claims"
	"repro/results/printed"
	"repro/results/records"
)

// values checks the columns of rows and of the numbers printed in them.
func (c checker) values(n *node, claim *claims.Claim, path string) {
	if claim.Kind != claims.KindValues {
		return
	}
	c.rows(n, path, claim.X, claim.Rows)
	cells := n.find("cells")
	if cells == nil {
		return
	}
	if len(claim.Cells) != len(claim.Rows) {
		c.add(cells.place, path+".cells", "has %s for %s of %s; give one for each, empty where none is printed",
			counted(len(claim.Cells), "number"), counted(len(claim.Rows), "place"), beside("rows", n.find("rows")))
	}
	for i, cell := range claim.Cells {
		if _, _, _, err := printed.Parse(cell); cell != "" && err != nil {
			c.add(cells.items()[i].place, path+".cells", "%s is not a number as papers print them; write one such as \"3.1\"", quote(cell))
		}
	}
	if len(claim.Cells) > 0 && !slices.ContainsFunc(claim.Cells, func(s string) bool { return s != "" }) {
		c.add(cells.place, path+".cells", "holds no number; remove the claim")
	}
}

// rows checks the places along x of a claim or a table: some, rising, and evaluated where evaluate.at
// lists the places that are.
func (c checker) rows(n *node, path, x string, rows []float64) {
	e := n.find("rows")
	if e == nil || x == "" {
		return
	}
	if len(rows) == 0 {
		c.add(e.place, path+".rows", "is empty; name places along x")
	}
	unit := "step"
	if c.spec.Budget.Epochs > 0 {
		unit = "epoch"
	}
	for i, v := range rows {
		where := e.items()[i].place
		switch {
		case i > 0 && v <= rows[i-1]:
			c.add(where, path+".rows", "want rising places, got %v after %v", v, rows[i-1])
		case x == unit && len(c.spec.Evaluate.At) > 0 && !slices.Contains(c.spec.Evaluate.At, v) && v < slices.Max(c.spec.Evaluate.At):
			c.add(where, path+".rows", "nothing is evaluated at %s %v; add it to %s", x, v,
				beside("evaluate.at", c.tree.find("evaluate", "at")))
		}
	}
}

// counted writes n things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// column takes a claim of kind values apart into one of kind value for each number; others it returns
// alone. The claim of a number is called as its column with @ and the place, error@10 say.
func column(c claims.Claim) []claims.Claim {
	if c.Kind != claims.KindValues {
		return []claims.Claim{c}
	}
	var list []claims.Claim
	for i, cell := range c.Cells {
		if cell == "" {
			continue
		}
		v := c
		v.Kind, v.Column, v.Published = claims.KindValue, c.ID, cell
		v.ID = c.ID + "@" + strconv.FormatFloat(c.Rows[i], 'g', -1, 64)
		v.At = records.At{X: c.X, Value: c.Rows[i]}
		v.Statement = fmt.Sprintf("%s, %s", c.Statement, v.At)
		v.X, v.Rows, v.Cells = "", nil, nil
		list = append(list, v)
	}
	return list
}
