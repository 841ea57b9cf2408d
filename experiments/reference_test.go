package experiments

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"repro/algos/kernels"
	"repro/algos/losses"
	"repro/algos/schedules"
	"repro/datasets"
	"repro/experiments/spectree"
	"repro/experiments/strict"
	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/records"
	"repro/runner/goldentest"
)

// TestReferenceIsCommitted holds docs/spec.md and docs/spec to the tags, the registries and the catalog.
func TestReferenceIsCommitted(t *testing.T) {
	r := newReference(t)
	r.write()
	var names []string
	for _, p := range r.pages {
		names = append(names, p.name)
		goldentest.Equal(t, filepath.Join("..", "docs", filepath.FromSlash(p.name)), r.linked(t, p))
	}
	files, err := filepath.Glob("../docs/spec/*")
	require.NoError(t, err)
	for _, f := range files {
		assert.Contains(t, names, "spec/"+filepath.Base(f), "no part of the reference")
	}
}

// A section is a table of the spec with the keys of one Go type. The page of a table of the top level, which has brackets, has those
// of the tables in it.
type section struct {
	title, intro string
	defaults     reflect.Value
}

// A page of the reference is a file in docs.
type page struct {
	name, title string
	strings.Builder
}

// A reference writes the reference of the spec format in Markdown. Links are written as from one page in docs.
type reference struct {
	*page    // that is written
	pages    []*page
	examples map[reflect.Type]map[string]string // shortest values in the catalog, as TOML, by key
	titles   map[reflect.Type]string            // of the sections
}

func newReference(t *testing.T) *reference {
	r := &reference{examples: map[reflect.Type]map[string]string{}, titles: map[reflect.Type]string{}}
	for _, id := range builtinIDs(t) {
		src, err := find(id)
		require.NoError(t, err)
		spec, err := whole(src, &spectree.Mistakes{})
		require.NoError(t, err)
		root := spec.root
		root.Table().Remove("profile")
		r.collect(root, reflect.TypeFor[Spec]())
	}
	for _, s := range sections() {
		r.titles[s.defaults.Type()] = s.title
	}
	r.titles[reflect.TypeFor[claims.Row]()] = rowTitle
	return r
}

// collect takes the examples of a table whose keys are the fields of a type, and of the tables in it.
func (r *reference) collect(n *spectree.Node, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Slice {
		for _, e := range n.Items() {
			r.collect(e, t.Elem())
		}
		return
	}
	if n.Table() == nil {
		return
	}
	r.fields(n, t)
	if c, ok := strict.ChoiceOf(t); ok && n.Find(c.Key) != nil {
		r.fields(n, reflect.TypeOf(c.New(n.Find(c.Key).Text())).Elem())
	}
}

func (r *reference) fields(n *spectree.Node, t reflect.Type) {
	if t.Kind() != reflect.Struct {
		return
	}
	if r.examples[t] == nil {
		r.examples[t] = map[string]string{}
	}
	for _, f := range strict.Fields(t) {
		v := n.Find(f.Key)
		if v == nil {
			continue
		}
		text, old := spectree.Inline(v), r.examples[t][f.Key]
		if text != "[]" && len(text) <= 60 && (old == "" || len(text) < len(old) || len(text) == len(old) && text < old) {
			r.examples[t][f.Key] = text
		}
		r.collect(v, f.Type)
	}
}

const rowTitle = "papers.toml: [[KEY.row]]"

// papers writes the keys of papers.toml.
func (r *reference) papers() {
	r.open("papers", "papers.toml")
	r.WriteString("A program with specs of its own may put a papers.toml beside the folders of its specs. It has one table for each paper, named by the key\n" +
		"that specs give as `paper`. If a paper has rows, each of its experiments belongs to one of them.\n\n")
	r.table(reflect.ValueOf(claims.Paper{}))
	r.heading(rowTitle)
	r.table(reflect.ValueOf(claims.Row{}))
}

