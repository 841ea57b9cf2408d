package imports

import (
	"errors"
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

// TestOddTables reads tables that are whole, and not as one expects.
func TestOddTables(t *testing.T) {
	long := Options{File: "c.csv", Method: "m", Seed: "s", Step: "t"}
	with := func(o Options, change func(o *Options)) Options { change(&o); return o }
	each := with(long, func(o *Options) { o.Seed, o.Metric, o.Value = "", "what", "v" })
	thirds := with(each, func(o *Options) { o.Every = 3 })
	interleaved, blocked, sparse := "m,t,what,v\n", "m,t,what,v\n", "m,t,what,v\n"
	for step := range 8 {
		interleaved += fmt.Sprintf("a,%d,y,%d\na,%d,z,%d\n", step, step, step, 10*step)
		sparse += fmt.Sprintf("a,%d,y,%d\n", step, step)
		if step%2 == 1 {
			sparse += fmt.Sprintf("a,%d,z,%d\n", step, 10*step)
		}
	}
	for i, name := range []string{"y", "z"} {
		for step := range 8 {
			blocked += fmt.Sprintf("a,%d,%s,%d\n", step, name, step*(1+9*i))
		}
	}
	const eachThird = "a  0/0/0:[0 0] 3/0/0:[3 30] 6/0/0:[6 60] 7/0/0:[7 70]\n"
	last := func(o *Options) { o.Twice = "last" }
	for name, c := range map[string]struct {
		text  string
		o     Options
		names []Wanted
		want  string
	}{
		"every, metrics in turn":    {text: interleaved, o: thirds, names: wanted("y", "z"), want: eachThird},
		"every, metric by metric":   {text: blocked, o: thirds, names: wanted("y", "z"), want: eachThird},
		"every, a sparse metric":    {text: sparse, o: thirds, names: wanted("y", "z"), want: "a  0/0/0:[0 NaN] 1/0/0:[1 10] 3/0/0:[3 30] 6/0/0:[6 NaN] 7/0/0:[7 70]\n"},
		"rows in turn":              {text: "m,y\na,1\nb,2\na,3\nb,4\n", o: Options{File: "c.csv", Method: "m"}, want: "a  1/0/0:[1] 2/0/0:[3]\nb  1/0/0:[2] 2/0/0:[4]\n"},
		"rows with a gap":           {text: "m,y\na,1\nb,2\na,\nb,4\na,5\nb,6\n", o: Options{File: "c.csv", Method: "m"}, want: "a  1/0/0:[1] 3/0/0:[5]\nb  1/0/0:[2] 2/0/0:[4] 3/0/0:[6]\n"},
		"columns with gaps":         {text: "a,b\n1,2\n,4\n5,6\n", o: Options{File: "c.csv", Columns: "{method}"}, want: "a  1/0/0:[1] 3/0/0:[5]\nb  1/0/0:[2] 2/0/0:[4] 3/0/0:[6]\n"},
		"a method without values":   {text: "m,s,t,y\na,0,1,2\nb,0,1,\nb,0,2,NA\n", o: long, want: "a 0 1/0/0:[2]\nb 0\n"},
		"a column without values":   {text: "t,a,b\n1,2,\n2,3,\n", o: Options{File: "c.csv", Step: "t", Columns: "{method}"}, want: "a  1/0/0:[2] 2/0/0:[3]\nb \n"},
		"a resumed run":             {text: "m,s,t,y\na,0,1,1\na,0,2,2\na,0,3,3\na,0,2,20\na,0,3,30\na,0,4,40\n", o: with(long, last), want: "a 0 1/0/0:[1] 2/0/0:[20] 3/0/0:[30] 4/0/0:[40]\n"},
		"resumed, at other steps":   {text: "m,s,t,y\na,0,1,1\na,0,3,2\na,0,5,3\na,0,2,20\na,0,4,30\na,0,6,40\n", o: with(long, last), want: "a 0 1/0/0:[1] 2/0/0:[20] 4/0/0:[30] 6/0/0:[40]\n"},
		"blocks in any order":       {text: "m,s,t,y\na,0,4,1\na,0,5,2\na,0,6,3\na,0,1,4\na,0,2,5\na,0,3,6\n", o: long, want: "a 0 1/0/0:[4] 2/0/0:[5] 3/0/0:[6] 4/0/0:[1] 5/0/0:[2] 6/0/0:[3]\n"},
		"falling steps":             {text: "m,s,t,y\na,0,4,1\na,0,3,2\na,0,2,3\na,0,1,4\n", o: long, want: "a 0 1/0/0:[4] 2/0/0:[3] 3/0/0:[2] 4/0/0:[1]\n"},
		"metrics that go back":      {text: blocked, o: each, names: wanted("y", "z"), want: "a  0/0/0:[0 0] 1/0/0:[1 10] 2/0/0:[2 20] 3/0/0:[3 30] 4/0/0:[4 40] 5/0/0:[5 50] 6/0/0:[6 60] 7/0/0:[7 70]\n"},
		"C's and Excel's words":     {text: "m,s,t,y\na,0,1,-nan(ind)\na,0,2,#N/A\na,0,3,1.#INF\n", o: long, want: "a 0 1/0/0:[NaN] 3/0/0:[+Inf] (y is +Inf at step 3)\n"},
		"MLflow's infinity":         {text: "m,s,t,y\na,0,1,1\na,0,2,-1.7976931348623157E308\n", o: long, want: "a 0 1/0/0:[1] 2/0/0:[-Inf] (y is -Inf at step 2)\n"},
		"an ISO clock":              {text: "t,w,y\n1,2022-02-13 12:34:56.5+00:00,1\n2,2022-02-13T12:34:58.75Z,2\n", o: Options{File: "c.csv", Step: "t", Clock: "w"}, want: "  1/0/0:[1] 2/0/2.25:[2]\n"},
		"a header again":            {text: "m,s,t,y\na,0,1,1\nm,s,t,y\nb,0,1,2\n", o: long, want: "a 0 1/0/0:[1]\nb 0 1/0/0:[2]\n"},
		"comments above":            {text: "# a run\n#{\"t_start\": 1.5, \"env\": \"x\"}\nm,s,t,y\na,0,1,1\n", o: long, want: "a 0 1/0/0:[1]\n"},
		"a header that is one":      {text: "# by NumPy\n# t,y\n1,2\n", o: Options{File: "c.csv", Step: "t"}, want: "  1/0/0:[2]\n"},
		"a JSON array":              {text: "\n[\n {\"m\":\"a\",\"s\":0,\"t\":1,\"y\":NaN},\n{\"m\":\"a\",\"s\":0,\"t\":2,\"y\":3}]", o: long, want: "a 0 1/0/0:[NaN] 2/0/0:[3]\n"},
		"Hugging Face's Trainer":    {text: "{\n \"best\": null, \"args\": {\"log_history\": 1},\n \"log_history\": [\n  {\"t\": 5, \"y\": 1},\n  {\"t\": 10, \"y\": NaN}\n ],\n \"max\": 3\n}", o: Options{File: "c.csv", Step: "t"}, want: "  5/0/0:[1] 10/0/0:[NaN] (y is NaN at step 10)\n"},
		"names with a seed":         {text: "r,t,y\na-b-seed0,1,1\na-b-seed1,1,2\nodd,1,3\n", o: Options{File: "c.csv", Method: "r", Names: "{method}-seed{seed}", Step: "t"}, want: "a-b 0 1/0/0:[1]\na-b 1 1/0/0:[2]\n"},
		"MLflow without steps":      {text: "1532987100 3\n1532987101 2\n", o: Options{File: "c.csv", Format: "mlflow"}, want: "  0/0/0:[3] 1/0/1:[2]\n"},
		"a value written twice":     {text: "m,s,t,y\na,0,1,1\na,0,2,2\na,0,2,20\n", o: with(long, last), want: "a 0 1/0/0:[1] 2/0/0:[20]\n"},
		"resumed twice":             {text: "t,y\n2,2\n3,3\n5,5\n4,40\n6,60\n8,80\n1,100\n7,700\n9,900\n", o: Options{File: "c.csv", Step: "t", Twice: "last"}, want: "  1/0/0:[100] 7/0/0:[700] 9/0/0:[900]\n"},
		"the clock of a resumed":    {text: "t,w,y\n1,100,1\n2,110,2\n2,510,20\n3,520,30\n", o: Options{File: "c.csv", Step: "t", Clock: "w", Twice: "last"}, want: "  1/0/0:[1] 2/0/410:[20] 3/0/420:[30]\n"},
		"blanks":                    {text: "m , s,t, y\n a ,0,1,\"\t2 \"\n", o: long, want: "a 0 1/0/0:[2]\n"},
		"blanks of where":           {text: "m,s,t,y,d\na,0,1,2, p \na,0,1,3,q\n", o: with(long, func(o *Options) { o.Where = map[string]string{"d": "p "} }), want: "a 0 1/0/0:[2]\n"},
		"keys that come later":      {text: `{"lr":1}` + "\n" + `{"t":0,"note":"x"}` + "\n" + `{"t":1,"y":9,"m":"a","s":0,"d":"q"}` + "\n" + `{"y":2,"s":0,"t":1,"m":"a","d":"p"}`, o: with(long, func(o *Options) { o.Where = map[string]string{"d": "p"} }), want: "a 0 1/0/0:[2]\n"},
		"NaN within a string":       {text: `{"m":"x, NaN","s":0,"t":1,"y":NaN}` + "\n" + `{"m":"x, NaN","s":0,"t":2,"y":3,"note":"[NaN, Infinity]"}`, o: long, want: "x, NaN 0 1/0/0:[NaN] 2/0/0:[3]\n"},
		"a name with escapes":       {text: "m,s,t,y\n\x1b[31ma,0,1,2\n", o: long, want: "\x1b[31ma 0 1/0/0:[2]\n"},
		"an unwanted metric's text": {text: "m,t,what,v\na,1,y,2\na,1,note,hello\nb,1,note,x\n", o: each, want: "a  1/0/0:[2]\nb \n"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.names == nil {
				c.names = wanted("y")
			}
			table, err := c.o.Read(write(t, map[string]string{"c.csv": c.text}), c.names, nil)
			require.NoError(t, err)
			assert.Equal(t, c.want, told(table))
		})
	}
}

