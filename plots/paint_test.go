package plots

import (
	"os"
	"slices"
	"testing"

	"repro/plots/browsertest"
)

// BenchmarkFirstPaint opens a report and reports the median of the times from the navigation to the first paint:
//
//	REPRO_REPORT=$PWD/out/report.html go test ./plots -run xxx -bench FirstPaint -benchtime 15x
func BenchmarkFirstPaint(b *testing.B) {
	file := os.Getenv("REPRO_REPORT")
	if file == "" {
		b.Skip("REPRO_REPORT names no report")
	}
	page := browsertest.New(b, file)
	var times []float64
	for b.Loop() {
		page.Open("")
		page.Poll(`performance.getEntriesByName("first-contentful-paint").length > 0`)
		times = append(times, browsertest.Eval[float64](page, `performance.getEntriesByName("first-contentful-paint")[0].startTime`))
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "ms/paint")
	b.ReportMetric(0, "ns/op")
}
