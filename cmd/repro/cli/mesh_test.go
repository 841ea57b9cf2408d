package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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
// mesh is named, harmless changes pass. With -update it writes the table of docs/order-of-your-code.md.
func TestOrderOfYourCode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	page := filepath.Join(root, "docs", "order-of-your-code.md")
	var rows strings.Builder
	for _, s := range meshStudies {
		ran := t.Run(s.name, func(t *testing.T) {
			meshFolder(t, root, s.tool)
			withCommands(t)
			built := func(source string) {
				write(t, s.source, source)
				o := shell(t, s.build)
				require.Zero(t, o.status, o.errors)
			}
			check := "repro check " + s.spec + " --profile paper --allow-external --baseline accepted"
			source := read(t, s.source)
			built(source)
			o := shell(t, check)
			require.Equal(t, 4, o.status, o.out+o.errors)
			o = shell(t, "repro baseline accept "+s.spec+" --profile paper --baseline accepted --log log.md --claim '*' --reason first")
			require.Zero(t, o.status, o.out+o.errors)
			o = shell(t, check)
			require.Zero(t, o.status, o.out+o.errors)
			for i, c := range s.changes {
				require.Contains(t, source, c.old)
				built(strings.Replace(source, c.old, c.new, 1))
				o := shell(t, check)
				want := 1
				if i == 3 {
					want = 0
				}
				if !assert.Equal(t, want, o.status, "%s\n%s%s", c.did, o.out, o.errors) {
					continue
				}
				says := "passes"
				if want == 1 {
					says = shownAt.FindString(o.out)
					assert.NotEmpty(t, says, "no mesh is named after: %s\n%s", c.did, o.out)
				}
				fmt.Fprintf(&rows, "| %s | %s | %s |\n", s.name, c.did, says)
			}
		})
		if !ran {
			return
		}
	}
	const from, to = "<!-- changes (go test ./cmd/repro/cli -run TestOrderOfYourCode -update) -->\n\n", "\n<!-- end of the changes -->"
	text := read(t, page)
	head, rest, found := strings.Cut(text, from)
	require.True(t, found)
	_, tail, found := strings.Cut(rest, to)
	require.True(t, found)
	if strings.Count(rows.String(), "\n") < 16 {
		t.Skip("a tool is missing here, so that the table is not compared")
	}
	goldentest.Equal(t, page, head+from+"| Program | Change | The gate says |\n|---|---|---|\n"+rows.String()+to+tail)
}

// shownAt is how a check names the mesh at which an order or an error became worse.
var shownAt = regexp.MustCompile(`at (h|dt|n|N) = [^;\n]*`)

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
