package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/runner/goldentest"
)

// A studied is a program of docs/examples/mesh with its spec.
type studied struct {
	name, source, spec, tool, build string
	changes                         []change // three bugs, and one that is harmless
}

// A change is an edit of a program: what its author did, and the text before and after.
type change struct{ did, old, new string }

var meshStudies = []studied{
	{"finite elements, Python", "poisson.py", "poisson.toml", "python3", "", []change{
		{"boundary term forgotten", "        np.add.at(b, edges", "        np.add.at(0 * b, edges"},
		{"right-hand side at the centroid only", "f(*x), values)", "f(*x.mean(axis=2, keepdims=True)) + 0 * x[0], values)"},
		{"two digits of a weight swapped", "0.109951743655322", "0.109915743655322"},
		{"another order of the unknowns in the solver", "spsolve(A[free][:, free], b[free])", `spsolve(A[free][:, free], b[free], permc_spec="MMD_AT_PLUS_A")`},
	}},
	{"integrators, C", "ode.c", "ode.toml", "cc", "cc -O2 -o ode ode.c -lm", []change{
		{"first-order start of the four-step method", "else z = rk4(t, y, h);", "else z = strcmp(method, \"ab4\") ? rk4(t, y, h) : y + h * f(t, y);"},
		{"third stage at the time of the first", "k3 = f(t + h / 2,", "k3 = f(t,"},
		{"BDF2 with f at the time before", "    t += h;\n    do", "    do"},
		{"another order of summation", "k1 + 2 * k2 + 2 * k3 + k4", "k4 + 2 * k3 + 2 * k2 + k1"},
	}},
	{"quadrature, Go", "quadrature.go", "quadrature.toml", "go", "go build -o quadrature quadrature.go", []change{
		{"last panel left out", "for i := range n {", "for i := range n - 1 {"},
		{"weights of Gauss' rule wrong", "5*f(middle-node*h/2) + 8*f(middle) + 5*f(middle+node*h/2)", "4*f(middle-node*h/2) + 10*f(middle) + 4*f(middle+node*h/2)"},
		{"node with four digits", "0.7745966692414834", "0.7746"},
		{"panels from the right", "float64(i)*h, h)", "float64(n-1-i)*h, h)"},
	}},
	{"conjugate gradients, C++", "cg.cpp", "cg.toml", "c++", "c++ -O2 -o cg cg.cpp", []change{
		{"directions forgotten: steepest descent", "r[i] + rr / rr_before * p[i]", "r[i] + 0 * rr_before * p[i]"},
		{"restarted every 40 iterations", "r[i] + rr / rr_before * p[i]", "r[i] + (k % 40 ? rr / rr_before : 0) * p[i]"},
		{"neighbours across the ends of rows", "if (j > 0) u[k]", "if (k > 0) u[k]"},
		{"another order of summation", "for (std::size_t i = 0; i < a.size(); i++) sum", "for (std::size_t i = a.size(); i-- > 0;) sum"},
	}},
}

// TestOrderOfYourCode accepts the orders of four programs and holds the gate to three bugs and a harmless change in each: bugs fail and the
// mesh is named, harmless changes pass. With -update it writes the table of docs/examples/mesh/README.md.
func TestOrderOfYourCode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	rows := "| Program | Change | The check says |\n|---|---|---|\n"
	for _, s := range meshStudies {
		t.Run(s.name, func(t *testing.T) {
			meshFolder(t, root, s.tool)
			rows += s.checked(t)
		})
	}
	if strings.Count(rows, "\n") < 2+4*len(meshStudies) {
		t.Skip("without all four there is no table to compare")
	}
	page := filepath.Join(root, "docs", "examples", "mesh", "README.md")
	head, _, found := strings.Cut(read(t, page), " -update) -->\n")
	require.True(t, found)
	goldentest.Equal(t, page, head+" -update) -->\n\n"+rows+"\n<!-- end of the changes -->\n")
}

