package machine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
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
			names := printed.Each(all, func(c datasets.Cached) string { return c.Name })
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

// A fetched is one file of a data set in `fetch --json`.
type fetched struct {
	Dataset  string `json:"dataset"`
	File     string `json:"file"`
	Path     string `json:"path"`     // empty if it is not here
	Verified bool   `json:"verified"` // its published checksum is right
	State    string `json:"state"`
	Problem  string `json:"problem"`
	Bytes    int64  `json:"bytes"`
	Rows     int    `json:"rows"`
}

// A fetchRequest is what the flags of fetch say.
type fetchRequest struct {
	*datasets.Library
	list, everything, json bool
}

func newFetch(t *terminal.Terminal) *cobra.Command {
	r := fetchRequest{Library: flags.Library(t)}
	cmd := &cobra.Command{
		Use:   "fetch [DATASET...]",
		Short: "Download data sets and verify their checksums",
		Long: `Fetch downloads data sets that are not on this machine, and verifies the checksums of all. It looks in the
folders that the environment variable REPRO_DATA lists, then in repro's cache folder, and downloads
missing files into the cache folder. REPRO_CACHE names another cache folder, REPRO_MIRROR a folder or an
address that has the files too and is asked first. It continues an interrupted download; of several
processes with one cache folder, one downloads a file and the others wait. The id of an experiment
stands for its data.

For a few files no checksum is published. Their size and first rows are checked, and their own checksum is
kept beside them and compared whenever they are used.

Without arguments it lists what is missing of the data of all experiments that come with repro, with sizes,
and asks whether to download it. Where nobody can answer, --all downloads it.`,
		Example: `  repro fetch                         list what is missing, and ask
  repro fetch --list                  show every data set and where its files are
  repro fetch a9a
  repro fetch dai2014/svm-adult       the data of an experiment
  REPRO_DATA=~/data repro fetch       use the files that are in ~/data`,
		ValidArgsFunction: flags.Data,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := dataOf(args, r.list)
			if err != nil {
				return err
			}
			if r.everything && len(args) > 0 {
				return fmt.Errorf("fetch: --all fetches the data of all experiments; leave out %s", strings.Join(args, " "))
			}
			if !r.list && !r.everything && len(args) == 0 {
				if names, err = agreed(t, r, names); err != nil || len(names) == 0 {
					return err
				}
			}
			if !r.list {
				err = training.Fetch(cmd.Context(), t, r.Library, names)
			}
			if err != nil {
				return err
			}
			all, g, err := whereIs(cmd.Context(), t, r.Library, names)
			if err != nil {
				return err
			}
			return t.Show(r.json, all, func() {
				if len(g.Rows) > 0 {
					t.Stdout.Table(g)
				}
			})
		},
	}
	flags.JSON(cmd, &r.json)
	cmd.Flags().BoolVar(&r.everything, "all", false, "fetch the data of all experiments that come with repro")
	cmd.Flags().BoolVar(&r.list, "list", false, "show every data set and where its files are; download nothing")
	cmd.MarkFlagsMutuallyExclusive("all", "list")
	return cmd
}

// dataOf returns the data sets that arguments name, directly or by their experiments.
func dataOf(args []string, list bool) ([]string, error) {
	if len(args) == 0 && list {
		return datasets.Names(), nil
	}
	all := len(args) == 0
	if all {
		args = []string{"*/*"}
	}
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) && (list || !datasets.Generated(name)) && !(all && datasets.Brought(name)) {
			names = append(names, name)
		}
	}
	for _, arg := range args {
		if !strings.ContainsAny(arg, "/*") && !strings.HasSuffix(arg, ".toml") {
			if _, err := datasets.Describe(arg); err != nil {
				return nil, err
			}
			add(arg)
			continue
		}
		refs, err := catalog.Resolve([]string{arg})
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			s, err := catalog.Load(ref, experiments.LoadOptions{})
			if err != nil {
				return nil, err
			}
			if s.Data.Name != "" {
				add(s.Data.Name)
			}
		}
	}
	return names, nil
}

// whereIs says where the files of data sets are.
func whereIs(ctx context.Context, t *terminal.Terminal, lib *datasets.Library, names []string) ([]fetched, terminal.Table, error) {
	all := []fetched{}
	g := terminal.Table{Head: []string{"data set", "file", "rows", "size", "state", "where"}, Right: []int{3, 4}}
	for _, name := range names {
		if datasets.Generated(name) {
			g.Rows = append(g.Rows, []string{name, "-", "-", "-", "generated", "-"})
			continue
		}
		files, err := lib.Locate(ctx, name)
		if err != nil {
			return nil, g, err
		}
		for _, f := range files {
			row := fetched{Dataset: name, File: f.Name, Path: f.Path, Verified: f.Verified, State: f.Trust(), Bytes: f.Bytes, Rows: f.Rows}
			if f.Err != nil {
				row.Problem = f.Err.Error()
				t.Note("%v", f.Err)
			}
			all = append(all, row)
			g.Rows = append(g.Rows, []string{name, f.Name, fmt.Sprint(f.Rows), printed.Bytes(float64(f.Bytes)), row.State, printed.OrDash(f.Path)})
		}
	}
	return all, g, nil
}

// agreed lists what is missing of the data sets with its size, asks whether to download it, and returns the names of what was
// agreed to. Where nobody can be asked, it is an error that says what to pass.
func agreed(t *terminal.Terminal, r fetchRequest, names []string) ([]string, error) {
	var missing []string
	g := terminal.Table{Head: []string{"data set", "size", "what it is"}, Right: []int{2}, Wrap: 3}
	seen := map[string]bool{} // data sets may share files
	total, unknown := int64(0), 0
	for _, name := range names {
		absent, _ := r.Library.Absent(name)
		if len(absent) == 0 {
			continue
		}
		missing = append(missing, name)
		sum := int64(0)
		for _, f := range absent {
			sum += f.Bytes
			key := strings.Join(f.URLs, " ")
			if seen[key] {
				continue
			}
			seen[key] = true
			total += f.Bytes
			if f.Bytes == 0 {
				unknown++
			}
		}
		title := name
		if s, err := datasets.Describe(name); err == nil {
			title = s.Title
		}
		g.Rows = append(g.Rows, []string{name, training.Size(sum), title})
	}
	if len(missing) == 0 {
		t.Note("nothing to download: the data of all experiments is here, or you bring it (%s)", printed.Command("fetch --list"))
		return nil, nil
	}
	if !r.json {
		t.Stdout.Table(g)
	}
	text := fmt.Sprintf("%s, %s", printed.Count(len(missing), "data set"), printed.Bytes(float64(total)))
	if unknown > 0 {
		text += fmt.Sprintf(" and %s of unknown size", printed.Count(unknown, "file"))
	}
	hint := printed.Command("fetch NAME") + " downloads one of them"
	if t.Stdin == nil || r.json {
		t.Tell(r.json, "%s", text)
		return nil, errors.New("fetch: downloaded nothing; " + hint + ", " + printed.Command("fetch --all") + " downloads all")
	}
	fmt.Fprintf(t.Screen, "%s to %s. Download them? [y/N] ", text, r.Library.CacheDir)
	answer, _ := bufio.NewReader(t.Stdin).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return missing, nil
	}
	t.Note("downloaded nothing; %s", hint)
	return nil, nil
}
