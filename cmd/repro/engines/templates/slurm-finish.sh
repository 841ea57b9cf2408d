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
{{- range .Finish}}
{{words .}} || worst=$?
{{- end}}
exit "$worst"
