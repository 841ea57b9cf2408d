package cli

import (
	"repro/cmd/repro/flags"
	"repro/cmd/repro/training"
	"repro/experiments"
	"repro/results/claims"
	"repro/results/records"
	"repro/runner"
)

func (a *app) open() (*records.Store, error) { return flags.Open(a.Terminal, a.out) }

func (a *app) recorded(args []string, store *records.Store) ([]claims.Experiment, error) {
	return a.choice(args).Recorded(a.Terminal, store)
}

func (a *app) recordedRefs(args []string, store *records.Store) ([]experiments.Ref, error) {
	return a.choice(args).RecordedRefs(a.Terminal, store)
}

func (a *app) choose(ref experiments.Ref, store *records.Store) (claims.Experiment, error) {
	return a.choice(nil).Choose(a.Terminal, ref, store)
}

func (a *app) nothing(all []claims.Experiment) error { return a.choice(nil).Nothing(a.out, all) }

func (a *app) toRun(args []string) ([]*experiments.Spec, error) {
	return a.choice(args).ToRun(a.Terminal)
}

func (a *app) atProfile(args []string, refs []experiments.Ref) ([]experiments.Ref, error) {
	return a.choice(args).AtProfile(a.Terminal, refs)
}

func argument(s *experiments.Spec) string { return flags.Argument(s) }

func (a *app) memoryBound() (float64, string) { return flags.MemoryBound(a.library()) }

func (a *app) elsewhere() string { return flags.Elsewhere(a.out) }

func (a *app) here(name string) string { return a.library().Whereabouts(name) }

func (a *app) order(args []string) training.Order {
	o := training.Order{Choice: a.choice(args), Fetch: a.download, Verbose: a.verbose, Quiet: a.quiet, Part: a.shard != ""}
	o.Options = runner.Options{Out: a.out, Threads: a.threads, Fresh: a.fresh, Library: a.library(), AllowExternal: a.allowExternal}
	return o
}
