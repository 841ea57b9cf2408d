package plots

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"repro/plots/figures"
	"repro/results/files"
	"repro/results/printed"
	"repro/results/records"
)

// writeTable writes the table as Markdown, CSV and LaTeX to dir/tables/<experiment>/<table>.md,
// .csv and .tex, and returns the paths of those written.
func writeTable(dir, experiment string, d *Table) ([]string, error) {
	stem := files.Path(dir, "tables", experiment, d.ID)
	var paths []string
	var errs []error
	for _, f := range []struct {
		ext   string
		write func(io.Writer) error
	}{{".md", d.Markdown}, {".csv", d.CSV}, {".tex", d.LaTeX}} {
		var b bytes.Buffer
		err := f.write(&b)
		if err == nil {
			err = files.Write(dir, stem+f.ext, b.Bytes())
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		paths = append(paths, stem+f.ext)
	}
	return paths, errors.Join(errs...)
}

// CSV writes the table's Frame: every number in full, in a column of its own.
func (d *Table) CSV(w io.Writer) error { return figures.WriteFrame(w, d.Frame()) }

// Markdown writes the table with its title and notes. Texts are shown as they are: what would be HTML or end a cell is
// escaped, and control characters are written as their numbers.
func (d *Table) Markdown(w io.Writer) error {
	verbatim := func(s string) string { return s }
	var b strings.Builder
	if title := d.caption(); title != "" {
		fmt.Fprintf(&b, "**%s**\n\n", escapeMarkdown.Replace(title))
	}
	for i, row := range d.text(plain, verbatim) {
		for j := range row {
			row[j] = escapeMarkdown.Replace(row[j])
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|:--" + strings.Repeat("|--:", len(row)-1) + "|\n")
		}
	}
	for _, n := range d.textNotes() {
		fmt.Fprintf(&b, "\n%s\n", escapeMarkdown.Replace(n))
	}
	_, err := io.WriteString(w, printed.Visible(b.String()))
	return err
}

// LaTeX writes the table as a floating table for the booktabs package.
func (d *Table) LaTeX(w io.Writer) error {
	rows := d.text(mathematics, escapeLaTeX)
	var b strings.Builder
	b.WriteString("% needs \\usepackage{booktabs}\n\\begin{table}\n\\centering\n")
	caption := d.textNotes()
	if title := d.caption(); title != "" {
		caption = append([]string{title + "."}, caption...)
	}
	fmt.Fprintf(&b, "\\caption{%s}\n\\label{tab:%s}\n", escapeLaTeX(strings.Join(caption, " ")), d.ID)
	fmt.Fprintf(&b, "\\begin{tabular}{l%s}\n\\toprule\n", strings.Repeat("r", len(rows[0])-1))
	for i, row := range rows {
		fmt.Fprintf(&b, "%s \\\\\n", strings.Join(row, " & "))
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n\\end{table}\n")
	_, err := io.WriteString(w, printed.Visible(b.String()))
	return err
}

func (d *Table) caption() string {
	title := strings.TrimSuffix(d.Title, ".")
	if d.Source != "" {
		title = strings.TrimSpace(fmt.Sprintf("%s (%s)", title, d.Source))
	}
	return title
}

// text returns header and rows as texts: the median with its band, and the published number.
func (d *Table) text(number func(string) string, escape func(string) string) [][]string {
	header := []string{"method"}
	if d.X != "" {
		header[0] = d.X
	}
	for _, c := range d.Columns {
		name := c.Unit.Label(c.Metric)
		if c.Label != "" {
			name = c.Label + ": " + name
		}
		if c.Order {
			name = orderName
		}
		header = append(header, escape(name))
		if c.Origin != "" && d.X == "" {
			header = append(header, c.Origin)
		}
	}
	rows := [][]string{header}
	for _, r := range d.Rows {
		row := []string{escape(r.Label)}
		for j, c := range r.Cells {
			if d.X != "" {
				row = append(row, c.compared(d.Columns[j].Format, number, escape))
				continue
			}
			row = append(row, c.text(number))
			if d.Columns[j].Origin == "" {
				continue
			}
			published := escape(c.Published)
			if c.Published != "" && c.Verdict != nil {
				published += " (" + string(c.word()) + ")"
			}
			row = append(row, published)
		}
		rows = append(rows, row)
	}
	return rows
}

// text returns the cell as a text; number formats its numbers.
func (c Cell) text(number func(string) string) string {
	switch {
	case c.Missing != "":
		return c.Missing
	case math.IsInf(c.Median, 1):
		return string(records.Diverged)
	}
	write := formatFor(c.Median, c.Low, c.High)
	if c.Seeds < 2 {
		return number(write(c.Median))
	}
	return fmt.Sprintf("%s, %s to %s", number(write(c.Median)), number(write(c.Low)), number(write(c.High)))
}

// Bounds of the significant digits of a number in a table, and those of a number without a spread.
const (
	minDigits    = 2
	maxDigits    = 6
	singleDigits = 4
)

// formatFor returns a format that writes the median to two digits of its spread, or to up to four digits if there is no
// spread. Numbers below 0.001 or from a million on have an exponent.
func formatFor(median, low, high float64) func(float64) string {
	exponent := leading(median)
	digits := singleDigits
	spread := (high - low) / 2
	even := !(spread > 0) || math.IsInf(spread, 0)
	if !even {
		digits = min(max(exponent-leading(spread)+2, minDigits), maxDigits)
	}
	return func(v float64) string {
		switch {
		case math.IsInf(v, 1):
			return "∞"
		case exponent < -3 || exponent >= 6:
			return strconv.FormatFloat(v, 'e', digits-1, 64)
		case even:
			return strconv.FormatFloat(v, 'g', digits, 64)
		}
		return strconv.FormatFloat(v, 'f', max(digits-1-exponent, 0), 64)
	}
}

// leading returns the decimal exponent of v's first digit, 0 for zero. It
// ignores the rounding error that makes 0.1 a little less than that.
func leading(v float64) int {
	if v == 0 {
		return 0
	}
	return int(math.Floor(math.Log10(math.Abs(v)) + records.Slack))
}

func plain(number string) string { return number }

// mathematics writes a number for LaTeX, 3.4e-05 as $3.4\times 10^{-5}$.
func mathematics(number string) string {
	if number == "∞" {
		return `$\infty$`
	}
	mantissa, exponent, ok := strings.Cut(number, "e")
	if !ok {
		return "$" + number + "$"
	}
	e, err := strconv.Atoi(exponent)
	if err != nil {
		return "$" + number + "$"
	}
	return fmt.Sprintf(`$%s\times 10^{%d}$`, mantissa, e)
}

// escapeMarkdown writes a text as a cell of a Markdown table shows it.
var escapeMarkdown = strings.NewReplacer(`\`, "&#92;", "|", `\|`, "<", "&lt;", "\r\n", " ", "\n", " ")

var escapeLaTeX = strings.NewReplacer(
	`\`, `\textbackslash{}`, "%", `\%`, "_", `\_`, "&", `\&`, "#", `\#`, "$", `\$`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "✓", `$\surd$`, "✗", `$\times$`, "○", `$\circ$`,
).Replace

// A measured is a metric at a point of a record.
type measured struct {
	*records.Record
	point  *records.Point
	metric string
}

// recordColumns are the columns of the CSV of records.
var recordColumns = []struct {
	name string
	get  func(m measured) string
}{
	{"experiment", func(m measured) string { return m.Header.Experiment }},
	{"cell", func(m measured) string { return m.Header.Cell }},
	{"method", func(m measured) string { return m.Header.Method }},
	{"seed", func(m measured) string { return whole(int64(m.Header.Seed)) }},
	{"profile", func(m measured) string { return m.Header.Profile }},
	{"status", func(m measured) string { return string(m.Status()) }},
	{"step", func(m measured) string { return whole(int64(m.point.Step)) }},
	{"seen", func(m measured) string { return whole(int64(m.point.Seen)) }},
	{"epoch", func(m measured) string { return decimal(m.point.Epoch) }},
	{"metric", func(m measured) string { return m.metric }},
	{"value", measured.value},
	{"seconds", func(m measured) string { return decimal(m.point.Timing.Setup + m.point.Timing.Train) }},
	{"step_seconds", func(m measured) string { return decimal(m.point.Timing.Train) }},
	{"kernel_evals", func(m measured) string { return whole(int64(m.point.Counters.KernelEvals)) }},
	{"feature_evals", func(m measured) string { return whole(int64(m.point.Counters.FeatureEvals)) }},
	{"flops", func(m measured) string { return whole(int64(m.point.Counters.Flops)) }},
	{"bytes", func(m measured) string { return whole(int64(m.point.Counters.Bytes)) }},
	{"memory", func(m measured) string { return whole(int64(m.point.Counters.Memory)) }},
}

func whole(v int64) string { return strconv.FormatInt(v, 10) }

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// value returns the metric's value, empty if it is not finite.
func (m measured) value() string {
	v, _ := m.point.Measure(m.metric)
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return ""
	}
	return decimal(v)
}

// writeRecords writes records as CSV in the long format: a row a metric of a point. Seconds and counters are those of the point,
// memory and bytes in bytes. A value that is not finite is an empty field.
func writeRecords(w io.Writer, recs []*records.Record) error {
	out := csv.NewWriter(w)
	row := make([]string, len(recordColumns))
	for j, c := range recordColumns {
		row[j] = c.name
	}
	if err := out.Write(row); err != nil {
		return err
	}
	for _, r := range recs {
		for _, p := range r.Points {
			for _, m := range p.Metrics() {
				for j, c := range recordColumns {
					row[j] = c.get(measured{r, &p, m})
				}
				if err := out.Write(row); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

// Frame returns the table's numbers as a data frame: method and label, or the place, and for every column
// its median, low, high and seeds and, if some cells are compared with a number, published or derived, and verdict.
func (d *Table) Frame() dataframe.DataFrame {
	method, label := make([]string, len(d.Rows)), make([]string, len(d.Rows))
	for i, r := range d.Rows {
		method[i], label[i] = r.Method, r.Label
	}
	columns := []series.Series{series.New(method, series.String, "method"), series.New(label, series.String, "label")}
	if d.X != "" {
		for i, r := range d.Rows {
			label[i] = decimal(r.At)
		}
		columns = []series.Series{series.New(label, series.String, d.X)}
	}
	for j, col := range d.Columns {
		name := strings.TrimSpace(col.Method + " " + strings.TrimSpace(col.Metric+" "+col.Unit.Sign))
		add := func(suffix string, of series.Type, get func(Cell) any) {
			v := make([]any, len(d.Rows))
			for i, r := range d.Rows {
				v[i] = get(r.Cells[j])
			}
			columns = append(columns, series.New(v, of, name+suffix))
		}
		if col.Order {
			add(" "+orderName, series.Float, func(c Cell) any { return c.Median })
			continue
		}
		add("", series.Float, func(c Cell) any { return c.Median })
		add(" low", series.Float, func(c Cell) any { return c.Low })
		add(" high", series.Float, func(c Cell) any { return c.High })
		add(" seeds", series.String, func(c Cell) any { return fmt.Sprint(c.Seeds) })
		if col.Origin != "" {
			add(" "+col.Origin, series.String, func(c Cell) any { return c.Published })
			add(" verdict", series.String, func(c Cell) any { return string(c.word()) })
		}
	}
	return dataframe.New(columns...)
}
