#!/bin/bash
#SBATCH --job-name={{.Name}}
#SBATCH --array=0-{{add (len .Shards) -1}}{{with .AtOnce}}%{{.}}{{end}}
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@{{.Warning}}
#SBATCH --time={{clock .Seconds}}
#SBATCH --mem={{mebibytes .Bytes}}M
{{- if .Alone}}
#SBATCH --exclusive
{{- else}}
#SBATCH --cpus-per-task={{.CPUs}}
{{- end}}
#SBATCH --chdir="{{.Dir}}"
#SBATCH --output="{{.Files}}/%A_%a.log"
{{- range .Options}}
#SBATCH {{.}}
{{- end}}

shards=({{range $i, $s := .Shards}}{{if $i}} {{end}}{{$.Argument $s}}{{end}})
shard=${shards[$SLURM_ARRAY_TASK_ID]}
if [ "${SLURM_RESTART_COUNT:-0}" -gt {{.Restarts}} ]; then
  echo "shard $shard has started more than {{.Restarts}} times again, so it stops; {{command "submit"}} sends it anew" >&2
  exit 4
fi

# A signal that comes before the program has started is passed on then.
child=
cancelled=
signal=
pass() {
  signal=$1
  if [ -n "$child" ]; then kill "-$signal" "$child"; fi
}
trap 'pass USR1' USR1
trap 'cancelled=yes; pass TERM' TERM
{{words .Run}} --threads {{if .Alone}}0{{else}}{{.CPUs}}{{end}} --shard "$shard" --stop-before {{.Seconds}}s &
child=$!
if [ -n "$signal" ]; then kill "-$signal" "$child"; fi
wait "$child"
status=$?
while kill -0 "$child" 2>/dev/null; do # a signal interrupts wait
  wait "$child"
  status=$?
done

# The system killed it for its memory, as the control group of this job counts: once more, with twice the memory.
group=$(cut -d : -f 2- /proc/self/cgroup)
if [ "$status" -eq 137 ] && grep -qs '^oom_kill [1-9]' \
  "/sys/fs/cgroup$(echo "$group" | sed -n 's/^://p')/memory.events" "/sys/fs/cgroup/memory$(echo "$group" | sed -n 's/^memory://p')/memory.oom_control"; then
  case " {{range .Shards}}{{if .Twice}}{{.Index}} {{end}}{{end}}" in
    *" ${shard%%/*} "*) echo "shard $shard needs more than {{mebibytes .Bytes}} MiB, which is twice what was predicted; {{command "submit"}} sends it anew" >&2 ;;
    *)
      echo "shard $shard needs more than {{mebibytes .Bytes}} MiB; {{command "submit"}} sends it with twice the memory" >&2
      : >{{word .Files}}/"memory-${shard%%/*}" ;;
  esac
  exit 4
fi

# 75: it stopped in time and continues. More than 128: a signal killed it. A cancelled job is not sent back.
if [ -z "$cancelled" ] && { [ "$status" -eq 75 ] || [ "$status" -gt 128 ]; }; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
