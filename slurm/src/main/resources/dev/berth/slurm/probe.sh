# --- from here the same for every node; above are the values of this probe ---------------------------
# Shows to `berth doctor` what a job on this node sees of the shared path and of its user.
set -C
node=${SLURMD_NODENAME:-${SLURM_JOB_NODELIST:-unknown}}
berth_write() { # name, text: appears as a whole
    printf '%s\n' "$2" >|"$berth_dir/$1.$node.new" && mv -f "$berth_dir/$1.$node.new" "$berth_dir/$1.$node"
}
berth_await() { # name
    local i
    for ((i = 0; i < berth_seconds * 100; i++)); do
        [[ -e $berth_dir/$1 ]] && return 0
        # A network file system answers from its cache until the directory is read.
        ls "$berth_dir" >/dev/null
        sleep 0.01
    done
    return 1
}
gpus=0
command -v nvidia-smi >/dev/null && gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU ')
berth_write ready "$(id -u) $gpus $(id -G)"
berth_await echo || exit 1
berth_write echoed -
berth_await begin || exit 1
wins=
for ((round = 1; round <= berth_rounds; round++)); do
    { printf '%s\n' "$node" >"$berth_dir/go.$round"; } 2>/dev/null && wins+=" $round"
done
berth_write wins "${wins# }"
