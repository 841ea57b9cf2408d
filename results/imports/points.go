package imports

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"repro/results/printed"
)

// PointsBytes is the largest size of a file with the points of published curves, and mostPublished bounds those of one.
const (
	PointsBytes   = 8 << 20
	mostPublished = 20_000
)

// Points returns the points [x, y] or [x, y, x_error, y_error] of a curve, by rising x, from a file with the points of one or more:
// CSV whose header has x and y and may have curve, x_error and y_error; the CSV that WebPlotDigitizer writes, with a pair of columns
// for each curve below its name, or two columns alone; or its project, JSON of version 3 or 4. Of several y at one x it has the mean.
func Points(text []byte, curve string) ([][]float64, error) {
	all, err := pointsOf(text)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(n namedPoints) bool { return n.name == curve })
	names := printed.Each(all, func(n namedPoints) string { return n.name })
	switch {
	case i < 0 && len(all) == 1:
		i = 0
	case i < 0 && len(all) > 1:
		return nil, fmt.Errorf("has no curve %s; %s", printed.Quote(curve), printed.Suggest(curve, names))
	case i < 0:
		return nil, errors.New("has no points; give a row for each, below a header with x and y")
	}
	points := all[i].points
	if len(points) > mostPublished {
		return nil, fmt.Errorf("has %d points of a curve, and %d can be read; keep fewer", len(points), mostPublished)
	}
	slices.SortStableFunc(points, func(a, b []float64) int { return cmp.Compare(a[0], b[0]) })
	return merged(points), nil
}

// merged returns points in which those of one x have become one, with the largest errors.
func merged(points [][]float64) (out [][]float64) {
	for from := 0; from < len(points); {
		p, n := slices.Clone(points[from]), 1
		for from+n < len(points) && points[from+n][0] == p[0] {
			q := points[from+n]
			p[1] += q[1]
			for k := 2; k < len(p); k++ {
				p[k] = max(p[k], q[k])
			}
			n++
		}
		p[1] /= float64(n)
		out, from = append(out, p), from+n
	}
	return out
}

type namedPoints struct {
	name   string
	points [][]float64
}

func pointsOf(text []byte) ([]namedPoints, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return digitizerProject(text)
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord, in.TrimLeadingSpace = -1, true
	first, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.ContainsRune(first, ';') {
		in.Comma = ';'
	}
	header, err := in.Read()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	x, y := slices.Index(header, "x"), slices.Index(header, "y")
	if x >= 0 && y >= 0 {
		return tablePoints(in, header, x, y)
	}
	return digitizerTable(in, header)
}

// tablePoints reads the rows below a header that names x and y.
func tablePoints(in *csv.Reader, header []string, x, y int) (all []namedPoints, err error) {
	columns := []int{x, y}
	dx, dy, curve := slices.Index(header, "x_error"), slices.Index(header, "y_error"), slices.Index(header, "curve")
	if (dx < 0) != (dy < 0) {
		return nil, errors.New("has one of the columns x_error and y_error; give both, with 0 for what is exact")
	}
	if dx >= 0 {
		columns = append(columns, dx, dy)
	}
	for {
		row, err := in.Read()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		name := ""
		if curve >= 0 && curve < len(row) {
			name = row[curve]
		}
		point := make([]float64, len(columns))
		for i, c := range columns {
			if c >= len(row) {
				return nil, fmt.Errorf("line %d has %s, and the header %d", line, printed.Count(len(row), "field"), len(header))
			}
			if point[i], err = number(row[c]); err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", line, header[c], err)
			}
		}
		all = with(all, name, point)
	}
}

// with adds a point to the curve of a name.
func with(all []namedPoints, name string, point []float64) []namedPoints {
	i := slices.IndexFunc(all, func(n namedPoints) bool { return n.name == name })
	if i < 0 {
		i, all = len(all), append(all, namedPoints{name: name})
	}
	all[i].points = append(all[i].points, point)
	return all
}

// number reads a finite number.
func number(text string) (float64, error) {
	v, is := printed.ReadCell(strings.TrimSpace(text), '.')
	if is != printed.IsNumber || strings.ContainsRune(text, ',') {
		return 0, fmt.Errorf("%s is not a finite number", printed.Quote(text))
	}
	return v, nil
}

// digitizerTable reads the CSV of WebPlotDigitizer: a row of names, each above two columns, and a row of X and Y, or two columns of
// numbers alone.
func digitizerTable(in *csv.Reader, header []string) (all []namedPoints, err error) {
	if x, errX := number(header[0]); errX == nil && len(header) == 2 {
		y, errY := number(header[1])
		if errY != nil {
			return nil, fmt.Errorf("line 1: %w", errY)
		}
		all, err := tablePoints(in, []string{"x", "y"}, 0, 1)
		return with(all, "", []float64{x, y}), err
	}
	named := false
	for line := 2; ; line++ {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if !named {
			if named = len(row) > 1 && strings.EqualFold(strings.TrimSpace(row[0]), "x") && strings.EqualFold(strings.TrimSpace(row[1]), "y"); !named {
				break
			}
			continue
		}
		for i := 0; i+1 < len(row); i += 2 {
			if strings.TrimSpace(row[i]+row[i+1]) == "" {
				continue
			}
			px, errX := number(row[i])
			py, errY := number(row[i+1])
			if err := errors.Join(errX, errY); err != nil {
				return nil, fmt.Errorf("line %d: %w", line, err)
			}
			name := ""
			if i < len(header) {
				name = header[i]
			}
			all = with(all, name, []float64{px, py})
		}
	}
	if !named {
		return nil, errors.New("has no header with x and y, nor the names and columns that WebPlotDigitizer writes; write x,y above the numbers")
	}
	return all, nil
}

// digitizerProject reads the data of a project of WebPlotDigitizer.
func digitizerProject(text []byte) (all []namedPoints, err error) {
	type set struct {
		Name string `json:"name"`
		Data []struct {
			Value []any `json:"value"`
		} `json:"data"`
	}
	var project struct {
		Sets []set `json:"datasetColl"`
		Old  struct {
			Sets []set `json:"dataSeries"`
		} `json:"wpd"`
	}
	if err := json.Unmarshal(text, &project); err != nil {
		return nil, fmt.Errorf("is no JSON as WebPlotDigitizer writes it: %w", err)
	}
	for _, s := range append(project.Sets, project.Old.Sets...) {
		for i, p := range s.Data {
			if len(p.Value) < 2 {
				return nil, fmt.Errorf("point %d of %s has no value; calibrate the axes in WebPlotDigitizer", i+1, printed.Quote(s.Name))
			}
			x, okX := p.Value[0].(float64)
			y, okY := p.Value[1].(float64)
			if !okX || !okY {
				return nil, fmt.Errorf("point %d of %s is not two numbers", i+1, printed.Quote(s.Name))
			}
			all = with(all, s.Name, []float64{x, y})
		}
	}
	return all, nil
}
