package findings

import (
	"fmt"
	"path/filepath"
	"slices"
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

// mostLines is the largest number of experiments with claims that deviate that the end screen names.
const mostLines = 1

// EndScreen prints what was found: first what is reproduced and whether the runs at the published size agree, then what these runs do not
// decide, then what deviates and why, the time, the report, and the command that says most next.
func EndScreen(o *terminal.Output, all []claims.Case, e Ending) {
	if e.Lines {
		experimentLines(o, all)
	}
	s := screen{o, all, claims.StandingOf(all), "at the papers' size"}
	if !slices.ContainsFunc(all, func(j claims.Case) bool { return j.Profile != "paper" }) {
		s.there = "in the runs that come with " + printed.Name()
	}
	s.holds()
	s.smaller()
	s.open()
	s.other()
	s.deviates()
	for _, line := range s.Beside() {
		s.Message("%s", line)
	}
	ran := printed.Count(len(all), "experiment")
	if p := claims.Profiles(all); p != "" {
		ran += " at profile " + p
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
	cases []claims.Case
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

// smaller says what the published size decides.
func (s screen) smaller() {
	if len(s.Smaller) == 0 {
		return
	}
	text := printed.Count(len(s.Smaller), "claim")
	here := 0
	for _, v := range s.Smaller {
		if v.AtSize == claims.Reproduced {
			here++
		}
	}
	if here > 0 {
		text += fmt.Sprintf(" (%d %s here)", here, claims.Reproduced)
	}
	if known, _ := claims.Shipped(s.Smaller); known.Claims > 0 {
		text += "; " + s.there + " " + known.Prose()
	}
	s.say(claims.NotComparable, "%s: %s", claims.SmallerRun, text)
}

// open says how many claims more seeds would decide.
func (s screen) open() {
	n, more := len(s.Open), ""
	for _, v := range s.Open {
		if v.SeedsNeeded() == 0 {
			n--
		}
	}
	if n > 0 {
		more = fmt.Sprintf("; more seeds would decide %d", n)
	}
	if len(s.Open) > 0 {
		s.say(claims.Inconclusive, "%s: %s%s", claims.Inconclusive, printed.Count(len(s.Open), "claim"), more)
	}
}

// other counts the claims that could not be judged.
func (s screen) other() {
	for _, w := range []claims.Word{claims.NotComparable, claims.NotRun, claims.Failed} {
		if n := claims.CountOf(s.Other).Of(w); n > 0 {
			s.say(w, "%s: %s", w, printed.Count(n, "claim"))
		}
	}
}

// deviates names the experiments with claims that deviate, with the number of one, and why it does.
func (s screen) deviates() {
	if len(s.Deviates) == 0 {
		return
	}
	s.say(claims.Deviates, "deviates: %s%s", printed.Count(len(s.Deviates), "claim"), s.agree(s.Deviates))
	groups := s.Deviating()
	for i, g := range groups {
		if i == mostLines {
			s.Message("  and %s more", printed.Count(len(groups)-i, "experiment"))
			break
		}
		s.deviation(g)
	}
}

// deviation prints the first claim of an experiment that deviates, with both numbers, and how many others do.
func (s screen) deviation(all []claims.Verdict) {
	v := all[0]
	head := "  " + printed.Visible(v.Experiment) + " " + printed.Visible(v.Claim)
	more := ""
	if n := len(all) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	number := numbers(v, roomOf(s.Output, head+more+": "))
	if roomOf(s.Output, head+more+": "+number) < 0 {
		number, more = numbers(v, roomOf(s.Output, head+": ")), ""
	}
	if roomOf(s.Output, head+": "+number) < 0 {
		head += ":\n   "
	} else {
		head += more + ":"
	}
	s.Painted(head + " " + s.Paint(Colour(v.Verdict), number))
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
