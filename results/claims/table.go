package claims

import (
	"repro/results/records"
)

// A Table lists methods against metrics or, with X, places on the curves against both.
type Table struct {
	ID      string     `toml:"id" json:"id" must:"yes" doc:"name of the table and of its files"`
	Title   string     `toml:"title" json:"title" doc:"title above the table"`
	Source  string     `toml:"source" json:"source" doc:"the paper's table or figure it reproduces"`
	Metrics []string   `toml:"metrics" json:"metrics" want:"curve" must:"yes" doc:"columns: metrics, or abscissae such as seconds and memory"`
	Methods []string   `toml:"methods" json:"methods,omitempty" doc:"ids of the methods in the rows, or with x in groups of columns; every method if left out"`
	At      records.At `toml:"at" json:"at,omitzero" doc:"where on the curves to read"`

	X    string    `toml:"x" json:"x,omitempty" want:"|abscissa" doc:"abscissa of a table whose rows are places on the curves and whose columns are methods by metrics"`
	Rows []float64 `toml:"rows" json:"rows,omitempty" want:"> 0" doc:"the places, rising"`
}
