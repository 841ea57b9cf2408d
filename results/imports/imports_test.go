package imports

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/records"
)

// write writes files below a new folder and returns it.
func write(t testing.TB, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// wanted are metrics whose columns have their names.
func wanted(names ...string) (all []Wanted) {
	for _, name := range names {
		all = append(all, Wanted{name, name})
	}
	return all
}

// told writes a table as text: a curve a line, with its points as step/epoch/seconds:values.
func told(t *Table) string {
	var b strings.Builder
	for _, c := range t.Curves {
		fmt.Fprintf(&b, "%s %s", c.Method, c.Seed)
		for _, p := range c.Points {
			fmt.Fprintf(&b, " %d/%v/%v:%v", p.Step, p.Epoch, p.Seconds, p.Values)
		}
		if c.Broken != "" {
			fmt.Fprintf(&b, " (%s)", c.Broken)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestRead reads the same curves from every layout.
func TestRead(t *testing.T) {
	const same = "a 0 1/0/0:[0.5] 2/0/0:[0.25]\nb 0 1/0/0:[1] 2/0/0:[0.125]\n"
	long := Options{File: "c.csv", Method: "m", Seed: "s", Step: "t"}
	with := func(o Options, change func(o *Options)) Options { change(&o); return o }
	for name, c := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"long":            {"m,s,t,y\na,0,1,0.5\na,0,2,0.25\nb,0,1,1\nb,0,2,0.125\n", long, same},
		"unsorted":        {"m,s,t,y\na,0,2,0.25\na,0,1,0.5\nb,0,2,0.125\nb,0,1,1\n", long, same},
		"mixed":           {"m,s,t,y\na,0,1,0.5\nb,0,1,1\na,0,2,0.25\nb,0,2,0.125\n", long, same},
		"BOM and CRLF":    {"\xef\xbb\xbfm,s,t,y\r\na,0,1,0.5\r\na,0,2,0.25\r\nb,0,1,1\r\nb,0,2,0.125\r\n", long, same},
		"semicolons":      {"m;s;t;y\na;0;1;0,5\na;0;2;0,25\nb;0;1;1\nb;0;2;0,125\n", with(long, func(o *Options) { o.Decimal = "comma" }), same},
		"tabs":            {"m\ts\tt\ty\na\t0\t1\t0.5\na\t0\t2\t0.25\nb\t0\t1\t1\nb\t0\t2\t0.125", long, same},
		"quotes, blanks":  {"\"m\", s, \"t\",y\n\"a\",0, 1 ,0.5\na,0,2,\"0.25\"\nb,0,1,1e0\nb,0,2,.125\n", long, same},
		"pandas' numbers": {",m,s,t,y\n0,a,0.0,1.0,0.5\n1,a,0.0,2.0,0.25\n2,b,0.0,1.0,1\n3,b,0.0,2.0,0.125\n", long, same},
		"JSON lines": {`{"m":"a","s":0,"t":1,"y":0.5}` + "\n\n" + `{"y":0.25,"m":"a","s":0,"t":2,"x":{"y":3}}` + "\n" + `{"m":"b","s":0,"t":1,"y":1}` + "\n" + `{"m":"b","s":0,"t":2,"y":0.125}`,
			long, same},
		"a column a curve": {"t,a 0,b 0,other\n1,0.5,1,x\n2,0.25,0.125,x\n", Options{File: "c.csv", Step: "t", Columns: "{method} {seed}"}, same},
		"a number a row": {"m,s,t,what,number\na,0,1,y,0.5\na,0,1,z,7\na,0,2,y,0.25\nb,0,1,y,1\nb,0,2,y,0.125\n",
			with(long, func(o *Options) { o.Metric, o.Value = "what", "number" }), same},
		"chosen rows": {"m,s,t,y,d\na,0,1,0.5,p\na,0,1,9,q\na,0,2,0.25,p\nb,0,1,1,p\nb,0,2,0.125,p\n", with(long, func(o *Options) { o.Where = map[string]string{"d": "p"} }), same},
		"no names":    {"y\n3\n2\n", Options{File: "c.csv"}, " "},
		"missing":     {"m,s,t,y\na,0,1,0.5\na,0,9,\na,0,2,0.25\nb,0,7,NA\nb,0,1,1\nb,0,2,0.125\n", long, same},
		"divergence":  {"m,s,t,y\na,0,1,0.5\na,0,2,nan\na,1,1,1e999\na,1,2,4\n", long, "a 0 1/0/0:[0.5] 2/0/0:[NaN] (y is NaN at step 2)\na 1 1/0/0:[+Inf] 2/0/0:[4]\n"},
		"NaN in JSON": {`{"m":"a","s":0,"t":1,"y":NaN}` + "\n" + `{"m":"b","s":0,"t":1,"y":-Infinity}`, long, "a 0 1/0/0:[NaN] (y is NaN at step 1)\nb 0 1/0/0:[-Inf] (y is -Inf at step 1)\n"},
		"large":       {"m,s,t,y\na,0,0,1e306\na,0,9007199254740992,-1e306\n", long, "a 0 0/0/0:[1e+306] 9007199254740992/0/0:[-1e+306]\n"},
		"epochs":      {"m,s,e,y\na,0,1,3\na,0,0.5,4\n", Options{File: "c.csv", Method: "m", Seed: "s", Epoch: "e"}, "a 0 1/0.5/0:[4] 2/1/0:[3]\n"},
		"seconds":     {"m,s,t,w,y\na,0,1,0.5,3\na,0,2,1.5,4\n", with(long, func(o *Options) { o.Seconds = "w" }), "a 0 1/0/0.5:[3] 2/0/1.5:[4]\n"},
		"clock":       {"t,w,y\n1,1700000000000,3\n2,1700000000500,4\n", Options{File: "c.csv", Step: "t", Clock: "w"}, " "},
		"every":       {"t,y\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n", Options{File: "c.csv", Step: "t", Every: 2}, " "},
	} {
		switch name {
		case "no names":
			c.want = "  1/0/0:[3] 2/0/0:[2]\n"
		case "clock":
			c.want = "  1/0/0:[3] 2/0/0.5:[4]\n"
		case "every":
			c.want = "  1/0/0:[1] 3/0/0:[3] 5/0/0:[5] 6/0/0:[6]\n"
		}
		table, err := c.o.Read(write(t, map[string]string{"c.csv": c.text}), wanted("y"), nil)
		if assert.NoError(t, err, name) {
			assert.Equal(t, c.want, told(table), name)
		}
	}
}

// TestPresets reads what each program exports, with no key but format and file.
func TestPresets(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		o     Options
		names []Wanted
		want  string
	}{
		"tensorboard": {
			map[string]string{"run-sgd-tag-loss.csv": "Wall time,Step,Value\n1654943296.25,0,3\n1654943313.75,10,2\n", "run-sgd-tag-acc.csv": "Wall time,Step,Value\n1654943296.25,0,0.5\n",
				"run-adam-tag-loss.csv": "Wall time,Step,Value\n1654943296.5,0,1\n", "run-adam-tag-acc.csv": "Wall time,Step,Value\n1654943296.5,0,0.25\n"},
			Options{File: "run-{method}-tag-{metric}.csv"}, wanted("loss", "acc"),
			"adam  0/0/0:[1 0.25]\nsgd  0/0/0:[3 0.5] 10/0/17.5:[2 NaN]\n"},
		"mlflow": {
			map[string]string{"mlruns/0/r1/metrics/loss": "1700000000000 3.5 0\n1700000001000 2.5 1\n", "mlruns/0/r2/metrics/loss": "1700000000000 9\n", "mlruns/0/r1/metrics/other": "1 2 3\n"},
			Options{File: "mlruns/0/{method}/metrics/{metric}"}, wanted("loss"),
			"r1  0/0/0:[3.5] 1/0/1:[2.5]\nr2  0/0/0:[9]\n"},
		"wandb": {
			map[string]string{"panel.csv": `"Step","sgd - val - loss","sgd - val - loss__MIN","sgd - val - loss__MAX","adam - val - loss"` + "\n" + `"0","3","3","3",""` + "\n" + `"5","2","2","2","1"` + "\n"},
			Options{File: "panel.csv"}, wanted("loss"),
			"sgd - val  0/0/0:[3] 5/0/0:[2]\nadam - val  5/0/0:[1]\n"},
		"wandb history": {
			map[string]string{"sgd.jsonl": `{"_step":0,"_runtime":1.5,"_timestamp":1.7e9,"loss":3}` + "\n" + `{"_step":1,"_runtime":2.5,"acc":1}` + "\n" + `{"_step":2,"_runtime":3.5,"loss":2}`},
			Options{File: "{method}.jsonl", Format: "wandb"}, wanted("loss"),
			"sgd  0/0/1.5:[3] 2/0/3.5:[2]\n"},
		"benchopt": {
			map[string]string{"b.csv": ",objective_name,solver_name,data_name,stop_val,time,idx_rep,objective_value\n0,Ridge,cg,sim,1,0.001,0,5\n1,Ridge,cg,sim,2,0.002,0,4\n2,Ridge,cg,sim,1,0.001,1,6\n"},
			Options{File: "b.csv"}, []Wanted{{"objective", "objective_value"}},
			"cg 0 1/0/0.001:[5] 2/0/0.002:[4]\ncg 1 1/0/0.001:[6]\n"},
		"iohanalyzer": {
			map[string]string{"i.csv": "\"algId\",\"runtime\",\"run\",\"f(x)\"\n\"(1+1) EA\",1,1,10\n\"(1+1) EA\",5,1,20\n\"(1+1) EA\",1,2,11\n"},
			Options{File: "i.csv"}, []Wanted{{"f", "f(x)"}},
			"(1+1) EA 1 1/0/0:[10] 5/0/0:[20]\n(1+1) EA 2 1/0/0:[11]\n"},
	} {
		if c.o.Format == "" {
			c.o.Format = name
		}
		table, err := c.o.Read(write(t, c.files), c.names, nil)
		if assert.NoError(t, err, name) {
			assert.Equal(t, c.want, told(table), name)
		}
	}
}

// Recorded has the seconds of a file as those of training, and no metric that has no value there.
func TestRecorded(t *testing.T) {
	o := Options{File: "c.csv", Step: "t", Epoch: "e", Seconds: "w"}
	table, err := o.Read(write(t, map[string]string{"c.csv": "t,e,w,y,z\n3,0.5,1.25,2,\n4,1,2.5,1,7\n"}), wanted("y", "z"), nil)
	require.NoError(t, err)
	two := 2.0
	want := records.Point{Step: 3, Epoch: 0.5, Values: map[string]*float64{"y": &two}, Timing: records.PointTiming{Train: 1.25}}
	assert.Equal(t, want, table.Recorded(&table.Curves[0].Points[0]))
}

// TestMistakes holds what a wrong file is told: where, what and the fix.
func TestMistakes(t *testing.T) {
	long := Options{File: "c.csv", Method: "m", Seed: "s", Step: "t"}
	for _, c := range []struct {
		text, want string
		o          Options
	}{
		{"m,s,t,loss\na,0,1,2\n", `c.csv:1: there is no column "y" among m, s, t, loss; `, long},
		{"n,s,t,y\na,0,1,2\n", `c.csv:1: curves.method: there is no column "m" among n, s, t, y; `, long},
		{"m,s,t,y,y\na,0,1,2,2\n", `two columns are named "y"`, long},
		{"m,s,t,y\na,0,1,2\na,0,1,3\n", `c.csv:3: t 1 of method "a" of seed "0" has "y" a second time, after line 2; name the column`, long},
		{"m,s,t,y\na,0,1.5,2\n", `c.csv:2: column "t": "1.5" is not a whole number of steps; if the column has epochs or seconds, name it in curves.epoch`, long},
		{"m,s,t,y\na,0,-1,2\n", `c.csv:2: column "t": "-1" is no place on an axis`, long},
		{"m,s,t,y\na,0,inf,2\n", `c.csv:2: column "t": "inf" is no place on an axis`, long},
		{"m,s,t,y\na,0,,2\n", `c.csv:2: column "t": "" is no place on an axis`, long},
		{"m,s,t,y\na,0,1e306,2\n", `is not a whole number of steps`, long},
		{"m,s,t,y\na,0,1,two\n", `c.csv:2: column "y": "two" is not a number; correct it`, long},
		{"m,s,t,y\na,0,1,0x1p3\n", `"0x1p3" is not a number`, long},
		{"m;s;t;y\na;0;1;0,5\n", `set curves.decimal = "comma"`, long},
		{"m,s,t,y\na,,1,2\n", `c.csv:2: column "s" is empty`, long},
		{"m,s,t,y\na,0,1\n", `c.csv:2: the row has 3 fields, and the first line 4`, long},
		{"m,s,t,y\na,0,1,\"2\n", `close the quotes, double those within`, long},
		{"1,2,3\n4,5,6\n", `the first line has numbers and no names of columns`, long},
		{"m,s,t,y\n", `c.csv has a header and no rows`, long},
		{"m,s,t,y\na,0,1,\n", `no row has a value of "y"`, long},
		{"", `c.csv is empty`, long},
		{"PAR1\x15\x04", `is a Parquet file; write it as CSV`, long},
		{"\xff\xfem\x00,\x00", `is in UTF-16`, long},
		{"\x1f\x8b\x08", `is compressed`, long},
		{"m,s\x00\x01", `is not a text file`, long},
		{"{\"m\":\"a\"\n", `c.csv:1: unexpected end of JSON input; write one JSON object a line`, long},
		{"m,s,t,y\na,0,1,2\na,0,2,2\n", `fewer epochs or seconds than step 1 on line 2`, Options{File: "c.csv", Step: "t", Epoch: "e"}},
		{"t,y,z\n1,2,3\n", `no column that is named like curves.columns`, Options{File: "c.csv", Step: "t", Columns: "run {method}"}},
		{"t,y\n1,2\n", `no file is named like`, Options{File: "{method}.txt", Step: "t"}},
		{"t,y\n1,2\n", `no such file`, Options{File: "d.csv", Step: "t"}},
		{"t,y\n1,2\n", `is a folder`, Options{File: ".", Step: "t"}},
	} {
		if c.o.Epoch != "" {
			c.text = "t,e,y\n1,2,1\n2,1,1\n"
		}
		_, err := c.o.Read(write(t, map[string]string{"c.csv": c.text}), wanted("y"), nil)
		assert.ErrorContains(t, err, c.want)
	}
}

// TestOptions holds what is wrong with options without a file.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o          Options
		key, wrong string
	}{
		{Options{File: "{metod}.csv"}, "file", "unknown part {metod}"},
		{Options{File: "{seed}{seed}.csv"}, "file", "{seed} twice"},
		{Options{File: "a", Columns: "loss"}, "columns", "no part"},
		{Options{File: "{metric}.csv", Value: "v"}, "step", "missing"},
		{Options{File: "a[1]*.csv", Step: "t"}, "", ""},
	} {
		key, wrong := c.o.Check()
		assert.Equal(t, c.key, key)
		assert.Contains(t, wrong, c.wrong)
	}
}

