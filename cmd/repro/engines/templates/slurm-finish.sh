#!/bin/bash
#SBATCH --job-name={{.Name}}
#SBATCH --open-mode=append
#SBATCH --time=1:00:00
#SBATCH --mem={{mebibytes .FinishBytes}}M
#SBATCH --cpus-per-task=1
#SBATCH --chdir="{{.Dir}}"
#SBATCH --output="{{.Files}}/finish.log"
{{- range .Options}}
#SBATCH {{.}}
{{- end}}

worst=0
if ls {{word .Files}}/memory-* >/dev/null 2>&1; then # shards that need twice the memory
  {{words .Again}} || worst=$?
fi
{{- range .Finish}}
{{words .}} || worst=$?
{{- end}}
exit "$worst"
