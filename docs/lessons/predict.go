package lessons

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/plots/figures"
	"repro/results/claims"
	"repro/results/printed"
	"repro/results/stats"
)

// An Answer is a learner's prediction: the value of its kind, and why.
type Answer struct {
	Choice int       `json:"choice,omitempty"` // number of the answer, from 1
	Number *float64  `json:"number,omitempty"`
	Order  []int     `json:"order,omitempty"` // numbers of the items, from 1
	Draw   []float64 `json:"draw,omitempty"`  // heights of the curve at the places that the prediction names
	Why    string    `json:"why,omitempty"`
}

// A Key is what the records say of a prediction: all that is needed to judge an answer.
type Key struct {
	Choice int       `json:"choice,omitempty"` // number of the right one, from 1
	Number float64   `json:"-"`
	Low    float64   `json:"low"` // ends of the number's interval
	High   float64   `json:"high"`
	Order  []int     `json:"order,omitempty"` // numbers of the items, rising
	Draw   []float64 `json:"draw,omitempty"`  // measured heights at the places of the prediction
	Label  string    `json:"label,omitempty"` // of the whole measured curve
	X      []float64 `json:"x,omitempty"`
	Y      []float64 `json:"y,omitempty"`

	Says     []string `json:"says"`     // of the choices, or of the wrong answers, with the numbers of the records
	Measured string   `json:"measured"` // the right answer in words

	items []float64 // by which the items are ordered
}

// A Score is the judgement of an answer.
type Score struct {
	Right bool
	Part  float64 // from 0 to 1
	Says  string  // what is right or wrong about it

	Listed int // number of the wrong answer that it is taken for, from 1; 0 if it is none that the lesson lists
}

// Key works the right answer out. It returns an error if the records decide for none or for several answers.
func (p *Predict) Key(runs Runs) (k Key, err error) {
	switch p.Kind {
	case Choice:
		err = p.keyChoice(&k, runs)
	case Number:
		err = p.keyNumber(&k, runs)
	case Order:
		err = p.keyOrder(&k, runs)
	case Draw:
		err = p.keyDraw(&k, runs)
	}
	k.Says = p.says(runs)
	return k, err
}

func (p *Predict) says(runs Runs) []string {
	all := printed.Each(p.Choices, func(o Option) string { return runs.Fill(p.Run.ID, o.Says) })
	for _, w := range p.Wrong {
		all = append(all, runs.Fill(p.Run.ID, w.Says))
	}
	return all
}

func (p *Predict) keyChoice(k *Key, runs Runs) error {
	for i, o := range p.Choices {
		if !runs.holds(p.Run.ID, o.When) {
			continue
		}
		if k.Choice > 0 {
			return fmt.Errorf("choices %d and %d of %s both hold of these records; their expressions must exclude each other", k.Choice, i+1, p.ID)
		}
		k.Choice, k.Measured = i+1, o.Text
	}
	if k.Choice == 0 {
		return fmt.Errorf("no choice of %s holds of these records", p.ID)
	}
	return nil
}

func (p *Predict) keyNumber(k *Key, runs Runs) error {
	v := runs.number(p.Run.ID, p.Answer)
	if v.Missing != "" || math.IsInf(v.Value, 0) {
		return fmt.Errorf("the answer of %s is %v", p.ID, v)
	}
	if !v.bounded() {
		v.Low, v.High = v.Value, v.Value
	}
	k.Number, k.Low, k.High, k.Measured = v.Value, v.Low, v.High, p.inUnit(v.String())
	return nil
}

func (p *Predict) keyOrder(k *Key, runs Runs) error {
	var words []string
	for i, item := range p.Items {
		v := runs.number(p.Run.ID, item.By)
		if v.Missing != "" {
			return fmt.Errorf("item %d of %s is %v", i+1, p.ID, v)
		}
		k.items, k.Order, words = append(k.items, v.Value), append(k.Order, i+1), append(words, fmt.Sprintf("%s: %v", item.Text, v))
	}
	slices.SortStableFunc(k.Order, func(a, b int) int { return cmp.Compare(k.items[a-1], k.items[b-1]) })
	for i, b := range k.Order {
		if i > 0 && k.items[k.Order[i-1]-1] == k.items[b-1] {
			return fmt.Errorf("items %d and %d of %s are equal in these records", k.Order[i-1], b, p.ID)
		}
	}
	k.Measured = inOrder(words, k.Order, "; ")
	return nil
}

// inOrder lists words in the order of their numbers.
func inOrder(words []string, order []int, between string) string {
	return strings.Join(printed.Each(order, func(i int) string { return words[i-1] }), between)
}

