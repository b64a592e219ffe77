#!/usr/bin/env bash
# Builds the native shim: build-shim.sh SOURCES DIRECTORY. Without a C compiler for x86-64 and the headers of
# the kernel nothing is built, and tasks start through bash.
#
#   shim-x86_64      the program
#   shim-x86_64.so   the builtin that a bash of the user loads ahead
set -u
sources=$1 directory=$2
program=$directory/shim-x86_64 builtin=$directory/shim-x86_64.so
[[ -e $program && -e $builtin && -z $(find "$sources" "$0" -newer "$builtin") ]] && exit 0
rm -f "$program" "$builtin"
compiler=$(command -v cc || command -v gcc) || { echo "no C compiler: no native shim is built"; exit 0; }
[[ $("$compiler" -dumpmachine) == x86_64-* ]] || { echo "no x86-64: no native shim is built"; exit 0; }
mkdir -p "$directory" || exit
# Freestanding, and the same bytes from each build.
compile() {
    "$compiler" -std=c11 -O2 -Wall -Wextra -ffreestanding -nostdlib -fno-stack-protector -fcf-protection=none \
        -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns -Wl,--build-id=none -Wl,-z,noexecstack \
        -Wl,-z,norelro -Wl,-z,now -s "$@"
}
if ! compile -static -fno-pie -no-pie -o "$program.new" "$sources/program.c" ||
    ! compile -shared -fPIC -fvisibility=hidden -o "$builtin.new" "$sources/shell.c"; then
    rm -f "$program.new" "$builtin.new"
    echo "no native shim: it does not compile (headers of the kernel: apt install linux-libc-dev)"
    exit 0
fi
mv "$program.new" "$program"
mv "$builtin.new" "$builtin"