// TestBounds: a table holds so much and no more, whatever the file.
func TestBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("t,y\n")
	for i := range mostPoints + 1 {
		fmt.Fprintf(&b, "%d,%d\n", i, i)
	}
	dir := write(t, map[string]string{"c.csv": b.String()})
	o := Options{File: "c.csv", Step: "t"}
	_, err := o.Read(dir, wanted("y"), nil)
	require.ErrorContains(t, err, "set curves.every = 10")
	_, err = o.Read(dir, make([]Wanted, 65), nil)
	require.EqualError(t, err, "65 metrics are more than the 64 that can be read from one file", "a point has 64 bits for them")
	o.Every = 10
	table, err := o.Read(dir, wanted("y"), nil)
	require.NoError(t, err)
	points := table.Curves[0].Points
	assert.Len(t, points, mostPoints/10+1)
	assert.Equal(t, mostPoints, points[len(points)-1].Step)

	few := Options{File: "d.csv", Step: "t"}
	lines := strings.SplitAfter(b.String(), "\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte(strings.Join(lines[:50_001], "")), 0o600))
	table, err = few.Read(dir, wanted("y"), nil)
	require.NoError(t, err)
	assert.Len(t, table.Curves[0].Points, 50_000, "all are judged")

	endless := "t,y\n1,\"" + strings.Repeat("x", mostRow+look)
	_, err = o.Read(write(t, map[string]string{"c.csv": endless}), wanted("y"), nil)
	require.ErrorContains(t, err, "the row is longer than 16 MiB")
}

