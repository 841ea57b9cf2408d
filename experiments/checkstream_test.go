package experiments

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A stream has no test rows, so metrics of them are refused; those of the fit and of the predictions made in turn are not.
func TestMetricsOfAStream(t *testing.T) {
	const stream = `schema = 1
paper = "jezequel2019"
title = "Stream"
[data]
name = "dai2014-synthetic"
stream = true
[problem]
loss = "square"
nu_n = 1.0
kernel = { name = "gaussian", bandwidth = 1.0 }
[budget]
epochs = 1
[evaluate]
metrics = ["progressive-mse", "cumulative-loss", "train-mse"]
[[method]]
id = "awv"
algorithm = "phi-awv"
`
	_, err := loadText(stream, LoadOptions{})
	require.NoError(t, err)
	_, err = loadText(strings.Replace(stream, `"train-mse"`, `"test-mse"`, 1), LoadOptions{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), `user.toml:14: evaluate.metrics: "test-mse" is of the test rows, and a stream has none; measure the predictions made in turn, such as progressive-mse, or remove data.stream`)
}
