#!/usr/bin/env bash
# A Slurm cluster for tests: munged, slurmctld and several slurmd with fake GPUs on this machine, all on
# loopback and in one directory. Needs root: slurmd refuses other users, and a fake GPU is a device file.
#
#   cluster.sh start DIR PORT...    the first port is slurmctld's; each further one is the slurmd of a node n1, n2, …
#   cluster.sh stop DIR             ends the daemons and jobs of this cluster and nothing else
#   cluster.sh kill-controller DIR | start-controller DIR
#   cluster.sh kill-node DIR NODE | start-node DIR NODE
#
# Environment: CLUSTER_GPUS fake GPUs of each node (4), CLUSTER_TYPES their gres types, one for each node and then
# from the first again ("a100 a100 v100 v100"), CLUSTER_CONF and CLUSTER_CGROUP further lines of slurm.conf and cgroup.conf.
set -euo pipefail
umask 022

action=${1:?} dir=${2:?}
shift 2
gpus=${CLUSTER_GPUS:-4}
read -ra types <<<"${CLUSTER_TYPES:-a100 a100 v100 v100}"
export SLURM_CONF=$dir/etc/slurm.conf

fail() { printf 'cluster.sh: %s\n' "$*" >&2; exit 1; }

# A pid is ours only while it runs the program that we started with our configuration.
is_alive() { # pid file, program
    local pid
    pid=$(tr -dc 0-9 2>/dev/null <"$1") || return 1
    [[ $pid ]] && [[ $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") == *"$2"*"$dir"* ]]
}

send() { # signal, pid file, program
    is_alive "$2" "$3" && kill "-$1" "$(tr -dc 0-9 <"$2")" 2>/dev/null || true
}

await_gone() { # pid file, program
    local i
    for ((i = 0; i < 500; i++)); do is_alive "$1" "$2" || return 0; sleep 0.01; done
    send KILL "$1" "$2"
}

write_config() {
    local host node i g
    host=$(hostname -s)
    mkdir -p "$dir"/{etc,run,log,state,munge,gpu,spool}
    chown slurm: "$dir/state" "$dir/log" "$dir/run"
    # A character device passes for a GPU, so CUDA_VISIBLE_DEVICES is set in jobs. With a plain file it is not.
    : >"$dir/etc/gres.conf"
    for ((i = 1; i < $#; i++)); do
        node=n$i
        mkdir -p "$dir/spool/$node" "$dir/gpu/$node"
        for ((g = 0; g < gpus; g++)); do
            [[ -e $dir/gpu/$node/nvidia$g ]] || mknod -m 666 "$dir/gpu/$node/nvidia$g" c 1 3
        done
        printf 'NodeName=%s Name=gpu Type=%s File=%s\n' \
            "$node" "${types[(i - 1) % ${#types[@]}]}" "$dir/gpu/$node/nvidia[0-$((gpus - 1))]" >>"$dir/etc/gres.conf"
    done
    printf 'CgroupAutomount=no\nConstrainDevices=no\n%s\n' "${CLUSTER_CGROUP:-}" >"$dir/etc/cgroup.conf"
    cat >"$dir/etc/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=slurm
SlurmdUser=root
SlurmctldPort=$1
AuthType=auth/munge
AuthInfo=socket=$dir/run/munge.socket
CryptoType=crypto/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPidFile=$dir/run/slurmctld.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdPidFile=$dir/run/%n.pid
SlurmdLogFile=$dir/log/%n.log
SlurmdSpoolDir=$dir/spool/%n
StateSaveLocation=$dir/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
SlurmdParameters=config_overrides
SlurmctldTimeout=30
SlurmdTimeout=60
MessageTimeout=60
MaxJobCount=20000
MaxArraySize=10001
JobRequeue=0
MailProg=/bin/true
KillWait=5
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1,max_rpc_cnt=0
Epilog=/bin/true
${CLUSTER_CONF:-}
CONF
    for ((i = 1; i < $#; i++)); do
        printf 'NodeName=n%s NodeHostname=%s NodeAddr=127.0.0.1 Port=%s CPUs=16 RealMemory=16000 Gres=gpu:%s:%s State=UNKNOWN\n' \
            "$i" "$host" "${@:i+1:1}" "${types[(i - 1) % ${#types[@]}]}" "$gpus" >>"$dir/etc/slurm.conf"
    done
    grep -q '^PartitionName=' "$dir/etc/slurm.conf" ||
        printf 'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO\n' >>"$dir/etc/slurm.conf"
}

start_munge() {
    (umask 077; head -c 1024 /dev/urandom >"$dir/munge/munge.key")
    chmod 700 "$dir/munge"
    # --force: as root, and below a directory that others may write
    munged --force --socket="$dir/run/munge.socket" --key-file="$dir/munge/munge.key" --pid-file="$dir/run/munged.pid" \
        --log-file="$dir/log/munged.log" --seed-file="$dir/munge/seed" --num-threads=4 2>"$dir/log/munged.err" ||
        fail "munged: $(<"$dir/log/munged.err")"
}

start_controller() {
    local i
    slurmctld -f "$SLURM_CONF" 2>"$dir/log/slurmctld.err" || fail "slurmctld: $(<"$dir/log/slurmctld.err")"
    for ((i = 0; i < 300; i++)); do
        # By port: a client that finds no controller waits a second and more before it tries again.
        (: <"/dev/tcp/127.0.0.1/$(sed -n 's/^SlurmctldPort=//p' "$SLURM_CONF")") 2>/dev/null && return
        sleep 0.02
    done
    fail "slurmctld does not answer; see $dir/log/slurmctld.log"
}

start_node() {
    slurmd -f "$SLURM_CONF" -N "$1" 2>"$dir/log/$1.err" || fail "slurmd: $(<"$dir/log/$1.err")"
}

start() {
    local i
    ((EUID == 0)) || fail "needs root"
    (($# >= 2)) || fail "needs the port of slurmctld and one port for each node"
    write_config "$@"
    start_munge
    start_controller
    for ((i = 1; i < $#; i++)); do start_node "n$i" & done
    wait
    for ((i = 0; i < 300; i++)); do
        (($(timeout 5 sinfo -h -N -t idle,alloc,mix -o %N 2>/dev/null | sort -u | wc -l) >= $# - 1)) && return
        sleep 0.02
    done
    sinfo -N -l >&2 || true
    fail "the nodes did not come up; see $dir/log"
}

# The processes of jobs carry our SLURM_CONF, also those that have another parent now.
job_pids() {
    local process
    for process in /proc/[0-9]*; do
        grep -qzxF "SLURM_CONF=$SLURM_CONF" "$process/environ" 2>/dev/null || continue
        if [[ $(cat "$process/comm" 2>/dev/null) == slurmstepd ]] ||
            grep -qz '^SLURM_JOB_ID=' "$process/environ" 2>/dev/null; then
            printf '%s\n' "${process#/proc/}"
        fi
    done
}

stop() {
    local file pid
    send KILL "$dir/run/slurmctld.pid" slurmctld
    for file in "$dir"/run/n*.pid; do [[ -e $file ]] && send KILL "$file" slurmd; done
    for pid in $(job_pids); do kill -9 "$pid" 2>/dev/null || true; done
    send TERM "$dir/run/munged.pid" munged
    await_gone "$dir/run/munged.pid" munged
    await_gone "$dir/run/slurmctld.pid" slurmctld
}

case $action in
    start) start "$@" ;;
    stop) stop ;;
    kill-controller)
        send KILL "$dir/run/slurmctld.pid" slurmctld
        await_gone "$dir/run/slurmctld.pid" slurmctld
        ;;
    start-controller) start_controller ;;
    kill-node)
        send KILL "$dir/run/${1:?}.pid" slurmd
        await_gone "$dir/run/$1.pid" slurmd
        ;;
    start-node) start_node "${1:?}" ;;
    *) fail "unknown action $action" ;;
esac
