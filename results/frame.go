package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Frame returns the records as a tidy data frame: a row for every value of every point, with the
// columns experiment, cell, method, seed, profile, status, step, seen, epoch, metric, value,
// seconds, step_seconds, kernel_evals, feature_evals, flops and memory (bytes). A value that is not
// finite is NaN. Write it with WriteFrame: the frame's own CSV writer keeps six decimals.
func Frame(recs []*Record) dataframe.DataFrame {
	var experiment, cell, method, profile, status, metric []string
	var seed, step, seen, kernelEvals, featureEvals, flops, memory []int
	var epoch, value, seconds, stepSeconds []float64
	for _, r := range recs {
		for _, p := range r.Points {
			for _, m := range metricsOf(p) {
				v, _ := p.measure(m)
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
				flops, memory = append(flops, int(p.Counters.Flops)), append(memory, int(p.Counters.Memory))
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
		series.New(memory, series.Int, "memory"),
	)
}

// metricsOf lists the metrics of a point in alphabetical order.
func metricsOf(p Point) []string {
	names := make([]string, 0, len(p.Values))
	for k := range p.Values {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

// WriteFrame writes a data frame as CSV with a header line, every number with as many digits as it
// has, and NaN as an empty field.
func WriteFrame(w io.Writer, df dataframe.DataFrame) error {
	if df.Err != nil {
		return fmt.Errorf("table: %w", df.Err)
	}
	out := csv.NewWriter(w)
	if err := out.Write(df.Names()); err != nil {
		return err
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
	out.Flush()
	return out.Error()
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