// sections lists the tables of a spec in the order of the reference.
func sections() []section {
	spec := reflect.ValueOf(*defaults())
	zero := func(t reflect.Type) reflect.Value { return reflect.Zero(t) }
	return []section{
		{"The top level", "", spec},
		{"[data]", "A registered [data set](#data-sets) or your own file, and what becomes of its rows. Rows are chosen in this order: `rows`, `test_rows` and `test_part`, then `classes`, `holdout`, and last `train` and `test`.", spec.FieldByName("Data")},
		{"data.scale", "A word, or a table with one of these keys. The word is that of `rule`.", zero(reflect.TypeFor[datasets.Scale]())},
		{"[problem]", "Unless `kind` says otherwise, every method minimises the same objective R(f) = E[l(f(x), y)] + ν/2·‖f‖² [dai2014 eq. (1)], where E is the mean over the training rows. Give `nu` or `nu_n`.", spec.FieldByName("Problem")},
		{"problem.loss", "The name of a [loss](#losses), or a table with the name and its parameters.", zero(reflect.TypeFor[losses.Config]())},
		{"problem.kernel", "The name of a [kernel](#kernels) with the parameters that it takes.", spec.FieldByName("Problem").FieldByName("Kernel")},
		{"problem.kernel.bandwidth", "A number σ, or a table with a rule.", reflect.ValueOf(defaultBandwidth)},
		{"[budget]", "A cell stops at the limit that it reaches first. A spec gives at least one limit, and for methods without batches one that is not `epochs`. A method that ends by itself, such as an exact solver after its one step, ends its cell. An external program has a timeout instead.", spec.FieldByName("Budget")},
		{"[limits]", "Safety limits, for any method; a budget is part of the experiment, a limit is not. A cell beyond one ends as `timeout` or `memory` and keeps its points and a checkpoint: curves show it, its claims are inconclusive, and `run` ends with the status 4. It does not run again until the limit is raised or removed: then it goes on where it stopped, to the bytes of a run without a limit. `--fresh` starts it again. Seconds are asked for after each step, so a step that takes long ends late; memory is that of Go's heap after a collection, which holds the data and what cells before it have kept. `memory` is not the key `memory` of the top level, which decides what is stored.", spec.FieldByName("Limits")},
		{"[evaluate]", "", spec.FieldByName("Evaluate")},
		{"evaluate.metrics", "The name of a [metric](#metrics) or of a [`[[metric]]`](#metric), or a table that says for which methods it is measured: `{ name = \"relative-residual\", methods = [\"pcg\"] }`.", zero(reflect.TypeFor[Measured]())},
		{"[[metric]]", "A number that methods report of themselves. A spec may measure it, claim something about it and draw it like a registered metric, whose names it cannot take. A method that does not report a number that is measured of it fails; a number that is not finite means that the method diverged.", zero(reflect.TypeFor[Reported]())},
		{"[curves]", "Where the curves of methods with `algorithm = \"imported\"` are. [curves.md](curves.md) has examples, and says what each format is.", spec.FieldByName("Curves")},
		{"[repeat]", "", spec.FieldByName("Repeat")},
		{"[[method]]", "A method has these keys and those of its [algorithm](#algorithms).", zero(reflect.TypeFor[Method]())},
		{"method.data", "", zero(reflect.TypeFor[MethodData]())},
		{"method.budget", "", zero(reflect.TypeFor[Budget]())},
		{"[published]", "The printed numbers of all claims that do not say it themselves. A claim with a printed number needs it here or there.", zero(reflect.TypeFor[Published]())},
		{"[[published_curve]]", "A curve of a figure of the paper, as points. Figures draw those of the claims that they name. [tracing.md](tracing.md) says how to get the points.", zero(reflect.TypeFor[claims.PublishedCurve]())},
		{"[[claim]]", "The kind of a claim decides which keys it takes:\n\n" + claimKinds(), zero(reflect.TypeFor[claims.Claim]())},
		{"claim.at and table.at", "A place on a curve.", zero(reflect.TypeFor[records.At]())},
		{"[[figure]]", "The kind of a figure decides which keys it takes beside those of every figure:\n\n" + figureKinds(), zero(reflect.TypeFor[claims.Figure]())},
		{"figure.series", "", zero(reflect.TypeFor[claims.Series]())},
		{"figure.guides", "", zero(reflect.TypeFor[claims.Guide]())},
		{"[[table]]", "", zero(reflect.TypeFor[claims.Table]())},
		{"[[ambiguity]]", "", zero(reflect.TypeFor[claims.Ambiguity]())},
	}
}

