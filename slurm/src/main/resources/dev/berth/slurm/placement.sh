# --- in a Slurm job; above are the values of this attempt --------------------------------------------
# A GPU is held by a file on the shared path, because Slurm may give a GPU to a job while a job that it
# forgot still runs there.
berth_node=${SLURMD_NODENAME:-${SLURM_JOB_NODELIST:-unknown}}
berth_place=" $berth_node ${SLURM_JOB_ID:-0} -"
berth_held=()
berth_release() {
    [[ ${berth_held[*]} ]] && "$berth_rm" -f -- "${berth_held[@]}"
    berth_held=()
}
berth_check() {
    local gpu file other gpus
    # Where the server is another user, it must be able to read what the shim writes.
    umask "$berth_files_umask"
    if ((berth_gpus == 0)); then
        CUDA_VISIBLE_DEVICES=
        return 0
    fi
    # CUDA_VISIBLE_DEVICES counts from 0 where cgroups hide the other GPUs of the node.
    IFS=, read -ra gpus <<<"${SLURM_JOB_GPUS:-$CUDA_VISIBLE_DEVICES}"
    if [[ ! $CUDA_VISIBLE_DEVICES ]] || ((${#gpus[@]} != berth_gpus)); then
        printf 'berth: Slurm gave %s of %s GPUs (%s): nothing was started\n' "${#gpus[@]}" "$berth_gpus" "${gpus[*]}"
        return 1
    fi
    for gpu in "${gpus[@]}"; do
        file=$berth_gpu_dir/$berth_node.$gpu
        set -C
        if ! { printf '%s\n' "$berth_attempt" >"$file"; } 2>/dev/null; then
            set +C
            IFS= read -r other 2>/dev/null <"$file"
            printf 'berth: attempt %s is still on GPU %s of %s: nothing was started\n' "$other" "$gpu" "$berth_node"
            berth_release
            return 1
        fi
        set +C
        berth_held+=("$file")
    done
    if [[ $berth_yields ]] && command -v nvidia-smi >/dev/null; then
        other=$(nvidia-smi -i "${SLURM_JOB_GPUS:-$CUDA_VISIBLE_DEVICES}" --query-compute-apps=pid --format=csv,noheader 2>/dev/null)
        if [[ $other =~ [0-9] ]]; then
            printf 'berth: other processes compute on GPU %s of %s: nothing was started\n' "${gpus[*]}" "$berth_node"
            berth_release
            return 1
        fi
    fi
    berth_place=" $berth_node ${SLURM_JOB_ID:-0} ${SLURM_JOB_GPUS:-$CUDA_VISIBLE_DEVICES}"
}
