package machine

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/datasets"
	"repro/results/printed"
)

// A cached is a folder of the cache in `cache --json`.
type cached struct {
	Folder   string   `json:"folder"`
	DataSets []string `json:"data_sets"`
	Files    int      `json:"files"`
	Bytes    int64    `json:"bytes"`
	Partial  int64    `json:"partial_bytes"`       // of downloads that broke off
	Used     string   `json:"last_used,omitempty"` // RFC 3339
}

func newCached(c datasets.Cached) cached {
	row := cached{Folder: printed.Visible(c.Name), DataSets: terminal.OrEmpty(c.DataSets), Files: c.Files, Bytes: c.Bytes, Partial: c.Partial}
	if !c.Used.IsZero() {
		row.Used = c.Used.UTC().Format(time.RFC3339)
	}
	return row
}

func newCache(t *terminal.Terminal) *cobra.Command {
	lib := flags.Library(t)
	var json bool
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "List what the cache of downloads holds, and remove data sets from it",
		Long: `Cache is about the folder that repro fetch downloads data into: REPRO_CACHE, or repro/datasets in the user's cache folder. Without
a command below it, it lists the folder.`,
		Example: `  repro cache                          the same as repro cache list
  repro cache list --json
  repro cache remove a9a covtype`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listCache(t, lib, json) },
	}
	cmd.PersistentFlags().BoolVar(&json, "json", false, "print JSON on standard output")
	list := &cobra.Command{
		Use:     "list",
		Short:   "List what the cache holds, with sizes and last use",
		Long:    "List prints the folders of the cache with their sizes, and when a data set was last opened from each: the longest unused first.",
		Example: "  repro cache list",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return listCache(t, lib, json) },
	}
	remove := &cobra.Command{
		Use:   "remove NAME...",
		Short: "Remove data sets from the cache",
		Long: `Remove removes the files of data sets from the cache, and what downloads that broke off left. repro fetch downloads them again.
It refuses files that nobody offers for download, folders that are not repro's, and what another process downloads at the moment. It
keeps the checksums of files for which none is published, so that a later download has to be the same file.`,
		Example: "  repro cache remove a9a",
		Args:    cobra.MinimumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			all, _ := lib.Cached()
			var names []string
			for _, c := range all {
				names = append(names, c.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			removed := []cached{}
			for _, name := range args {
				c, err := lib.Uncache(name)
				if err != nil {
					return fmt.Errorf("cache: %w", err)
				}
				removed = append(removed, newCached(c))
				t.Tell(json, "%s removed: %s, %s of %s", c.Name, printed.Count(c.Files, "file"), printed.Bytes(float64(c.Bytes+c.Partial)), strings.Join(c.DataSets, ", "))
			}
			if json {
				return terminal.PrintJSON(t.Stdout, removed)
			}
			return nil
		},
	}
	cmd.AddCommand(list, remove)
	return cmd
}

// listCache lists the cache.
func listCache(t *terminal.Terminal, lib *datasets.Library, json bool) error {
	found, err := lib.Cached()
	if err != nil {
		return err
	}
	all := []cached{}
	g := terminal.Table{Head: []string{"folder", "files", "size", "last use", "data sets"}, Right: []int{2, 3}, Wrap: 5}
	total := int64(0)
	for _, c := range found {
		row := newCached(c)
		used, of := "unknown", strings.Join(c.DataSets, ", ")
		if !c.Used.IsZero() {
			used = c.Used.Format(time.DateOnly)
		}
		if c.DataSets == nil {
			of = "not a folder of a data set"
		}
		if c.Partial > 0 {
			of += fmt.Sprintf("; %s of a download that broke off", printed.Bytes(float64(c.Partial)))
		}
		total += c.Bytes + c.Partial
		all = append(all, row)
		g.Rows = append(g.Rows, []string{row.Folder, fmt.Sprint(c.Files), printed.Bytes(float64(c.Bytes)), used, of})
	}
	return t.Show(json, all, func() {
		if len(all) > 0 {
			t.Stdout.Table(g)
		}
		t.Stdout.Message("%s: %s in %s", lib.CacheDir, printed.Bytes(float64(total)), printed.Count(len(all), "folder"))
	})
}
