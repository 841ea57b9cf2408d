package page_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos"
	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/metrics"
	"repro/algos/schedules"
	"repro/cmd/repro/page"
	"repro/results/records"
)

// A draft is a small spec of one method that is mended until it runs.
type draft struct {
	data, loss, kernel, method, schedule, targets, nu string
	parameters                                        map[string]map[string]string // of the loss, the kernel and the method
	metrics                                           []string
	reference                                         bool
	lacks                                             map[string]bool // metrics that earlier runs with the loss refused
}

// drafted names every metric that there is.
func drafted(method string) *draft {
	return &draft{
		data: "dai2014-synthetic", loss: "square", kernel: "gaussian", method: method, nu: "1e-2",
		parameters: map[string]map[string]string{"loss": {}, "kernel": {}, "method": {}}, metrics: metrics.Names(), reference: true,
	}
}

func (d *draft) text() string {
	values := func(of, name, assigned, end string) string {
		text := of + " = " + fmt.Sprintf("%q", name)
		for _, k := range slices.Sorted(maps.Keys(d.parameters[assigned])) {
			text += end + k + " = " + d.parameters[assigned][k]
		}
		return text
	}
	text := "schema = 1\npaper = \"own\"\ntitle = \"Bits\"\nbudget = { steps = 12 }\n" + fmt.Sprintf("data = { name = %q, train = 60, test = 20 }\n", d.data) +
		"[problem]\nnu = " + d.nu + "\nloss = { " + values("name", d.loss, "loss", ", ") + " }\nkernel = { " + values("name", d.kernel, "kernel", ", ") + " }\n"
	if d.targets != "" {
		text += fmt.Sprintf("targets = %q\n", d.targets)
	}
	text += "[evaluate]\npoints = 3\nmetrics = [\"" + strings.Join(d.metrics, `", "`) + "\"]\n"
	if d.reference {
		text += "reference = \"krr\"\n"
	}
	text += "[[method]]\nid = \"m\"\n" + values("algorithm", d.method, "method", "\n") + "\n"
	if d.schedule != "" {
		text += fmt.Sprintf("step = { schedule = %q }\n", d.schedule)
	}
	return text
}

var (
	missing  = regexp.MustCompile(`^problem\.(loss|kernel)\.(\w+): `)
	unwanted = regexp.MustCompile(`^(?:evaluate\.metrics: "|metric )([\w-]+)`)
)

// mend changes the draft as a reason of the loader or of a run asks for, and says whether it could.
func (d *draft) mend(reason string) bool {
	parameter, metric := missing.FindStringSubmatch(reason), unwanted.FindStringSubmatch(reason)
	switch {
	case parameter != nil && d.parameters[parameter[1]][parameter[2]] != "2":
		value := map[string]string{"": "0.5", "0.5": "2"}[d.parameters[parameter[1]][parameter[2]]]
		d.parameters[parameter[1]][parameter[2]] = value
	case metric != nil:
		if strings.HasPrefix(reason, "metric ") && strings.Contains(reason, "loss "+d.loss) || strings.Contains(reason, "data set "+d.data) {
			d.lacks[metric[1]] = true
		}
		d.metrics = slices.DeleteFunc(slices.Clone(d.metrics), func(name string) bool { return name == metric[1] })
	case strings.Contains(reason, "has no regulariser") && d.nu != "0":
		d.nu = "0"
	case strings.Contains(reason, "landmarks from 60 training rows") && len(d.parameters["method"]) == 0:
		d.parameters["method"]["landmarks"] = "12"
	case strings.Contains(reason, "centres from 60 training rows") && len(d.parameters["method"]) == 0:
		d.parameters["method"]["centres"] = "12"
	case (strings.Contains(reason, "lower directions") || strings.Contains(reason, "need as many rows")) && d.parameters["method"]["directions"] == "":
		d.parameters["method"]["directions"] = "6"
	case strings.Contains(reason, `"m".landmarks: unknown key`):
		d.parameters["method"] = map[string]string{"features": "12"}
	case strings.Contains(reason, "step size of its own for smooth losses") && d.schedule == "":
		d.schedule = "inverse-sqrt"
	default:
		return false
	}
	return true
}

