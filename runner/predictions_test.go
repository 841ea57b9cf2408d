package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/results/files"
)

// threeLabels writes 120 points of three clusters, with the labels that label returns for clusters 0, 1 and 2.
func threeLabels(t *testing.T, label func(cluster int) int) (file string) {
	t.Helper()
	var b strings.Builder
	g := compute.NewStream(1, "clusters", 0)
	for i := range 120 {
		c := i % 3
		fmt.Fprintf(&b, "%v,%v,%d\n", []float64{0, 2, 0}[c]+0.7*g.Normal(), []float64{0, 0, 2}[c]+0.7*g.Normal(), label(c))
	}
	file = filepath.Join(t.TempDir(), "clusters.csv")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	return filepath.ToSlash(file)
}

const clusters = `[data]
file = %q
rows = [1, 90]
test_rows = [91, 120]
%s
[problem]
loss = "%s"
nu = 0.01
kernel = { name = "gaussian", bandwidth = 1.0 }
[evaluate]
metrics = ["test-error"]
predictions = true
[budget]
epochs = 3.0
[[method]]
id = "m"
algorithm = "%s"
`

// predicted runs the spec's only cell and returns the table of its predictions and its test error.
func predicted(t *testing.T, text string) (head []string, rows [][]float64, testError float64) {
	t.Helper()
	out := t.TempDir()
	s := spec(t, text)
	execute(t, s, Options{Out: out, Threads: 1})
	cell := s.Expand()[0].Name
	points := record(t, out, s, cell).Points
	lines := readLines(t, files.Path(out, "predictions", s.ID, cell+".csv"))
	for _, line := range lines[1:] {
		var row []float64
		for word := range strings.SplitSeq(line, ",") {
			v, err := strconv.ParseFloat(word, 64)
			require.NoError(t, err)
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	return strings.Split(lines[0], ","), rows, *points[len(points)-1].Values["test-error"]
}

// One-versus-rest: output c is the function that a binary problem of class c against the others learns, the prediction is
// the label of the largest output, and the test error is the share of wrong labels.
func TestOneVersusRest(t *testing.T) {
	labels := []int{7, -1, 3} // columns are in the order -1, 3, 7: clusters 1, 2 and 0
	file := threeLabels(t, func(c int) int { return labels[c] })
	for _, loss := range []string{"hinge", "squared-hinge", "logistic"} {
		for _, algorithm := range []string{"norma", "k-sdca", "ksvm"} {
			if algorithm == "ksvm" && loss != "hinge" {
				continue // it fits support vector machines only
			}
			t.Run(loss+" "+algorithm, func(t *testing.T) {
				head, rows, testError := predicted(t, fmt.Sprintf(clusters, file, "task = \"multiclass\"\ncoding = \"signs\"", loss, algorithm))
				require.Equal(t, []string{"row", "y", "f", "-1", "3", "7"}, head)
				wrong := 0.0
				for i, row := range rows {
					assert.Equal(t, float64(labels[(90+i)%3]), row[1])
					best := 3
					for c := 4; c < 6; c++ {
						if row[c] > row[best] {
							best = c
						}
					}
					assert.Equal(t, head[best], strconv.Itoa(int(row[2])), "the label of the largest output")
					if row[1] != row[2] {
						wrong++
					}
				}
				assert.InDelta(t, wrong/30, testError, 1e-15)
				assert.Less(t, testError, 0.3)
				for column, cluster := range []int{1, 2, 0} {
					one := threeLabels(t, func(c int) int { return map[bool]int{true: 1, false: -1}[c == cluster] })
					_, binary, _ := predicted(t, fmt.Sprintf(clusters, one, "", loss, algorithm))
					for i := range rows {
						// A solver stops all outputs at once, so that two runs need not take the same steps.
						tolerance := map[string]float64{"norma": 1e-12, "k-sdca": 1e-12, "ksvm": 0.02}[algorithm]
						assert.InDelta(t, binary[i][2], rows[i][3+column], tolerance)
					}
				}
			})
		}
	}
}

// Generated classes are numbered from 1.
func TestPredictionsOfGeneratedClasses(t *testing.T) {
	data := strings.NewReplacer("file = %q\nrows = [1, 90]\ntest_rows = [91, 120]\n", "name = \"three-classes\"\ntrain = 200\ntest = 30\n")
	head, rows, _ := predicted(t, fmt.Sprintf(data.Replace(clusters), "task = \"multiclass\"\ncoding = \"signs\"", "hinge", "norma"))
	assert.Equal(t, []string{"row", "y", "f", "1", "2", "3"}, head)
	for _, row := range rows {
		assert.Contains(t, []float64{1, 2, 3}, row[1])
		assert.Contains(t, []float64{1, 2, 3}, row[2])
	}
}