// TestSeveralFiles joins the metrics of several files and keeps their names apart.
func TestSeveralFiles(t *testing.T) {
	dir := write(t, map[string]string{"a[1]/x-1.csv": "t,y\n1,2\n", "a[1]/x-2.csv": "t,y\n1,3\n", "a1/x-3.csv": "t,y\n1,4\n"})
	o := Options{File: "a[1]/{method}-{seed}.csv", Step: "t"}
	table, err := o.Read(dir, wanted("y"), nil)
	require.NoError(t, err)
	assert.Equal(t, "x 1 1/0/0:[2]\nx 2 1/0/0:[3]\n", told(table))
	assert.Equal(t, "a[1]/x-1.csv", table.Files[0].Name)
	assert.Equal(t, []string{"1", "2"}, table.Seeds())
	assert.Nil(t, table.Curve("x", "3"))
	assert.NotNil(t, table.Curve("x", "2.0"))
}

// FuzzRead: no panic, and curves with increasing x, or an error.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"m,s,t,y\na,0,1,0.5\n", "m;s;t;y\na;0;1;0,5\n", `{"m":"a","s":0,"t":1,"y":NaN}`, "\"m\n\",s", "1 2 3\n", "Wall time,Step,Value\n1,2,3\n", "Step,a - y\n1,2\n",
		"m,s,t,y\na,0,1,1e999\na,0,0,-\n"} {
		for format := range 5 {
			f.Add(text, byte(format), byte(format))
		}
	}
	formats := []string{"csv", "json-lines", "mlflow", "wandb", "tensorboard"}
	f.Fuzz(func(t *testing.T, text string, format, keys byte) {
		o := Options{File: "c.csv", Format: formats[int(format)%len(formats)], Every: int(keys >> 6)}
		for i, to := range []*string{&o.Method, &o.Seed, &o.Step, &o.Epoch, &o.Clock} {
			if keys>>i&1 == 1 {
				*to = []string{"m", "s", "t", "e", "w"}[i]
			}
		}
		table, err := o.Read(write(t, map[string]string{"c.csv": text}), wanted("y"), nil)
		if err != nil {
			require.NotContains(t, err.Error(), "%!")
			return
		}
		for _, c := range table.Curves {
			for i, p := range c.Points {
				require.Len(t, p.Values, 1)
				require.True(t, p.Step >= 0 && p.Epoch >= 0 && p.Seconds >= 0 && !math.IsInf(p.Epoch, 0) && !math.IsInf(p.Seconds, 0))
				if i > 0 {
					require.Greater(t, p.Step, c.Points[i-1].Step)
				}
			}
		}
	})
}
