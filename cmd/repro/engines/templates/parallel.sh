#!/bin/bash
# Runs the shards of a plan with GNU parallel: on this machine, or on machines that answer to ssh without a password and have the
# same folders, if submit got --option=--sshlogin=HOST,HOST. Run this file again to continue after a stop.
{{- range .Env}}
export {{.Name}}={{word .Value}}
{{- end}}
export PARALLEL_SHELL=$BASH # else parallel takes SHELL, or the program that started this
self=$(realpath "$0")
cd {{word .Dir}} || exit 2
files={{word .Files}}

if [ "$1" = shard ]; then # on the machine of a shard: shard THREADS SHARD
  log=$files/shard-${3%%/*}.log
  {{words .Run}} --threads "$2" --shard "$3" >>"$log" 2>&1 </dev/null
  status=$?
  case $status in
    2 | 4 | 5) # a mistake in the command, a limit of the spec, or a cell that would fail again: no retry
      { echo "shard $3 ended with status $status: see $log, which ends with"; tail -n 3 "$log"; } >>"$files/parallel-failed"
      exit 0 ;;
    75) sleep 60 ;; # another process has the shard
  esac
  exit "$status"
fi

shards() { # JOBS THREADS SHARD...
  jobs=$1 threads=$2
  shift 2
  parallel --quote --jobs "$jobs" --retries {{add .Restarts 1}} --termseq TERM,5000,KILL,25 \
    --joblog "$files/parallel-$(echo "$*" | cksum | cut -d ' ' -f 1).joblog" --resume-failed \
    {{with .Options}}{{words .}} {{end}}bash "$self" shard "$threads" {} ::: "$@" || again=yes
}

again=
: >"$files/parallel-failed" || exit 2
{{- range .Split 1000000}}
{{- if .Alone}}
shards 1 0 {{range $i, $s := .Shards}}{{if $i}} {{end}}{{$.Argument $s}}{{end}} # timed: one at a time on a machine
{{- else}}
shards {{with .AtOnce}}{{.}}{{else}}{{percent .CPUs}}%{{end}} {{.CPUs}} {{range $i, $s := .Shards}}{{if $i}} {{end}}{{$.Argument $s}}{{end}} # up to {{mebibytes .Bytes}} MiB each
{{- end}}
{{- end}}

worst=0
{{- range .Finish}}
{{words .}} || worst=$?
{{- end}}
if [ -s "$files/parallel-failed" ]; then
  cat "$files/parallel-failed" >&2
  exit 5
fi
if [ "$again" ]; then
  echo "some shards did not end: run $self again" >&2
  exit 75
fi
exit "$worst"
