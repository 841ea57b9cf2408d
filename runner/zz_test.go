package runner

import (
	"context"
	"fmt"
	"os"
	"testing"

	"repro/datasets"
	"repro/experiments"
	"repro/results"
)

func TestTry(t *testing.T) {
	id := os.Getenv("TRY")
	if id == "" {
		t.Skip()
	}
	refs, err := experiments.Resolve([]string{id})
	if err != nil {
		t.Fatal(err)
	}
	s, err := experiments.Load(refs[0], experiments.LoadOptions{Profile: os.Getenv("PROFILE")})
	if err != nil {
		t.Fatal(err)
	}
	out := os.Getenv("OUT")
	sum, err := Run(context.Background(), s.Expand(), Options{Out: out, Library: datasets.NewLibrary(), Observe: func(e Event) {
		if e.Kind == Ended {
			fmt.Println(e.Cell.Name, e.Status, e.Reason, e.Duration)
		}
	}})
	fmt.Println(sum, err)
	st, err := results.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range st.Records {
		if len(r.Points) == 0 {
			fmt.Println(r.Header.Cell, r.End)
			continue
		}
		p := r.Points[len(r.Points)-1]
		fmt.Print(r.Header.Cell, " step ", p.Step, " ", p.Timing.Setup, "+", p.Timing.Train)
		for k, v := range p.Values {
			if v != nil {
				fmt.Printf(" %s=%.4g", k, *v)
			}
		}
		fmt.Println()
	}
	for _, v := range results.Judge(s.Experiment(), st.Records) {
		fmt.Println(v.Claim, v.Verdict, v.AtSize, v.Reason)
	}
}
