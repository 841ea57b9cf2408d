package datasets_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"repro/algos/compute"
	"repro/datasets"
)

func init() {
	datasets.Register(datasets.Source{
		Name:     "two-dots",
		Title:    "two dots and their signs",
		Task:     "binary",
		Dims:     2,
		Rows:     2,
		TestRows: 1,
		Format:   "csv",
		Label:    func(v float64) (float64, bool) { return 2*v - 1, v == 0 || v == 1 },
		Files: []datasets.RemoteFile{{
			Name: "dots.csv", URLs: []string{"https://example.org/dots.csv"}, Rows: 2,
			SHA256: "823bf52d33b33ff097d88c8c41c7680f2acdd0c79a417753c9a5d756348e9e3f",
		}, {
			Name: "dots.test.csv", URLs: []string{"https://example.org/dots.test.csv"}, Rows: 1,
		}},
	})
}

// A data set that is downloaded: repro fetch gets it, and a folder of REPRO_DATA may hold it, as here.
func ExampleRegister_files() {
	dir, err := os.MkdirTemp("", "data")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"dots.csv": "0.5,1,1\n-0.5,2,0\n", "dots.test.csv": "3,4,1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	library := &datasets.Library{SearchPath: []string{dir}}
	set, err := library.Open(context.Background(), datasets.Options{Name: "two-dots"}, "binary", 1, "")
	if err != nil {
		log.Fatal(err)
	}
	x, y := compute.NewMatrix(2, 2), compute.NewMatrix(2, 1)
	set.Train.Gather([]int{0, 1}, x, y)
	fmt.Println(x.Data, y.Data, set.TestX.Data, set.TestY.Data)
	// Output: [0.5 1 -0.5 2] [1 -1] [3 4] [1]
}
