package plots

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
	"repro/results/records/recordstest"
	"repro/runner/goldentest"
)

func TestRecordsAreTidyAndLosesNoDigits(t *testing.T) {
	r := recordstest.Record("a", 7, 1.0/3, math.NaN())
	r.Points[0].Values["other"] = records.Value(1e-12)
	var b bytes.Buffer
	require.NoError(t, writeRecords(&b, []*records.Record{r}))
	goldentest.Equal(t, filepath.Join("testdata", "frame.csv"), b.String())
	assert.Contains(t, b.String(), "0.3333333333333333")
	b.Reset()
	require.NoError(t, writeRecords(&b, nil))
	assert.Equal(t, "experiment,cell,method,seed,profile,status,step,seen,epoch,metric,value,"+
		"seconds,step_seconds,kernel_evals,feature_evals,flops,bytes,memory\n", b.String())
}
