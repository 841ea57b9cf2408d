package imports

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestManyHugeNames: what is kept of names is bounded, also of forty with four megabytes each.
func TestManyHugeNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.csv")
	f, err := os.Create(path)
	require.NoError(t, err)
	_, err = f.WriteString("method,t,y\n")
	require.NoError(t, err)
	for i := range 40 {
		_, err = fmt.Fprintf(f, "%d%s,1,2\n", i, strings.Repeat("x", 4<<20))
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	bounds(t, 128<<20, func() {
		g, err := Propose([]string{path})
		require.NoError(t, err)
		o := g.Options
		assert.Empty(t, g.Metrics, "the first row is larger than what is looked at")
		o.Method = "method"
		_, err = o.Read("", wanted("y"), nil)
		require.ErrorContains(t, err, "have more than 1000 bytes")
	})
}

// bounds fails if f allocates more bytes than most, or takes ten seconds.
func bounds(t *testing.T, most uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	f()
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, most)
	assert.Less(t, time.Since(begin), 10*time.Second)
}

// TestSparse: of a file of three gigabytes that is no table, little is read.
func TestSparse(t *testing.T) {
	for name, begin := range map[string]string{"nothing": "", "a table": "m,t,y\n" + strings.Repeat("a,1,1\n", look), "JSON": strings.Repeat(`{"t":1}`+"\n", look), "a quote": "m,t,y\n\""} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.csv")
			require.NoError(t, os.WriteFile(path, []byte(begin), 0o600))
			if err := os.Truncate(path, 3<<30); err != nil {
				t.Skip(err)
			}
			bounds(t, 512<<20, func() { // each of both readers stops in a row of 16 MiB, for which its buffers double
				_, err := Propose([]string{path})
				o := Options{File: path, Step: "t", Twice: "last"}
				_, again := o.Read("", wanted("y"), nil)
				require.Error(t, again)
				if begin == "" {
					require.ErrorContains(t, err, "is not a text file")
				} else {
					require.ErrorContains(t, again, "c.csv")
				}
			})
		})
	}
}