// claimKinds lists the keys that the kinds of claims need and may have.
func claimKinds() string {
	var b strings.Builder
	b.WriteString("| Kind | Says that | Needs | May have |\n|---|---|---|---|\n")
	for _, name := range claims.Kinds() {
		k := claims.KindOf(name)
		need, may := codes(k.Needs), codes(k.May)
		if k.Number {
			need, may = strings.Trim("`published` or `derived`, "+need, ", "), "`published_is`, `published_says`, `derivation`, "+may
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, k.Doc, need, may)
	}
	return strings.TrimSpace(b.String())
}

// figureKinds lists the keys that the kinds of figures need and may have.
func figureKinds() string {
	var b strings.Builder
	b.WriteString("| Kind | Shows | Needs | May have |\n|---|---|---|---|\n")
	for _, name := range figures.Kinds() {
		k := figures.KindOf(name)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, k.Doc, codes(k.Needs), codes(k.May))
	}
	return strings.TrimSpace(b.String())
}

// codes writes words as code, with commas.
func codes(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "`" + w + "`"
	}
	return strings.Join(quoted, ", ")
}

func (r *reference) write() {
	r.page = &page{name: "spec.md"}
	r.pages = []*page{r.page}
	fmt.Fprintf(r, referenceHead, starter)
	for _, s := range sections() {
		if strings.HasPrefix(s.title, "[") {
			r.open(anchor(s.title), s.title)
		} else {
			r.heading(s.title)
		}
		if s.intro != "" {
			fmt.Fprintf(r, "%s\n\n", s.intro)
		}
		r.table(s.defaults)
	}
	r.profiles()
	r.algorithms()
	r.kernels()
	r.losses()
	r.schedules()
	r.metrics()
	r.open("data-sets", "Data sets")
	r.WriteString("[datasets.md](datasets.md) says where the files come from.\n\n")
	r.terms("Data set", termsOf("data"))
	r.papers()
	front := r.pages[0]
	front.WriteString("## All pages\n\n")
	for _, p := range r.pages[1:] {
		fmt.Fprintf(front, "- [%s](%s)\n", p.title, p.name)
	}
}

// open begins a page.
func (r *reference) open(name, title string) {
	r.page = &page{name: "spec/" + name + ".md", title: title}
	r.pages = append(r.pages, r.page)
	fmt.Fprintf(r, "%s# %s\n\nA part of [the spec format](spec.md).\n\n", referenceMark, title)
}

func (r *reference) heading(title string) { fmt.Fprintf(r, "## %s\n\n", title) }

var (
	linkOf    = regexp.MustCompile(`\]\(([^()\s#:]*)(#[^()\s]*)?\)`)
	headingOf = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// linked returns the text of a page with its links as they are from there.
func (r *reference) linked(t *testing.T, p *page) string {
	up := strings.Repeat("../", strings.Count(p.name, "/"))
	text := linkOf.ReplaceAllStringFunc(p.String(), func(link string) string {
		parts := linkOf.FindStringSubmatch(link)
		file, to := parts[1], parts[2]
		if file != "" {
			return "](" + up + file + to + ")"
		}
		i := slices.IndexFunc(r.pages, func(q *page) bool {
			return slices.ContainsFunc(headingOf.FindAllStringSubmatch(q.String(), -1), func(h []string) bool { return "#"+anchor(h[1]) == to })
		})
		require.GreaterOrEqual(t, i, 0, "%s: no page has the section %q", p.name, to)
		if q := r.pages[i]; q != p {
			return "](" + up + q.name + to + ")"
		}
		return link
	})
	return strings.TrimRight(text, "\n") + "\n"
}

// table writes a row for every key of a struct, which holds their defaults.
func (r *reference) table(v reflect.Value) {
	fs := strict.Fields(v.Type())
	if len(fs) == 0 {
		r.WriteString("It has no settings.\n\n")
		return
	}
	examples := r.examples[v.Type()]
	shown := slices.ContainsFunc(fs, func(f strict.Field) bool { return examples[f.Key] != "" })
	if shown {
		r.WriteString("| Key | Type | Default | Meaning | Example |\n|---|---|---|---|---|\n")
	} else {
		r.WriteString("| Key | Type | Default | Meaning |\n|---|---|---|---|\n")
	}
	for _, f := range fs {
		fmt.Fprintf(r, "| `%s` | %s | %s | %s |", f.Key, r.typeOf(f.Type, f.Want), preset(f, v), meaning(f))
		if example := examples[f.Key]; example != "" {
			fmt.Fprintf(r, " `%s` |", cell(example))
		} else if shown {
			r.WriteString(" |")
		}
		r.WriteString("\n")
	}
	r.WriteString("\n")
}

// cell escapes what would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// prose is cell for a text that stands for itself in Markdown.
func prose(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "*", `\*`, "_", `\_`, "[", `\[`).Replace(text)
}

