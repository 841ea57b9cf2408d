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

// Records returns the records as a data frame in the long format: a row a metric of a point. Seconds and counters
// are those of the point, memory and bytes in bytes. A value that is not finite is NaN. Write the frame with
// WriteFrame or WriteRecords: its own CSV writer keeps six decimals.
func Records(recs []*records.Record) dataframe.DataFrame {
	var experiment, cell, method, profile, status, metric []string
	var seed, step, seen, kernelEvals, featureEvals, flops, bytes, memory []int
	var epoch, value, seconds, stepSeconds []float64
	for _, r := range recs {
		for _, p := range r.Points {
			for _, m := range p.Metrics() {
				v, _ := p.Measure(m)
				if math.IsInf(v, 0) {
					v = math.NaN()
				}
				experiment, cell = append(experiment, r.Header.Experiment), append(cell, r.Header.Cell)
				method, seed = append(method, r.Header.Method), append(seed, int(r.Header.Seed))
				profile, status = append(profile, r.Header.Profile), append(status, string(r.Status()))
				step, seen, epoch = append(step, p.Step), append(seen, int(p.Seen)), append(epoch, p.Epoch)
				metric, value = append(metric, m), append(value, v)
				seconds = append(seconds, p.Timing.Setup+p.Timing.Train)
				stepSeconds = append(stepSeconds, p.Timing.Train)
				kernelEvals = append(kernelEvals, int(p.Counters.KernelEvals))
				featureEvals = append(featureEvals, int(p.Counters.FeatureEvals))
				flops, bytes = append(flops, int(p.Counters.Flops)), append(bytes, int(p.Counters.Bytes))
				memory = append(memory, int(p.Counters.Memory))
			}
		}
	}
	return dataframe.New(
		series.New(experiment, series.String, "experiment"),
		series.New(cell, series.String, "cell"),
		series.New(method, series.String, "method"),
		series.New(seed, series.Int, "seed"),
		series.New(profile, series.String, "profile"),
		series.New(status, series.String, "status"),
		series.New(step, series.Int, "step"),
		series.New(seen, series.Int, "seen"),
		series.New(epoch, series.Float, "epoch"),
		series.New(metric, series.String, "metric"),
		series.New(value, series.Float, "value"),
		series.New(seconds, series.Float, "seconds"),
		series.New(stepSeconds, series.Float, "step_seconds"),
		series.New(kernelEvals, series.Int, "kernel_evals"),
		series.New(featureEvals, series.Int, "feature_evals"),
		series.New(flops, series.Int, "flops"),
		series.New(bytes, series.Int, "bytes"),
		series.New(memory, series.Int, "memory"),
	)
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
		numbers := func(of func(Cell) float64, suffix string) {
			v := make([]float64, len(d.Rows))
			for i, r := range d.Rows {
				v[i] = of(r.Cells[j])
			}
			columns = append(columns, series.New(v, series.Float, name+suffix))
		}
		texts := func(of func(Cell) string, suffix string) {
			v := make([]string, len(d.Rows))
			for i, r := range d.Rows {
				v[i] = of(r.Cells[j])
			}
			columns = append(columns, series.New(v, series.String, name+suffix))
		}
		numbers(func(c Cell) float64 { return c.Median }, "")
		numbers(func(c Cell) float64 { return c.Low }, " low")
		numbers(func(c Cell) float64 { return c.High }, " high")
		texts(func(c Cell) string { return fmt.Sprint(c.Seeds) }, " seeds")
		if col.Origin != "" {
			texts(func(c Cell) string { return c.Published }, " "+col.Origin)
			texts(func(c Cell) string { return string(c.Verdict) }, " verdict")
		}
	}
	return dataframe.New(columns...)
}