// settle mends the draft until it runs. It returns no record if it cannot, but why.
func (d *draft) settle(t *testing.T, name string) (s page.Spec, r *records.Record, why string) {
	t.Helper()
	for {
		desk := &page.Desk{Dir: t.TempDir(), Memory: 1 << 31}
		s = page.Spec{File: name + ".toml", Text: d.text()}
		var reasons []string
		for _, m := range desk.Check(t.Context(), s).Mistakes {
			reasons = append(reasons, m.Text)
		}
		if reasons == nil {
			store := run(t, s)
			require.Len(t, store.Records, 1)
			if r := store.Records[0]; r.End.Status.Complete() {
				return s, r, ""
			} else {
				reasons = append(reasons, r.End.Reason)
			}
		}
		mended := false
		for _, reason := range reasons {
			mended = d.mend(reason) || mended
		}
		if !mended && !d.reference {
			return s, nil, fmt.Sprint(reasons)
		}
		d.reference = d.reference && mended
	}
}

// sources has small generated data for every kind of target.
var sources = map[string]string{losses.Regression: "dai2014-synthetic", losses.Binary: "two-classes", losses.Multiclass: "three-classes", losses.None: "ring-and-spot"}

// everything returns small specs that run, with their records: with every method on every kind of target, every loss, and every kernel in
// every kind of method. With CI_FULL it is every method with every loss, and every kernel with all data.
func everything(t *testing.T) (specs []page.Spec, portable *records.Store) {
	t.Helper()
	portable = &records.Store{}
	seen, why, lacks := map[string]bool{}, map[string][]string{}, map[string]map[string]bool{}
	add := func(name string, d *draft, words ...string) bool {
		key := d.loss + d.data
		if lacks[key] == nil {
			lacks[key] = map[string]bool{}
		}
		d.lacks = lacks[key]
		d.metrics = slices.DeleteFunc(d.metrics, func(name string) bool { return d.lacks[name] })
		s, r, reason := d.settle(t, name)
		if reason != "" {
			for _, w := range words {
				why[w] = append(why[w], reason)
			}
			return false
		}
		specs, portable.Records = append(specs, s), append(portable.Records, r)
		for metric := range r.Points[len(r.Points)-1].Values {
			seen["metric "+metric] = true
		}
		for _, w := range words {
			seen[w] = true
		}
		return true
	}
	// some adds drafts until one runs: from a choice of their names that changes with i, or all of them.
	some := func(i int, names []string, add func(name string) bool) {
		for k := range names {
			if add(names[(i+k)%len(names)]) && os.Getenv("CI_FULL") == "" {
				return
			}
		}
	}
	tasks := map[string][]string{}
	for _, l := range losses.Names() {
		tasks[losses.Task(l)] = append(tasks[losses.Task(l)], l)
	}
	for i, m := range algos.Names() {
		for task, names := range tasks {
			some(i, names, func(l string) bool {
				d := drafted(m)
				d.loss, d.data = l, sources[task]
				return add(m+"-"+l, d, "method "+m, "loss "+l)
			})
		}
		some(i, []string{"test-kernels", "mean-variance"}, func(targets string) bool {
			d := drafted(m)
			d.targets = targets
			return add(m+"-"+targets, d, "method "+m)
		})
	}
	for _, k := range kernels.Names() {
		for _, m := range []string{"krr", "random-features", "phi-awv"} {
			some(0, []string{"dai2014-synthetic", "histograms", "heaviside"}, func(source string) bool {
				d := drafted(m)
				d.kernel, d.data = k, source
				return add(k+"-"+m+"-"+source, d, "kernel "+k)
			})
		}
	}
	for _, s := range schedules.Names() {
		d := drafted("dsg")
		d.schedule = s
		add("step-"+s, d, "schedule "+s)
	}
	for of, names := range map[string][]string{"method ": algos.Names(), "loss ": losses.Names(), "kernel ": kernels.Names(), "schedule ": schedules.Names(), "metric ": metrics.Names()} {
		for _, name := range names {
			assert.True(t, seen[of+name], "no small spec runs with %s%s: %v", of, name, why[of+name])
		}
	}
	return specs, portable
}

// Every method, loss, kernel, schedule and metric has in a page the bits that it has in portable code on a machine.
func TestBitsOfEverything(t *testing.T) {
	node(t)
	specs, here := everything(t)
	calls := make([]call, len(specs))
	for i, s := range specs {
		calls[i] = call{"run", s}
	}
	answers, out := ask(t, calls...)
	for i, a := range answers {
		require.Empty(t, a.Error, specs[i].File)
	}
	compared := records.Compare(here, written(t, out), 0)
	t.Logf("%d specs, %d cells", len(specs), len(compared))
	assert.Len(t, compared, len(specs))
	for _, d := range compared {
		assert.Equal(t, "identical values", d.Reason, "%s of %s", d.Cell, d.Experiment)
	}
}
