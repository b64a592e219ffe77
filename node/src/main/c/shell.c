/*
 * The shim as a builtin of a bash that is loaded ahead. `berth_shim` makes a copy of the process ahead for each attempt, in
 * which it returns and bash goes on. The original waits for an attempt, takes its right to start, and releases the copy.
 * It never runs anything of a command itself: it waits for the copy, records the end, and waits for the next attempt.
 * So no command waits for bash to be loaded, and each has a process that no other command was in.
 *
 * In the copy, the shell calls `berth_shim` again when it has prepared itself. The call waits for the release, and returns
 * in a shell that has what a shell of this attempt has from its start.
 *
 * Bash loads this file by `enable -f`. All signals are blocked while the original runs, so no other code of bash does.
 */
#include "spare.h"

/* As the headers of bash declare it, in every version since 2.0. */
struct builtin {
    char *name;
    int (*function)(void *words);
    int flags;
    char *const *long_doc;
    const char *short_doc;
    char *handle;
};

enum { BUILTIN_ENABLED = 1, EXECUTION_SUCCESS = 0, EXECUTION_FAILURE = 1, PAUSE_NANOS = 200000 };

/* Of bash: its builtins, its own pid, and how a builtin sets variables. */
extern struct builtin static_shell_builtins[], *shell_builtins;
extern int num_shell_builtins;
extern int dollar_dollar_pid;
extern void set_ppid(void);
extern void *bind_variable(const char *name, const char *value, int flags);

/* Of the C library, which keeps data about the process too. */
extern int fork(void);
extern char **environ;

/* Written by the original for the copy, and by the copy for the original. */
static struct ALONE_IN_PAGES {
    int is_released; /* the attempt has the right to start, and all its values are there */
    int has_begun;   /* what follows is the command */
} start;

static enum { NO_COPY, MADE_AHEAD, MADE_FOR_ATTEMPT } copy; /* which this process is */

static char placeholder[MAX_PATH_BYTES]; /* in the command line of a spare */

/* The variables by which processes of an attempt are found: in the memory where this process got its first ones. */
static char *reserved;

static char *address(int field) {
    const char *text = stat_field("/proc/self/stat", field);
    return (char *)number(&text);
}

/* The last word of the command line is the placeholder. */
static int find_own_memory(void) {
    enum { ARGUMENTS_START = 48, ARGUMENTS_END = 49, ENVIRONMENT_START = 50 };
    char *arguments = address(ARGUMENTS_START), *end = address(ARGUMENTS_END);
    reserved = address(ENVIRONMENT_START);
    if (!arguments || !end || !reserved || !starts_with(reserved, "BERTH_ATTEMPT=")) {
        return 0;
    }
    command_line.at = arguments + length(arguments) + 1;
    command_line.room = (size)(end - command_line.at);
    char *last = end - 1;
    while (last > command_line.at && last[-1]) {
        last--;
    }
    if ((size)(end - last) > sizeof placeholder) {
        return 0;
    }
    memcpy(placeholder, last, (size)(end - last));
    return 1;
}

/*
 * A command, or somebody who limits its processes, may change these in this process too, which is their parent and in their
 * process group and session. The next command would inherit them.
 */
static struct inherited {
    long priority, disk_priority, policy;
    struct rlimit64 limits[RLIM_NLIMITS];
    char processors[MAX_PROCESSOR_BYTES], session_priority[MAX_NUMBER_FILE_BYTES], memory_priority[MAX_NUMBER_FILE_BYTES];
    char cgroup[MAX_CGROUP_BYTES];
} inherited_at_start;

