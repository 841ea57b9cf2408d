package findings

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/results/claims"
	"repro/results/printed"
)

// An Ending is what a command prints after it has judged runs.
type Ending struct {
	Out   string        // the output folder
	Took  time.Duration // 0 if nothing ran
	Lines bool          // a line for each experiment comes first
}

// EndScreen prints what was found in a sentence each: what is reproduced and whether the runs at the published size agree; what deviates,
// with the first claim and why; what is not decided; our own checks and what is not counted. Then come the report and the command that says
// most next.
func EndScreen(o *terminal.Output, all []claims.Case, e Ending) {
	if e.Lines {
		experimentLines(o, all)
	}
	s := screen{o, claims.StandingOf(all), "at the papers' size"}
	if !slices.ContainsFunc(all, func(j claims.Case) bool { return j.Profile != "paper" }) {
		s.there = "in the runs that come with " + printed.Name()
	}
	s.holds()
	s.deviates()
	s.undecided()
	if beside := s.Beside(); len(beside) > 0 {
		s.Message("%s", strings.Join(beside, "; "))
	}
	ran := printed.Count(len(all), "experiment")
	if size := claims.SizeOf(all); size != "" {
		ran += " " + size
	}
	if e.Took > 0 {
		ran += ", " + printed.Duration(e.Took.Seconds())
	}
	o.Message("%s; report: %s", ran, filepath.Join(e.Out, "report.html"))
	if words, line := plots.Next(all, printed.Again); line != "" {
		s.Painted(s.hung(words + ": " + line))
	}
}

// experimentLines prints a line for each experiment.
func experimentLines(o *terminal.Output, all []claims.Case) {
	widest, counts := 0, 0
	for _, j := range all {
		widest = max(widest, text.StringWidthWithoutEscSequences(j.ID))
		counts = max(counts, text.StringWidthWithoutEscSequences(signsOf(&terminal.Output{}, j.Verdicts)))
	}
	for _, j := range all {
		o.Painted(Line(o, j, widest, counts))
	}
	o.Painted("")
}

// A screen is an end screen while it is printed.
type screen struct {
	*terminal.Output
	claims.Standing
	there string // where the verdicts are that come with the program
}

// joint stands for a blank at which no line is broken.
const joint = "\ue000"

// hung breaks a text into lines. The command at its end is never broken, so that it can be copied.
func (s screen) hung(body string) string {
	body = printed.Visible(body)
	if i := strings.LastIndex(body, " "+printed.Command("")); i >= 0 && s.Width > 0 {
		body = body[:i+1] + strings.ReplaceAll(body[i+1:], " ", joint)
	}
	if s.Width > 0 {
		body = strings.ReplaceAll(terminal.Hung("  ", body, s.Width)[2:], joint, " ")
	}
	return body
}

// say prints lines behind the sign of a verdict.
func (s screen) say(w claims.Word, format string, args ...any) {
	head, rest, _ := strings.Cut(s.hung(fmt.Sprintf(format, args...)), ":")
	s.Painted(s.Paint(Colour(w), w.Sign()+" "+head) + s.Paint(0, ":"+rest))
}

// holds says what is reproduced, and whether it is at the published size, too.
func (s screen) holds() {
	if len(s.Holds) > 0 {
		s.say(claims.Reproduced, "reproduced: %d of %s%s", len(s.Holds), s.Claims(), s.agree(s.Holds))
	}
}

// agree says how many of some verdicts the verdicts that come with the program share.
func (s screen) agree(all []claims.Verdict) string {
	known, other := claims.Shipped(all)
	switch {
	case known.Claims == 0:
		return ""
	case known.Claims == other.Claims:
		return fmt.Sprintf("; %s %s", s.there, other.Prose())
	case other.Claims > 0:
		return fmt.Sprintf("; %d of %d also %s, %s", known.Claims-other.Claims, len(all), s.there, other.Prose())
	case len(all) == 1:
		return "; also " + s.there
	case known.Claims == len(all):
		return fmt.Sprintf("; all %d also %s", len(all), s.there)
	}
	return fmt.Sprintf("; %d of %d also %s", known.Claims, len(all), s.there)
}

