#!/bin/sh
# Makes the pages in the folder FOLDER (the argument): report_head.html and report_tail.html of `fisql report`, serve.html,
# serve.js and serve.css of `fisql serve`.
# The drawing libraries come from npm as page/package-lock.json pins them. Where that cannot be
# done the pages are empty (fisql report and serve then say so), report_missing says why and tells make to try again,
# and the rest of the build goes on.
set -eu
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")"
missing() {
    echo "fisql: report: $1: \`fisql report\` and \`fisql serve\` will not work; everything else does" >&2
    : >"$folder/report_head.html"
    echo "$1" >"$folder/report_missing"
    for file in report_tail.html serve.html serve.js serve.css; do : >"$folder/$file"; done
    exit 0
}
if [ -s bundled/report_tail.html ] && [ -z "${REBUNDLE-}" ]; then # a source archive has the page; REBUNDLE=1 makes it anew
    cp bundled/* "$folder/"
    rm -f "$folder/report_missing"
    exit 0
fi
command -v node >/dev/null && command -v npm >/dev/null || missing "npm is missing (apt-get install npm)"
mkdir -p "$folder/npm"
if ! cmp -s package-lock.json "$folder/npm/installed.json"; then
    cp package.json package-lock.json "$folder/npm/"
    (cd "$folder/npm" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 --fetch-timeout=30000 \
        --loglevel=error >npm.log 2>&1) ||
        missing "npm could not fetch the libraries ($(grep -m 1 errno "$folder/npm/npm.log" || head -n 1 "$folder/npm/npm.log"))"
    cp package-lock.json "$folder/npm/installed.json"
fi
rm -f "$folder/report_missing"
node build.mjs "$folder" "$folder/npm/node_modules" || missing "node could not bundle the page"