static void read_inherited(struct inherited *now) {
    enum { WHO_PROCESS_OF_PROCESSOR = 0, WHO_PROCESS_OF_DISK = 1 };
    memset(now, 0, sizeof *now);
    now->priority = CALL2(getpriority, WHO_PROCESS_OF_PROCESSOR, 0);
    now->disk_priority = CALL2(ioprio_get, WHO_PROCESS_OF_DISK, 0);
    now->policy = CALL1(sched_getscheduler, 0);
    for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
        CALL4(prlimit64, 0, resource, 0, now->limits + resource);
    }
    CALL3(sched_getaffinity, 0, sizeof now->processors, now->processors);
    read_small("/proc/self/autogroup", now->session_priority, sizeof now->session_priority);
    read_small("/proc/self/oom_score_adj", now->memory_priority, sizeof now->memory_priority);
    read_small("/proc/self/cgroup", now->cgroup, sizeof now->cgroup);
}

static int is_unchanged(void) {
    static struct inherited now;
    read_inherited(&now);
    const char *before = (const char *)&inherited_at_start, *after = (const char *)&now;
    for (size i = 0; i < sizeof now; i++) {
        if (before[i] != after[i]) {
            return 0;
        }
    }
    return 1;
}

/* What the original and the copy have in common, until the command begins. */
static const struct {
    void *at;
    size bytes;
} SHARED[] = {{&start, sizeof start}, {&attempt, sizeof attempt}, {&memory, sizeof memory}};

