package machine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repro/cmd/repro/exits"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/terminal"
	"repro/cmd/repro/training"
	"repro/datasets"
	"repro/experiments"
	"repro/experiments/catalog"
	"repro/results/printed"
)

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
	list, check, json bool
}

// An answered is what an address said in `fetch --check --json`.
type answered struct {
	Dataset string `json:"dataset"`
	File    string `json:"file"`
	URL     string `json:"url"`
	SHA256  string `json:"sha256"` // published; empty if it is not
	Want    int64  `json:"want"`   // bytes that are published, 0 if they are not
	Bytes   int64  `json:"bytes"`  // that the file has there, -1 if the server does not say
	Problem string `json:"problem"`
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

--check downloads nothing: it asks each address whether it has the file and how long that is, and compares the length
with the published one. The exit status is 1 if one does not.

Without arguments it lists what is missing of the data of all experiments that come with repro, with sizes,
and asks whether to download it. Where nobody can answer, repro fetch '*/*' downloads it.`,
		Example: `  repro fetch                         list what is missing, and ask
  repro fetch --list                  show every data set and where its files are
  repro fetch --check                 ask every address whether it has its file
  repro fetch a9a
  repro fetch dai2014/svm-adult       the data of an experiment; '*/*' is of all
  REPRO_DATA=~/data repro fetch       use the files that are in ~/data`,
		ValidArgsFunction: flags.IDs,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := dataOf(args, r.list || r.check)
			if err != nil {
				return err
			}
			if r.check {
				return ask(cmd.Context(), t, r, names)
			}
			if !r.list && len(args) == 0 {
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
	cmd.Flags().BoolVar(&r.check, "check", false, "ask every address whether it has its file, and of which size; download nothing")
	cmd.Flags().BoolVar(&r.list, "list", false, "show every data set and where its files are; download nothing")
	cmd.MarkFlagsMutuallyExclusive("list", "check")
	return cmd
}

// dataOf returns the data sets that arguments name, directly or by their experiments.
func dataOf(args []string, list bool) ([]string, error) {
	if len(args) == 0 && list {
		return datasets.Names(), nil
	}
	if len(args) == 0 {
		args = []string{"*/*"}
	}
	var names []string
	add := func(name, arg string) {
		if !slices.Contains(names, name) && (list || !datasets.Generated(name)) && !(strings.Contains(arg, "*") && datasets.Brought(name)) {
			names = append(names, name)
		}
	}
	for _, arg := range args {
		if !strings.ContainsAny(arg, "/*") && !strings.HasSuffix(arg, ".toml") {
			if _, err := datasets.Describe(arg); err != nil {
				return nil, err
			}
			add(arg, arg)
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
				add(s.Data.Name, arg)
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

// ask asks the addresses of data sets, each once, and shows what they say. Its error is that one does not have its file.
func ask(ctx context.Context, t *terminal.Terminal, r fetchRequest, names []string) error {
	all, bad := []answered{}, 0
	g := terminal.Table{Head: []string{"data set", "file", "size", "answer", "address"}, Right: []int{3}, Wrap: 4}
	for _, name := range names {
		answers, err := r.Ask(ctx, name)
		if err != nil {
			return err
		}
		for _, a := range answers {
			if slices.ContainsFunc(all, func(b answered) bool { return b.URL == a.URL }) {
				continue // data sets may share files
			}
			row := answered{Dataset: name, File: a.Name, URL: a.URL, SHA256: a.SHA256, Want: a.RemoteFile.Bytes, Bytes: a.Bytes}
			said := "has it, of this size"
			switch {
			case a.Err != nil:
				row.Problem, bad = a.Err.Error(), bad+1
				said = row.Problem
			case a.Bytes < 0:
				said = "has it, of unknown size"
			case row.Want == 0:
				said = fmt.Sprintf("has it, %s", printed.Bytes(float64(a.Bytes)))
			}
			all = append(all, row)
			g.Rows = append(g.Rows, []string{name, a.Name, training.Size(row.Want), said, a.URL})
		}
	}
	err := t.Show(r.json, all, func() {
		t.Stdout.Table(g)
		t.Stdout.Paragraph("%d of %d addresses cannot be used", bad, len(all))
	})
	if err == nil && bad > 0 {
		err = exits.No
	}
	return err
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
		t.Note("nothing to download: the data of all experiments is here, or not downloadable (%s)", printed.Command("fetch --list"))
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
		return nil, errors.New("fetch: downloaded nothing; " + hint + ", " + printed.Command("fetch '*/*'") + " downloads all")
	}
	fmt.Fprintf(t.Screen, "%s to %s. Download them? [y/N] ", text, r.Library.CacheDir)
	answer, _ := bufio.NewReader(t.Stdin).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer == "y" || answer == "yes" {
		return missing, nil
	}
	t.Note("downloaded nothing; %s", hint)
	return nil, nil
}
