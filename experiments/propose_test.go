package experiments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzProposal: of whatever file and name, a proposed spec loads, and reads what the proposal read.
func FuzzProposal(f *testing.F) {
	for _, text := range []string{"method,seed,step,loss\na,0,1,2\na,0,2,1\nb,0,1,4\nb,0,2,3\n", "t,a\"b\n1,2\n2,1\n", "method,step,{x}\n{a},1,1\n\x1b[31m,1,2\nb\t,2,4\n", "model,loss\na,1\nA,2\na-,3\n",
		"step,seconds,step - x\n1,2,3\n2,3,4\n", "optimizer,run,epoch,loss,test-error\n\"x\ny\",3,0.5,-1,0\nz,5,0.5,1,1\n", `{"step":1,"y":NaN}` + "\n" + `{"step":2,"y":1e306}` + "\n" + `{"step":3,"y":-1e306}`,
		"solver_name,stop_val,time,objective_value\na,1e38,3,1\na,0.1,2,2\n", "step;loss\n1;0,5\n2;0,25\n"} {
		f.Add(text, "c.csv")
	}
	f.Add("method,seed,step,lo\x86j\b(ss\na,0,1,2\na,0,2,1", "c.csv")
	f.Add(",!,#\n,,0\n,0,1\n,1,", "0")
	f.Add("step,loss\n1,2\n2,1\n", "{method} \"$x\" \x1b[1m 'ü'\n.csv")
	f.Fuzz(func(t *testing.T, text, name string) {
		dir := t.TempDir()
		path := filepath.Join(dir, filepath.Base(name))
		if os.WriteFile(path, []byte(text), 0o600) != nil {
			return
		}
		p, err := Propose([]string{path}, dir)
		if err != nil {
			if !strings.Contains(name+text, "%!") {
				require.NotContains(t, err.Error(), "%!")
			}
			return
		}
		file := filepath.Join(dir, "my.toml")
		s, err := Load(Source{File: file, Text: p.Text}, LoadOptions{})
		require.NoError(t, err, p.Text)
		table, err := s.ReadCurves()
		require.NoError(t, err, p.Text)
		assert.Len(t, table.Curves, len(p.Table.Curves))
		for _, c := range s.Expand() {
			if _, _, err := c.Curve(); err != nil {
				require.ErrorIs(t, err, ErrAbsent, p.Text)
			}
		}
	})
}
