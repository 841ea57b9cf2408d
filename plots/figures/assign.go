package figures

import (
	"cmp"
	"slices"
	"strings"

	"repro/results/claims"
)

// An assignment gives every method of a paper the number of its style, the same in all figures of the paper.
type assignment map[string]int

// assign chooses the styles of the methods in casts, those in most casts first. Two methods of one cast never have the same
// style, and have the same colour only if a cast has more methods than there are colours, or if the colours that are left
// are all taken in other casts. Ids that name one method at different settings have one style: see variants.
func assign(casts []claims.Cast) assignment {
	of := variants(casts)
	in := map[string][]int{} // the casts of each group
	var groups []string
	for i, c := range casts {
		for _, m := range c {
			g := of[m.ID]
			if in[g] == nil {
				groups = append(groups, g)
			}
			if !slices.Contains(in[g], i) {
				in[g] = append(in[g], i)
			}
		}
	}
	slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(len(in[b]), len(in[a])) })
	style := map[string]int{}
	for range assignRounds { // later rounds see the styles of all other methods
		for _, g := range groups {
			delete(style, g)
			style[g] = cheapest(func(i int) (taken []int) {
				for _, m := range casts[i] {
					if other, ok := style[of[m.ID]]; ok {
						taken = append(taken, other)
					}
				}
				return taken
			}, in[g])
		}
	}
	out := assignment{}
	for id, g := range of {
		out[id] = style[g]
	}
	return out
}

const assignRounds = 3

// cheapest returns the style that differs most from those taken in the casts in which a method is.
func cheapest(taken func(cast int) []int, casts []int) int {
	costs := make([]int, StyleCount)
	for _, i := range casts {
		for _, other := range taken(i) {
			costs[other] += 1000 // never, while another style is free
			for s := ColourOf(other); s < StyleCount; s += ColourCount {
				costs[s]++
			}
		}
	}
	return slices.Index(costs, slices.Min(costs))
}

// variants groups the ids in casts by method and returns the first id of each id's group. Two ids belong to one group if
// they have the same label, or if one is the other with a suffix, as norma and norma-time, unless a cast has both groups.
func variants(casts []claims.Cast) map[string]string {
	type group struct {
		ids, labels []string
		casts       []int
	}
	var ids []*group
	for i, c := range casts {
		for _, m := range c {
			k := slices.IndexFunc(ids, func(g *group) bool { return g.ids[0] == m.ID })
			if k < 0 {
				k = len(ids)
				ids = append(ids, &group{ids: []string{m.ID}})
			}
			ids[k].labels = AppendNew(ids[k].labels, m.Label)
			ids[k].casts = append(ids[k].casts, i)
		}
	}
	related := func(g, h *group) bool {
		for _, a := range g.ids {
			for _, b := range h.ids {
				if strings.HasPrefix(a, b+"-") || strings.HasPrefix(b, a+"-") {
					return true
				}
			}
		}
		return overlap(g.labels, h.labels)
	}
	var groups []*group
	for _, one := range ids {
		k := slices.IndexFunc(groups, func(g *group) bool { return related(g, one) && !overlap(g.casts, one.casts) })
		if k < 0 {
			groups = append(groups, one)
			continue
		}
		g := groups[k]
		g.ids, g.labels, g.casts = append(g.ids, one.ids...), append(g.labels, one.labels...), append(g.casts, one.casts...)
	}
	of := map[string]string{}
	for _, g := range groups {
		for _, id := range g.ids {
			of[id] = g.ids[0]
		}
	}
	return of
}

// overlap reports whether two lists have an element in common.
func overlap[T comparable](a, b []T) bool {
	return slices.ContainsFunc(a, func(x T) bool { return slices.Contains(b, x) })
}

// Styles returns the number of the style of every series of a figure: its method's in the paper. A further series of a method
// has the method's colour and another dash and marker.
func Styles(exp claims.Experiment, series []claims.Series) []int {
	var casts []claims.Cast
	if exp.Casts != nil {
		casts = exp.Casts()
	}
	all := assign(casts)
	for _, s := range series {
		if _, known := all[s.Method]; !known && s.Method != Truth {
			all = assign(append(slices.Clone(casts), exp.Methods))
			break
		}
	}
	out := make([]int, len(series))
	drawn, used := map[string]bool{}, map[int]bool{}
	again := make([]bool, len(series))
	for k, s := range series {
		out[k] = all[s.Method]
		if s.Method == Truth {
			out[k] = TruthStyle
		}
		again[k] = drawn[s.Method]
		drawn[s.Method], used[out[k]] = true, true
	}
	for k := range series {
		for n := 0; again[k] && used[out[k]] && n < variantCount; n++ {
			out[k] = (out[k] + ColourCount) % StyleCount
		}
		used[out[k]] = true
	}
	return out
}