// preset writes what holds where the key is left out.
func preset(f strict.Field, in reflect.Value) string {
	v := in.FieldByIndex(f.Index)
	if f.Needed(in) && v.Kind() != reflect.Slice || f.Must {
		return "required"
	}
	if v.IsZero() || f.Type == reflect.TypeFor[kernels.Bandwidth]() {
		return ""
	}
	switch e := strict.Encode(v).(type) {
	case string:
		return "`" + strconv.Quote(e) + "`"
	case map[string]any, []any:
		if s, ok := v.Interface().(schedules.Schedule); ok {
			c, _ := strict.ChoiceOf(f.Type)
			return "`" + c.NameOf(s) + "`"
		}
		return ""
	default:
		return fmt.Sprintf("`%v`", e)
	}
}

// vocabularySections are the sections that list the words of a vocabulary.
var vocabularySections = map[string]string{
	"abscissa": "costs", "algorithm": "algorithms", "curve": "metrics", "dataset": "data-sets",
	"kernel": "kernels", "loss": "losses", "metric": "metrics", "schedule": "schedules",
}

// typeOf names the type of a key for people.
func (r *reference) typeOf(t reflect.Type, want strict.Constraint) string {
	if f, short, ok := strict.ShortOf(t); ok {
		return r.typeOf(f.Type, short) + " or [table](" + r.link(t) + ")"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return r.typeOf(t.Elem(), want)
	case reflect.Interface:
		c, _ := strict.ChoiceOf(t)
		return fmt.Sprintf("[%s](#%s)", c.Key, vocabularySections[c.Key])
	case reflect.Map:
		return "table of " + map[reflect.Kind]string{reflect.Slice: "arrays", reflect.Float64: "numbers", reflect.String: "strings"}[t.Elem().Kind()]
	case reflect.Slice:
		if _, _, short := strict.ShortOf(t.Elem()); !short && t.Elem().Kind() == reflect.Struct {
			return "array of [tables](" + r.link(t.Elem()) + ")"
		}
		return "array: " + r.typeOf(t.Elem(), want)
	case reflect.Array:
		return fmt.Sprintf("array of %d numbers", t.Len())
	case reflect.Struct:
		return "[table](" + r.link(t) + ")"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		section, ok := vocabularySections[want.Noun]
		switch {
		case ok:
			return fmt.Sprintf("[%s](#%s)", want.Word(), section)
		case want.Digits:
			return "number as printed"
		case want.Words == nil:
			return "string"
		}
		words := make([]string, len(want.Words))
		for i, w := range want.Words {
			words[i] = "`\"" + cell(w) + "\"`"
		}
		return strings.Join(words, " or ")
	case reflect.Float64:
		return strings.TrimSpace("number " + bound(want))
	}
	return strings.TrimSpace("integer " + bound(want))
}

func bound(want strict.Constraint) string {
	if want.Op == "" {
		return ""
	}
	return strings.ReplaceAll(want.Op, ">=", "≥") + " " + strconv.FormatFloat(want.Bound, 'g', -1, 64)
}

// meaning says what a key means, its ceiling if it has one of its own, and what its tags say of other keys.
func meaning(f strict.Field) string {
	text := prose(f.Doc)
	if most := f.Want.Most; most.Stated() {
		text += fmt.Sprintf("; at most %s: %s", strconv.FormatFloat(most.Most, 'g', -1, 64), prose(most.Why))
	}
	if len(f.Spare) > 0 {
		text += "; not required with `" + strings.Join(f.Spare, " = ") + "`"
	}
	asks, _, _ := strings.Cut(f.Asks, " ")
	for _, pair := range []struct {
		says string
		keys []string
	}{{"contradicts ", f.Not}, {"no effect beside ", f.Beside}, {"no effect without ", f.Needs}, {"only with ", strings.Fields(asks)}} {
		if len(pair.keys) > 0 {
			text += "; " + pair.says + strings.ReplaceAll(codes(pair.keys), ", ", " or ")
		}
	}
	return text
}

