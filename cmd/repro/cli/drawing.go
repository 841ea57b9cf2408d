package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/plots"
)

// drawingFlags adds the flags that say how figures are drawn.
func (a *app) drawingFlags(cmd *cobra.Command) {
	f, d := cmd.Flags(), &a.drawing
	f.Var(parsed{func(s string) (err error) {
		if !slices.Contains(plots.StyleNames, s) {
			err = fmt.Errorf("want %s, got %q", strings.Join(plots.StyleNames, ", "), s)
		}
		d.Style.Name = s
		return err
	}}, "style", "draw all figures for `"+strings.Join(plots.StyleNames, "|")+"`: 8.4 cm wide with 8 pt labels, 16:9 with 18 pt labels, or light on dark")
	f.Var(parsed{func(s string) (err error) {
		d.Style.Width, err = plots.ParseWidth(s)
		return err
	}}, "width", "`width` of all figures, such as 16cm")
	f.Var(parsed{func(s string) (err error) {
		d.Style.Font, err = plots.ParseFont(s)
		return err
	}}, "font", "`size` of axis labels in all figures, such as 20pt")
	f.Var(parsed{func(s string) error {
		for _, name := range strings.Split(s, ",") {
			if !slices.Contains(plots.Formats, name) {
				return fmt.Errorf("want some of %s, separated by commas, got %q", strings.Join(plots.Formats, ","), s)
			}
			d.Formats = append(d.Formats, name)
		}
		return nil
	}}, "format", "draw figures as `format`, some of "+strings.Join(plots.Formats, ",")+" (default svg)")
	for name, words := range map[string][]string{"style": plots.StyleNames, "format": plots.Formats} {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic("cli: " + err.Error())
		}
	}
}

// parsed is a flag that a function reads, whose errors say what it wants.
type parsed struct{ set func(string) error }

func (p parsed) Set(s string) error { return p.set(s) }
func (p parsed) String() string     { return "" }
func (p parsed) Type() string       { return "string" }
