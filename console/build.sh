#!/usr/bin/env bash
#
# Builds and tests the console with the system's Node.js, for Maven.
#
#   build.sh pages OUT [quick]   the pages into OUT; quick: without the type check
#   build.sh test REPORTS [true] the tests, with a JUnit report in REPORTS; true: a failed test is no error

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly NODE_NEEDED=20.19
# Compressed: what the first page needs, and all pages with it.
readonly MAX_FIRST_BYTES=230000
readonly MAX_BYTES=300000
# The inputs of the build. mock/ and test/ are not among them.
readonly INPUTS=(src public index.html openapi.json package.json package-lock.json tsconfig.json vite.config.ts build.sh
    ../texts/src/main/resources/dev/berth/texts)

fail() {
    printf 'console: %s\n' "$@" >&2
    exit 1
}

need_node() {
    local version
    type -P node npm >/dev/null && version=$(node -p process.versions.node) ||
        fail "needs Node.js $NODE_NEEDED or newer with npm, and none was found (https://nodejs.org)"
    [[ $(printf '%s\n' "$NODE_NEEDED" "$version" | sort -V | head -1) == "$NODE_NEEDED" ]] ||
        fail "needs Node.js $NODE_NEEDED or newer, but this is $version (https://nodejs.org)"
}

# Several builds may use node_modules at once, but none while it is replaced. The lock is on
# package-lock.json; the stamp names the version of it that is installed.
install_libraries() {
    exec 9<package-lock.json
    flock -s 9
    is_installed && return
    flock -u 9
    flock -x 9
    if ! is_installed; then
        npm ci --prefer-offline --no-audit --no-fund --loglevel=error 9<&- || fail 'npm ci failed'
        required_version >node_modules/.installed
    fi
    flock -s 9
}

is_installed() {
    [[ -e node_modules/.installed && $(<node_modules/.installed) == "$(required_version)" ]]
}

required_version() {
    echo "$(sha256sum <package-lock.json) $(node -p process.versions.modules)"
}

is_fresh() {
    # Directories count too: a deleted file changes its directory's time.
    [[ -e $1/index.html && -z $(find "${INPUTS[@]}" -newer "$1/index.html" -print -quit) ]]
}

# Written under another name first, because several builds may run at once.
generate_types() {
    local types=target/generated/openapi.d.ts fresh
    [[ $types -nt openapi.json && $types -nt node_modules/.installed ]] && return
    mkdir -p target/generated
    fresh=$(mktemp target/generated/XXXXXX.d.ts)
    node_modules/.bin/openapi-typescript openapi.json --output "$fresh" >/dev/null || fail 'openapi-typescript failed'
    mv -f "$fresh" "$types"
}

pages() {
    local out=$1 how=${2:-}
    if [[ $how != quick ]]; then
        generate_types
        node_modules/.bin/vue-tsc --noEmit
    fi
    is_fresh "$out" && return
    BERTH_CONSOLE_OUT=$out node_modules/.bin/vite build --logLevel warn
    check_bundle "$out"
}

# The content security policy forbids eval and inline code, and pages must load fast on a slow network.
check_bundle() {
    local size first
    ! grep -lE 'new Function\(|\beval\(' "$1"/assets/*.js || fail 'the bundle evaluates text as code'
    ! grep -qE '<style|<script>|style=' "$1/index.html" || fail 'index.html has inline scripts or styles'
    first=$(cd "$1" && grep -oE 'assets/[^"]+' index.html | sort -u | xargs cat | gzip -c | wc -c)
    ((first <= MAX_FIRST_BYTES)) || fail "the first page needs $first bytes compressed; the limit is $MAX_FIRST_BYTES"
    size=$(cat "$1"/assets/* | gzip -c | wc -c)
    ((size <= MAX_BYTES)) || fail "the bundle has $size bytes compressed; the limit is $MAX_BYTES"
}

# With "true" a failed test is only written into the report, as Maven's own tests do it.
tests() {
    local reports=$1 ignores_failures=${2:-false}
    mkdir -p "$reports"
    rm -f "$reports/TEST-console.xml"
    BERTH_REPORTS=$reports node_modules/.bin/vitest run ||
        { [[ $ignores_failures == true ]] && grep -qs '<failure' "$reports/TEST-console.xml"; }
}

need_node
install_libraries
case ${1:-} in
    pages) pages "${@:2}" ;;
    test) tests "${@:2}" ;;
    *) fail 'build.sh pages OUT [quick] | build.sh test REPORTS [true]' ;;
esac