// undecided counts the claims that are neither reproduced nor deviate, by what is missing.
func (s screen) undecided() {
	var parts []string
	sign := claims.Inconclusive // the gravest
	if n := len(s.Smaller); n > 0 {
		part := fmt.Sprintf("%d %s", n, claims.SmallerRun)
		if known, _ := claims.Shipped(s.Smaller); known.Claims > 0 {
			part += fmt.Sprintf(" (%s %s)", s.there, known.Prose())
		}
		parts = append(parts, part)
	}
	if n := len(s.Open); n > 0 {
		part := fmt.Sprintf("%d %s", n, claims.Inconclusive)
		seeds := 0
		for _, v := range s.Open {
			seeds += min(1, v.SeedsNeeded())
		}
		if seeds > 0 {
			part += fmt.Sprintf(" (more seeds would decide %d)", seeds)
		}
		parts = append(parts, part)
	}
	for _, w := range []claims.Word{claims.NotComparable, claims.NotRun, claims.Failed} {
		if n := claims.CountOf(s.Other).Of(w); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, w))
			sign = w
		}
	}
	if n := len(s.Smaller) + len(s.Open) + len(s.Other); n > 0 {
		if len(parts) == 1 { // the number of all
			parts[0] = strings.TrimPrefix(parts[0], strconv.Itoa(n)+" ")
		}
		s.say(sign, "undecided: %s; %s", printed.Count(n, "claim"), strings.Join(parts, ", "))
	}
}

// deviates names the first claim that deviates, with its numbers and why it does.
func (s screen) deviates() {
	if len(s.Deviates) == 0 {
		return
	}
	v, such := s.Deviates[0], ""
	if len(s.Deviates) > 1 {
		such = "such as "
	}
	s.say(claims.Deviates, "deviates: %s%s; %s%s %s: %s", printed.Count(len(s.Deviates), "claim"), s.agree(s.Deviates), such, v.Experiment, v.Claim, numbers(v, math.MaxInt))
	if why := v.Because(); why != "" {
		s.Message("  %s", printed.Visible(why))
	}
}

// Line returns what an experiment has found in a line that fits the terminal, in colours. The ids are as wide as widest, and
// the counts as counts. Both numbers are whole; what does not fit is in a second line.
func Line(o *terminal.Output, j claims.Case, widest, counts int) string {
	signs := signsOf(o, j.Verdicts)
	line := fmt.Sprintf("%-*s  ", widest, printed.Visible(j.ID)) + signs
	line += strings.Repeat(" ", max(0, counts-text.StringWidthWithoutEscSequences(signs)))
	if len(j.Verdicts) == 0 {
		return line + "  " + o.Paint(terminal.Dim, "it has no claims")
	}
	v, ok := claims.Headline(j.Verdicts)
	if !ok {
		return strings.TrimRight(line, " ")
	}
	room := roomOf(o, line) - 2
	number := numbers(v, room)
	left := room - text.StringWidthWithoutEscSequences(number)
	if left < 0 {
		indent := "\n" + strings.Repeat(" ", min(widest+2, max(2, roomOf(o, number))))
		return strings.TrimRight(line, " ") + indent + o.Paint(Colour(v.Verdict), numbers(v, roomOf(o, indent)+1))
	}
	line += "  " + o.Paint(Colour(v.Verdict), number)
	if left > 12 {
		line += o.Paint(0, text.Snip(": "+v.Statement, left, "…"))
	}
	return line
}

// roomOf returns how many columns are left behind a text, and without a terminal as many as one could want.
func roomOf(o *terminal.Output, s string) int {
	if o.Width == 0 {
		return 1 << 30
	}
	return o.Width - text.StringWidthWithoutEscSequences(s)
}

// numbers returns the measured number of a verdict with what it is and the published one, with the interval if all that fits the
// room.
func numbers(v claims.Verdict, room int) string {
	published := ""
	if n := v.PublishedText(); n != "" {
		published = ", " + v.Origin() + " " + n
	} else if n := v.AcceptedText(threeDigits); n != "" {
		published = ", accepted " + n
	}
	whole := brief(v) + published
	if text.StringWidthWithoutEscSequences(whole) <= room {
		return whole
	}
	v.Low, v.High = nil, nil
	return brief(v) + published
}

// signsOf counts verdicts with signs in the colours of the verdicts, class by class with dots between, as in "4✓ 1✗ · 1✓".
func signsOf(o *terminal.Output, verdicts []claims.Verdict) string {
	var classes []string
	for _, n := range claims.ScoreOf(verdicts) {
		var parts []string
		for _, w := range claims.Words {
			if k := n.Of(w); k > 0 {
				parts = append(parts, o.Paint(Colour(w), fmt.Sprintf("%d%s", k, w.Sign())))
			}
		}
		classes = append(classes, strings.Join(parts, " "))
	}
	return strings.Join(classes, o.Paint(terminal.Dim, " · "))
}

// brief returns the number of a verdict with what it is, with three digits and its interval, unless that is as narrow as the digits.
func brief(v claims.Verdict) string {
	if v.Low != nil && v.High != nil && threeDigits(*v.Low) == threeDigits(*v.High) {
		v.Low, v.High = nil, nil
	}
	what := string(v.Quantity())
	if what == "" {
		what = v.Metric
	}
	return strings.TrimSpace(what + " " + v.MeasuredText(threeDigits))
}

func threeDigits(x float64) string { return printed.Digits(x, 3) }
