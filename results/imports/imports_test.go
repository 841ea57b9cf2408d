package imports

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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

// TestRead reads the same curves from every layout, and tables that are whole and not as one expects.
func TestRead(t *testing.T) {
	const same = "a 0 1/0/0:[0.5] 2/0/0:[0.25]\nb 0 1/0/0:[1] 2/0/0:[0.125]\n"
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
		want  string
		names []Wanted
	}{
		"long":            {"m,s,t,y\na,0,1,0.5\na,0,2,0.25\nb,0,1,1\nb,0,2,0.125\n", long, same, nil},
		"unsorted":        {"m,s,t,y\na,0,2,0.25\na,0,1,0.5\nb,0,2,0.125\nb,0,1,1\n", long, same, nil},
		"mixed":           {"m,s,t,y\na,0,1,0.5\nb,0,1,1\na,0,2,0.25\nb,0,2,0.125\n", long, same, nil},
		"BOM and CRLF":    {"\xef\xbb\xbfm,s,t,y\r\na,0,1,0.5\r\na,0,2,0.25\r\nb,0,1,1\r\nb,0,2,0.125\r\n", long, same, nil},
		"semicolons":      {"m;s;t;y\na;0;1;0,5\na;0;2;0,25\nb;0;1;1\nb;0;2;0,125\n", with(long, func(o *Options) { o.Decimal = "comma" }), same, nil},
		"tabs":            {"m\ts\tt\ty\na\t0\t1\t0.5\na\t0\t2\t0.25\nb\t0\t1\t1\nb\t0\t2\t0.125", long, same, nil},
		"quotes, blanks":  {"\"m\", s, \"t\",y\n\"a\",0, 1 ,0.5\na,0,2,\"0.25\"\nb,0,1,1e0\nb,0,2,.125\n", long, same, nil},
		"pandas' numbers": {",m,s,t,y\n0,a,0.0,1.0,0.5\n1,a,0.0,2.0,0.25\n2,b,0.0,1.0,1\n3,b,0.0,2.0,0.125\n", long, same, nil},
		"JSON lines": {`{"m":"a","s":0,"t":1,"y":0.5}` + "\n\n" + `{"y":0.25,"m":"a","s":0,"t":2,"x":{"y":3}}` + "\n" + `{"m":"b","s":0,"t":1,"y":1}` + "\n" + `{"m":"b","s":0,"t":2,"y":0.125}`,
			long, same, nil},
		"a column a curve": {"t,a 0,b 0,other\n1,0.5,1,x\n2,0.25,0.125,x\n", Options{File: "c.csv", Step: "t", Columns: "{method} {seed}"}, same, nil},
		"a number a row": {"m,s,t,what,number\na,0,1,y,0.5\na,0,1,z,7\na,0,2,y,0.25\nb,0,1,y,1\nb,0,2,y,0.125\n",
			with(long, func(o *Options) { o.Metric, o.Value = "what", "number" }), same, nil},
		"chosen rows":               {"m,s,t,y,d\na,0,1,0.5,p\na,0,1,9,q\na,0,2,0.25,p\nb,0,1,1,p\nb,0,2,0.125,p\n", with(long, func(o *Options) { o.Where = map[string]string{"d": "p"} }), same, nil},
		"no names":                  {"y\n3\n2\n", Options{File: "c.csv"}, "  1/0/0:[3] 2/0/0:[2]\n", nil},
		"missing":                   {"m,s,t,y\na,0,1,0.5\na,0,9,\na,0,2,0.25\nb,0,7,NA\nb,0,1,1\nb,0,2,0.125\n", long, same, nil},
		"divergence":                {"m,s,t,y\na,0,1,0.5\na,0,2,nan\na,1,1,1e999\na,1,2,4\n", long, "a 0 1/0/0:[0.5] 2/0/0:[NaN] (y is NaN at step 2)\na 1 1/0/0:[+Inf] 2/0/0:[4]\n", nil},
		"NaN in JSON":               {`{"m":"a","s":0,"t":1,"y":NaN}` + "\n" + `{"m":"b","s":0,"t":1,"y":-Infinity}`, long, "a 0 1/0/0:[NaN] (y is NaN at step 1)\nb 0 1/0/0:[-Inf] (y is -Inf at step 1)\n", nil},
		"large":                     {"m,s,t,y\na,0,0,1e306\na,0,9007199254740992,-1e306\n", long, "a 0 0/0/0:[1e+306] 9007199254740992/0/0:[-1e+306]\n", nil},
		"epochs":                    {"m,s,e,y\na,0,1,3\na,0,0.5,4\n", Options{File: "c.csv", Method: "m", Seed: "s", Epoch: "e"}, "a 0 1/0.5/0:[4] 2/1/0:[3]\n", nil},
		"seconds":                   {"m,s,t,w,y\na,0,1,0.5,3\na,0,2,1.5,4\n", with(long, func(o *Options) { o.Seconds = "w" }), "a 0 1/0/0.5:[3] 2/0/1.5:[4]\n", nil},
		"clock":                     {"t,w,y\n1,1700000000000,3\n2,1700000000500,4\n", Options{File: "c.csv", Step: "t", Clock: "w"}, "  1/0/0:[3] 2/0/0.5:[4]\n", nil},
		"every":                     {"t,y\n1,1\n2,2\n3,3\n4,4\n5,5\n6,6\n", Options{File: "c.csv", Step: "t", Every: 2}, "  1/0/0:[1] 3/0/0:[3] 5/0/0:[5] 6/0/0:[6]\n", nil},
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
		"mlflow's chart": {
			map[string]string{"c.csv": "run_id,key,value,step,timestamp\n4f,loss,2,0,1700000000000\n4f,loss,1,5,1700000000500\n4f,acc,1,0,1700000000001\n"},
			Options{File: "c.csv", Format: "mlflow"}, wanted("loss"),
			"4f  0/0/0:[2] 5/0/0.5:[1]\n"},
		"benchopt, whose time falls": {
			map[string]string{"c.csv": "solver_name,stop_val,time,idx_rep,objective_value\ncg,0,0.2,0,3\ncg,1,0.1,0,2\n"},
			Options{File: "c.csv", Format: "benchopt", Step: "stop_val"}, []Wanted{{"o", "objective_value"}},
			"cg 0 0/0/0:[3] 1/0/0:[2]\n"},
		"benchopt's tolerances": {
			map[string]string{"c.csv": "solver_name,stop_val,time,idx_rep,objective_value\ncg,1e38,0.1,0,3\ncg,0.1,0.3,0,2\ncg,0.01,0.2,0,1\n"},
			Options{File: "c.csv", Format: "benchopt"}, []Wanted{{"o", "objective_value"}},
			"cg 0 1/0/0.1:[3] 2/0/0.2:[1] 3/0/0.3:[2]\n"},
		"wandb over epochs": {
			map[string]string{"c.csv": "epoch,a - _step,a - loss,a - loss__MIN\n1.5,0,2,2\n2,9,1,1\n"},
			Options{File: "c.csv", Format: "wandb", Epoch: "epoch"}, wanted("loss"),
			"a  1/1.5/0:[2] 2/2/0:[1]\n"},
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
	clock := Options{File: "c.csv", Step: "t", Clock: "w"}
	huge := strings.Repeat("x", mostName+1)
	for _, c := range []struct {
		text, want string
		o          Options
		resumed    bool
	}{
		{"m,s,t,loss\na,0,1,2\n", `c.csv:1: there is no column "y" among m, s, t, loss; `, long, false},
		{"n,s,t,y\na,0,1,2\n", `c.csv:1: curves.method: there is no column "m" among n, s, t, y; `, long, false},
		{"m,s,t,y,y\na,0,1,2,2\n", `two columns are named "y"`, long, false},
		{"m,s,t,y\na,0,1,2\na,0,1,3\n", `c.csv:3: t 1 of method "a" of seed "0" has "y" a second time, after line 2; name the column`, long, false},
		{"m,s,t,y\na,0,1.5,2\n", `c.csv:2: column "t": "1.5" is not a whole number of steps; if the column has epochs or seconds, name it in curves.epoch`, long, false},
		{"m,s,t,y\na,0,-1,2\n", `c.csv:2: column "t": "-1" is no place on an axis`, long, false},
		{"m,s,t,y\na,0,inf,2\n", `c.csv:2: column "t": "inf" is no place on an axis`, long, false},
		{"m,s,t,y\na,0,,2\n", `c.csv:2: column "t": "" is no place on an axis`, long, false},
		{"m,s,t,y\na,0,1e306,2\n", `is not a whole number of steps`, long, false},
		{"m,s,t,y\na,0,1,two\n", `c.csv:2: column "y": "two" is not a number; correct it`, long, false},
		{"m,s,t,y\na,0,1,0x1p3\n", `"0x1p3" is not a number`, long, false},
		{"m;s;t;y\na;0;1;0,5\n", `set curves.decimal = "comma"`, long, false},
		{"m,s,t,y\na,,1,2\n", `c.csv:2: column "s" is empty`, long, false},
		{"m,s,t,y\na,0,1\n", `c.csv:2: the row has 3 fields, and the first line 4`, long, false},
		{"m,s,t,y\na,0,1,\"2\n", `close the quotes, double those within`, long, false},
		{"1,2,3\n4,5,6\n", `the first line has numbers and no names of columns`, long, false},
		{"m,s,t,y\n", `c.csv has a header and no rows`, long, false},
		{"m,s,t,y\na,0,1,\n", `no row has a value of "y"`, long, false},
		{"", `c.csv is empty`, long, false},
		{"PAR1\x15\x04", `is a Parquet file; write it as CSV`, long, false},
		{"\xff\xfem\x00,\x00", `is in UTF-16`, long, false},
		{"\x1f\x8b\x08", `is compressed`, long, false},
		{"m,s\x00\x01", `is not a text file`, long, false},
		{"{\"m\":\"a\"\n", `c.csv:1: unexpected end of JSON input; write one JSON object a line`, long, false},
		{"t,e,y\n1,2,1\n2,1,1\n", `fewer epochs or seconds than step 1 on line 2`, Options{File: "c.csv", Step: "t", Epoch: "e"}, false},
		{"t,y,z\n1,2,3\n", `no column that is named like curves.columns`, Options{File: "c.csv", Step: "t", Columns: "run {method}"}, false},
		{"t,y\n1,2\n", `no file is named like`, Options{File: "{method}.txt", Step: "t"}, false},
		{"t,y\n1,2\n", `no such file`, Options{File: "d.csv", Step: "t"}, false},
		{"t,y\n1,2\n", `is a folder`, Options{File: ".", Step: "t"}, false},
		{text: "t,w,y\n1,1700000000,1\n2,1690000000,2\n", want: "c.csv:3: step 2 has fewer epochs or seconds than step 1 on line 2", o: clock},
		{text: "t,w,y\n1,100,1\n2,200,2\n3,150,3\n", want: "c.csv:4: step 3 has fewer", o: clock},
		{text: "\n[\n {\"m\":\"a\",\"s\":0,\"t\":1,\"y\":2}\n", want: "c.csv:3: the JSON array does not end", o: long},
		{text: "[\n1, 2]", want: "c.csv:2: ", o: long},
		{text: "m,s,t,y\ra,0,1,2\r", want: `end with a carriage return alone; write them with tr '\r' '\n'`, o: long},
		{text: "m,s,t,y, y\na,0,1,2,3\n", want: `c.csv:1: two columns are named "y"; rename one`, o: long},
		{text: "t,a,a\n1,2,3\n", want: `c.csv:1: two columns are named "a"; rename one`, o: Options{File: "c.csv", Step: "t", Columns: "{method}"}},
		{text: "m,s,t,y\n\"a\" ,0,1,2\n", want: "leave no blank between them and the separator", o: long},
		{text: `{"s":0,"t":1,"y":2}`, want: `c.csv:1: column "m" is empty`, o: long},
		{text: `{"m":"a","s":0,"t":1,"y":2}`, want: `curves.where: there is no column "d" among m, s, t, y`, o: Options{File: "c.csv", Step: "t", Where: map[string]string{"d": "p"}}},
		{text: `{"m":"a","s":0,"y":2}`, want: `column "t": "" is no place on an axis`, o: long},
		{text: "m,s,t,y\na,0,1,1\na,0,2,2\na,0,2,20\n", want: `set curves.twice = "last" if the run was resumed`, o: long, resumed: true},
		{text: "m,s,t,y\na,0,1,1\na,0,2,2\na,0,1,10\na,0,2,20\n", want: "a second time, after line 2", o: long},
		{text: "m,s,t,y\na,0,1,1\na,0,3,2\na,0,5,3\na,0,2,20\na,0,4,30\na,0,6,40\n", want: `c.csv:5: t of method "a" of seed "0" goes back from 5 to 2, after line 4; name the column`, o: long, resumed: true},
		{text: "m,s,t,y\na,0,2,1\na,0,4,2\na,0,6,3\na,0,1,20\na,0,3,30\na,0,5,40\n", want: "c.csv:5: t of method", o: long},
		{text: "y\n1\ny\n2\n", want: "c.csv:3: the header stands here again", o: Options{File: "c.csv"}},
		{text: "m,s,t,y\na,0,1,12.5%\n", want: `c.csv:2: column "y": "12.5%" is not a number; it is a percentage: write the fraction`, o: long},
		{text: "m,s,t,y\na,0,1,1.5D+00\n", want: "it is in Fortran's notation", o: long},
		{text: "# a\n#\n", want: "c.csv has comments and nothing else", o: long},
		{text: "\x28\xb5\x2f\xfd\x00", want: "is compressed; uncompress it", o: long},
		{text: "# x\n# z\nm,s,t,y\na,0,1,two\n", want: "c.csv:4: column", o: long},
		{text: "[\n{\"m\":\"a\",\"s\":0,\"t\":1,\"y\":2},\n{\"m\":\"a\",\"s\":0,\"t\":2,\"y\":\"two\"}\n]", want: "c.csv:3: column", o: long},
		{text: "m,s,t,y\n" + huge + ",0,1,1\n", want: "have more than 1000 bytes; check that curves.method", o: long},
		{text: `{"` + huge + `":1}`, want: "has more than 1000 bytes; shorten it", o: long},
		{text: "m,s,t," + huge + ",\x1b[31m\na,0,1,2,3\n", want: `among m, s, t, "` + huge[:100] + `…", "\x1b[31m"`, o: long},
	} {
		_, err := c.o.Read(write(t, map[string]string{"c.csv": c.text}), wanted("y"), nil)
		require.ErrorContains(t, err, c.want)
		assert.NotContains(t, err.Error(), "\x1b")
		assert.Less(t, len(err.Error()), 2500)
		assert.Equal(t, c.resumed, errors.As(err, &Resumed{}), c.want)
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

// TestNotation reads columns in which a mark may be one for decimals or one for thousands.
func TestNotation(t *testing.T) {
	for name, c := range map[string]struct {
		head, rows string // rows separated by blanks
		decimal    string
		want       string // the values, or a part of the error
	}{
		"thousands, as some are below":          {"y", `"50,000" "4,419" 406`, "", "50000 4419 406"},
		"thousands, whatever the spec says":     {"y", `"50,000" "4,419" 406`, "comma", `c.csv:2: column "y": "50,000" on line 2 is 50000, because "406" on line 4 has no decimals, and curves.decimal = "comma" reads 50; remove it`},
		"points for thousands":                  {"z;y", `a;50.000 a;4.419 a;406`, "comma", "50000 4419 406"},
		"points for thousands, unsaid":          {"z;y", `a;50.000 a;4.419 a;406`, "", `set curves.decimal = "comma", so that points separate thousands`},
		"points for thousands, denied":          {"z;y", `a;50.000 a;4.419 a;406`, "point", `curves.decimal = "point" reads 50`},
		"commas that are either":                {"y", `"50,123" "4,419"`, "", `c.csv:2: column "y": set curves.decimal = "point" or "comma": "50,123" on line 2 is 50123 or 50.123`},
		"commas that are said to be thousands":  {"y", `"50,123" "4,419"`, "point", "50123 4419"},
		"commas that are said to be decimal":    {"y", `"50,123" "4,419"`, "comma", "50.123 4.419"},
		"a point beside a whole number":         {"z,y", `a,12.500 a,10`, "", `column "y": set curves.decimal = "point" or "comma": "12.500" on line 2`},
		"points that are said to be decimal":    {"z,y", `a,12.500 a,10`, "point", "12.5 10"},
		"points that are said to be thousands":  {"z,y", `a,12.500 a,10`, "comma", "12500 10"},
		"points that are either":                {"z;y", `a;2.303 a;1.982`, "", `column "y": set curves.decimal = "point" or "comma": "2.303" on line 2 is 2.303 or 2303`},
		"points, in fields between commas":      {"z,y", `a,2.303 a,1.982 a,1`, "", "2.303 1.982 1"},
		"points, as one is below 1":             {"z;y", `a;2.303 a;0.982`, "", "2.303 0.982"},
		"points, as one has four decimals":      {"z;y", `a;2.303 a;1.9825`, "", "2.303 1.9825"},
		"points, as another column has":         {"z;y", `0.5;2.303 0.25;1.982`, "", "2.303 1.982"},
		"thousands, as another column has them": {"z,y", `0.5,"50,123" 0.25,"4,419"`, "", "50123 4419"},
		"thousands beside decimal commas":       {"z;y", `0,5;1.234 0,25;2.345`, "comma", "1234 2345"},
		"both marks":                            {"y", `"100,251.46" "6,250.00" 390.5`, "", "100251.46 6250 390.5"},
		"both marks, the other way":             {"z;y", `a;100.251,46 a;6.250,00`, "comma", "100251.46 6250"},
		"two notations in a column":             {"z;y", `a;0.5 a;0,25`, "comma", `column "y": "0.5" on line 2 has a decimal point, and "0,25" on line 3 a decimal comma; write all`},
		"two notations that are either":         {"z;y", `a;2.303 a;1,982`, "comma", "have different marks, for decimals or for thousands; write all"},
		"decimal commas, unsaid":                {"z;y", `a;0,5 a;0,25`, "", `"0,5" on line 2 is not a number; if commas are decimal marks, set curves.decimal = "comma"`},
		"zeros need no decimals":                {"z;y", `a;2.500 a;0 a;0.125`, "", "2.5 0 0.125"},
		"JSON has points":                       {"", `{"y":50.120} {"y":406}`, "", "50.12 406"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.TrimPrefix(c.head+"\n"+strings.ReplaceAll(c.rows, " ", "\n"), "\n")
			o := Options{File: "c.csv", Decimal: c.decimal}
			table, err := o.Read(write(t, map[string]string{"c.csv": text}), wanted("y"), nil)
			if err != nil {
				require.ErrorContains(t, err, c.want)
				return
			}
			var got []string
			for _, p := range table.Curves[0].Points {
				got = append(got, strconv.FormatFloat(p.Values[0], 'f', -1, 64))
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

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

// TestMeshStudies: the column of a discretisation parameter is x, whatever the order of the rows, and points go from coarse to fine.
func TestMeshStudies(t *testing.T) {
	for name, c := range map[string]struct {
		text                    string
		abscissa, step, method  string
		metrics, meshes, curves string
		unsorted                bool
	}{
		"width":             {"h,e\n0.5,4\n0.25,2\n0.125,1\n", "h", "", "", "[e]", "[]", " h 0.5:[4] 0.25:[2] 0.125:[1]", false},
		"fine to coarse":    {"h,e\n0.125,1\n0.25,2\n0.5,4\n", "h", "", "", "[e]", "[]", " h 0.5:[4] 0.25:[2] 0.125:[1]", false},
		"no order":          {"h,e\n0.25,2\n0.5,4\n0.125,1\n", "h", "", "", "[e]", "[]", " h 0.5:[4] 0.25:[2] 0.125:[1]", true},
		"number":            {"N,e\n4,2\n2,4\n8,1\n", "N", "", "", "[e]", "[]", " N 2:[4] 4:[2] 8:[1]", true},
		"several":           {"cells,h,e,time\n4,0.5,4,1\n16,0.25,2,1.5\n64,0.125,1,1.25\n", "h", "", "", "[e time]", "[cells]", " h 0.5:[4 1] 0.25:[2 1.5] 0.125:[1 1.25]", false},
		"methods":           {"element,h,e\nP1,0.5,4\nP1,0.25,2\nP2,0.5,2\nP2,0.25,1\n", "h", "", "element", "[e]", "[]", "P1 h 0.5:[4] 0.25:[2]|P2 h 0.5:[2] 0.25:[1]", false},
		"degrees":           {"p,h,e\n1,0.5,4\n1,0.25,2\n1,0.125,1\n2,0.5,2\n2,0.25,1\n2,0.125,0.5\n", "h", "", "p", "[e]", "[]", "1 h 0.5:[4] 0.25:[2] 0.125:[1]|2 h 0.5:[2] 0.25:[1] 0.125:[0.5]", false},
		"blanks":            {"# h   e\n 0.5   4.0\n 0.25  2\n 0.125 1\n", "h", "", "", "[e]", "[]", " h 0.5:[4] 0.25:[2] 0.125:[1]", false},
		"ruled, of Fortran": {"# run 5\n  h      e    order\n ---- ------ ----\n 0.5D0 4.0D+00  -\n 2.5D-01 2.0d0 1.00\n\n# the end\n 0.125 1 1.0\n", "h", "", "", "[e]", "[]", " h 0.5:[4] 0.25:[2] 0.125:[1]", false},
		"of Markdown":       {"| h | L2 error |\n|:--|---|\n| 0.5 | 4 |\n| 0.25 | 2 |\n| 0.125 | 1 |\n", "h", "", "", "[L2 error]", "[]", " h 0.5:[4] 0.25:[2] 0.125:[1]", false},
		"levels":            {"cycle,dofs,iterations,e\n0,4,7,4\n1,16,9,2\n2,64,12,1\n", "dofs", "", "", "[cycle e iterations]", "[]", " dofs 4:[0 4 7] 16:[1 2 9] 64:[2 1 12]", false},
		"wide":              {"h,P1,P2\n0.5,4,1\n0.25,2,0.5\n0.125,1,0.25\n", "h", "", "", "[P1 P2]", "[]", " h 0.5:[4 1] 0.25:[2 0.5] 0.125:[1 0.25]", false},
		"of a log":          {"iter,dt,e\n1,0.5,4\n2,0.25,2\n3,0.7,1\n4,0.2,1\n", "", "iter", "", "[dt e]", "[]", "", false},
		"counts and noise":  {"iterations,dt,e\n1,0.5,4\n2,0.25,2\n3,0.7,1\n4,0.2,1\n", "", "iterations", "", "[dt e]", "[]", "", false},
		"one mesh":          {"h,e\n0.5,4\n", "h", "", "", "[e]", "[]", " h 0.5:[4]", false},
	} {
		dir := write(t, map[string]string{"c.txt": c.text})
		g, err := Propose([]string{filepath.Join(dir, "c.txt")})
		require.NoError(t, err, name)
		assert.Equal(t, []string{c.abscissa, c.step, c.method, c.metrics, c.meshes}, []string{g.Abscissa, g.Step, g.Method, fmt.Sprint(g.Metrics), fmt.Sprint(g.Meshes)}, name)
		if c.abscissa == "" {
			continue
		}
		table, err := g.Read("", wanted(g.Metrics...), nil)
		require.NoError(t, err, name)
		var curves []string
		for _, one := range table.Curves {
			assert.Equal(t, c.unsorted, one.Unsorted, name)
			text := one.Method + " " + c.abscissa
			for i := range one.Points {
				p := table.Recorded(&one.Points[i])
				x, _ := p.Abscissa(c.abscissa)
				assert.Equal(t, i+1, p.Step, name)
				text += fmt.Sprintf(" %v:%v", x, one.Points[i].Values)
			}
			curves = append(curves, text)
		}
		assert.Equal(t, c.curves, strings.Join(curves, "|"), name)
	}
}

// TestFilesOfMeshStudies: numbers in the names of files are degrees, unless a word says that they are seeds.
func TestFilesOfMeshStudies(t *testing.T) {
	const text = "h,e\n0.5,4\n0.25,2\n"
	for names, want := range map[[2]string]string{{"P1.csv", "P2.csv"}: "{method}.csv", {"rk-2.csv", "rk-4.csv"}: "rk-{method}.csv", {"seed1.csv", "seed2.csv"}: "seed{seed}.csv"} {
		dir := write(t, map[string]string{names[0]: text, names[1]: text})
		g, err := Propose([]string{filepath.Join(dir, names[0]), filepath.Join(dir, names[1])})
		require.NoError(t, err)
		assert.Equal(t, want, filepath.Base(g.File))
	}
}

// TestEpochsThatFall: a width that stands in the column of epochs falls, too.
func TestEpochsThatFall(t *testing.T) {
	dir := write(t, map[string]string{"c.csv": "h,e\n0.125,1\n0.5,4\n0.25,2\n"})
	o := Options{File: "c.csv", Epoch: "h"}
	table, err := o.Read(dir, wanted("e"), nil)
	require.NoError(t, err)
	assert.Equal(t, "  1/0.5/0:[4] 2/0.25/0:[2] 3/0.125/0:[1]\n", told(table))
}

// TestBadMeshes: what is wrong with a mesh is said with its line and column.
func TestBadMeshes(t *testing.T) {
	for text, want := range map[string]string{
		"h,e\n0.5,4\n0,2\n":           `c.csv:3: column "h": "0" is no mesh, of which the parameter is a finite number above 0; correct it`,
		"h,e\n0.5,4\n-0.25,2\n":       `c.csv:3: column "h": "-0.25" is no mesh`,
		"h,e\n0.5,4\n,2\n":            `c.csv:3: column "h": "" is no mesh`,
		"h,e\n0.5,4\n0.25,2\n0.5,3\n": `c.csv:4: h 0.5 has "e" a second time, after line 2; a mesh has one row: remove one`,
		"h L2 e\n0.5 4\n0.25 2\n":     `c.csv:2: the row has 2 fields, and the header 3; write - where there is no value, and names without blanks`,
		"h e\n0.5 4\n0.25 2 1\n":      `c.csv:3: the row has 3 fields, and the header 2; write - where there is no value`,
	} {
		dir := write(t, map[string]string{"c.csv": text})
		o := Options{File: "c.csv", Abscissa: "h"}
		_, err := o.Read(dir, wanted("e"), nil)
		require.ErrorContains(t, err, want)
	}
}

// A folder stands for its tables, also those below, and a pattern for the files that have such names.
func TestExpand(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"runs/sgd/1.csv", "runs/sgd/2.CSV", "runs/adam/1.jsonl", "runs/sgd/notes.md", "runs/.cache/1.csv", "empty/plot.png", "odd[1].csv"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	for arg, want := range map[string][]string{
		"runs":             {"runs/adam/1.jsonl", "runs/sgd/1.csv", "runs/sgd/2.CSV"},
		"runs/[as]*/1.csv": {"runs/sgd/1.csv"},
		"odd[1].csv":       {"odd[1].csv"},
		"absent.csv":       {"absent.csv"},
	} {
		got, err := Expand([]string{arg})
		require.NoError(t, err)
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		assert.Equal(t, want, got)
	}
	_, err := Expand([]string{"empty"})
	require.ErrorContains(t, err, "empty: has no file that ends with .csv")
	_, err = Expand([]string{"runs/*.xls"})
	require.ErrorContains(t, err, "runs/*.xls: no file has such a name")
}
