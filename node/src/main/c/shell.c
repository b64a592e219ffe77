/*
 * The shim as a builtin of a bash that is loaded ahead. `berth_shim` waits for an attempt and takes its right to start. The
 * command runs in a copy of the process, in which the builtin returns and bash goes on. The original waits for the copy,
 * records the end, and waits for the next attempt. It never runs anything of a command itself. So no command waits for
 * bash to be loaded, and each has a process that no other command was in.
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

enum { BUILTIN_ENABLED = 1, EXECUTION_SUCCESS = 0, EXECUTION_FAILURE = 1 };

/* Of bash: what it knows about its process, and how a builtin sets variables. */
extern int dollar_dollar_pid;
extern void set_ppid(void);
extern void *bind_variable(const char *name, const char *value, int flags);

/* Of the C library, which also knows its process. */
extern int fork(void);
extern char **environ;

static long copy_process(void) {
    return fork();
}

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

/* A command may set these for its process group, and this process is in it: the next command would inherit them. */
static struct priority {
    long processor, disk;
} own_priority;

static struct priority priority(void) {
    enum { WHO_PROCESS_OF_PROCESSOR = 0, WHO_PROCESS_OF_DISK = 1 };
    long processor = CALL2(getpriority, WHO_PROCESS_OF_PROCESSOR, 0);
    return (struct priority){processor, CALL2(ioprio_get, WHO_PROCESS_OF_DISK, 0)};
}

static int has_own_priority(void) {
    struct priority now = priority();
    return now.processor == own_priority.processor && now.disk == own_priority.disk;
}

static int prepare_spare(void) {
    set_signal_mask(~0UL);
    CALL1(umask, 077);
    CALL2(prctl, PR_SET_NAME, "berth-shim");
    if (!find_own_memory() || CALL3(fcntl, NODE, F_SETFD, FD_CLOEXEC) != 0) {
        return 0;
    }
    is_connected = 1;
    own_priority = priority();
    read_identity();
    return 1;
}

static void release_memory(void) {
    while (memory.more) {
        struct chunk *last = memory.more;
        memory.more = last->next;
        CALL2(munmap, last, last->bytes);
    }
    memset(memory.bytes, 0, memory.used);
    memory.used = 0;
}

static void close_all(const int *descriptors, size count) {
    for (size i = 0; i < count; i++) {
        CALL1(close, descriptors[i]);
    }
}

/* Nothing of the attempt stays in this process. */
static void forget_attempt(void) {
    static const int OF_ATTEMPT[] = {SCRIPT, END_REPORT, RECORD, RUN_SCRIPT};
    close_all(OF_ATTEMPT, COUNT(OF_ATTEMPT));
    use_nothing(LOG, O_WRONLY);
    use_nothing(ERRORS, O_WRONLY);
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

/* In the copy: bash goes on as if it had been started for this command. */
static void become_shell_of_command(void) {
    static const int OF_SHIM[] = {NODE, RECORD, RUN_SCRIPT};
    static char script[MAX_PATH_BYTES];
    if (!suits_shell() || !mark_process()) {
        become_command();
    }
    close_all(OF_SHIM, COUNT(OF_SHIM));
    file_of_attempt(script, "command.sh");
    set_command_line("", script);
    CALL2(prctl, PR_SET_NAME, "bash");
    dollar_dollar_pid = (int)CALL0(getpid);
    set_ppid();
    bind_variable("LOG_FILE", variable("LOG_FILE"), 0);
    bind_variable("BERTH_ATTEMPT", variable("BERTH_ATTEMPT"), 0);
    bind_variable("CUDA_VISIBLE_DEVICES", variable("CUDA_VISIBLE_DEVICES"), 0);
    bind_variable("berth_script", script, 0);
    bind_variable("berth_work_dir", attempt.work_directory, 0);
    bind_variable("berth_umask", attempt.umask, 0);
    set_signal_mask(0);
}

static int run_attempts(void *words) {
    static int is_used;
    (void)words;
    if (is_used++ || !prepare_spare()) {
        return EXECUTION_FAILURE;
    }
    set_command_line("-s", placeholder);
    for (;;) {
        const char *run_script = next_message(NODE);
        if (!run_script) {
            leave(STATUS_NOT_STARTED);
        }
        accept_attempt(run_script, environ);
        prepare_command();
        open_report();
        long child = create_process();
        if (child == 0) {
            become_shell_of_command();
            return EXECUTION_SUCCESS;
        }
        unsigned long code = wait_for(child);
        int is_all_gone = record_end(code);
        if (!make_record_durable(is_all_gone && has_own_priority() && report_end(code))) {
            leave(is_all_gone ? STATUS_ALL_GONE : STATUS_RECORDED);
        }
        forget_attempt();
    }
}

static char *const DOCUMENTATION[] = {"Runs attempts; for the node of Berth only.", 0};

__attribute__((visibility("default"))) struct builtin berth_shim_struct = {
    "berth_shim", run_attempts, BUILTIN_ENABLED, DOCUMENTATION, "berth_shim", 0};