// link returns the link to the section of a type.
func (r *reference) link(t reflect.Type) string {
	title, ok := r.titles[t]
	if !ok && t == reflect.TypeFor[Command]() {
		title = "external.command"
	}
	return "#" + anchor(title)
}

// anchor is the name by which Markdown renderers link to a heading.
func anchor(title string) string {
	keep := func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-' || c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			return c
		}
		return -1
	}
	return strings.Map(keep, strings.ToLower(title))
}

func (r *reference) profiles() {
	byID := slices.DeleteFunc(slices.Clone(spectree.Keyed), func(key string) bool { return key == "ambiguity" || key == "metric" })
	r.open("base", "base, each")
	fmt.Fprintf(r, referenceBases, codes(byID))
	r.open("profile", "[profile.NAME]")
	fmt.Fprintf(r, referenceProfiles, codes(profiles), codes(byID), LeastSeedsCI)
}

// terms writes a table of names with a line each.
func (r *reference) terms(title string, terms []Term) {
	fmt.Fprintf(r, "| %s | |\n|---|---|\n", title)
	for _, t := range terms {
		fmt.Fprintf(r, "| `%s` | %s |\n", t.Name, prose(t.Doc))
	}
	r.WriteString("\n")
}

func (r *reference) algorithms() {
	r.open("algorithms", "Algorithms")
	r.WriteString(referenceAlgorithms)
	r.terms("Algorithm", termsOf("algorithms"))
	for _, a := range termsOf("algorithms") {
		r.heading(a.Name)
		r.table(newSettings(a.Name))
		if a.Name != externalName {
			continue
		}
		r.heading("external.command")
		r.table(reflect.ValueOf(Command{}))
		r.WriteString("The arguments of a command may hold these placeholders; see [external-methods.md](external-methods.md).\n\n")
		var terms []Term
		for _, p := range Placeholders {
			terms = append(terms, Term{"{" + p.Name + "}", p.Doc})
		}
		r.terms("Placeholder", terms)
	}
}

func (r *reference) kernels() {
	r.open("kernels", "Kernels")
	r.WriteString(referenceKernels)
	r.WriteString("| Kernel | Parameters | |\n|---|---|---|\n")
	for _, k := range termsOf("kernels") {
		fmt.Fprintf(r, "| `%s` | %s | %s |\n", k.Name, codes(kernels.Keys(k.Name)[1:]), prose(k.Doc))
	}
	r.WriteString("\n")
}

func (r *reference) losses() {
	r.open("losses", "Losses")
	r.WriteString("l(u, y) of an output u = f(x) and a target y. The task says which targets a loss takes.\n\n")
	r.WriteString("| Loss | Parameters | Task | |\n|---|---|---|---|\n")
	for _, l := range termsOf("losses") {
		fmt.Fprintf(r, "| `%s` | %s | %s | %s |\n", l.Name, codes(losses.Keys(l.Name)[1:]), losses.Task(l.Name), prose(l.Doc))
	}
	r.WriteString("\n")
}

func (r *reference) schedules() {
	r.open("schedules", "Schedules")
	r.WriteString("A table with the key `schedule` and the parameters of the schedule gives the step sizes γ_t of iterations t = 1, 2, …\n\n")
	r.terms("Schedule", termsOf("schedules"))
	for _, s := range termsOf("schedules") {
		r.heading(s.Name)
		r.table(made(reflect.TypeFor[schedules.Schedule](), s.Name))
	}
}

func (r *reference) metrics() {
	r.open("metrics", "Metrics")
	fmt.Fprintf(r, "`name%s` is the metric `name` of the averaged iterate, of a method with `average = true`.\n\n", AverageSuffix)
	r.terms("Metric", termsOf("metrics"))
	r.heading("Costs")
	r.WriteString("Every record holds these costs. Claims, figures and tables may use them as the abscissa x or as a metric.\n\n")
	var costs []Term
	for _, a := range records.Abscissae {
		unit := ""
		if a.Unit != "" {
			unit = ", in " + a.Unit
		}
		costs = append(costs, Term{a.Name, a.Words + unit})
	}
	r.terms("Cost", costs)
}

// made returns what a choice of tables of a type makes of a name.
func made(t reflect.Type, name string) reflect.Value {
	c, _ := strict.ChoiceOf(t)
	return reflect.ValueOf(c.New(name)).Elem()
}

func newSettings(name string) reflect.Value { return made(reflect.TypeFor[Method](), name) }