func (p *Predict) keyDraw(k *Key, runs Runs) error {
	o := runs[p.Run.ID]
	if o == nil {
		return errNotRun
	}
	f := o.figure(p.Figure)
	f.YRange = [2]float64{}
	f.Series = slices.DeleteFunc(slices.Clone(figures.Series(o.Experiment, f)), func(s claims.Series) bool { return s.Method != p.Method })
	if c := o.chart(f); len(c.Lines) > 0 {
		k.Label = c.Lines[0].Label
		k.X, k.Y = c.Shown(c.Lines[0])
	}
	var words []string
	for _, x := range p.At {
		y := p.Axes().read(k.X, k.Y, x)
		if math.IsNaN(y) {
			return fmt.Errorf("%s has no value of %s at %s", p.ID, p.Method, printed.Number(x))
		}
		k.Draw, words = append(k.Draw, y), append(words, printed.Digits(y, 3)+" at "+printed.Digits(x, 4))
	}
	k.Measured = strings.Join(words, "; ")
	return nil
}

// inUnit returns a number with the prediction's unit.
func (p *Predict) inUnit(number string) string { return strings.TrimSpace(number + " " + p.Unit) }

// Options returns the answers to choose from, or the items to order.
func (p *Predict) Options() []string {
	all := printed.Each(p.Choices, func(o Option) string { return o.Text })
	for _, i := range p.Items {
		all = append(all, i.Text)
	}
	return all
}

// Listed returns in words the answers that the lesson says something of, in the order of Key.Says.
func (p *Predict) Listed() []string {
	if p.Kind == Choice {
		return p.Options()
	}
	var all []string
	for _, w := range p.Wrong {
		switch p.Kind {
		case Number:
			all = append(all, p.inUnit(printed.Digits(*w.Near, 3)))
		case Order:
			all = append(all, inOrder(p.Options(), w.Order, "; "))
		case Draw:
			all = append(all, "slope "+printed.Digits(*w.Slope, 3))
		}
	}
	return all
}

// Score judges an answer.
func (p *Predict) Score(k Key, a Answer) Score {
	var s Score
	var far string // how far it is from what was measured
	listed := -1   // the answer that it is taken for
	switch p.Kind {
	case Choice:
		s.Right, listed = a.Choice == k.Choice, a.Choice-1
		if s.Right {
			return Score{Right: true, Part: 1, Says: "Right. " + k.Says[listed]}
		}
		far = fmt.Sprintf("Measured: %s. %s", k.Measured, k.Says[k.Choice-1])
	case Number:
		far = fmt.Sprintf("Measured: %s.", k.Measured)
		if s, listed = p.scoreNumber(k, *a.Number); !s.Right {
			far += fmt.Sprintf(" You said %s.", printed.Digits(*a.Number, 3))
		}
	case Order:
		s, far = p.scoreOrder(k, a.Order), "Measured: "+k.Measured+"."
		listed = slices.IndexFunc(p.Wrong, func(w Wrong) bool { return slices.Equal(w.Order, a.Order) })
	case Draw:
		s, listed, far = p.scoreDraw(k, a.Draw)
	}
	switch s.Says = far; {
	case s.Right:
		s.Says = "Right. " + far
	case listed >= 0:
		s.Says, s.Listed = k.Says[listed]+" "+far, listed+1
	}
	return s
}

// scoreNumber judges a number: it is right up to Factor or Margin beyond the interval. A wrong number is taken for the nearest
// listed one that is no farther than that.
func (p *Predict) scoreNumber(k Key, x float64) (s Score, listed int) {
	return scored(p.off(k.Low, k.High, x)), p.nearest(func(w Wrong) (gap, most float64) { return p.off(*w.Near, *w.Near, x), 1 })
}

// scored returns the score of an answer that is off by so much, in units of what is accepted: its part falls to 0 at 4.
func scored(off float64) Score {
	return Score{Right: off <= 1, Part: math.Max(0, math.Min(1, (4-off)/3))}
}

// nearest returns the listed wrong answer with the smallest gap to a learner's, of those whose gap is at most the largest that
// counts; -1 if there is none.
func (p *Predict) nearest(gap func(Wrong) (gap, most float64)) int {
	listed, nearest := -1, math.Inf(1)
	for i, w := range p.Wrong {
		if d, most := gap(w); d < nearest && d <= most {
			listed, nearest = i, d
		}
	}
	return listed
}

// off returns how far x is from an interval, in units of what is accepted.
func (p *Predict) off(low, high, x float64) float64 {
	switch {
	case x >= low && x <= high:
		return 0
	case p.Margin > 0:
		return math.Max(low-x, x-high) / p.Margin
	case low <= 0 || x <= 0:
		return math.Inf(1)
	}
	return math.Max(math.Log(low/x), math.Log(x/high)) / math.Log(p.Factor)
}

// scoreOrder judges an order. Its part is the share of pairs in the right order.
func (p *Predict) scoreOrder(k Key, order []int) Score {
	n, good := 0.0, 0.0
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			if n++; k.items[order[i]-1] < k.items[order[j]-1] {
				good++
			}
		}
	}
	return Score{Right: slices.Equal(order, k.Order), Part: good / n}
}

