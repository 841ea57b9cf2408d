package plots

import (
	"bytes"
	"errors"
	"fmt"

	"repro/plots/drawings"
	"repro/plots/figures"
	"repro/plots/live"
	"repro/plots/web"
	"repro/results/claims"
	"repro/results/printed"
)

// A Timeline is the history of an experiment over commits.
type Timeline struct {
	ID, Title string
	About     string // where the numbers come from
	Changes   []Turn // at change points, the latest first
	Groups    []TimelineGroup
	Moments   []Moment // that the horizontal axes show, the earliest first
}

// A TimelineGroup is some figures with a heading.
type TimelineGroup struct {
	Title, Words string
	Figures      []figures.Figure // with ids that the timeline has once
}

// A Turn is a commit with change points.
type Turn struct {
	Commit        string // shortened
	Date, Subject string
	Words         []TurnWords
}

// TurnWords says what changed.
type TurnWords struct{ Figure, Of, Words string }

// A Moment is a commit of a timeline.
type Moment struct {
	Commit        string // shortened
	Date, Subject string
	Words         string // what changed, or what is known of it
}

// A timelineView is a timeline with its figures drawn.
type timelineView struct {
	Timeline
	Groups []timelineGroupView
	Live   *live.Data
}

type timelineGroupView struct {
	Title, Words string
	Figures      []figureView
}

// TimelinePage returns a page with the histories of experiments: every figure drawn, and alive with the page's script. A figure
// without a point, or that cannot be drawn, says so in its place.
func TimelinePage(title, note string, all []Timeline) ([]byte, error) {
	page := struct {
		web.Page
		Title, Note string
		Experiments []timelineView
	}{Title: title, Note: note}
	var sheets []*drawings.Sheet
	for _, of := range all {
		v := timelineView{Timeline: of, Live: live.New(of.ID)}
		for _, g := range of.Groups {
			group := timelineGroupView{Title: g.Title, Words: g.Words}
			for _, f := range g.Figures {
				view := newFigureView(&f, nil)
				sheet, err := drawings.SheetOf(f)
				switch {
				case errors.Is(err, figures.ErrNoData):
					view.Missing = "it has no number"
				case err != nil:
					view.Missing = err.Error()
				default:
					view.Drawing = sheet
					sheets = append(sheets, sheet)
					v.Live.AddCurves(claims.Case{}, claims.Figure{}, &f, sheet.Split, nil)
				}
				group.Figures = append(group.Figures, view)
			}
			v.Groups = append(v.Groups, group)
		}
		page.Experiments = append(page.Experiments, v)
	}
	var err error
	if page.Page, err = web.NewPage("report.min.js", []string{"report.css"}, drawings.SheetsCSS(sheets...)); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, "timeline.tmpl", page); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return []byte(printed.Visible(b.String())), nil
}
