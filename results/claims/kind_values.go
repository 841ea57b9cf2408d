package claims

import (
	"fmt"
	"strconv"

	"repro/results/records"
)

var _ = Register(Kind{
	Name: "values", Doc: "the metric is a column of a printed table; it becomes one claim of kind `value` for each number, and one of kind `column` for all together",
	Needs: []string{"x", "rows", "cells"},
	May:   []string{"published_is", "published_says", "visible", "visible_why", "tolerance", "why", "unit", "at_most"},
	Split: splitColumn,
})

// splitColumn returns a claim of kind value for each printed number of a column, with the id <column>@<place>, such as error@10,
// and after them one with the id of the column for all together, unless a tolerance or a bound says what each cell accepts.
func splitColumn(c Claim) []Claim {
	var list []Claim
	for i, cell := range c.Cells {
		if cell == "" {
			continue
		}
		v := c
		v.Kind, v.Column, v.Published = "value", c.ID, cell
		v.ID = c.ID + "@" + strconv.FormatFloat(c.Rows[i], 'g', -1, 64)
		v.At = records.At{X: c.X, Value: c.Rows[i]}
		v.Statement = fmt.Sprintf("%s, %s", c.Statement, v.At)
		v.X, v.Rows, v.Cells = "", nil, nil
		if c.SameAs != "" {
			v.SameAs += v.ID[len(c.ID):]
		}
		list = append(list, v)
	}
	if c.Tolerance == 0 && !c.AtMost && len(c.columnCells()) > 1 {
		c.Kind = columnKind
		list = append(list, c)
	}
	return list
}
