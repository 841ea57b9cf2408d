package tables

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"repro/results/records"
)

// A measured is a metric at a point of a record.
type measured struct {
	*records.Record
	point  records.Point
	metric string
}

// recordColumns are the columns of the data frame of records.
var recordColumns = []struct {
	name string
	of   series.Type
	get  func(m measured) any
}{
	{"experiment", series.String, func(m measured) any { return m.Header.Experiment }},
	{"cell", series.String, func(m measured) any { return m.Header.Cell }},
	{"method", series.String, func(m measured) any { return m.Header.Method }},
	{"seed", series.Int, func(m measured) any { return int(m.Header.Seed) }},
	{"profile", series.String, func(m measured) any { return m.Header.Profile }},
	{"status", series.String, func(m measured) any { return string(m.Status()) }},
	{"step", series.Int, func(m measured) any { return m.point.Step }},
	{"seen", series.Int, func(m measured) any { return int(m.point.Seen) }},
	{"epoch", series.Float, func(m measured) any { return m.point.Epoch }},
	{"metric", series.String, func(m measured) any { return m.metric }},
	{"value", series.Float, measured.value},
	{"seconds", series.Float, func(m measured) any { return m.point.Timing.Setup + m.point.Timing.Train }},
	{"step_seconds", series.Float, func(m measured) any { return m.point.Timing.Train }},
	{"kernel_evals", series.Int, func(m measured) any { return int(m.point.Counters.KernelEvals) }},
	{"feature_evals", series.Int, func(m measured) any { return int(m.point.Counters.FeatureEvals) }},
	{"flops", series.Int, func(m measured) any { return int(m.point.Counters.Flops) }},
	{"bytes", series.Int, func(m measured) any { return int(m.point.Counters.Bytes) }},
	{"memory", series.Int, func(m measured) any { return int(m.point.Counters.Memory) }},
}

// value returns the metric's value, NaN if it is not finite.
func (m measured) value() any {
	v, _ := m.point.Measure(m.metric)
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// Records returns the records as a data frame in the long format: a row a metric of a point. Seconds and counters
// are those of the point, memory and bytes in bytes. A value that is not finite is NaN. Write the frame with
// WriteFrame or WriteRecords: its own CSV writer keeps six decimals.
func Records(recs []*records.Record) dataframe.DataFrame {
	columns := make([][]any, len(recordColumns))
	for _, r := range recs {
		for _, p := range r.Points {
			for _, m := range p.Metrics() {
				for j, c := range recordColumns {
					columns[j] = append(columns[j], c.get(measured{r, p, m}))
				}
			}
		}
	}
	var all []series.Series
	for j, c := range recordColumns {
		all = append(all, series.New(columns[j], c.of, c.name))
	}
	return dataframe.New(all...)
}

// WriteRecords writes the frames of records one after the other as CSV, so that no more than one is in memory.
func WriteRecords(w io.Writer, recs []*records.Record) error {
	out := csv.NewWriter(w)
	if err := out.Write(Records(nil).Names()); err != nil {
		return err
	}
	for _, r := range recs {
		if err := writeRows(out, Records([]*records.Record{r})); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// WriteFrame writes a data frame as CSV with a header line, every number with as many digits as it
// has, and NaN as an empty field.
func WriteFrame(w io.Writer, df dataframe.DataFrame) error {
	out := csv.NewWriter(w)
	if err := out.Write(df.Names()); err != nil {
		return err
	}
	if err := writeRows(out, df); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func writeRows(out *csv.Writer, df dataframe.DataFrame) error {
	if df.Err != nil {
		return fmt.Errorf("table: %w", df.Err)
	}
	row := make([]string, df.Ncol())
	for i := range df.Nrow() {
		for j := range row {
			row[j] = field(df.Elem(i, j))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

func field(e series.Element) string {
	switch {
	case e.IsNA():
		return ""
	case e.Type() == series.Float:
		return strconv.FormatFloat(e.Float(), 'g', -1, 64)
	}
	return e.String()
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
		add("", series.Float, func(c Cell) any { return c.Median })
		add(" low", series.Float, func(c Cell) any { return c.Low })
		add(" high", series.Float, func(c Cell) any { return c.High })
		add(" seeds", series.String, func(c Cell) any { return fmt.Sprint(c.Seeds) })
		if col.Origin != "" {
			add(" "+col.Origin, series.String, func(c Cell) any { return c.Published })
			add(" verdict", series.String, func(c Cell) any { return string(c.Verdict) })
		}
	}
	return dataframe.New(columns...)
}
