package datasets

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"repro/datasets/transforms"
)

func TestClassesOfOwnFile(t *testing.T) {
	// rows 1 … 8 with the classes 3, 1, 4, 1, 5, 3, 2, 6
	dir := filepath.Dir(write(t, "a.csv", "1,3\n2,1\n3,4\n4,1\n5,5\n6,3\n7,2\n8,6\n"))
	o := Options{File: "a.csv", TestRows: []int{5, 8}, Classes: []int{3, 1}, Task: taskBinary}
	s := mustOpen(t, o, dir)
	_, y := transforms.Gather(s.Train, []int{0, 1, 2})
	assert.Equal(t, []float64{1, 2, 4}, trainX(s))
	assert.Equal(t, []float64{1, -1, -1}, y.Data)
	assert.Equal(t, []float64{6}, s.TestX.Data)
	assert.Equal(t, []float64{1}, s.TestY.Data)

	o.Classes, o.Task = []int{4, 3, 5}, taskRegression
	o.TestRows = []int{6, 8}
	s = mustOpen(t, o, dir)
	_, y = transforms.Gather(s.Train, []int{0, 1, 2})
	assert.Equal(t, []float64{1, 0, 2}, y.Data, "numbers of the classes in the order given")

	o.Classes, o.Task = []int{7, 3, 5}, taskMulticlass
	assert.Equal(t, []float64{3, 5}, mustOpen(t, o, dir).Classes, "those that training rows have")

	o.Classes = []int{2, 6}
	_, err := new(Library).Open(context.Background(), o, "", 1, dir)
	assert.ErrorContains(t, err, "data.classes: no training row has one of [2 6]")
}

// A random test part, then rows held out of the others: choosing settings must not touch the test set.
func TestPartAndHoldout(t *testing.T) {
	dir := counted(t, 200)
	o := Options{File: "my.csv", TestPart: 0.1}
	tested := mustOpen(t, o, dir)
	assert.Equal(t, []int{180, 20}, []int{tested.Train.Len(), tested.TestX.Rows})
	alone := mustOpen(t, Options{File: "my.csv", Holdout: 0.1}, dir)
	assert.NotEqual(t, column(tested.TestX, 0), column(alone.TestX, 0), "each of the two is drawn for itself")
	o.Holdout = 0.25
	held := mustOpen(t, o, dir)
	assert.Equal(t, []int{135, 45}, []int{held.Train.Len(), held.TestX.Rows})
	assert.ElementsMatch(t, trainX(tested), append(trainX(held), column(held.TestX, 0)...))

	other := mustOpen(t, Options{File: "my.csv", TestPart: 0.1, Seed: 1}, dir)
	assert.NotEqual(t, column(tested.TestX, 0), column(other.TestX, 0))
	subset := mustOpen(t, Options{File: "my.csv", TestPart: 0.1, Train: 50}, dir)
	assert.Subset(t, trainX(tested), trainX(subset))
	assert.NotEqual(t, trainX(subset), trainX(mustOpen(t, Options{File: "my.csv", TestPart: 0.1, Train: 50, Seed: 1}, dir)))
}

// data.seed decides each choice of rows by itself, and a part is the nearest number of rows.
func TestSeedsOfChoices(t *testing.T) {
	dir := counted(t, 100)
	for name, o := range map[string]Options{
		"train": {TestRows: []int{1, 50}, Train: 20}, "test": {TestRows: []int{1, 50}, Test: 20},
		"test part": {TestPart: 0.29}, "holdout": {Holdout: 0.29}, "holdout of rows": {TestRows: []int{1, 50}, Holdout: 0.31},
	} {
		o.File = "my.csv"
		a := mustOpen(t, o, dir)
		again := mustOpen(t, o, dir)
		o.Seed = 1
		b := mustOpen(t, o, dir)
		assert.Equal(t, trainX(a), trainX(again), name)
		assert.NotEqual(t, append(trainX(a), column(a.TestX, 0)...), append(trainX(b), column(b.TestX, 0)...), name)
		if o.Train+o.Test == 0 {
			want := map[bool]int{false: 29, true: 16}[o.TestRows != nil] // of 28.999999999999996 and 15.5
			assert.Equal(t, want, a.TestX.Rows, name)
		}
	}
}