static int share_memory(void) {
    enum { FLAGS = MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED };
    for (size i = 0; i < COUNT(SHARED); i++) {
        long at = CALL6(mmap, SHARED[i].at, SHARED[i].bytes, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
        if (at != (long)SHARED[i].at) {
            return 0;
        }
    }
    return 1;
}

static void unmap_shared_memory(void) {
    for (size i = 0; i < COUNT(SHARED); i++) {
        CALL2(munmap, SHARED[i].at, SHARED[i].bytes);
    }
}

static int prepare_spare(void) {
    set_signal_mask(~0UL);
    CALL1(umask, 077);
    CALL2(prctl, PR_SET_NAME, "berth-shim");
    if (!find_own_memory() || CALL3(fcntl, NODE, F_SETFD, FD_CLOEXEC) != 0 || !share_memory()) {
        return 0;
    }
    is_connected = 1;
    read_inherited(&inherited_at_start);
    read_identity();
    has_command_path = 1;
    return 1;
}

static void unmap_chunks(struct chunk *last) {
    while (last) {
        struct chunk *next = last->next;
        CALL2(munmap, last, last->bytes);
        last = next;
    }
}

static void release_memory(void) {
    unmap_chunks(memory.more);
    memory.more = 0;
    memset(memory.bytes, 0, memory.used);
    memory.used = 0;
}

static void close_all(const int *descriptors, size count) {
    for (size i = 0; i < count; i++) {
        CALL1(close, descriptors[i]);
    }
}

/* The copy for the next attempt is made before the record of this one is closed, and closes it itself. */
static void close_files(void) {
    static const int OF_ATTEMPT[] = {SCRIPT, END_REPORT, RUN_SCRIPT};
    close_all(OF_ATTEMPT, COUNT(OF_ATTEMPT));
    use_nothing(LOG, O_WRONLY);
    use_nothing(ERRORS, O_WRONLY);
}

/* No file and no value of the attempt stays in this process. */
static void forget_attempt(void) {
    CALL1(close, RECORD);
    set_command_line("-s", placeholder);
    release_memory();
}

/* What a process is found by is what it started with. Others of the command inherit the same as variables. */
static int mark_process(void) {
    size room = length(reserved);
    output.used = 0;
    add(&output, "BERTH_ATTEMPT=");
    add(&output, variable("BERTH_ATTEMPT"));
    add_bytes(&output, "\0LOG_FILE=", sizeof "\0LOG_FILE=" - 1);
    add(&output, variable("LOG_FILE"));
    if (output.used > room) {
        return 0;
    }
    memset(reserved, 0, room);
    memcpy(reserved, output.bytes, output.used);
    output.used = 0;
    return 1;
}

/* Some variables of a task change how bash starts. */
static int suits_shell(void) {
    return !has_owner() && starts_with(attempt.task_variables, "exec ");
}

/*
 * In the copy, until its shell asks for its attempt.
 *
 * @last_attempt memory of the attempt that has ended, unless the copy is made for its attempt
 */
static void prepare_copy(long original, struct chunk *last_attempt) {
    static const int OF_SHIM[] = {NODE, RECORD, RUN_SCRIPT};
    if (copy == MADE_AHEAD) {
        unmap_chunks(last_attempt);
        set_command_line("-s", placeholder); /* a server would take it for the shim of the last attempt */
        CALL2(prctl, PR_SET_PDEATHSIG, SIGKILL);
        if (CALL0(getppid) != original) {
            leave(STATUS_NOT_STARTED);
        }
    }
    close_all(OF_SHIM, COUNT(OF_SHIM));
    dollar_dollar_pid = (int)CALL0(getpid);
    set_ppid();
}

/*
 * The pid of the copy, 0 in it, negative if there can be none.
 *
 * @kind MADE_AHEAD: it waits for its release
 */
static long make_copy(int kind) {
    long original = CALL0(getpid);
    struct chunk *chunks = memory.more; /* the list is shared, and the original empties it */
    start.is_released = kind == MADE_FOR_ATTEMPT;
    start.has_begun = 0;
    long made = fork();
    if (made == 0) {
        copy = kind;
        prepare_copy(original, chunks);
    }
    return made;
}

static long copy_process(void) {
    return make_copy(MADE_FOR_ATTEMPT);
}

static void release_copy(void) {
    __atomic_store_n(&start.is_released, 1, __ATOMIC_RELEASE);
    CALL3(futex, &start.is_released, FUTEX_WAKE, 1);
}

static void end_copy(long made) {
    if (made > 0) {
        CALL2(kill, made, SIGKILL);
        CALL4(wait4, made, 0, __WALL, 0);
    }
}

/* 0 if the copy was stopped or has ended: it would never begin. */
static long usable_copy(long ahead) {
    enum { STOPPED = 0x7f };
    int status;
    if (ahead <= 0 || CALL4(wait4, ahead, &status, WNOHANG | WUNTRACED | __WALL, 0) != ahead) {
        return ahead;
    }
    if ((status & 0xff) == STOPPED) {
        end_copy(ahead);
    }
    return 0;
}

static void await_release(void) {
    while (!__atomic_load_n(&start.is_released, __ATOMIC_ACQUIRE)) {
        CALL4(futex, &start.is_released, FUTEX_WAIT, 0, 0);
    }
    CALL2(prctl, PR_SET_PDEATHSIG, 0);
}

/* All signals are blocked while a copy waits. It begins with none that is pending. */
static int was_signalled(void) {
    unsigned long pending = 0;
    return CALL2(rt_sigpending, &pending, sizeof pending) != 0 || pending != 0;
}

/* A shell that starts with its command has no such builtin. Unloading it would take longer than all else here. */
static void remove_builtin(void) {
    shell_builtins = static_shell_builtins;
    num_shell_builtins--;
}

/* The text of the command's script in memory of its own; 0 if it cannot be read. */
static char *read_script(int file) {
    struct statx status;
    if (CALL5(statx, file, "", AT_EMPTY_PATH, STATX_SIZE, &status) != 0) {
        return 0;
    }
    struct chunk *chunk = new_chunk(status.stx_size + 1);
    char *text = chunk ? (char *)(chunk + 1) : 0;
    return text && CALL4(pread64, file, text, status.stx_size, 0) == (long)status.stx_size ? text : 0;
}

static unsigned long octal(const char *text) {
    unsigned long value = 0;
    while (*text) {
        value = value * 8 + (unsigned long)(*text++ - '0');
    }
    return value;
}

static void bind_variables(const char *script) {
    static char name[MAX_PATH_BYTES];
    file_of_attempt(name, "command.sh");
    set_command_line("", name);
    bind_variable("LOG_FILE", variable("LOG_FILE"), 0);
    bind_variable("BERTH_ATTEMPT", variable("BERTH_ATTEMPT"), 0);
    bind_variable("CUDA_VISIBLE_DEVICES", variable("CUDA_VISIBLE_DEVICES"), 0);
    bind_variable("berth_name", name, 0);
    bind_variable("berth_work_dir", attempt.work_directory, 0);
    bind_variable("berth_script", script, 0);
}

/* In the copy: bash goes on as if it had been started for this command. */
static int become_shell_of_command(void) {
    await_release();
    if (copy == MADE_AHEAD) {
        if (was_signalled()) {
            leave(STATUS_NOT_STARTED); /* the original makes another copy: the signal was not for this command */
        }
        open_log();
        if (!open_script()) {
            leave(STATUS_NOT_STARTED);
        }
    }
    char *script = read_script(SCRIPT);
    if (!script) {
        leave(STATUS_NOT_STARTED);
    }
    copy = NO_COPY;
    start.has_begun = 1;
    if (!suits_shell() || !mark_process()) {
        become_command();
    }
    CALL1(close, SCRIPT);
    CALL2(prctl, PR_SET_NAME, "bash");
    CALL1(umask, octal(attempt.umask));
    bind_variables(script);
    unmap_chunks((struct chunk *)script - 1);
    remove_builtin();
    unmap_shared_memory();
    set_signal_mask(0);
    return EXECUTION_SUCCESS;
}

/* It shares the first 64 KiB of an attempt's values, and was made outside the cgroup of the attempt. */
static int suits_copy_made_ahead(void) {
    return !memory.more && !*attempt.cgroup;
}

/*
 * True when the command has ended; false in a copy that is made only now, because the one that was made ahead has ended
 * or does not suit.
 *
 * @ahead 0 or less: there is none
 */
static int run_command(long ahead, unsigned long *code) {
    ahead = usable_copy(ahead);
    if (ahead > 0 && suits_copy_made_ahead()) {
        release_copy();
        *code = wait_for(ahead);
        if (start.has_begun) {
            return 1;
        }
    } else {
        end_copy(ahead);
    }
    open_report();
    long made = create_process();
    if (made == 0) {
        return 0;
    }
    *code = wait_for(made);
    if (!start.has_begun) {
        refuse("process", "create a process for ", attempt.directory);
    }
    return 1;
}

/* Lets the node store the end before this process uses a processor for the next copy: the next attempt waits for both. */
static void pause_for_node(void) {
    struct pollfd node = {NODE, POLLIN, 0};
    struct __kernel_timespec time = {0, PAUSE_NANOS};
    CALL5(ppoll, &node, 1, &time, 0, 0);
}

/* Returns in copies only. */
static void run_all(void) {
    for (int has_ended = 0;; has_ended = 1) {
        long ahead = create_report() ? make_copy(MADE_AHEAD) : -1;
        if (ahead == 0) {
            return;
        }
        if (has_ended) {
            if (!make_record_durable(1)) {
                end_copy(ahead);
                leave(STATUS_ALL_GONE);
            }
            forget_attempt();
        }
        const char *run_script = next_message(NODE);
        if (!run_script) {
            end_copy(ahead);
            leave(STATUS_NOT_STARTED);
        }
        accept_attempt(run_script, environ);
        prepare_command();
        unsigned long code;
        if (!run_command(ahead, &code)) {
            return;
        }
        int is_all_gone = record_end(code);
        if (!is_all_gone || !is_unchanged() || !report_end(code)) {
            make_record_durable(0);
            leave(is_all_gone ? STATUS_ALL_GONE : STATUS_RECORDED);
        }
        pause_for_node();
        close_files();
    }
}

static int run_attempts(void *words) {
    static int is_used;
    (void)words;
    if (copy != NO_COPY) {
        return become_shell_of_command();
    }
    if (is_used++ || !prepare_spare()) {
        return EXECUTION_FAILURE;
    }
    set_command_line("-s", placeholder);
    run_all();
    return EXECUTION_SUCCESS;
}

static char *const DOCUMENTATION[] = {"Runs attempts; for the node of Berth only.", 0};

__attribute__((visibility("default"))) struct builtin berth_shim_struct = {
    "berth_shim", run_attempts, BUILTIN_ENABLED, DOCUMENTATION, "berth_shim", 0};