// TestOddMistakes holds what other wrong files are told.
func TestOddMistakes(t *testing.T) {
	long := Options{File: "c.csv", Method: "m", Seed: "s", Step: "t"}
	clock := Options{File: "c.csv", Step: "t", Clock: "w"}
	huge := strings.Repeat("x", mostName+1)
	for name, c := range map[string]struct {
		text, want string
		o          Options
		resumed    bool
	}{
		"a clock that goes back":         {text: "t,w,y\n1,1700000000,1\n2,1690000000,2\n", want: "c.csv:3: step 2 has fewer epochs or seconds than step 1 on line 2", o: clock},
		"a clock that goes back at last": {text: "t,w,y\n1,100,1\n2,200,2\n3,150,3\n", want: "c.csv:4: step 3 has fewer", o: clock},
		"a JSON array without an end":    {text: "\n[\n {\"m\":\"a\",\"s\":0,\"t\":1,\"y\":2}\n", want: "c.csv:3: the JSON array does not end", o: long},
		"a JSON array of numbers":        {text: "[\n1, 2]", want: "c.csv:2: ", o: long},
		"carriage returns":               {text: "m,s,t,y\ra,0,1,2\r", want: `end with a carriage return alone; write them with tr '\r' '\n'`, o: long},
		"two columns of a name":          {text: "m,s,t,y, y\na,0,1,2,3\n", want: `c.csv:1: two columns are named "y"; rename one`, o: long},
		"two columns of a curve":         {text: "t,a,a\n1,2,3\n", want: `c.csv:1: two columns are named "a"; rename one`, o: Options{File: "c.csv", Step: "t", Columns: "{method}"}},
		"a blank after a quote":          {text: "m,s,t,y\n\"a\" ,0,1,2\n", want: "leave no blank between them and the separator", o: long},
		"a key that never comes":         {text: `{"s":0,"t":1,"y":2}`, want: `c.csv:1: column "m" is empty`, o: long},
		"a condition that never comes":   {text: `{"m":"a","s":0,"t":1,"y":2}`, want: `curves.where: there is no column "d" among m, s, t, y`, o: Options{File: "c.csv", Step: "t", Where: map[string]string{"d": "p"}}},
		"a step that never comes":        {text: `{"m":"a","s":0,"y":2}`, want: `column "t": "" is no place on an axis`, o: long},
		"a resumed run":                  {text: "m,s,t,y\na,0,1,1\na,0,2,2\na,0,2,20\n", want: `set curves.twice = "last" if the run was resumed`, o: long, resumed: true},
		"a run from the start":           {text: "m,s,t,y\na,0,1,1\na,0,2,2\na,0,1,10\na,0,2,20\n", want: "a second time, after line 2", o: long},
		"steps that go back":             {text: "m,s,t,y\na,0,1,1\na,0,3,2\na,0,5,3\na,0,2,20\na,0,4,30\na,0,6,40\n", want: `c.csv:5: t of method "a" of seed "0" goes back from 5 to 2, after line 4; name the column`, o: long, resumed: true},
		"two runs of other steps":        {text: "m,s,t,y\na,0,2,1\na,0,4,2\na,0,6,3\na,0,1,20\na,0,3,30\na,0,5,40\n", want: "c.csv:5: t of method", o: long},
		"a header again, rows counted":   {text: "y\n1\ny\n2\n", want: "c.csv:3: the header stands here again", o: Options{File: "c.csv"}},
		"a percentage":                   {text: "m,s,t,y\na,0,1,12.5%\n", want: `c.csv:2: column "y": "12.5%" is not a number; it is a percentage: write the fraction`, o: long},
		"Fortran's exponent":             {text: "m,s,t,y\na,0,1,1.5D+00\n", want: "it is in Fortran's notation", o: long},
		"comments alone":                 {text: "# a\n#\n", want: "c.csv has comments and nothing else", o: long},
		"zstd":                           {text: "\x28\xb5\x2f\xfd\x00", want: "is compressed; uncompress it", o: long},
		"a line behind comments":         {text: "# x\n# z\nm,s,t,y\na,0,1,two\n", want: "c.csv:4: column", o: long},
		"an entry of an array":           {text: "[\n{\"m\":\"a\",\"s\":0,\"t\":1,\"y\":2},\n{\"m\":\"a\",\"s\":0,\"t\":2,\"y\":\"two\"}\n]", want: "c.csv:3: column", o: long},
		"a huge name":                    {text: "m,s,t,y\n" + huge + ",0,1,1\n", want: "have more than 1000 bytes; check that curves.method", o: long},
		"a huge key":                     {text: `{"` + huge + `":1}`, want: "has more than 1000 bytes; shorten it", o: long},
		"a huge name of a column":        {text: "m,s,t," + huge + ",\x1b[31m\na,0,1,2,3\n", want: `among m, s, t, "` + huge[:100] + `…", "\x1b[31m"`, o: long},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.o.Read(write(t, map[string]string{"c.csv": c.text}), wanted("y"), nil)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\x1b")
			assert.Less(t, len(err.Error()), 2500)
			assert.Equal(t, c.resumed, errors.As(err, &Resumed{}))
		})
	}
}

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