// TestPropose holds the options that files are given.
func TestPropose(t *testing.T) {
	const plain, scalar = "step,loss\n1,2\n2,1\n", "Wall time,Step,Value\n1.6e9,0,3\n1.6e9,1,2\n"
	for name, c := range map[string]struct {
		files map[string]string
		given []string // all if nil
		want  Options
		names string
		seen  string // methods of the names of files
	}{
		"a method a file":         {files: map[string]string{"sgd.csv": plain, "adam.csv": plain, "notes.csv": "x"}, given: []string{"sgd.csv", "adam.csv"}, want: Options{File: "{method}.csv", Step: "step"}, names: "loss", seen: "sgd adam"},
		"words, not letters":      {files: map[string]string{"sgd-10.csv": plain, "sgd-20.csv": plain}, want: Options{File: "sgd-{method}.csv", Step: "step"}, names: "loss", seen: "10 20"},
		"one is the other's":      {files: map[string]string{"sgd.csv": plain, "sgd2.csv": plain}, want: Options{File: "{method}.csv", Step: "step"}, names: "loss", seen: "sgd sgd2"},
		"a seed a file":           {files: map[string]string{"run3.csv": plain, "run17.csv": plain}, want: Options{File: "run{seed}.csv", Step: "step"}, names: "loss"},
		"seeds from 0":            {files: map[string]string{"log-0.csv": plain, "log-1.csv": plain, "log-2.csv": plain}, want: Options{File: "log-{seed}.csv", Step: "step"}, names: "loss"},
		"methods and seeds":       {files: map[string]string{"sgd-0.csv": plain, "sgd-1.csv": plain, "adam-0.csv": plain}, want: Options{File: "{method}-{seed}.csv", Step: "step"}, names: "loss", seen: "adam sgd sgd"},
		"methods with seeds":      {files: map[string]string{"sgd-0.1_seed4.csv": plain, "sgd-0.1_seed7.csv": plain, "adam_seed4.csv": plain}, want: Options{File: "{method}_seed{seed}.csv", Step: "step"}, names: "loss", seen: "adam sgd-0.1 sgd-0.1"},
		"folders of seeds":        {files: map[string]string{"seed1/sgd.csv": plain, "seed2/sgd.csv": plain, "seed1/adam.csv": plain}, want: Options{File: "seed{seed}/{method}.csv", Step: "step"}, names: "loss", seen: "adam sgd sgd"},
		"folders of methods":      {files: map[string]string{"a/log.csv": plain, "b/log.csv": plain}, want: Options{File: "{method}/log.csv", Step: "step"}, names: "loss", seen: "a b"},
		"TensorBoard's scalars":   {files: map[string]string{"run-sgd-tag-loss.csv": scalar, "run-sgd-tag-val_acc.csv": scalar, "run-lr-0.1-tag-loss.csv": scalar}, want: Options{File: "run-{method}-tag-{metric}.csv", Format: "tensorboard"}, names: "loss val_acc", seen: "lr-0.1 sgd sgd"},
		"TensorBoard's seeds":     {files: map[string]string{"run-sgd_1-tag-loss.csv": scalar, "run-sgd_2-tag-loss.csv": scalar, "run-adam_1-tag-loss.csv": scalar}, want: Options{File: "run-{method}_{seed}-tag-{metric}.csv", Format: "tensorboard"}, names: "loss", seen: "adam sgd sgd"},
		"MLflow's chart":          {files: map[string]string{"c.csv": "run_id,key,value,step,timestamp\n4f,loss,2,0,1700000000000\n4f,acc,1,0,1700000000001\n"}, want: Options{File: "c.csv", Format: "mlflow"}, names: "acc loss"},
		"W&B over epochs":         {files: map[string]string{"c.csv": "\"epoch\",\"a - _step\",\"a - _step__MIN\",\"a - _step__MAX\",\"a - loss\",\"a - loss__MIN\",\"a - loss__MAX\"\n1.5,0,0,0,2,2,2\n2,9,9,9,1,1,1\n"}, want: Options{File: "c.csv", Format: "wandb", Epoch: "epoch"}, names: "loss"},
		"W&B over time":           {files: map[string]string{"c.csv": "\"Relative Time (Process)\",\"a - loss\",\"a - loss__MIN\",\"a - loss__MAX\"\n1.5,2,2,2\n2,1,1,1\n"}, want: Options{File: "c.csv", Format: "wandb", Seconds: "Relative Time (Process)"}, names: "loss"},
		"W&B over another metric": {files: map[string]string{"c.csv": "\"trainer/global_step\",\"a - loss\",\"a - loss__MIN\",\"a - loss__MAX\"\n1,2,2,2\n2,1,1,1\n"}, want: Options{File: "c.csv", Format: "wandb", Epoch: "trainer/global_step"}, names: "loss"},
		"benchopt's iterations":   {files: map[string]string{"c.csv": "solver_name,stop_val,time,idx_rep,objective_value\ncg,0,0.2,0,3\ncg,1,0.1,0,2\n"}, want: Options{File: "c.csv", Format: "benchopt", Step: "stop_val"}, names: "objective_value"},
		"benchopt's tolerances":   {files: map[string]string{"c.csv": "solver_name,stop_val,time,idx_rep,objective_value\ncg,1e38,0.1,0,3\ncg,0.1,0.3,0,2\ncg,0.01,0.2,0,1\n"}, want: Options{File: "c.csv", Format: "benchopt"}, names: "objective_value"},
		"Lightning's folders":     {files: map[string]string{"a/version_0/m.csv": plain, "a/version_1/m.csv": plain, "b/version_0/m.csv": plain}, given: []string{"a/version_0/m.csv", "a/version_1/m.csv", "b/version_0/m.csv"}, want: Options{File: "{method}/version_{seed}/m.csv", Step: "step"}, names: "loss", seen: "a a b"},
		"names of runs":           {files: map[string]string{"c.csv": "run,step,loss\na-seed4,1,2\na-seed4,2,1\na-seed7,1,3\nb-seed4,1,1\n"}, want: Options{File: "c.csv", Method: "run", Names: "{method}-seed{seed}", Step: "step"}, names: "loss"},
		"names with numbers":      {files: map[string]string{"c.csv": "run,step,loss\nnet-18,1,2\nnet-34,1,1\nres-0.1,2,3\n"}, want: Options{File: "c.csv", Method: "run", Step: "step"}, names: "loss"},
		"names with decimals":     {files: map[string]string{"c.csv": "run,step,loss\na-0.1,1,2\na-0.2,1,1\nb-0.1,1,3\nb-0.2,1,2\n"}, want: Options{File: "c.csv", Method: "run", Step: "step"}, names: "loss"},
		"a column a curve":        {files: map[string]string{"c.csv": "step,a_0,a_1,b_0,b_1\n1,4,3,2,1\n2,3,2,1,0\n"}, want: Options{File: "c.csv", Step: "step", Columns: "{method}_{seed}"}, names: "value"},
		"a column a seed":         {files: map[string]string{"c.csv": "step,loss_seed0,loss_seed1,acc_seed0,acc_seed1\n1,4,3,2,1\n2,3,2,1,0\n"}, want: Options{File: "c.csv", Step: "step", Columns: "{metric}_seed{seed}"}, names: "acc loss"},
		"columns of one run":      {files: map[string]string{"c.csv": "step,train_loss,x_1,x_2\n1,4,3,2\n2,3,2,1\n"}, want: Options{File: "c.csv", Step: "step"}, names: "train_loss x_1 x_2"},
		"W&B's runs with seeds":   {files: map[string]string{"c.csv": "Step,a-seed0 - loss,a-seed1 - loss,b-seed0 - loss\n1,4,3,2\n2,3,2,1\n"}, want: Options{File: "c.csv", Format: "wandb", Columns: "{method}-seed{seed} - {metric}"}, names: "loss"},
		"a state of one run":      {files: map[string]string{"c.csv": "step,loss,state\n1,4,ok\n2,3,ok\n3,2,late\n4,1,late\n"}, want: Options{File: "c.csv", Step: "step"}, names: "loss"},
		"a text of two runs":      {files: map[string]string{"c.csv": "step,loss,kind\n1,4,a\n2,3,a\n1,2,b\n2,1,b\n"}, want: Options{File: "c.csv", Method: "kind", Step: "step"}, names: "loss"},
		"texts that all differ":   {files: map[string]string{"c.csv": "loss,note\n4,q\n3,r\n2,s\n1,t\n"}, want: Options{File: "c.csv"}, names: "loss"},
		"times of day":            {files: map[string]string{"c.csv": "time,loss\n2023-01-01T12:00:00Z,4\n2023-01-01T12:01:00Z,3\n"}, want: Options{File: "c.csv", Clock: "time"}, names: "loss"},
		"Stable-Baselines":        {files: map[string]string{"c.csv": "#{\"t_start\": 1.5, \"env_id\": \"x\"}\nr,l,t\n1.0,9,0.5\n2.0,8,1.5\n"}, want: Options{File: "c.csv", Format: "stable-baselines"}, names: "l r"},
		"W&B without its clock":   {files: map[string]string{"c.csv": "[{\"_step\":0,\"loss\":2},\n{\"_step\":1,\"loss\":1}]"}, want: Options{File: "c.csv", Format: "wandb"}, names: "loss"},
		"decimal commas":          {files: map[string]string{"c.csv": "step;loss\n1.000;0,5\n2.000;0,25\n"}, want: Options{File: "c.csv", Step: "step", Decimal: "comma"}, names: "loss"},
		"a diverged run":          {files: map[string]string{"c.csv": "step,loss\n1,2\n2,-nan\n"}, want: Options{File: "c.csv", Step: "step"}, names: "loss"},
		"a long value is no name": {files: map[string]string{"c.csv": "step,loss,config\n1,2," + strings.Repeat("x", 2*mostName) + "\n2,1,b\n"}, want: Options{File: "c.csv", Step: "step"}, names: "loss"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(write(t, c.files))
			paths := c.given
			if paths == nil {
				for _, p := range []string{"*", "*/*"} {
					found, err := filepath.Glob(p)
					require.NoError(t, err)
					for _, f := range found {
						if strings.HasSuffix(f, ".csv") {
							paths = append(paths, f)
						}
					}
				}
			}
			g, err := Propose(paths)
			require.NoError(t, err)
			o, metrics, methods := g.Options, g.Metrics, g.Methods
			assert.Equal(t, c.want, o)
			assert.Equal(t, c.names, strings.Join(metrics, " "))
			assert.Equal(t, c.seen, strings.Join(methods, " "))
			key, wrong := o.Check()
			assert.Empty(t, wrong, key)
			table, err := o.Read("", wanted(metrics...), methods)
			require.NoError(t, err)
			assert.Len(t, table.Files, len(paths))
		})
	}
	t.Chdir(write(t, map[string]string{"a/x.csv": plain, "b/y.csv": plain}))
	_, err := Propose([]string{"a/x.csv", "b/y.csv"})
	require.ErrorContains(t, err, "differ in more than a method and a seed")
	t.Chdir(write(t, map[string]string{"c.csv": "model,metric,value\na,loss,1\na,acc,2\nb,loss,3\nb,acc,4\n", "{a}.csv": plain}))
	_, err = Propose([]string{"c.csv"})
	require.ErrorContains(t, err, "\"c.csv\": curves.step missing; rows of several metrics cannot be counted")
	_, err = Propose([]string{"{a}.csv"})
	require.ErrorContains(t, err, "curves.file has an unknown part {a}")
}

