package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/findings"
	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/results/baseline"
	"repro/results/builds"
	"repro/results/changes"
	"repro/results/claims"
	"repro/results/records"
	"repro/results/requests"
)

func newCall(t *terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:   "call",
		Short: "Answer one JSON request on stdin, for programs in other languages",
		Long: `Call reads curves and one claim about them as a JSON object from stdin, judges the claim, and prints a JSON
object: the verdict, a sentence and, if asked, a figure. It writes no file unless the request names a folder for the
report, or a file of accepted curves together with the reason why these are right. With such a file it also says
what became of the curves, as check does. docs/python.md has the keys, and packages that call it from Python,
R and Julia.

Exit status: 0 there is an answer, whatever the verdict; 2 a mistake in the request, which the key error of the
answer names.`,
		Example: `  echo '{"schema": 1, "curves": {"sgd": [[1, 0.5, 0.25, 0.12], [1, 0.5, 0.26, 0.13]]},
         "claim": {"kind": "geometric", "number": 0.5, "tolerance": 0.1}}' | repro call`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			answer, err := call(os.Stdin)
			if err != nil {
				answer = callAnswer{Schema: requests.Schema, Program: answer.Program, Error: &requests.Fault{Key: "request", Text: err.Error()}}
				errors.As(err, answer.Error)
				return errors.Join(terminal.PrintJSON(t.Stdout, answer), exits.Mistake)
			}
			return terminal.PrintJSON(t.Stdout, answer)
		},
	}
}

// A callAnswer is what call prints.
type callAnswer struct {
	Schema   int             `json:"schema"`
	Program  string          `json:"program"`
	Error    *requests.Fault `json:"error,omitempty"` // then there is nothing else
	Sentence string          `json:"sentence,omitempty"`
	Verdict  *claims.Verdict `json:"verdict,omitempty"`
	Gate     *callGate       `json:"gate,omitempty"`   // if the request names accepted curves
	Figure   string          `json:"figure,omitempty"` // SVG
	Report   string          `json:"report,omitempty"` // path of the report
	Picture  string          `json:"picture,omitempty"`
}

// A callGate says what became of accepted curves.
type callGate struct {
	Status  int              `json:"status"` // as that of check
	Text    string           `json:"text"`   // as check prints it
	Notes   []string         `json:"notes"`  // what was accepted, and why it guards little
	Outcome *changes.Outcome `json:"outcome"`
}

// mostRequest is the largest size of a request.
const mostRequest = 64 << 20

// call answers a request.
func call(stdin io.Reader) (a callAnswer, err error) {
	a = callAnswer{Schema: requests.Schema, Program: builds.Here()}
	text, err := io.ReadAll(io.LimitReader(stdin, mostRequest+1))
	if err == nil && len(text) > mostRequest {
		err = fmt.Errorf("has more than %d MiB; keep fewer points of each run", mostRequest>>20)
	}
	if err != nil {
		return a, err
	}
	r, err := requests.Read(text)
	if err != nil {
		return a, err
	}
	accepted, id, err := acceptedIn(r.Accepted)
	if err != nil {
		return a, err
	}
	exp, recs, err := r.Experiment(id)
	if err != nil {
		return a, err
	}
	if r.Accepted != nil && r.Accepted.FailOn != nil {
		exp.FailOn = append(slices.Clone(r.Accepted.FailOn), string(changes.OfWork)) // of which these curves have none
	}
	judged := claims.Judge(exp, recs)
	a.Verdict = &judged.Verdicts[0]
	a.Sentence = figures.PlainText(figures.VerdictSentence(exp, *a.Verdict))
	var beside *plots.Run
	if r.Accepted != nil {
		p := pending{exp: exp, accepted: accepted}
		if p.base, err = accepted.Read(id); err != nil {
			return a, requests.Fault{Key: "accepted", Text: err.Error()}
		}
		if a.Gate, err = p.answer(*r.Accepted, recs); err != nil {
			return a, requests.Fault{Key: "accepted", Text: err.Error()}
		}
		if was := p.base.Records(judged.Records); len(was) > 0 {
			beside = &plots.Run{Name: "accepted", Cases: []claims.Case{{Experiment: exp, Records: was}}}
		}
	}
	if r.Figure {
		f, err := figures.Build("", judged, exp.Figures[0])
		if err != nil {
			return a, err
		}
		picture, err := drawings.Render(f)
		if err != nil {
			return a, err
		}
		a.Figure = string(picture.Files[0].Data)
	}
	if r.Report != "" {
		if _, err := findings.Write(r.Report, []claims.Case{judged}, nil, plots.Output{Beside: beside}); err != nil {
			return a, requests.Fault{Key: "report", Text: err.Error()}
		}
		a.Report = filepath.Join(r.Report, "report.html")
		a.Picture = filepath.Join(r.Report, "figures", filepath.FromSlash(exp.ID), exp.Figures[0].ID+".svg")
	}
	return a, nil
}

// acceptedIn returns the folder of the accepted curves that a request names, and the experiment that they are of.
func acceptedIn(named *requests.Accepted) (a baseline.Accepted, id string, err error) {
	if named == nil {
		return a, "", nil
	}
	path, err := filepath.Abs(named.File)
	stem, isJSON := strings.CutSuffix(filepath.Base(path), ".json")
	if err != nil || !isJSON {
		return a, "", requests.Fault{Key: "accepted", Text: "file must be the path of a file that ends with .json"}
	}
	folder := filepath.Dir(path)
	return baseline.Accepted{Dir: filepath.Dir(folder)}, filepath.Base(folder) + "/" + stem, nil
}

// answer compares records with the accepted state of a pending experiment or, where the request says why, accepts them.
func (p *pending) answer(asked requests.Accepted, recs []*records.Record) (*callGate, error) {
	g := &callGate{Notes: []string{}}
	out := changes.NewOutcome(asked.File)
	if asked.FailOn != nil {
		out.FailOn = asked.FailOn
		if err := changes.CheckFailsOn(out.FailOn); err != nil {
			return nil, err
		}
	}
	g.Outcome = &out
	p.now = changes.Take(p.exp, recs)
	retaken := p.base.Retake(p.exp, recs)
	if p.base.Experiment != "" {
		out.Add(p.exp, p.base, retaken, changes.Options{})
	} else {
		out.Changes = changes.Compare(p.exp, p.base, retaken, changes.Options{})
	}
	changes.Decide(out.Changes, changes.Level(changes.Alpha))
	changes.DecideShifts(out.Shifts)
	p.changes, p.shifts, p.stale = out.Changes, out.Shifts, changes.Stale(p.exp, p.base)
	if strings.TrimSpace(asked.Why) != "" {
		how := acceptance{reason: asked.Why, log: strings.TrimSuffix(asked.File, ".json") + ".tsv"}
		for _, id := range append(p.stale, "claim "+p.exp.Claims[0].ID) {
			how.claims = append(how.claims, p.exp.ID+"#"+strings.TrimPrefix(id, "claim "))
		}
		if err := how.check(); err != nil {
			return g, err
		}
		_, err := p.accept(how, func(format string, args ...any) { g.Notes = append(g.Notes, fmt.Sprintf(format, args...)) })
		return g, err
	}
	out.Close()
	var text bytes.Buffer
	printChanges(&terminal.Output{To: &text}, out)
	g.Status, g.Text = out.Status, text.String()
	return g, nil
}
