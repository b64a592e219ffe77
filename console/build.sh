#!/usr/bin/env bash
#
# Builds and tests the console with the system's Node.js, for Maven.
#
#   build.sh pages OUT [quick]   the pages into OUT; quick: without the type check
#   build.sh test REPORTS        the tests, with a JUnit report in REPORTS

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly NODE_NEEDED=20.19
readonly MOST_BYTES=190000
# What the pages are made of. mock/ and test/ are no part of them.
readonly INPUTS=(src public index.html package.json package-lock.json tsconfig.json vite.config.ts build.sh)

fail() {
    printf 'console: %s\n' "$@" >&2
    exit 1
}

need_node() {
    local version
    type -P node npm >/dev/null && version=$(node -p process.versions.node) ||
        fail "needs Node.js $NODE_NEEDED or newer with npm, and found none (https://nodejs.org)"
    [[ $(printf '%s\n' "$NODE_NEEDED" "$version" | sort -V | head -1) == "$NODE_NEEDED" ]] ||
        fail "needs Node.js $NODE_NEEDED or newer, and found $version (https://nodejs.org)"
}

# Several builds may use the libraries at once, but nobody while they are being replaced. The lock is
# on the file that names them; the stamp tells for which names they were installed.
install_libraries() {
    exec 9<package-lock.json
    flock -s 9
    is_installed && return
    flock -u 9
    flock -x 9
    if ! is_installed; then
        npm ci --prefer-offline --no-audit --no-fund --loglevel=error 9<&- || fail 'npm ci failed'
        wanted >node_modules/.installed
    fi
    flock -s 9
}

is_installed() {
    [[ -e node_modules/.installed && $(<node_modules/.installed) == "$(wanted)" ]]
}

wanted() {
    echo "$(sha256sum <package-lock.json) $(node -p process.versions.modules)"
}

is_fresh() {
    # Directories count too: a deleted file changes its directory's time.
    [[ -e $1/index.html && -z $(find "${INPUTS[@]}" -newer "$1/index.html" -print -quit) ]]
}

pages() {
    local out=$1 how=${2:-}
    if [[ $how != quick ]]; then
        node_modules/.bin/vue-tsc --noEmit
    fi
    is_fresh "$out" && return
    BERTH_CONSOLE_OUT=$out node_modules/.bin/vite build --logLevel warn
    judge "$out"
}

# The content security policy forbids what these do, and a page should come at once on a slow line.
judge() {
    local size
    ! grep -lE 'new Function\(|\beval\(' "$1"/assets/*.js || fail 'the bundle makes code from text'
    ! grep -qE '<style|<script>|style=' "$1/index.html" || fail 'index.html has inline scripts or styles'
    size=$(cat "$1"/assets/* | gzip -c | wc -c)
    ((size <= MOST_BYTES)) || fail "the bundle has $size bytes compressed, $MOST_BYTES are allowed"
}

tests() {
    mkdir -p "$1"
    rm -f "$1/TEST-console.xml"
    BERTH_REPORTS=$1 node_modules/.bin/vitest run
}

need_node
install_libraries
case ${1:-} in
    pages) pages "${@:2}" ;;
    test) tests "$2" ;;
    *) fail 'build.sh pages OUT [quick] | build.sh test REPORTS' ;;
esac
