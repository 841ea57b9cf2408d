package experiments

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/results/claims"
	"repro/runner/goldentest"
)

// layoutsFile has a line for each profile of each spec of the catalog: its id, the profile, and the SHA-256 of what it means.
var layoutsFile = filepath.Join("testdata", "layouts.txt")

// TestLayouts holds every layout of every spec to a digest, so that a spec can be written in another way and the loader be
// rearranged without any change of what runs, is claimed and drawn. A paper's or a spec's part runs alone:
//
//	go test ./experiments -run TestLayouts/of/li2016
//	go test ./experiments -run TestLayouts/of/li2016/objective-a9a
//
// With the environment variable LAYOUTS = a folder it writes there what each layout means, as JSON with sorted keys, so that
// diff -r shows what changed between two commits. A change that is meant is accepted by -update, of the whole catalog.
func TestLayouts(t *testing.T) {
	golden, err := os.ReadFile(layoutsFile)
	require.NoError(t, err)
	ids := builtinIDs(t)
	lines := make([]string, len(ids)) // of the specs that -run names
	t.Run("of", func(t *testing.T) {
		for i, id := range ids {
			t.Run(id, func(t *testing.T) {
				t.Parallel()
				for layout, text := range dumpsOf(t, id) {
					line := fmt.Sprintf("%s %x\n", layout, sha256.Sum256(text))
					if lines[i] += line; !strings.Contains(string(golden), line) {
						t.Logf("%s means something else than before; the comment of TestLayouts says how to see what", layout)
						if f := flag.Lookup("update"); f.Value.String() != "true" {
							t.Fail()
						}
					}
				}
			})
		}
	})
	if !slices.Contains(lines, "") {
		all := strings.SplitAfter(strings.Join(lines, ""), "\n")
		slices.Sort(all)
		goldentest.Equal(t, layoutsFile, strings.Join(all, ""))
	}
}

// dumpsOf returns what each profile of a spec means, by "id profile". At profile paper the spec is checked under all profiles; at
// others it is loaded as one that tests load so, without that, or as one that a list only names, without any check: it means the same.
func dumpsOf(t *testing.T, id string) map[string][]byte {
	dumps := map[string][]byte{}
	first, err := loadedAt(id, "paper")
	if !assert.NoError(t, err) {
		return nil
	}
	for i, profile := range first.Profiles {
		s := first
		if profile != "paper" {
			src, err := find(id)
			require.NoError(t, err)
			src.Checked, src.Passed = i%2 == 0, i%2 == 1
			s, err = Load(src, LoadOptions{Profile: profile})
			if !assert.NoError(t, err) {
				continue
			}
		}
		text := layoutOf(t, s)
		dumps[id+" "+profile] = text
		if dir := os.Getenv("LAYOUTS"); dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, strings.ReplaceAll(id, "/", "+")+"@"+profile+".json"), text, 0o644))
		}
	}
	return dumps
}

// layoutOf returns everything that a laid-out spec says but the order of its claims. Keys without a value count as absent, so
// that a key can be added to the format.
func layoutOf(t *testing.T, s *Spec) []byte {
	e := s.Experiment()
	cells := map[string]any{}
	for i, c := range s.Expand() {
		cells[c.Name] = map[string]any{"place": i + 1, "digest": c.Digest, "settings": c.Settings, "needs": c.Needs, "budget": c.Budget(), "memory": c.Memory()}
	}
	out := map[string]any{
		"id": s.ID, "title": s.Title, "source": s.Source, "notes": s.Notes, "auxiliary": s.Auxiliary, "no_ci": s.NoCI,
		"repeat": s.Repeat, "evaluate": s.Evaluate, "published": s.Published, "profile": s.Profile, "profiles": s.Profiles, "alone": s.Alone(),
		"paper": e.Paper.Key, "methods": e.Methods, "planned": e.Expected, "figures": e.Figures, "tables": e.Tables,
		"ambiguities": e.Ambiguities, "cells": cells, "groups": groups(s),
		"claims": byID(e.Claims), "unconverted": byID(s.Claims),
		"original": map[string]any{"settings": e.Original.Settings, "claims": byID(e.Original.Claims)},
	}
	text, err := json.Marshal(out)
	require.NoError(t, err)
	var plain any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&plain))
	text, err = json.MarshalIndent(withoutEmpty(plain), "", " ")
	require.NoError(t, err)
	return text
}

// A layoutClaim is a claim as the stored digests know it: the reason why it holds stands beside the words "any size".
type layoutClaim struct {
	claims.Claim
	Holds string `json:"holds"`
	Why   string `json:"holds_why"`
}

func byID(list []claims.Claim) map[string]layoutClaim {
	m := map[string]layoutClaim{}
	for _, c := range list {
		known := layoutClaim{Claim: c, Why: c.Holds}
		if c.Holds != "" {
			known.Holds = "any size"
		}
		m[c.ID] = known
	}
	return m
}

// groups returns the grid of each method that is a combination of one.
func groups(s *Spec) map[string]string {
	m := map[string]string{}
	for _, method := range s.Methods {
		m[method.ID] = method.Group
	}
	return m
}

// withoutEmpty removes the keys of tables that hold no value: null, false, 0, and what is empty.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if e = withoutEmpty(e); e == nil {
				delete(v, k)
			} else {
				v[k] = e
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i, e := range v {
			if e = withoutEmpty(e); e != nil {
				v[i] = e
			}
		}
		if len(v) == 0 {
			return nil
		}
	case json.Number:
		if v == "0" {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}
