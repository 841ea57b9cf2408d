package share

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"repro/cmd/repro/findings"
	"repro/cmd/repro/flags"
	"repro/cmd/repro/studies"
	"repro/cmd/repro/terminal"
	"repro/plots"
	"repro/results/bundles"
	"repro/results/exports"
	"repro/results/files"
	"repro/results/printed"
)

// A bundleRequest is what the flags of bundle and export say.
type bundleRequest struct {
	flags.Choice
	Out string
}

func newBundle(t *terminal.Terminal) *cobra.Command {
	var r bundleRequest
	cmd := &cobra.Command{
		Use:   "bundle FILE.zip [ID...]",
		Short: "Pack records, specs, verdicts and the report into one file for others to check",
		Long: `Bundle writes one zip file with everything behind the verdicts except the data: the records, the specs as
they were loaded, the verdicts, the report with its figures and tables, the digests and licences of the
data, the machines that made the records, the exports of repro export, and a manifest with the SHA-256 of
every entry. The same folder gives the same bytes. It writes the report into the output folder first, as
repro report does.

Without ids it packs every experiment that comes with repro and has records; give the paths of your own
specs. Runs made with --set, --method or --seeds need the same flags again.

Bundle prints the SHA-256 of the file. Publish it where others can find it: with it they know that their
copy is yours. repro verify FILE.zip judges the records again, and repro audit FILE.zip runs a sample of
them again.`,
		Example: `  repro bundle results.zip
  repro bundle ridge.zip dai2014/ridge --profile paper --out paper
  repro verify results.zip
  repro audit results.zip --sample 30`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: flags.IDs,
		RunE: func(_ *cobra.Command, args []string) error {
			r.Args = args[1:]
			return bundle(t, args[0], r)
		},
	}
	r.Choice.Flags(cmd, "")
	flags.Out(cmd, &r.Out)
	return cmd
}

// bundle writes the bundle of an output folder.
func bundle(t *terminal.Terminal, path string, r bundleRequest) error {
	if !studies.IsBundle(path) {
		return fmt.Errorf("bundle: %s does not end in .zip; name the file to write first, as in %s", path, printed.Command("bundle results.zip"))
	}
	s, err := studies.Pack(t, r.Out, r.Choice)
	if err != nil {
		return err
	}
	if s.Files, err = reportFiles(s, r.Out); err != nil {
		return err
	}
	more, err := exports.Files(s.Export(func(file string) bool { _, ok := s.Files[file]; return ok }))
	if err != nil {
		return err
	}
	maps.Copy(s.Files, more)
	digest, err := bundles.Write(path, s.Contents)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Stdout, "%s: %s of %s, %s\nSHA-256 %s\n", path, printed.Count(len(s.Records), "record"), printed.Count(len(s.Experiments), "experiment"),
		printed.Bytes(float64(info.Size())), digest)
	return nil
}

// reportFiles writes the report of a study into the output folder and returns its files, by their path in a bundle.
func reportFiles(s *studies.Study, out string) (map[string][]byte, error) {
	paths, err := findings.Write(out, s.Store, s.Cases, plots.Output{})
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for _, p := range paths {
		rel, err := filepath.Rel(out, p)
		if err != nil {
			return nil, err
		}
		if rel == "verdicts.json" || rel == "records.csv" {
			continue // a bundle has the verdicts, and the records themselves
		}
		if made[filepath.ToSlash(rel)], err = files.Read(p); err != nil {
			return nil, err
		}
	}
	return made, nil
}