// FuzzPropose: no panic; what is proposed of any file are options without a mistake, with which it is read or refused in words.
func FuzzPropose(f *testing.F) {
	for _, text := range []string{"m,s,t,y\na,0,1,0.5\n", "method;seed;step;loss\na;0;1;0,5\n", `{"m":"a","s":0,"t":1,"y":NaN}`, "1700000000000 2 3\n", "Wall time,Step,Value\n1,2,3\n", "epoch,a - y,a - y__MIN\n1,2,2\n",
		"solver_name,stop_val,time\n", "run_id,key,value,step,timestamp\n4f,loss,2,0,1\n4f,loss,1,0,1\n", "metric,value,step\nloss,1,2\n", "{}\n{}", "step,loss\n1,2\n2,1\n2,5\n", "\x1b[31m,\"\n\"\n1,2\n", "[{", "a\rb", "step;loss\n1;50.000\n2;406\n", "{\"log_history\":[{\"step\":1,\"loss\":NaN}", "#x\n# step,loss\n1,2\n", "step,a-seed0,a-seed1\n1,2,3\n2,1,1\n", "run,step,loss\na_0,1,2\na_1,1,1\nb_0,1,2\nb_1,1,3\n"} {
		f.Add(text, "a.csv", "b-1.csv")
		f.Add(text, "\xbf0", "0")
		f.Add(text, "0", "")
	}
	f.Fuzz(func(t *testing.T, text, one, two string) {
		if bound, err := new(Options).alike([]string{one, two}); err == nil {
			require.Len(t, bound, 2)
		}
		path := filepath.Join(write(t, map[string]string{"c.csv": text}), "c.csv")
		g, err := Propose([]string{path})
		if err != nil {
			require.NotContains(t, err.Error(), "%!")
			return
		}
		o, metrics := g.Options, g.Metrics
		key, wrong := o.Check()
		require.Empty(t, wrong, key)
		if _, err := o.Read("", wanted(metrics...), nil); err != nil {
			require.NotContains(t, err.Error(), "%!")
		}
	})
}