// checked accepts the program as it is, checks it after each change, and returns the rows of the table.
func (s studied) checked(t *testing.T) (rows string) {
	const of = " --profile paper --baseline accepted "
	withCommands(t)
	source := read(t, s.source)
	check := func(source string) outcome {
		write(t, s.source, source)
		built := shell(t, s.build)
		require.Zero(t, built.status, built.errors)
		return shell(t, "repro check "+s.spec+of+"--allow-external")
	}
	require.Equal(t, 4, check(source).status, "nothing is accepted yet")
	o := shell(t, "repro baseline accept "+s.spec+of+"--log log.tsv --claim '*' --reason first")
	require.Zero(t, o.status, o.out+o.errors)
	assert.Contains(t, o.errors, " reproduced\n", "no claim is accepted that does not hold")
	require.Zero(t, check(source).status)
	for i, c := range s.changes {
		require.Contains(t, source, c.old)
		o, status, says := check(strings.Replace(source, c.old, c.new, 1)), 1, "passes"
		if i == harmless {
			status = 0
		} else if says = orderFell.FindString(o.out); says == "" {
			says = errorGrew.FindString(o.out)
		}
		assert.Equal(t, status, o.status, "%s\n%s%s", c.did, o.out, o.errors)
		assert.NotEmpty(t, says, "%s: no mesh is named\n%s", c.did, o.out)
		rows += fmt.Sprintf("| %s | %s | %s |\n", s.name, c.did, says)
	}
	return rows
}

// harmless is the place of the harmless change.
const harmless = 3

// How a check names the mesh at which a code became worse.
var (
	orderFell = regexp.MustCompile(`the order between (h|dt|n) = \S+ and \S+ was \S+ and is -?[\d.]*\d`)
	errorGrew = regexp.MustCompile(`at (h|dt|n) = \S+ \w+ is \S+ times the accepted one`)
)

// TestPublishedTables holds the program to the verdicts that docs/examples/mesh/published/expected.tsv has of tables that others printed, and to
// reproduce none of their orders when 1/2 is added.
func TestPublishedTables(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	expected := read(t, filepath.Join(root, "docs", "examples", "mesh", "published", "expected.tsv"))
	meshFolder(t, root, "go")
	spec := read(t, "published/tables.toml")
	judged := func(spec string) map[string]string {
		write(t, "published/tables.toml", spec)
		words := map[string]string{}
		for _, v := range array(t, ok(t, "judge", "published/tables.toml", "--json").out) {
			words[v["claim"].(string)] = v["verdict"].(string)
		}
		return words
	}
	words := judged(spec)
	rows := regexp.MustCompile(`(?m)^([\w-]+)\t.*\t(\w+)$`).FindAllStringSubmatch(expected, -1)[1:] // without the names of the columns
	require.Len(t, rows, len(words))
	for _, row := range rows {
		assert.Equal(t, row[2], words[row[1]], row[1])
	}
	order := regexp.MustCompile(`order = "?([\d.]+)"?`)
	raised := order.ReplaceAllStringFunc(spec, func(s string) string {
		p, err := strconv.ParseFloat(order.FindStringSubmatch(s)[1], 64)
		require.NoError(t, err)
		return fmt.Sprintf(`order = "%g"`, p+0.5)
	})
	for claim, word := range judged(raised) {
		assert.NotEqual(t, "reproduced", word, "%s with an order that is higher by 1/2", claim)
	}
}

// meshFolder moves the test into a copy of docs/examples/mesh. It skips without the tool; the python3 that it puts first in PATH has SciPy.
func meshFolder(t *testing.T, root, tool string) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "docs", "examples", "mesh"))))
	t.Chdir(dir)
	t.Setenv("CI", "")
	if tool == "python3" {
		withModule(t, "scipy")
	} else if _, err := exec.LookPath(tool); err != nil {
		t.Skipf("there is no %s here", tool)
	}
}
