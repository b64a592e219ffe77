# --- from here the same for every attempt; above are its values --------------------------------------
# Finds out on its own host whether the shim of an attempt is alive, and ends its processes if asked to.
berth_is_alive() {
    local stat
    IFS= read -r stat 2>/dev/null <"/proc/$berth_pid/stat" || return 1
    set -- ${stat##*) }
    [[ $1 != Z && ${20} == "$berth_tick" ]]
}
berth_signal() {
    local process
    for process in /proc/[0-9]*; do
        grep -qzxF "BERTH_ATTEMPT=$berth_marker" "$process/environ" 2>/dev/null || continue
        kill "-$1" "${process#/proc/}" 2>/dev/null
    done
}
IFS= read -r berth_now </proc/sys/kernel/random/boot_id
berth_found=gone
if [[ $berth_now == "$berth_boot" ]] && berth_is_alive; then
    berth_found=alive
    if [[ $berth_end ]]; then
        berth_signal TERM
        for ((i = 0; i < berth_grace * 10; i++)); do berth_is_alive || break; sleep 0.1; done
        berth_is_alive && berth_signal KILL
        sleep 0.2
        berth_is_alive || berth_found=gone
    fi
fi
printf '%s\n' "$berth_found" >"$berth_result.new" && mv -f "$berth_result.new" "$berth_result"
