package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A grid is a table for people.
type grid struct {
	head   []string
	rows   [][]string
	right  []int // columns with numbers, from 1
	wrap   int   // column whose text is broken to fit a terminal, from 1; 0 for none
	indent string
}

// print writes the grid to stdout: columns side by side without lines, so that it can be read by
// people and cut by scripts.
func (a *app) print(g grid) {
	t := table.NewWriter()
	style := table.Style{
		Name:    "plain",
		Box:     table.BoxStyle{PaddingRight: "  "},
		Format:  table.FormatOptions{Header: text.FormatUpper},
		Options: table.Options{SeparateColumns: false},
	}
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(tableRow(g.head))
	for _, r := range g.rows {
		t.AppendRow(tableRow(r))
	}
	var columns []table.ColumnConfig
	for _, n := range g.right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	if g.wrap > 0 && a.width > 0 {
		columns = append(columns, table.ColumnConfig{Number: g.wrap, WidthMax: max(24, a.width-g.others()), WidthMaxEnforcer: text.WrapSoft})
	}
	t.SetColumnConfigs(columns)
	for line := range strings.Lines(t.Render()) {
		fmt.Fprintln(a.stdout, g.indent+strings.TrimRight(line, " \n"))
	}
}

// others returns the columns that all but the wrapped column of the table take.
func (g grid) others() int {
	total := len(g.indent)
	for i := range g.head {
		widest := 0
		for _, r := range append([][]string{g.head}, g.rows...) {
			widest = max(widest, text.StringWidthWithoutEscSequences(r[i]))
		}
		if i != g.wrap-1 {
			total += widest + 2
		}
	}
	return total + 2
}

func tableRow(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, c := range cells {
		r[i] = c
	}
	return r
}

// printJSON writes v, which is a slice, as one JSON array.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// duration writes seconds for people; negative ones are unknown.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case seconds < 0:
		return "unknown"
	case seconds < 0.01:
		return "< 0.01 s"
	case seconds < 1:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	case seconds < 90:
		return fmt.Sprintf("%.0f s", seconds)
	case d < 90*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

// byteSize writes a size for people; negative ones are unknown.
func byteSize(n float64) string {
	if n < 0 {
		return "unknown"
	}
	units := []string{"B", "kB", "MB", "GB", "TB"}
	i := 0
	for n >= 999.5 && i < len(units)-1 {
		n /= 1000
		i++
	}
	if n < 10 && i > 0 {
		return fmt.Sprintf("%.1f %s", n, units[i])
	}
	return fmt.Sprintf("%.0f %s", n, units[i])
}

// count writes n things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// inline writes settings as they would stand in a TOML file, on one line.
func inline(v any) string {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		return "{ " + pairs(v) + " }"
	case []any:
		items := make([]string, len(v))
		for i, e := range v {
			items[i] = inline(e)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		return strconv.Quote(v)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e6 {
			return strconv.FormatFloat(v, 'f', 1, 64)
		}
		return strings.Replace(strconv.FormatFloat(v, 'g', -1, 64), "e-0", "e-", 1)
	}
	return fmt.Sprint(v)
}

// pairs writes a table's keys and values as they would stand between its braces, with the key that
// names a thing first and those without a value left out.
func pairs(m map[string]any) string {
	var keys []string
	for k, v := range m {
		if list, ok := v.([]any); v != nil && (!ok || len(list) > 0) {
			keys = append(keys, k)
		}
	}
	naming := []string{"schedule", "rule", "name"}
	slices.SortFunc(keys, func(a, b string) int {
		if d := slices.Index(naming, b) - slices.Index(naming, a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, k := range keys {
		keys[i] = k + " = " + inline(m[k])
	}
	return strings.Join(keys, ", ")
}