// TestExports reads what programs write in ways that their presets once did not.
func TestExports(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		o          Options
		names      []Wanted
	}{
		"MLflow's chart": {"run_id,key,value,step,timestamp\n4f,loss,2,0,1700000000000\n4f,loss,1,5,1700000000500\n4f,acc,1,0,1700000000001\n", "4f  0/0/0:[2] 5/0/0.5:[1]\n", Options{Format: "mlflow"}, wanted("loss")},
		"benchopt's time falls": {"solver_name,stop_val,time,idx_rep,objective_value\ncg,0,0.2,0,3\ncg,1,0.1,0,2\n", "cg 0 0/0/0:[3] 1/0/0:[2]\n", Options{Format: "benchopt", Step: "stop_val"},
			[]Wanted{{"o", "objective_value"}}},
		"benchopt's tolerances": {"solver_name,stop_val,time,idx_rep,objective_value\ncg,1e38,0.1,0,3\ncg,0.1,0.3,0,2\ncg,0.01,0.2,0,1\n", "cg 0 1/0/0.1:[3] 2/0/0.2:[1] 3/0/0.3:[2]\n", Options{Format: "benchopt"},
			[]Wanted{{"o", "objective_value"}}},
		"W&B over epochs": {"epoch,a - _step,a - loss,a - loss__MIN\n1.5,0,2,2\n2,9,1,1\n", "a  1/1.5/0:[2] 2/2/0:[1]\n", Options{Format: "wandb", Epoch: "epoch"}, wanted("loss")},
	} {
		c.o.File = "c.csv"
		table, err := c.o.Read(write(t, map[string]string{"c.csv": c.text}), c.names, nil)
		if assert.NoError(t, err, name) {
			assert.Equal(t, c.want, told(table), name)
		}
	}
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
