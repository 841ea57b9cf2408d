package runner

import (
	"fmt"

	"repro/algos"
	"repro/algos/compute"
	"repro/algos/kernels"
	"repro/datasets"
)

// domainRows is the number of training rows that are checked at a time.
const domainRows = 1024

// inDomain returns an error that names the first input for which the kernel is not defined, if there is one. It reads the
// data only for kernels that are not defined everywhere.
func inDomain(k kernels.Kernel, d *datasets.Set) error {
	if _, ok := k.(kernels.Restricted); !ok {
		return nil
	}
	n := d.Train.Len()
	for lo := 0; lo < n; lo += domainRows {
		x, _ := algos.Between(d.Train, lo, min(lo+domainRows, n))
		if err := rowsInDomain(k, d.Name, "training", x, lo); err != nil {
			return err
		}
	}
	return rowsInDomain(k, d.Name, "test", d.TestX, 0)
}

// rowsInDomain checks the rows of x. Its first row is row number first, from 0, of a part of the data set.
func rowsInDomain(k kernels.Kernel, data, part string, x compute.Matrix, first int) error {
	for i := range x.Rows {
		switch l, need := kernels.Outside(k, x.Row(i)); {
		case need == "":
		case l < 0:
			return fmt.Errorf("kernel %s: data set %s, %s row %d: the inputs must be %s; choose another kernel or leave out the row",
				k.Name(), data, part, first+i+1, need)
		default:
			return fmt.Errorf("kernel %s: data set %s, %s row %d, input %d: %v, which must be %s; choose another kernel or other data.scale",
				k.Name(), data, part, first+i+1, l+1, x.At(i, l), need)
		}
	}
	return nil
}
