#!/usr/bin/env bash
# Writes the scripts of the pages, *.min.js, from the modules of this folder, and SHA256SUMS.
# With the argument vendor it also writes vendor/ and ../browsertest/axe.min.js from the packages of package-lock.json; that
# needs npm and the network. esbuild comes from tools.mod.
set -euo pipefail
cd "$(dirname "$0")"
esbuild() { go tool -modfile=../../tools.mod esbuild "$@"; }

if [ "${1:-}" = vendor ]; then
  packages=$(mktemp -d)
  cp package.json package-lock.json "$packages"
  npm ci --ignore-scripts --no-audit --no-fund --prefix "$packages"
  mkdir -p vendor
  cp vendor.js interpolate.js "$packages"
  bundle() { esbuild "$packages/vendor.js" --bundle --format=esm --alias:d3-interpolate="$packages/interpolate.js" --legal-comments=none --log-level=warning "$@"; }
  bundle --minify --outfile=vendor/d3.js
  bundle --outfile="$packages/readable.js"
  {
    echo "vendor/d3.js holds parts of these packages."
    for p in $(cd "$packages/node_modules" && ls -d d3-* internmap); do
      if grep -q "node_modules/$p/" "$packages/readable.js"; then
        printf '\n== %s %s\n\n' "$p" "$(sed -n 's/^  "version": "\(.*\)",/\1/p' "$packages/node_modules/$p/package.json")"
        cat "$packages/node_modules/$p/LICENSE"
      fi
    done
  } >vendor/LICENSE
  cp "$packages/node_modules/axe-core/axe.min.js" ../browsertest/axe.min.js
  cp "$packages/node_modules/axe-core/LICENSE" ../browsertest/axe.LICENSE
  rm -rf "$packages"
fi

bundled() { esbuild "$1.js" --bundle --minify --format=iife --target=es2022 --legal-comments=none --log-level=warning --outfile="$2.min.js" "${@:3}"; }
# Two of the scripts have copies of vendor/d3.js, which its licence allows with this notice.
notice=$(sed -n '/^Copyright/,/THIS SOFTWARE\.$/{p;/THIS SOFTWARE\.$/q}' vendor/LICENSE)
d3="--banner:js=/* Parts of d3 (https://d3js.org):
$notice */"
bundled main report "$d3"
bundled site site
bundled lesson lesson "$d3"
bundled slides slides "$d3"
sha256sum *.js vendor/* ../browsertest/axe.min.js ../browsertest/axe.LICENSE >SHA256SUMS
