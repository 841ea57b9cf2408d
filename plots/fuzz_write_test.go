package plots

import (
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/results/records"
)

// notFinite matches a number in SVG that is none.
var notFinite = regexp.MustCompile(`[ ,:"\[(](NaN|[+-]?Inf)[ ,"\])}]`)

// FuzzWrite draws and reports records of arbitrary floats on axes of every scale. Nothing panics, every file is written, and
// no figure has a number that is not finite. Data of the page cannot: its encoder refuses such numbers.
func FuzzWrite(f *testing.F) {
	of := func(values ...float64) (data []byte) {
		for _, v := range values {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		return data
	}
	const most, least = math.MaxFloat64, math.SmallestNonzeroFloat64
	f.Add(of(1, 0.5, 0.25))
	f.Add(of(1e306, 1e305, 1e307, 1.7e308))
	f.Add(of(most, -most, most, 1))
	f.Add(of(most))
	f.Add(of(least, 3*least, 0, most))
	f.Add(of(least))
	f.Add(of(0))
	f.Add(of(-1, -2, 0, math.NaN()))
	f.Fuzz(func(t *testing.T, data []byte) {
		exp, recs := experiment(), demoRecords()
		exp.Figures = nil
		for _, scale := range []string{"", "loglog", "semilogx", "semilogy", "linear"} {
			exp.Figures = append(exp.Figures, claims.Figure{ID: "f" + scale, Title: "A figure", X: "step", Y: "l2-error", Scale: scale, Guides: []claims.Guide{{Slope: -1}}, Claims: []string{"rate"}})
		}
		n := 0
		for _, r := range recs {
			for _, p := range r.Points {
				for _, name := range []string{"l2-error", "test-error"} {
					if len(data) >= 8 {
						p.Values[name] = records.Value(math.Float64frombits(binary.LittleEndian.Uint64(data[8*(n%(len(data)/8)):])))
						n++
					}
				}
			}
		}
		dir := t.TempDir()
		paths, err := Write(dir, []claims.Case{claims.Judge(exp, recs)}, nil, Output{})
		require.NoError(t, err)
		for _, path := range paths {
			if strings.HasSuffix(path, ".svg") {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				if at := notFinite.FindStringIndex(string(text)); at != nil {
					t.Errorf("%s: …%s…", path, text[max(0, at[0]-200):min(len(text), at[1]+100)])
				}
			}
		}
	})
}
