package datasets

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/compute"
	"repro/datasets/formats"
	"repro/datasets/transforms"
)

// Labels become columns in the order of their numbers, whatever order they come in.
func TestMulticlass(t *testing.T) {
	path := write(t, "classes.csv", "1,7\n2,3\n3,3\n4,-1\n5,7\n6,-1\n")
	test := write(t, "test.csv", "7,3\n8,-1\n")
	o := Options{File: path, TestFile: test, Order: "file"}
	set, err := new(Library).Open(context.Background(), o, taskMulticlass, 1, "")
	require.NoError(t, err)
	assert.Equal(t, taskMulticlass, set.Task)
	in, out := set.Train.Dims()
	assert.Equal(t, [2]int{1, 3}, [2]int{in, out})
	x, y := transforms.Gather(set.Train, []int{5, 0, 1})
	assert.Equal(t, []float64{6, 1, 2}, x.Data)
	assert.Equal(t, []float64{1, 0, 0, 0, 0, 1, 0, 1, 0}, y.Data) // of -1, 7 and 3
	assert.Equal(t, []float64{0, 1, 0, 1, 0, 0}, set.TestY.Data)

	o.Train = 2 // rows whose labels are 7 and 3
	set, err = new(Library).Open(context.Background(), Options{File: path, TestRows: []int{3, 3}, Train: 2, Order: "file"}, taskMulticlass, 1, "")
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0}, set.TestY.Data, "the classes are those of the training rows")
	_, err = new(Library).Open(context.Background(), o, taskMulticlass, 1, "")
	assert.ErrorIs(t, err, formats.ErrFormat)
	assert.ErrorContains(t, err, "test row 2 has the label -1, which no training row has; those have 3, 7")
}

// A real target is told from classes by the number of its values.
func TestTooManyClasses(t *testing.T) {
	n := maxClasses + 1
	m := transforms.InMemory{Y: counting(n)}
	_, err := Options{}.multiclass(&Set{Task: taskMulticlass, Train: m}, nil)
	assert.EqualError(t, err, "data.task: the target has 1025 different values, more than the 1024 classes allowed: is it a regression target?")
	_, err = Options{}.multiclass(&Set{Task: taskMulticlass, Train: transforms.InMemory{Y: counting(maxClasses)}}, nil)
	assert.NoError(t, err)
}

// Labels that float64 does not tell apart are refused, and so is a binary target of one class.
func TestLabelsThatAreNoClasses(t *testing.T) {
	for _, c := range []struct {
		text, task, want string
		classes          []int
	}{
		{"1,1577134800018226938\n2,1577134800018226901\n3,5\n", taskMulticlass, "c.csv:1: data.task: the label is about 1.577134800018227e+18, and whole numbers beyond 2^53 are not told apart", nil},
		{"1,5\n2,-9007199254740993\n3,5\n", taskBinary, "c.csv:2: data.task: the label is about -9.007199254740992e+15", []int{5, 6}},
		{"1,1\n2,1\n3,-1\n", taskBinary, "data.task: all 2 training rows of c.csv have the label 1: a binary target needs 1 and -1", nil},
		{"1,6\n2,6\n3,5\n", taskBinary, "data.task: all 2 training rows of c.csv have the label -1", []int{5, 6}},
	} {
		o := Options{File: write(t, "c.csv", c.text), TestRows: []int{3, 3}, Task: c.task, Classes: c.classes}
		_, err := new(Library).Open(context.Background(), o, c.task, 1, "")
		require.ErrorContains(t, err, c.want)
	}
	o := Options{File: write(t, "c.csv", "1,1\n2,1\n3,-1\n"), TestRows: []int{3, 3}, Task: taskBinary, Order: "file"}
	_, err := new(Library).Open(context.Background(), o, taskBinary, 1, "")
	require.NoError(t, err, "the order of the file was asked for, and it has both labels")
	o = Options{File: write(t, "c.csv", "1,1577134800018226938\n2,1577134800018226901\n"), TestRows: []int{2, 2}}
	_, err = new(Library).Open(context.Background(), o, taskRegression, 1, "")
	require.NoError(t, err, "a number may be as large")
}

// counting returns the column 0, 1, 2, ….
func counting(n int) compute.Matrix {
	m := compute.NewMatrix(n, 1)
	for i := range m.Data {
		m.Data[i] = float64(i)
	}
	return m
}

// The labels 7, 3 and -1 become columns in the order -1, 3, 7; with signs the other classes have -1.
func TestClassesAndCoding(t *testing.T) {
	path := write(t, "classes.csv", "1,7\n2,3\n3,-1\n4,7\n")
	o := Options{File: path, TestRows: []int{4, 4}, Task: taskMulticlass, Coding: codingSigns}
	set, err := new(Library).Open(context.Background(), o, taskBinary, 1, "")
	require.NoError(t, err)
	assert.Equal(t, []float64{-1, 3, 7}, set.Classes)
	_, y := transforms.Gather(set.Train, []int{0, 1, 2})
	assert.Equal(t, []float64{-1, -1, 1, -1, 1, -1, 1, -1, -1}, y.Data)
	assert.Equal(t, []float64{-1, -1, 1}, set.TestY.Data)

	o.Classes = []int{7, 3} // in this order, the first being class 0
	set, err = new(Library).Open(context.Background(), o, taskBinary, 1, "")
	require.NoError(t, err)
	assert.Equal(t, []float64{7, 3}, set.Classes)
	assert.Equal(t, []float64{1, -1}, set.TestY.Data)

	o = Options{Name: "three-classes", Train: 50, Test: 20, Task: taskMulticlass}
	ones, err := new(Library).Open(context.Background(), o, taskMulticlass, 1, "")
	require.NoError(t, err)
	o.Coding = codingSigns
	signs, err := new(Library).Open(context.Background(), o, taskBinary, 1, "")
	require.NoError(t, err)
	assert.Nil(t, signs.Classes, "generated classes are numbered")
	_, a := transforms.Gather(ones.Train, transforms.Span(0, 50))
	_, b := transforms.Gather(signs.Train, transforms.Span(0, 50))
	for i, v := range a.Data {
		assert.Equal(t, 2*v-1, b.Data[i])
	}
}
