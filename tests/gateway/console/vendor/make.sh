#!/bin/sh
# Makes gateway/http/pages/console/vendor anew from the versions in package.json. It needs npm.
#
#     sh tests/gateway/console/vendor/make.sh
#
# The result is committed, so that neither installing nor building the gateway needs a network or
# npm. Afterwards put the new hashes, which it prints, into test_vendor.py.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=$here/../../../../gateway/http/pages/console/vendor
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$here/codemirror.js" "$work"
cd "$work"
npm install --silent --no-audit --no-fund --no-package-lock
npx esbuild codemirror.js --bundle --minify --format=esm --target=es2022 --legal-comments=none --outfile=out/codemirror.js
npx esbuild node_modules/uplot/dist/uPlot.esm.js --minify --format=esm --target=es2022 --legal-comments=none --outfile=out/uplot.js
npx esbuild node_modules/uplot/dist/uPlot.min.css --minify --outfile=out/uplot.css
{
    echo "Libraries in this directory, as tests/gateway/console/vendor/make.sh bundles them."
    for name in $(node -p 'Object.keys(require("./package.json").dependencies).filter((each) => each !== "esbuild").join(" ")'); do
        printf '\n%s\n%s %s\n\n' "----------------------------------------" "$name" "$(node -p "require('./node_modules/$name/package.json').version")"
        cat node_modules/"$name"/LICENSE*
    done
} > out/LICENSES.txt
mkdir -p "$target"
cp out/* "$target"
cd "$target"
sha256sum codemirror.js uplot.js uplot.css
