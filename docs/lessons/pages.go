package lessons

// Folder returns the folder of the records of a run below the learner's folder.
func (l *Lesson) Folder(dir, id string) string { return runFolder(dir, l, id) }

// Of returns the id of the run that the prediction is about.
func (p *Predict) Of() string { return p.run }

// Axes returns the figure that the curve of a prediction is drawn on, without curves.
func (p *Predict) Axes() Chart {
	c := p.drawn(Answer{})
	c.Lines = nil
	return c
}
