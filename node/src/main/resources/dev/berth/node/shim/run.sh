# --- from here the same for every attempt; above are the values of this attempt --------------------
#
# A single bash process: no other program and no fork before the command. No `set -e`: the exit record
# must be written even if another step fails. Descriptors: 46 the command's script, 47 what its shell
# prints at its end, 48 the exit record, opened by the spawner; each write to it is synchronous. 43 to 45 belong to
# the copy of the command's output, if there is one.
umask 077
unset BERTH_FAILPOINTS OLDPWD
# The server's launcher sets variables of the locale for the JVM, and keeps those of its caller under these names.
for berth_kept in "${!BERTH_CALLER_@}"; do
    unset "${berth_kept#BERTH_CALLER_}"
    [[ ${!berth_kept} ]] && export "${berth_kept#BERTH_CALLER_}=${!berth_kept}"
    unset "$berth_kept"
done 2>/dev/null
berth_at shim.before-go

# A fault of the machine: the command never began. The record's text contains no number.
berth_not_begun() {
    { : >&48; } 2>/dev/null || exec 48<>"$berth_dir/exit_code.pending"
    printf 'not begun: %-52s\n' "$1" >&48
} 2>/dev/null

# The right to start: only one process can create `go`, so the following steps run at most once.
IFS= read -r berth_stat </proc/self/stat
set -- ${berth_stat##*) } # the state follows the program's name, which may contain blanks
IFS= read -r berth_boot </proc/sys/kernel/random/boot_id
berth_created=
# In a cluster: the GPUs are as many as requested, and nobody else uses them. Sets berth_place.
trap berth_release EXIT
berth_check || exit 76
# With set -C bash creates exclusively, but it opens what is not a regular file: a FIFO would block it.
[[ -e $berth_dir/go || -L $berth_dir/go ]] && exit 75
set -C
{ berth_created=1; berth_at shim.in-go; printf '%s %s %s%s\n' "$$" "${20}" "$berth_boot" "$berth_place"; } \
    2>/dev/null >"$berth_dir/go"
berth_status=$?
set +C --
if ((berth_status != 0)); then
    [[ ! $berth_created && -e $berth_dir/go ]] && exit 75
    printf 'berth: cannot write %s/go: nothing was started\n' "$berth_dir"
    [[ $berth_created ]] && berth_not_begun go
    exit 74
fi
berth_at shim.after-go

if [[ $berth_cgroup ]] && ! printf 0 >"$berth_cgroup"; then
    printf 'berth: cannot enter %s: nothing was started\n' "$berth_cgroup"
    berth_not_begun cgroup
    exit 74
fi

# If bash cannot create the command's process, it tries for 15 s and then exits with this status from the
# middle of the script. A fatal signal also runs this trap, with another status: the command may run then.
berth_code=
trap '[[ $? == 254 && ! $berth_code ]] && berth_not_begun process; berth_release' EXIT

# A signal to the whole process group must not prevent the exit record. We install handlers, because
# the command inherits ignored signals but not handlers.
trap : HUP INT QUIT USR1 USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF IO

# Of a command that runs as its owner, only the owner's shell may use PATH: its directories are the owner's.
if [[ ! $berth_owner && $PATH == *.venv/bin* ]]; then
    berth_rest=$PATH: berth_kept=
    while [[ $berth_rest ]]; do
        berth_entry=${berth_rest%%:*} berth_rest=${berth_rest#*:}
        [[ /${berth_entry%/} == */.venv/bin ]] || berth_kept+=:$berth_entry
    done
    PATH=${berth_kept#:}
fi
[[ $berth_extra_path && ! $berth_owner ]] && PATH=$berth_extra_path${PATH:+:$PATH}
export PATH LOG_FILE PYTHONUNBUFFERED=1 CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES BERTH_ATTEMPT

if [[ ! $berth_owner ]]; then # the owner's shell prints this banner itself
    printf '===== Scheduler Environment =====\nTimestamp: %(%FT%T%z)T\nPATH: %s\nPython on PATH: ' -1 "$PATH"
    command -v python || printf 'not found\n'
fi

berth_command=("${berth_run_as[@]}" "$BASH" -c "$berth_loader" "$berth_dir/command.sh" "$berth_work_dir" "$berth_umask" "$berth_owner")
if ! exec 46<"$berth_dir/command.sh" 47<>"$berth_dir/command.end"; then
    berth_not_begun files
    exit 74
fi
# A program that opens /dev/stderr for writing empties a file, but not a pipe. So a command that names it writes to a
# pipe that is copied to the log. The copy ignores signals, ends with the last writer, and goes on after a full disk.
if [[ $berth_cat ]]; then
    exec 43>&1
    coproc berth_copy {
        trap '' HUP INT QUIT USR1 USR2 PIPE ALRM TERM XCPU XFSZ VTALRM PROF IO
        until "$berth_cat" >&43; do "$berth_sleep" 1; done
    } 46<&- 47>&- 48>&-
    exec 44>&"${berth_copy[1]}" 45<&"${berth_copy[0]}"
    eval "exec ${berth_copy[0]}<&- ${berth_copy[1]}>&-"
fi
berth_at shim.before-command
# A process of its own, that becomes the command.
if [[ $berth_cat ]]; then
    ( berth_start ) >&44 2>&1 43>&- 44>&- 45<&-
else
    ( berth_start )
fi
berth_code=$?
berth_at shim.after-command
if [[ $berth_cat ]]; then
    exec 44>&-
    IFS= read -r -t 2 -u 45 # until all is copied; a process that was left behind may keep the pipe open
    exec 43>&- 45<&-
fi

# Opened by descriptor: the command may have removed its files, or put FIFOs in their place.
berth_told=
if [[ $berth_owner ]]; then # a FIFO: what its owner writes takes no disk space, and nothing here waits for it
    read -t 0 -u 47 && { IFS= read -r -d '' -n 65536 -t 1 -u 47 berth_path && berth_told=1 \
        && IFS= read -r -n 4096 -t 1 -u 47 berth_python; }
elif [[ -f /proc/self/fd/47 ]]; then
    { IFS= read -r -d '' -n 65536 berth_path && berth_told=1 && IFS= read -r -n 4096 berth_python; } </proc/self/fd/47
fi 2>/dev/null
# Start the banner on a new line. A log over 16 KiB always gets an extra newline, to avoid reading it all.
# Newline and banner are one write: a reader that hides the banner also hides the newline.
berth_newline=
IFS= read -r -d '' -n 16384 berth_text 2>/dev/null </proc/self/fd/1
[[ ${#berth_text} -lt 16384 && $berth_text == *$'\n' ]] || berth_newline=$'\n'
{
    printf '%s===== Command Script Exit =====\n' "$berth_newline"
    if [[ $berth_told ]]; then
        printf 'PATH: %s\npython -> %s\n' "$berth_path" "${berth_python:-not found}"
    elif [[ $berth_owner ]]; then
        printf 'PATH: %s\npython -> not reported\n' "$berth_owner_path"
    else
        printf 'PATH: %s\npython -> ' "$PATH"
        command -v python || printf 'not found\n'
    fi
} 2>/dev/null

# The record's disk block was allocated before the start and is overwritten in place by one write, so a
# full disk cannot prevent it. If the spawner did not open the record, we open it here and sync it below.
berth_is_synced=1
{ : >&48; } 2>/dev/null || { berth_is_synced=; exec 48<>"$berth_dir/exit_code.pending"; } 2>/dev/null
until printf '%-63s\n' "$berth_code" 2>/dev/null >&48; do
    [[ -d $berth_dir ]] || exit "$berth_code"
    "$berth_sleep" 1
done
berth_at shim.after-record
# For users and scripts. Renaming the record would need another program, a sixth of the shim's total cost.
# What the command put in its place is left alone if it is not a regular file: opening a FIFO would block.
if [[ ! -e $berth_dir/exit_code || -f $berth_dir/exit_code ]] && [[ ! -L $berth_dir/exit_code ]]; then
    printf '%s\n' "$berth_code" 2>/dev/null >"$berth_dir/exit_code"
fi
berth_at shim.after-rename
[[ $berth_is_synced ]] || "$berth_sync" "$berth_dir/exit_code.pending" 2>/dev/null
exit "$berth_code"
