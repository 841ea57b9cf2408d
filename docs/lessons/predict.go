package lessons

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repro/results/printed"
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
	Choice int       // number of the right one, from 1
	Value  Value     // of a number
	Order  []int     // numbers of the items, rising
	Draw   []float64 // measured heights at the places of the prediction
	Curve  Line      // the whole measured curve

	Says  []string // of the choices, or of the wrong answers, with the numbers of the records
	Items []Value  // by which the items are ordered
}

// A Score is the judgement of an answer.
type Score struct {
	Right bool
	Part  float64 // from 0 to 1
	Says  string  // what is right or wrong about it
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
	for i := range p.Wrong {
		k.Says = append(k.Says, fill(p.Wrong[i].says, runs))
	}
	return k, err
}

func (p *Predict) keyChoice(k *Key, runs Runs) error {
	for i := range p.Choices {
		o := &p.Choices[i]
		holds, err := o.when.holds(runs)
		if err != nil {
			return fmt.Errorf("choice %d of %s: %w", i+1, p.ID, err)
		}
		if holds && k.Choice > 0 {
			return fmt.Errorf("choices %d and %d of %s both hold of these records; their expressions must exclude each other", k.Choice, i+1, p.ID)
		}
		if holds {
			k.Choice = i + 1
		}
		k.Says = append(k.Says, fill(o.says, runs))
	}
	if k.Choice == 0 {
		return fmt.Errorf("no choice of %s holds of these records", p.ID)
	}
	return nil
}

func (p *Predict) keyNumber(k *Key, runs Runs) error {
	v, err := p.answer.number(runs)
	if err == nil && (v.Missing != "" || math.IsInf(v.Value, 0)) {
		err = fmt.Errorf("the answer of %s is %v", p.ID, v)
	}
	if !v.bounded() {
		v.Low, v.High = v.Value, v.Value
	}
	k.Value = v
	return err
}

func (p *Predict) keyOrder(k *Key, runs Runs) error {
	for i := range p.Items {
		v, err := p.Items[i].by.number(runs)
		if err == nil && v.Missing != "" {
			err = fmt.Errorf("item %d of %s is %v", i+1, p.ID, v)
		}
		if err != nil {
			return err
		}
		k.Items, k.Order = append(k.Items, v), append(k.Order, i+1)
	}
	slices.SortStableFunc(k.Order, func(a, b int) int {
		return cmp.Compare(k.Items[a-1].Value, k.Items[b-1].Value)
	})
	for i := 1; i < len(k.Order); i++ {
		if a, b := k.Order[i-1], k.Order[i]; k.Items[a-1].Value == k.Items[b-1].Value {
			return fmt.Errorf("items %d and %d of %s are equal in these records", a, b, p.ID)
		}
	}
	return nil
}

func (p *Predict) keyDraw(k *Key, runs Runs) error {
	o := runs[p.run]
	if o == nil {
		return errNotRun
	}
	for _, s := range o.series(p.canvas.figure) {
		if s.Method == p.Method {
			k.Curve = o.line(p.canvas.figure, s)
		}
	}
	for _, x := range p.At {
		y := p.canvas.read(k.Curve, x)
		if math.IsNaN(y) {
			return fmt.Errorf("%s has no value of %s at %s", p.ID, p.Method, printed.Number(x))
		}
		k.Draw = append(k.Draw, y)
	}
	return nil
}

// Score judges an answer.
func (p *Predict) Score(k Key, a Answer) Score {
	switch p.Kind {
	case Choice:
		s := Score{Right: a.Choice == k.Choice, Says: k.Says[a.Choice-1]}
		if s.Right {
			s.Part = 1
		}
		return s
	case Number:
		return p.scoreNumber(k, *a.Number)
	case Order:
		return p.scoreOrder(k, a.Order)
	}
	return p.scoreDraw(k, a.Draw)
}

// scoreNumber judges a number: it is right up to Factor or Margin beyond the interval. Its part falls to 0 at four times that.
func (p *Predict) scoreNumber(k Key, x float64) Score {
	off := p.off(k.Value.Low, k.Value.High, x)
	s := Score{Right: off <= 1, Part: math.Max(0, math.Min(1, (4-off)/3))}
	if s.Right {
		s.Says = fmt.Sprintf("Right. Measured: %s.", p.with(k.Value))
		return s
	}
	best, nearest := -1, 1.0
	for i, w := range p.Wrong {
		if d := p.off(*w.Near, *w.Near, x); d <= nearest {
			best, nearest = i, d
		}
	}
	s.Says = fmt.Sprintf("Measured: %s. You said %s.", p.with(k.Value), printed.Digits(x, 3))
	if best >= 0 {
		s.Says = k.Says[best] + " " + s.Says
	}
	return s
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

// with returns a value with the prediction's unit.
func (p *Predict) with(v Value) string { return strings.TrimSpace(v.String() + " " + p.Unit) }

// scoreOrder judges an order. Its part is the share of pairs in the right order.
func (p *Predict) scoreOrder(k Key, order []int) Score {
	s := Score{Right: slices.Equal(order, k.Order)}
	n, good := 0, 0
	for i := range order {
		for j := i + 1; j < len(order); j++ {
			if n++; k.Items[order[i]-1].Value < k.Items[order[j]-1].Value {
				good++
			}
		}
	}
	s.Part = float64(good) / float64(n)
	var words []string
	for _, i := range k.Order {
		words = append(words, fmt.Sprintf("%s: %v", p.Items[i-1].Text, k.Items[i-1]))
	}
	measured := "Measured: " + strings.Join(words, "; ") + "."
	if s.Right {
		s.Says = "Right. " + measured
		return s
	}
	s.Says = measured
	for i, w := range p.Wrong {
		if slices.Equal(w.Order, order) {
			s.Says = k.Says[i] + " " + measured
		}
	}
	return s
}

// scoreDraw judges a drawn curve: it is right up to a mean distance of Margin. A wrong curve is taken for the listed one whose
// slope is nearest to its own, if it is within a third of the way from there to the measured slope.
func (p *Predict) scoreDraw(k Key, drawn []float64) Score {
	d := p.distance(drawn, k.Draw)
	s := Score{Right: d <= p.Margin, Part: math.Max(0, math.Min(1, (4-d/p.Margin)/3))}
	moved := ""
	if p.Shape {
		moved = ", moved to where it fits best"
	}
	far := fmt.Sprintf("Your curve is %s %s from the measured one on average%s; its slope is %s, the measured one %s.",
		printed.Digits(d, 2), p.unitOfDistance(), moved, printed.Digits(p.slope(drawn), 2), printed.Digits(p.slope(k.Draw), 2))
	if s.Right {
		s.Says = "Right. " + far
		return s
	}
	slope := p.slope(drawn)
	best, nearest := -1, math.Inf(1)
	for i, w := range p.Wrong {
		gap := math.Abs(slope - *w.Slope)
		if gap < nearest && gap <= math.Abs(p.slope(k.Draw)-*w.Slope)/3 {
			best, nearest = i, gap
		}
	}
	s.Says = far
	if best >= 0 {
		s.Says = k.Says[best] + " " + far
	}
	return s
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
		if math.IsNaN(y) || math.IsInf(y, 0) || p.canvas.logY && y <= 0 {
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
			return a, fmt.Errorf("%q is no number", word)
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
