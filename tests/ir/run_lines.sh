#!/bin/bash
# Runs the `// RUN:` lines of one test file: run_lines.sh FILE TEGULA_OPT FILECHECK. %s in a line is the file.
set -euo pipefail
file=$1
tegula-opt() { "$TEGULA_OPT" "$@"; }
FileCheck() { "$FILECHECK" "$@"; }
export -f tegula-opt FileCheck
export TEGULA_OPT=$2 FILECHECK=$3
grep -q '^// RUN: ' "$file" || { echo "$file: no RUN lines" >&2; exit 1; }
while IFS= read -r line; do
  echo "+ ${line//%s/$file}" >&2
  bash -euo pipefail -c "${line//%s/$file}"
done < <(sed -n 's|^// RUN: ||p' "$file")
