#!/usr/bin/env bash
# Writes the scripts of the pages, *.min.js, from the modules of this folder, and SHA256SUMS. esbuild comes from tools.mod.
# With the argument vendor it also writes ../browsertest/axe.min.js from the package of package-lock.json; that needs npm and the
# network.
set -euo pipefail
cd "$(dirname "$0")"

if [ "${1:-}" = vendor ]; then
  packages=$(mktemp -d)
  cp package.json package-lock.json "$packages"
  npm ci --ignore-scripts --no-audit --no-fund --prefix "$packages"
  cp "$packages/node_modules/axe-core/axe.min.js" ../browsertest/axe.min.js
  cp "$packages/node_modules/axe-core/LICENSE" ../browsertest/axe.LICENSE
  rm -rf "$packages"
fi

bundled() { go tool -modfile=../../tools.mod esbuild "$1.js" --bundle --minify --format=iife --target=es2022 --log-level=warning --outfile="$2.min.js"; }
bundled main report
bundled site site
bundled lesson lesson
bundled play play
bundled worker worker
sha256sum *.js ../browsertest/axe.min.js ../browsertest/axe.LICENSE >SHA256SUMS
