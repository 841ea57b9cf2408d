package imports

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPoints holds the files with points that are known, and what wrong ones are told.
func TestPoints(t *testing.T) {
	for name, c := range map[string]struct {
		text, curve string
		want        [][]float64
		wrong       string
	}{
		"plain":                  {"x,y\n2,20\n1,10\n", "", [][]float64{{1, 10}, {2, 20}}, ""},
		"several y at one x":     {"x,y\n1,10\n1,12\n", "", [][]float64{{1, 11}}, ""},
		"the larger errors":      {"x,y,x_error,y_error\n1,10,0.1,0.5\n1,12,0.3,0.2\n", "", [][]float64{{1, 11, 0.3, 0.5}}, ""},
		"errors":                 {"y, x, x_error, y_error\n10,1,0.1,0.5\n", "", [][]float64{{1, 10, 0.1, 0.5}}, ""},
		"curves by name":         {"curve,x,y\nSGD,1,10\nAdam,1,5\n", "Adam", [][]float64{{1, 5}}, ""},
		"an unknown curve":       {"curve,x,y\nSGD,1,10\nAdam,1,5\n", "Adm", nil, `has no curve "Adm"; did you mean "Adam"?`},
		"semicolons":             {"x;y\n1;2\n", "", [][]float64{{1, 2}}, ""},
		"no header":              {"1, 2\n3, 4\n", "", [][]float64{{1, 2}, {3, 4}}, ""},
		"WebPlotDigitizer, CSV":  {"SGD,,Adam,\nX,Y,X,Y\n1,10,1,5\n2,9,,\n", "SGD", [][]float64{{1, 10}, {2, 9}}, ""},
		"WebPlotDigitizer 4":     {`{"version":[4,2],"axesColl":[],"datasetColl":[{"name":"SGD","data":[{"x":10,"y":20,"value":[2,0.5]},{"x":1,"y":2,"value":[1,0.7]}]}]}`, "SGD", [][]float64{{1, 0.7}, {2, 0.5}}, ""},
		"WebPlotDigitizer 3":     {`{"wpd":{"version":[3,8],"dataSeries":[{"name":"Default Dataset","data":[{"value":[1,0.7]}]}]}}`, "", [][]float64{{1, 0.7}}, ""},
		"no calibration":         {`{"datasetColl":[{"name":"SGD","data":[{"value":[1,2]},{"x":10,"y":20}]}]}`, "SGD", nil, `point 2 of "SGD" has no value; calibrate the axes in WebPlotDigitizer`},
		"dates":                  {`{"datasetColl":[{"name":"SGD","data":[{"value":["2020/1/1",1]}]}]}`, "SGD", nil, "is not two numbers"},
		"nothing":                {"", "", nil, "has no points"},
		"a header alone":         {"x,y\n", "", nil, "has no points"},
		"another header":         {"a,b\n1,2\n", "", nil, "has no header with x and y"},
		"a word":                 {"x,y\n1,high\n", "", nil, `line 2: y: "high" is not a finite number`},
		"not a number":           {"x,y\n1,NaN\n", "", nil, "is not a finite number"},
		"one of the errors":      {"x,y,y_error\n1,2,3\n", "", nil, "has one of the columns x_error and y_error"},
		"a short row":            {"x,y\n1\n", "", nil, "line 2 has 1 field, and the header 2"},
		"a byte order mark":      {"\ufeffx,y\n1,2\n", "", [][]float64{{1, 2}}, ""},
		"one curve, other names": {"curve,x,y\nSGD,1,10\n", "mine", [][]float64{{1, 10}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Points([]byte(c.text), c.curve)
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// FuzzPoints: any text is points by rising x, or an error.
func FuzzPoints(f *testing.F) {
	for _, s := range []string{"x,y\n1,2\n", "x;y\n", "SGD,\nX,Y\n1,2\n", `{"datasetColl":[{"name":"a","data":[{"value":[1,2]}]}]}`, "1,2\n", "curve,x,y,x_error,y_error\na,1,2,3,4\n", "{", "\"\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		points, err := Points([]byte(text), "a")
		if err != nil {
			return
		}
		require.True(t, slices.IsSortedFunc(points, func(a, b []float64) int {
			if a[0] < b[0] {
				return -1
			}
			return 1
		}))
		for _, p := range points {
			for _, v := range p {
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0))
			}
		}
	})
}
