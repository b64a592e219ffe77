#!/usr/bin/env bash
# Builds the native shim: build-shim.sh SOURCE DIRECTORY. Without a C compiler for x86-64 and the headers of
# the kernel nothing is built, and tasks start through bash.
set -u
source=$1 directory=$2
target=$directory/shim-x86_64
[[ $target -nt $source && $target -nt $0 ]] && exit 0
rm -f "$target"
compiler=$(command -v cc || command -v gcc) || { echo "no C compiler: no native shim is built"; exit 0; }
[[ $("$compiler" -dumpmachine) == x86_64-* ]] || { echo "no x86-64: no native shim is built"; exit 0; }
mkdir -p "$directory" || exit
# Freestanding and static, and the same bytes from each build.
if ! "$compiler" -std=c11 -Os -Wall -Wextra -ffreestanding -nostdlib -static -fno-pie -no-pie \
    -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns \
    -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,norelro -s -o "$target.new" "$source"; then
    rm -f "$target.new"
    echo "no native shim: it does not compile (headers of the kernel: apt install linux-libc-dev)"
    exit 0
fi
mv "$target.new" "$target"
