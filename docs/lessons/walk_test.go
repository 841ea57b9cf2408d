package lessons_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "repro/algos/methods"
	"repro/docs/lessons"
	"repro/docs/lessons/lessonstest"
	"repro/plots/site"
)

// Time limits of all lessons together and of each, and of those that every run of the tests walks through, in seconds of computing.
const (
	mostTogether = 480
	mostEach     = 60
	quick        = 6
)

// TestWalks walks through the quick lessons, with CI_FULL through every one, and has the page of each judge answers by the same records.
func TestWalks(t *testing.T) {
	all, err := lessons.Read()
	require.NoError(t, err)
	sum := 0.0
	for _, l := range all {
		sum += l.Seconds()
		assert.LessOrEqual(t, l.Seconds(), float64(mostEach), "%s: seconds", l.File)
	}
	assert.LessOrEqual(t, sum, float64(mostTogether), "seconds of all lessons")
	for _, l := range all {
		if l.Seconds() > quick && os.Getenv("CI_FULL") == "" || testing.Short() && l.Number > 2 {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			dir := t.TempDir()
			lessonstest.Walk(t, l.Name, dir)
			runs, err := l.RecordedRuns(t.Context(), dir)
			require.NoError(t, err)
			judgeInThePage(t, l, runs)
		})
	}
}

// A judging is an answer to a question, and what is needed to judge it.
type judging struct {
	Ask    json.RawMessage `json:"ask"`
	Key    lessons.Key     `json:"key"`
	Answer lessons.Answer  `json:"answer"`

	want lessons.Score
}

// judgeInThePage gives the script of a lesson's page right answers, those that the lesson lists as wrong and others: it judges as the
// terminal does.
func judgeInThePage(t *testing.T, l *lessons.Lesson, runs lessons.Runs) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on the path, which runs the script of pages")
	}
	var all []judging
	for _, p := range l.Predictions() {
		question, err := site.AskData(p)
		require.NoError(t, err)
		key, err := p.Key(runs)
		require.NoError(t, err)
		for _, a := range answers(p, key) {
			all = append(all, judging{question, key, a, p.Score(key, a)})
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"package.json": `{"type": "module"}`, "main.js": `import { judge } from "./judge.js";
import fs from "node:fs";
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map((j) => judge(j.ask, j.key, j.answer))));`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, name := range []string{"judge.js", "numbers.js"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "plots", "web", name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	given, err := json.Marshal(all)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dir, "main.js"))
	cmd.Stdin = bytes.NewReader(given)
	out, err := cmd.Output()
	require.NoError(t, err)
	var judged []struct {
		Right bool
		Part  float64
		Says  string
	}
	require.NoError(t, json.Unmarshal(out, &judged))
	require.Len(t, judged, len(all))
	for i, j := range all {
		assert.Equal(t, j.want.Right, judged[i].Right, "%s %+v", j.Ask, j.Answer)
		assert.InDelta(t, j.want.Part, judged[i].Part, 1e-9, "%s %+v", j.Ask, j.Answer)
		if n := j.want.Listed; n > 0 && !strings.HasPrefix(j.want.Says, "Right.") {
			assert.Equal(t, j.Key.Says[n-1], judged[i].Says, "%s %+v", j.Ask, j.Answer)
		}
	}
}

// answers returns right and wrong answers to a question.
func answers(p *lessons.Predict, key lessons.Key) (all []lessons.Answer) {
	switch p.Kind {
	case lessons.Choice:
		for i := range p.Choices {
			all = append(all, lessons.Answer{Choice: i + 1})
		}
	case lessons.Number:
		for _, factor := range []float64{1, 1.1, 1.5, 3, 100, -1} {
			v := factor * key.Number
			all = append(all, lessons.Answer{Number: &v})
		}
		for _, w := range p.Wrong {
			all = append(all, lessons.Answer{Number: w.Near})
		}
	case lessons.Order:
		reversed := slices.Clone(key.Order)
		slices.Reverse(reversed)
		all = append(all, lessons.Answer{Order: key.Order}, lessons.Answer{Order: reversed})
		for _, w := range p.Wrong {
			all = append(all, lessons.Answer{Order: w.Order})
		}
	case lessons.Draw:
		all = append(all, lessons.Answer{Draw: key.Draw}, lessons.Answer{Draw: p.Straight(0.37, key.Draw[0])})
		for _, w := range p.Wrong {
			all = append(all, lessons.Answer{Draw: p.Straight(*w.Slope, key.Draw[0])})
		}
	}
	return all
}