// scoreDraw judges a drawn curve: it is right up to a mean distance of Margin. A wrong curve is taken for a listed one only if it is
// that one as far as a hand can draw: a line whose slope is one of those that the sentence is true of, up to a twentieth of the axis.
func (p *Predict) scoreDraw(k Key, drawn []float64) (s Score, listed int, far string) {
	c := p.Axes()
	d, slope, measured := p.distance(drawn, k.Draw), c.slope(p.At, drawn), c.slope(p.At, k.Draw)
	moved, unit := "", "powers of ten"
	if p.Shape {
		moved = ", moved to where it fits best"
	}
	if !c.Y.Log {
		unit = fmt.Sprintf("(the axis goes from %g to %g)", p.Y[0], p.Y[1])
	}
	listed = p.nearest(func(w Wrong) (gap, most float64) {
		near := math.Max(*w.Slope-w.Within, math.Min(*w.Slope+w.Within, slope))
		return c.bend(p.At, drawn, near), (c.Y.At(p.Y[1]) - c.Y.At(p.Y[0])) / 20
	})
	return scored(d / p.Margin), listed,
		fmt.Sprintf("Your curve is %s %s from the measured one on average%s; its slope is %s, the measured one %s.",
			printed.Digits(d, 2), unit, moved, printed.Digits(slope, 2), printed.Digits(measured, 2))
}

// distance returns the mean distance of drawn heights from the measured ones, on the figure's axis; of the form alone if only
// the shape counts.
func (p *Predict) distance(drawn, measured []float64) float64 {
	at := p.Axes().Y.At
	gaps := make([]float64, len(drawn))
	for i := range drawn {
		gaps[i] = at(drawn[i]) - at(measured[i])
	}
	shift := 0.0
	if p.Shape {
		shift = stats.Median(gaps)
	}
	sum := 0.0
	for _, g := range gaps {
		sum += math.Abs(g - shift)
	}
	return sum / float64(len(gaps))
}

// Check returns what an answer lacks, nil if it can be judged.
func (p *Predict) Check(a Answer) error {
	given := map[string]bool{Choice: a.Choice != 0, Number: a.Number != nil, Order: a.Order != nil, Draw: a.Draw != nil}
	for _, kind := range []string{Choice, Number, Order, Draw} {
		if given[kind] && kind != p.Kind {
			return fmt.Errorf("%s asks for a %s, not for a %s", p.ID, p.Kind, kind)
		}
	}
	switch {
	case !given[p.Kind]:
		return fmt.Errorf("%s has no %s", p.ID, p.Kind)
	case p.Kind == Choice && (a.Choice < 1 || a.Choice > len(p.Choices)):
		return fmt.Errorf("want a number from 1 to %d, got %d", len(p.Choices), a.Choice)
	case p.Kind == Number && (math.IsNaN(*a.Number) || math.IsInf(*a.Number, 0)):
		return fmt.Errorf("want a finite number, got %v", *a.Number)
	case p.Kind == Order:
		return p.validOrder(a.Order)
	case p.Kind == Draw:
		return p.validDraw(a.Draw)
	}
	return nil
}

// validOrder returns what is wrong with an order of the items.
func (p *Predict) validOrder(order []int) error {
	sorted := slices.Sorted(slices.Values(order))
	for i := range p.Items {
		if len(sorted) != len(p.Items) || sorted[i] != i+1 {
			return fmt.Errorf("want each of the numbers 1 to %d once", len(p.Items))
		}
	}
	return nil
}

// validDraw returns what is wrong with the heights of a drawn curve.
func (p *Predict) validDraw(heights []float64) error {
	if len(heights) != len(p.At) {
		return fmt.Errorf("want %d numbers, one for each place, got %d", len(p.At), len(heights))
	}
	for _, y := range heights {
		if math.IsNaN(y) || math.IsInf(y, 0) || p.Axes().Y.Log && y <= 0 {
			return fmt.Errorf("want finite numbers, above 0 on a logarithmic axis; got %v", y)
		}
	}
	return nil
}

// Parse reads an answer that a learner typed: a number, or several with spaces or commas between them.
func (p *Predict) Parse(line string) (Answer, error) {
	var a Answer
	var numbers []float64
	for _, word := range strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' || r == ';' }) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return a, fmt.Errorf("%q is not a number", word)
		}
		numbers = append(numbers, v)
	}
	if len(numbers) == 0 {
		return a, fmt.Errorf("type an answer")
	}
	if (p.Kind == Choice || p.Kind == Number) && len(numbers) > 1 {
		return a, fmt.Errorf("want one number, got %d", len(numbers))
	}
	switch p.Kind {
	case Choice:
		a.Choice = int(numbers[0])
		if float64(a.Choice) != numbers[0] || a.Choice == 0 {
			return a, fmt.Errorf("want a number from 1 to %d", len(p.Choices))
		}
	case Number:
		a.Number = &numbers[0]
	case Order:
		for _, v := range numbers {
			a.Order = append(a.Order, int(v))
		}
	case Draw:
		a.Draw = numbers
	}
	return a, p.Check(a)
}

// Straight returns the heights of a line of a given slope, on the axes of a drawing, that begins at a height.
func (p *Predict) Straight(slope, first float64) []float64 {
	heights := make([]float64, len(p.At))
	for i, x := range p.At {
		c := p.Axes()
		heights[i] = c.Y.At(first) + slope*(c.X.At(x)-c.X.At(p.At[0]))
		if c.Y.Log {
			heights[i] = math.Pow(10, heights[i])
		}
	}
	return heights
}
