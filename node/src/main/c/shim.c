/*
 * The native shim: takes the right to start an attempt, runs its command, and records how it ended. It does
 * what the script run.sh does when bash runs it, in the same order and with the same files; see
 * docs/adr/0019-a-native-shim.md for the protocol.
 *
 *     shim -p DIRECTORY/run.sh
 *     shim -s PLACEHOLDER
 *
 * The command line is that of `bash -p DIRECTORY/run.sh`, so a server finds both shims in the same way. The
 * values of the attempt are the assignments at the head of run.sh.
 *
 * With -s it is a spare: it starts a shell ahead and waits for its attempt. Until then it holds nothing of any
 * attempt. Its input is a connection to the node, which sends texts that end with a zero byte: first the
 * assignments that the shell needs, later the path of a run.sh. When the connection ends, the spare ends too.
 * Without assignments it starts no shell: that of an owner starts when the owner is known. When its attempt has
 * ended and the node wants so, it executes itself and is a spare again.
 *
 * Exit status: STATUS_ALL_GONE, STATUS_RECORDED, STATUS_NOT_STARTED or STATUS_GO_TAKEN. The command's exit
 * code is in the exit record only.
 *
 * There is no C library: loading and starting one costs more time than everything done here. System calls
 * return a negated errno.
 */
#include <asm/errno.h>
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/memfd.h>
#include <linux/mman.h>
#include <linux/poll.h>
#include <linux/prctl.h>
#include <linux/stat.h>
#include <linux/time_types.h>
#include <linux/wait.h>

typedef unsigned long size;

enum status {
    STATUS_ALL_GONE = 0,     /* the record is written, and no descendant is left: there can be none later */
    STATUS_RECORDED = 3,     /* the command has ended; other processes may be left */
    STATUS_NOT_STARTED = 74, /* a fault of the machine: the command has not begun */
    STATUS_GO_TAKEN = 75,    /* another process has the right to start */
};

enum descriptor {
    INPUT = 0,
    LOG = 1,
    ERRORS = 2,
    PRELUDE = 44,    /* the values of the attempt, for a shell that was started ahead */
    SHELL = 45,      /* connects this process and a shell that was started ahead */
    SCRIPT = 46,     /* command.sh, for the command's shell */
    END_REPORT = 47, /* where the command's shell writes its PATH at its end */
    RECORD = 48,     /* the exit record. If the spawner opened it, each write is on the disk when it returns */
    NODE = 49,       /* the connection of a spare to the node */
    RUN_SCRIPT = 255 /* run.sh, where bash keeps it too: recovery reads it there after its removal */
};

/* As the C library defines them; the headers of the kernel lack them. */
enum { AF_UNIX = 1, SOCK_STREAM = 1, MSG_DONTWAIT = 0x40 };

enum { STORED_STAY = 'a' }; /* answer of the node: the end is stored, be a spare again. Any other byte: it is stored */

enum {
    OWNER_ONLY = 0600,
    RECORD_BYTES = 64,
    MAX_PATH_BYTES = 4096,
    MAX_STAT_BYTES = 1024,
    MAX_MESSAGE_BYTES = 8192,
    MAX_MARKER_BYTES = 256,
    BOOT_ID_BYTES = 36,
    END_REPORT_BYTES = 65536,
    OUTPUT_BYTES = 262144, /* a banner holds PATH, which the kernel limits to 131072 bytes */
    MAX_GROUPS = 65536,    /* NGROUPS_MAX of the kernel */
    CANNOT_EXECUTE = 126,
    NOT_FOUND = 127,
    SIGNAL_BASE = 128, /* as in bash, the code of a command that a signal ended */
    NANOS_PER_MILLI = 1000000,
    FAILPOINT_PAUSE_MILLIS = 5,
    LONGEST_COMMIT_MILLIS = 2000, /* if a thousand tasks end at once, the node takes a while */
    LONGEST_FORK_PAUSE_SECONDS = 8,
};

static const char START_FUNCTION[] = "berth_start() { ";
static const char DEFAULT_PATH[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* ---- System calls ---------------------------------------------------------------------------------- */

#if !defined(__x86_64__)
#error "only x86-64; the build uses bash alone on other architectures"
#endif

static long call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* The kernel starts a program with the number of arguments on top of the stack, not with a function call. */
__asm__(".globl _start\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call shim\n");

#define CALL0(name) call(__NR_##name, 0, 0, 0, 0, 0, 0)
#define CALL1(name, a) call(__NR_##name, (long)(a), 0, 0, 0, 0, 0)
#define CALL2(name, a, b) call(__NR_##name, (long)(a), (long)(b), 0, 0, 0, 0)
#define CALL3(name, a, b, c) call(__NR_##name, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define CALL4(name, a, b, c, d) call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define CALL5(name, a, b, c, d, e) call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define CALL6(name, a, b, c, d, e, f) \
    call(__NR_##name, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static __attribute__((noreturn)) void leave(int status) {
    for (;;) {
        CALL1(exit_group, status);
    }
}

static int open_file(const char *path, int flags) {
    return (int)CALL4(openat, AT_FDCWD, path, flags | O_CLOEXEC, OWNER_ONLY);
}

static int exists(const char *path) {
    return CALL3(faccessat, AT_FDCWD, path, 0) == 0;
}

static void pause_for(long seconds, long nanos) {
    struct __kernel_timespec time = {seconds, nanos};
    CALL2(nanosleep, &time, 0);
}

/* Memory that is zero, and given back when the process ends. */
static void *allocate(size bytes) {
    long at = CALL6(mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0) {
        leave(STATUS_NOT_STARTED);
    }
    return (void *)at;
}

/* ---- Text ------------------------------------------------------------------------------------------ */

/* The compiler calls these three itself. */
void *memcpy(void *to, const void *from, size bytes) {
    for (size i = 0; i < bytes; i++) {
        ((char *)to)[i] = ((const char *)from)[i];
    }
    return to;
}

void *memmove(void *to, const void *from, size bytes) {
    if (to < from) {
        return memcpy(to, from, bytes);
    }
    while (bytes-- > 0) {
        ((char *)to)[bytes] = ((const char *)from)[bytes];
    }
    return to;
}

void *memset(void *to, int byte, size bytes) {
    for (size i = 0; i < bytes; i++) {
        ((char *)to)[i] = (char)byte;
    }
    return to;
}

static size length(const char *text) {
    size bytes = 0;
    while (text[bytes]) {
        bytes++;
    }
    return bytes;
}

static int starts_with(const char *text, const char *prefix) {
    while (*prefix) {
        if (*text++ != *prefix++) {
            return 0;
        }
    }
    return 1;
}

static size until(const char *text, char end) {
    size bytes = 0;
    while (text[bytes] && text[bytes] != end) {
        bytes++;
    }
    return bytes;
}

/* Reads a number and moves behind it. */
static unsigned long number(const char **at) {
    unsigned long value = 0;
    while (**at >= '0' && **at <= '9') {
        value = value * 10 + (unsigned long)(*(*at)++ - '0');
    }
    return value;
}

/* Text that is written in one system call. What does not fit is left out. */
struct text {
    size used;
    char bytes[OUTPUT_BYTES];
};

static void add_bytes(struct text *text, const char *bytes, size count) {
    size room = sizeof text->bytes - text->used;
    count = count < room ? count : room;
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
}

static void add(struct text *text, const char *more) {
    add_bytes(text, more, length(more));
}

static void add_number(struct text *text, unsigned long value) {
    char digits[20];
    size at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
    } while (value /= 10);
    add_bytes(text, digits + at, sizeof digits - at);
}

static void write_out(struct text *text, int descriptor) {
    size done = 0;
    while (done < text->used) {
        long written = CALL3(write, descriptor, text->bytes + done, text->used - done);
        if (written <= 0) {
            break; /* a full disk: the log lacks a banner */
        }
        done += (size)written;
    }
    text->used = 0;
}

static struct text output;

/* ---- The values of the attempt --------------------------------------------------------------------- */

struct attempt {
    char *directory, *work_directory, *umask, *bash, *loader, *time, *extra_path;
    char *owner, *group, *groups, *owner_path;
    char *cgroup, *failpoints;
    char **environment; /* of the command */
    size variables;
    const char *path;     /* PATH, before the variables of the task */
    char *task_variables; /* NAME='value' of each, followed by a command */
};

static struct attempt attempt;

static const struct {
    const char *name;
    char **value;
} VALUES[] = {
    {"berth_dir", &attempt.directory},
    {"berth_work_dir", &attempt.work_directory},
    {"berth_umask", &attempt.umask},
    {"berth_bash", &attempt.bash},
    {"berth_loader", &attempt.loader},
    {"berth_time", &attempt.time},
    {"berth_extra_path", &attempt.extra_path},
    {"berth_owner", &attempt.owner},
    {"berth_group", &attempt.group},
    {"berth_groups", &attempt.groups},
    {"berth_owner_path", &attempt.owner_path},
    {"berth_cgroup", &attempt.cgroup},
    {"berth_failpoints", &attempt.failpoints},
};

/* Assignments that are also variables of the command. */
static const char *const EXPORTED[] = {"LOG_FILE=", "CUDA_VISIBLE_DEVICES=", "BERTH_ATTEMPT="};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int has_owner(void) {
    return *attempt.owner != 0;
}

/* The path of a file in the attempt's directory; valid until the next call with the same buffer. */
static char *file_of_attempt(char *buffer, const char *name) {
    size directory = length(attempt.directory), bytes = length(name);
    if (directory + bytes + 2 > MAX_PATH_BYTES) {
        leave(STATUS_NOT_STARTED);
    }
    memcpy(buffer, attempt.directory, directory);
    buffer[directory] = '/';
    memcpy(buffer + directory + 1, name, bytes + 1);
    return buffer;
}

/* Adds NAME=value, in place of one with the same name. */
static void set_variable(char *assignment) {
    size name = until(assignment, '=') + 1;
    for (size i = 0; i < attempt.variables; i++) {
        char *other = attempt.environment[i];
        size same = 0;
        while (same < name && other[same] == assignment[same]) {
            same++;
        }
        if (same == name) {
            attempt.environment[i] = assignment;
            return;
        }
    }
    attempt.environment[attempt.variables++] = assignment;
}

static const char *variable(const char *name) {
    size bytes = length(name);
    for (size i = 0; i < attempt.variables; i++) {
        if (starts_with(attempt.environment[i], name) && attempt.environment[i][bytes] == '=') {
            return attempt.environment[i] + bytes + 1;
        }
    }
    return 0;
}

static void inherit(char **environment) {
    for (; *environment; environment++) {
        if (!starts_with(*environment, "BERTH_FAILPOINTS=") && !starts_with(*environment, "OLDPWD=")) {
            attempt.environment[attempt.variables++] = *environment;
        }
    }
}

/*
 * Reads NAME='value', in which '\'' is a quote, and makes it NAME=value in the same memory. Moves behind it;
 * returns 0 if there is no such assignment.
 */
static char *assignment(char **at) {
    size name = until(*at, '=');
    if (!(*at)[name] || (*at)[name + 1] != '\'') {
        return 0;
    }
    char *result = memmove(*at + 1, *at, name + 1);
    char *to = *at + name + 2;
    char *from = to;
    while (*from && (*from != '\'' || starts_with(from, "'\\''"))) {
        *to++ = *from;
        from += *from == '\'' ? 4 : 1;
    }
    if (!*from) {
        return 0;
    }
    *at = from + 1;
    *to = 0;
    return result;
}

static void keep(char *assigned) {
    for (size i = 0; i < COUNT(VALUES); i++) {
        size name = length(VALUES[i].name);
        if (starts_with(assigned, VALUES[i].name) && assigned[name] == '=') {
            *VALUES[i].value = assigned + name + 1;
        }
    }
    for (size i = 0; i < COUNT(EXPORTED); i++) {
        if (starts_with(assigned, EXPORTED[i])) {
            set_variable(assigned);
        }
    }
}

/*
 * Reads the head of run.sh up to the function that starts the command, whose first words are the variables of
 * the task. Lines of another form are functions of the bash shim.
 */
static void parse(char *at) {
    while (*at && !starts_with(at, START_FUNCTION)) {
        size name = until(at, '=');
        if (*at != '#' && *at != ' ' && name < until(at, '\n') && at[name + 1] == '\'') {
            char *assigned = assignment(&at);
            if (assigned) {
                keep(assigned);
            }
        }
        at += until(at, '\n');
        at += *at == '\n';
    }
    attempt.task_variables = *at ? at + length(START_FUNCTION) : 0;
}

/* @more how many variables the task can have */
static void begin_attempt(char **inherited, size more) {
    size count = COUNT(EXPORTED) + 5; /* the others that are set here, and the end */
    for (char **each = inherited; *each; each++) {
        count++;
    }
    attempt.environment = allocate((count + more) * sizeof(char *));
    attempt.variables = 0;
    for (size i = 0; i < COUNT(VALUES); i++) {
        *VALUES[i].value = "";
    }
    inherit(inherited);
}

static void read_attempt(const char *run_script, char **inherited) {
    struct statx status;
    int file = open_file(run_script, O_RDONLY);
    if (file < 0 || CALL5(statx, file, "", AT_EMPTY_PATH, STATX_SIZE, &status) != 0) {
        leave(STATUS_NOT_STARTED);
    }
    char *text = allocate(status.stx_size + 1);
    if (CALL4(pread64, file, text, status.stx_size, 0) != (long)status.stx_size) {
        leave(STATUS_NOT_STARTED);
    }
    if (CALL3(dup3, file, RUN_SCRIPT, O_CLOEXEC) == RUN_SCRIPT) {
        CALL1(close, file);
    }
    begin_attempt(inherited, status.stx_size / length("A='' "));
    parse(text);
    if (!attempt.task_variables || !*attempt.directory || !*attempt.bash || !*attempt.loader) {
        leave(STATUS_NOT_STARTED);
    }
}

/* ---- Failpoints ------------------------------------------------------------------------------------ */

/* A test arms a point by a file, learns from another that it is reached, and then kills this process. */
static void reach(const char *point) {
    static char armed[MAX_PATH_BYTES], hit[MAX_PATH_BYTES];
    size directory = length(attempt.failpoints), bytes = length(point);
    if (!directory || directory + bytes + length("/.arm") >= MAX_PATH_BYTES) {
        return;
    }
    memcpy(armed, attempt.failpoints, directory);
    armed[directory] = '/';
    memcpy(armed + directory + 1, point, bytes);
    memcpy(hit, armed, directory + 1 + bytes);
    memcpy(armed + directory + 1 + bytes, ".arm", sizeof ".arm");
    memcpy(hit + directory + 1 + bytes, ".hit", sizeof ".hit");
    if (!exists(armed)) {
        return;
    }
    output.used = 0;
    int file = open_file(hit, O_WRONLY | O_CREAT | O_TRUNC);
    add_number(&output, (unsigned long)CALL0(getpid));
    add(&output, "\n");
    write_out(&output, file);
    CALL1(close, file);
    while (exists(armed)) {
        pause_for(0, FAILPOINT_PAUSE_MILLIS * NANOS_PER_MILLI);
    }
}

/* ---- The exit record ------------------------------------------------------------------------------- */

static int is_connected; /* this process is a spare, which may be able to leave the sync of the record to the node */

/* A spawner without posix_spawn leaves it to the shim to open the record. */
static void open_record(void) {
    static char path[MAX_PATH_BYTES];
    if (CALL3(fcntl, RECORD, F_SETFD, FD_CLOEXEC) == 0) {
        return;
    }
    int flags = O_RDWR | O_NOFOLLOW | (is_connected ? 0 : O_DSYNC);
    int file = open_file(file_of_attempt(path, "exit_code.pending"), flags);
    if (file >= 0) {
        CALL3(dup3, file, RECORD, O_CLOEXEC);
        CALL1(close, file);
    }
}

/* Overwrites the record in place by one write: its block exists since before the start. */
static int write_record(const char *text, size bytes) {
    char record[RECORD_BYTES];
    memset(record, ' ', sizeof record);
    memcpy(record, text, bytes);
    record[RECORD_BYTES - 1] = '\n';
    open_record();
    return CALL4(pwrite64, RECORD, record, sizeof record, 0) == sizeof record;
}

/*
 * A fault of the machine: the command has not begun.
 *
 * @step as the server knows it; 0 if `go` was not created, so that nothing may be recorded here
 */
static __attribute__((noreturn)) void refuse(const char *step, const char *problem, const char *path) {
    output.used = 0;
    add(&output, "berth: cannot ");
    add(&output, problem);
    add(&output, path);
    add(&output, ": nothing was started\n");
    write_out(&output, LOG);
    if (step) {
        add(&output, "not begun: ");
        add(&output, step);
        write_record(output.bytes, output.used);
        CALL1(fdatasync, RECORD);
    }
    leave(STATUS_NOT_STARTED);
}

/* A full disk cannot prevent the record. Any other fault is waited for, unless the directory is gone. */
static void record(unsigned long code) {
    static char pending[MAX_PATH_BYTES], published[MAX_PATH_BYTES];
    output.used = 0;
    add_number(&output, code);
    add(&output, "\n");
    size line = output.used;
    while (!write_record(output.bytes, line)) {
        if (!exists(attempt.directory)) {
            leave(STATUS_RECORDED);
        }
        pause_for(1, 0);
    }
    reach("shim.after-record");
    file_of_attempt(pending, "exit_code.pending");
    file_of_attempt(published, "exit_code");
    if (CALL5(renameat2, AT_FDCWD, pending, AT_FDCWD, published, 0) == 0) {
        /* For scripts: the line alone. Under the other name only a whole record counts. */
        CALL2(ftruncate, RECORD, line);
    }
    reach("shim.after-rename");
}

/* ---- The right to start ---------------------------------------------------------------------------- */

/* The text of a file of the kernel, which is never longer than the buffer. */
static size read_small(const char *path, char *buffer, size bytes) {
    int file = open_file(path, O_RDONLY);
    long got = CALL3(read, file, buffer, bytes - 1);
    CALL1(close, file);
    got = got < 0 ? 0 : got;
    buffer[got] = 0;
    return (size)got;
}

/* A field of /proc/PID/stat. The program's name, field 2, may contain blanks and brackets. */
static const char *stat_field(const char *path, int wanted) {
    enum { STATE = 3 };
    static char stat[MAX_STAT_BYTES];
    const char *at = stat + read_small(path, stat, sizeof stat);
    while (at > stat && *at != ')') {
        at--;
    }
    for (int field = STATE - 1; field < wanted && *at; field++) {
        at += until(at, ' ');
        at += *at == ' ';
    }
    return at;
}

static void add_start_tick(void) {
    enum { START_TICK = 22 };
    const char *tick = stat_field("/proc/self/stat", START_TICK);
    add_bytes(&output, tick, until(tick, ' '));
}

/* What `go` says about this process: a spare knows it before there is an attempt. */
static struct {
    size used;
    char line[MAX_STAT_BYTES];
} identity;

static void read_identity(void) {
    char boot_id[BOOT_ID_BYTES + 1];
    add_number(&output, (unsigned long)CALL0(getpid));
    add(&output, " ");
    add_start_tick();
    add(&output, " ");
    read_small("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    add(&output, boot_id);
    add(&output, "\n");
    identity.used = output.used;
    memcpy(identity.line, output.bytes, output.used);
    output.used = 0;
}

/* Only one process can create `go`, so what follows runs at most once. */
static void take_right_to_start(void) {
    static char path[MAX_PATH_BYTES];
    int go = open_file(file_of_attempt(path, "go"), O_WRONLY | O_CREAT | O_EXCL);
    if (go == -EEXIST) {
        leave(STATUS_GO_TAKEN);
    }
    if (go < 0) {
        refuse(0, "write ", path);
    }
    reach("shim.in-go");
    if (CALL3(write, go, identity.line, identity.used) != (long)identity.used) {
        refuse("go", "write ", path);
    }
    CALL1(close, go);
}

static void enter_cgroup(void) {
    if (*attempt.cgroup) {
        int file = open_file(attempt.cgroup, O_WRONLY);
        if (file < 0 || CALL3(write, file, "0", 1) != 1) {
            refuse("cgroup", "enter ", attempt.cgroup);
        }
        CALL1(close, file);
    }
}

/* A signal to the whole process group must not prevent the exit record. */
static void set_signal_mask(unsigned long blocked) {
    CALL4(rt_sigprocmask, SIG_SETMASK, &blocked, 0, sizeof blocked);
}

/* ---- Environment and banners ----------------------------------------------------------------------- */

/* True for .venv/bin, /a/.venv/bin and /a/.venv/bin/. */
static int is_virtual_environment(const char *entry, size bytes) {
    static const char END[] = "/.venv/bin";
    size end = sizeof END - 1;
    bytes -= bytes > 0 && entry[bytes - 1] == '/';
    if (bytes == end - 1) {
        return starts_with(entry, END + 1);
    }
    return bytes >= end && starts_with(entry + bytes - end, END);
}

/* The virtual environment of the server's shell is not the task's. */
static void set_path(void) {
    const char *path = variable("PATH");
    path = path ? path : DEFAULT_PATH;
    char *result = allocate(length(path) + length(attempt.extra_path) + sizeof "PATH=:");
    char *to = result + sizeof "PATH=" - 1;
    memcpy(result, "PATH=", sizeof "PATH=");
    size extra = length(attempt.extra_path);
    memcpy(to, attempt.extra_path, extra);
    to += extra;
    int is_first = extra == 0;
    for (const char *entry = path;;) {
        size bytes = until(entry, ':');
        if (!is_virtual_environment(entry, bytes) && (*path || !extra)) {
            if (!is_first) {
                *to++ = ':';
            }
            is_first = 0;
            memcpy(to, entry, bytes);
            to += bytes;
        }
        if (!entry[bytes]) {
            break;
        }
        entry += bytes + 1;
    }
    set_variable(result);
}

/* They are for the command alone: the shim looks for programs in its own PATH. */
static void set_task_variables(void) {
    char *at = attempt.task_variables;
    for (char *assigned = assignment(&at); assigned; assigned = assignment(&at)) {
        set_variable(assigned);
        at++; /* a blank */
    }
}

static int is_program(const char *path) {
    struct statx status;
    return CALL3(faccessat, AT_FDCWD, path, 1) == 0
           && CALL5(statx, AT_FDCWD, path, 0, STATX_TYPE, &status) == 0
           && (status.stx_mode & S_IFMT) != S_IFDIR;
}

/* As `command -v python || echo not found`. */
static void add_python(const char *path) {
    static const char NAME[] = "/python";
    char program[MAX_PATH_BYTES];
    for (const char *entry = path;; entry++) {
        size bytes = until(entry, ':');
        if (bytes + sizeof NAME + 1 <= sizeof program) {
            memcpy(program, entry, bytes);
            size directory = bytes;
            if (directory == 0) {
                program[directory++] = '.';
            }
            memcpy(program + directory, NAME, sizeof NAME);
            if (is_program(program)) {
                add(&output, program);
                add(&output, "\n");
                return;
            }
        }
        entry += bytes;
        if (!*entry) {
            break;
        }
    }
    add(&output, "not found\n");
}

static void set_environment(void) {
    if (!has_owner()) { /* the owner's PATH is for the owner's shell alone */
        set_path();
    }
    set_variable("PYTHONUNBUFFERED=1");
    set_variable("CUDA_DEVICE_ORDER=PCI_BUS_ID");
    attempt.path = variable("PATH");
    set_task_variables();
}

/* The shell of an owner prints this banner itself. */
static void print_start(void) {
    if (has_owner()) {
        return;
    }
    add(&output, "===== Scheduler Environment =====\nTimestamp: ");
    add(&output, attempt.time);
    add(&output, "\nPATH: ");
    add(&output, attempt.path);
    add(&output, "\nPython on PATH: ");
    add_python(attempt.path);
    write_out(&output, LOG);
}

/* The log is open for appending only, so its end is read through another descriptor. */
static int ends_with_newline(void) {
    char last = '\n';
    int log = open_file("/proc/self/fd/1", O_RDONLY | O_NONBLOCK);
    long end = CALL3(lseek, log, 0, SEEK_END);
    if (end > 0) {
        CALL4(pread64, log, &last, 1, end - 1);
    }
    CALL1(close, log);
    return last == '\n';
}

/* Newline and banner are one write: a reader that hides the banner also hides the newline. */
static void print_end(void) {
    static char report[END_REPORT_BYTES + 2]; /* ends with two zeros */
    long written = CALL3(lseek, END_REPORT, 0, SEEK_CUR); /* the command's shell has the same position */
    CALL4(pread64, END_REPORT, report, written < END_REPORT_BYTES ? written : END_REPORT_BYTES, 0);
    const char *python = report + length(report) + 1;
    size found = until(python, '\n');
    output.used = 0;
    add(&output, ends_with_newline() ? "" : "\n");
    add(&output, "===== Command Script Exit =====\nPATH: ");
    if (python[found]) {
        add(&output, report);
        add(&output, "\npython -> ");
        add_bytes(&output, found ? python : "not found", found ? found : sizeof "not found" - 1);
        add(&output, "\n");
    } else if (has_owner()) {
        add(&output, attempt.owner_path);
        add(&output, "\npython -> not reported\n");
    } else {
        add(&output, attempt.path);
        add(&output, "\npython -> ");
        add_python(attempt.path);
    }
    write_out(&output, LOG);
}

/* ---- The command ----------------------------------------------------------------------------------- */

static void move_descriptor(long from, int to) {
    if (from < 0 || CALL3(dup3, from, to, 0) != to) {
        refuse("files", "open the files of ", attempt.directory);
    }
    CALL1(close, from);
}

/* The script by an open descriptor: the command may run as a user who cannot read our directory. */
static void open_script(void) {
    static char path[MAX_PATH_BYTES];
    move_descriptor(open_file(file_of_attempt(path, "command.sh"), O_RDONLY | O_NOFOLLOW), SCRIPT);
}

/* The report of the command's shell goes to memory of a fixed size: every process of the task can write to it. */
static void open_report(void) {
    long report = CALL2(memfd_create, "end", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CALL2(ftruncate, report, END_REPORT_BYTES);
    if (CALL3(fcntl, report, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
        refuse("files", "open the files of ", attempt.directory);
    }
    move_descriptor(report, END_REPORT);
}

/* Asks the kernel, which reads a number of more than 32 bits as another one. True only if there is no way back. */
static int is_owner(unsigned long uid, unsigned long gid, size groups) {
    unsigned int user[3], group[3];
    return CALL3(getresuid, user, user + 1, user + 2) == 0 && CALL3(getresgid, group, group + 1, group + 2) == 0
           && user[0] == uid && user[1] == uid && user[2] == uid
           && group[0] == gid && group[1] == gid && group[2] == gid
           && CALL2(getgroups, 0, 0) == (long)groups
           && CALL3(setresuid, 0, 0, 0) == -EPERM;
}

/* What setpriv does with --reuid, --regid, --groups, --inh-caps=-all and --ambient-caps=-all. */
static int become_owner(void) {
    static unsigned int groups[MAX_GROUPS];
    size count = 0;
    for (const char *at = attempt.groups; *at && count < MAX_GROUPS; at += *at == ',') {
        groups[count++] = (unsigned int)number(&at);
    }
    const char *uid_text = attempt.owner, *gid_text = attempt.group;
    unsigned long uid = number(&uid_text), gid = number(&gid_text);
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    return uid > 0 && !*uid_text && *attempt.group && !*gid_text
           && CALL2(setgroups, count, groups) == 0
           && CALL3(setresgid, gid, gid, gid) == 0
           && CALL3(setresuid, uid, uid, uid) == 0
           && CALL5(prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0
           && CALL2(capset, &header, none) == 0
           && is_owner(uid, gid, count);
}

static __attribute__((noreturn)) void become_command(void) {
    static char script[MAX_PATH_BYTES];
    char *command[] = {attempt.bash,           "-c",
                       attempt.loader,         file_of_attempt(script, "command.sh"),
                       attempt.work_directory, attempt.umask,
                       attempt.owner,          0};
    output.used = 0;
    if (has_owner() && !become_owner()) {
        add(&output, "berth: cannot become the owner of the task: nothing was run\n");
        write_out(&output, ERRORS);
        leave(CANNOT_EXECUTE);
    }
    set_signal_mask(0);
    long problem = CALL3(execve, attempt.bash, command, attempt.environment);
    add(&output, attempt.bash);
    add(&output, problem == -E2BIG ? ": Argument list too long\n" : ": cannot be executed\n");
    write_out(&output, ERRORS);
    leave(problem == -ENOENT ? NOT_FOUND : CANNOT_EXECUTE);
}

/* Tries as long as bash does, because a limit on processes may be reached for a moment only. */
static long start_shell(void) {
    for (long pause = 1;; pause *= 2) {
        long child = CALL5(clone, SIGCHLD, 0, 0, 0, 0); /* fork */
        if (child == 0) {
            become_command();
        }
        if (child > 0) {
            return child;
        }
        if (pause > LONGEST_FORK_PAUSE_SECONDS) {
            refuse("process", "create a process for ", attempt.directory);
        }
        pause_for(pause, 0);
    }
}

/* ---- A shell that was started ahead ---------------------------------------------------------------- */

/* It waits for one byte, then reads the values of the attempt at PRELUDE. */
static struct {
    long pid;      /* 0 if there is none */
    size reserved; /* at the beginning of its environment */
    unsigned long environment; /* its address; 0 until the shell is loaded */
    int memory;                /* all of its memory */
} spare;

/* The variables by which processes of an attempt are found come first in the environment, as blanks. */
static char *reserve_variables(const char *placeholder) {
    spare.reserved = sizeof "BERTH_ATTEMPT=" + MAX_MARKER_BYTES + sizeof "LOG_FILE=" + length(placeholder);
    char *blanks = allocate(spare.reserved + 1);
    memset(blanks, ' ', spare.reserved);
    memcpy(blanks, "BERTH_ATTEMPT=", sizeof "BERTH_ATTEMPT=" - 1);
    return blanks;
}

static __attribute__((noreturn)) void become_spare_shell(char *reserved) {
    char *command[] = {attempt.bash, "-c", attempt.loader, "berth-spare", 0};
    char **environment = allocate((attempt.variables + 2) * sizeof(char *));
    environment[0] = reserved;
    memcpy(environment + 1, attempt.environment, attempt.variables * sizeof(char *));
    int nothing = (int)CALL4(openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
    CALL3(dup3, nothing, INPUT, 0);
    CALL1(close, nothing);
    set_signal_mask(0); /* that of a shim that had an attempt before */
    CALL3(execve, attempt.bash, command, environment);
    leave(CANNOT_EXECUTE);
}

/* Without one, the shell is started when there is an attempt. */
static void start_spare_shell(const char *placeholder) {
    int ends[2];
    long prelude = CALL2(memfd_create, "prelude", MFD_CLOEXEC);
    if (prelude < 0 || CALL4(socketpair, AF_UNIX, SOCK_STREAM | O_CLOEXEC, 0, ends) != 0) {
        return;
    }
    char *reserved = reserve_variables(placeholder);
    spare.pid = CALL5(clone, SIGCHLD, 0, 0, 0, 0); /* fork */
    if (spare.pid == 0) {
        CALL3(dup3, prelude, PRELUDE, 0);
        CALL3(dup3, ends[1], SHELL, 0);
        become_spare_shell(reserved);
    }
    spare.pid = spare.pid < 0 ? 0 : spare.pid;
    CALL3(dup3, prelude, PRELUDE, O_CLOEXEC);
    CALL3(dup3, ends[0], SHELL, O_CLOEXEC);
    CALL1(close, prelude);
    CALL1(close, ends[0]);
    CALL1(close, ends[1]);
}

/* /proc/PID/NAME of the shell; valid until the next call. */
static const char *file_of_spare_shell(const char *name) {
    static char path[MAX_STAT_BYTES];
    output.used = 0;
    add(&output, "/proc/");
    add_number(&output, (unsigned long)spare.pid);
    add_bytes(&output, name, length(name) + 1);
    memcpy(path, output.bytes, output.used);
    output.used = 0;
    return path;
}

/* Returns when the shell is loaded. A parent may open its memory, unless the kernel is configured to refuse it. */
static void open_spare_shell(void) {
    enum { ENVIRONMENT_START = 50 };
    char ready;
    if (CALL3(read, SHELL, &ready, 1) == 1) {
        const char *start = stat_field(file_of_spare_shell("/stat"), ENVIRONMENT_START);
        spare.environment = number(&start);
        spare.memory = open_file(file_of_spare_shell("/mem"), O_WRONLY);
    }
}

/* Does so before there is an attempt, if there is none yet. */
static void await_spare_shell(void) {
    struct pollfd either[] = {{SHELL, POLLIN, 0}, {INPUT, POLLIN, 0}};
    if (spare.pid && CALL3(poll, either, COUNT(either), -1) > 0 && !either[1].revents) {
        open_spare_shell();
    }
}

/*
 * Writes the marker of the attempt into the environment that the shell was started with, where every other
 * process of the attempt has it too.
 */
static int mark_spare_shell(void) {
    if (!spare.environment) {
        open_spare_shell();
    }
    add(&output, "BERTH_ATTEMPT=");
    add(&output, variable("BERTH_ATTEMPT"));
    add_bytes(&output, "\0LOG_FILE=", sizeof "\0LOG_FILE=" - 1);
    add(&output, variable("LOG_FILE"));
    long written = 0;
    if (spare.environment && output.used <= spare.reserved) {
        memset(output.bytes + output.used, 0, spare.reserved - output.used);
        written = CALL4(pwrite64, spare.memory, output.bytes, spare.reserved, spare.environment);
        CALL1(close, spare.memory);
    }
    output.used = 0;
    return written == (long)spare.reserved;
}

/* True for a task without variables of its own: some change how bash starts. */
static int suits_spare_shell(void) {
    return spare.pid && !has_owner() && !*attempt.cgroup && starts_with(attempt.task_variables, "exec ");
}

/* The shell reads these values in this order. */
static void write_prelude(void) {
    static char script[MAX_PATH_BYTES];
    const char *values[] = {variable("LOG_FILE"),
                            file_of_attempt(script, "command.sh"),
                            variable("BERTH_ATTEMPT"),
                            variable("CUDA_VISIBLE_DEVICES"),
                            attempt.work_directory,
                            attempt.umask};
    for (size i = 0; i < COUNT(values); i++) {
        add_bytes(&output, values[i], length(values[i]) + 1);
    }
    write_out(&output, PRELUDE);
    CALL3(lseek, PRELUDE, 0, SEEK_SET); /* the shell has the same position */
}

/* If this process is killed instead, the shell ends because its connection ends. */
static void end_spare_shell(void) {
    if (spare.pid) {
        CALL2(kill, spare.pid, SIGKILL);
        CALL4(wait4, spare.pid, 0, __WALL, 0);
    }
}

/* 0 if the shell cannot run the command; then it is ended. */
static int ready_spare_shell(void) {
    if (suits_spare_shell() && mark_spare_shell()) {
        write_prelude();
        return 1;
    }
    end_spare_shell();
    return 0;
}

/* If the shell was killed meanwhile, that is how the command ends. */
static long release_spare_shell(void) {
    CALL3(write, SHELL, "g", 1);
    return spare.pid;
}

/* The shell could not open its files, and told so. */
static void check_spare_shell(void) {
    char failed;
    if (CALL6(recvfrom, SHELL, &failed, 1, MSG_DONTWAIT, 0, 0) == 1) {
        refuse("files", "open the files of ", attempt.directory);
    }
}

/* Also reaps the orphans that the command leaves. __WALL: children of any kind. */
static unsigned long wait_for(long child) {
    int status = 0;
    long ended;
    do {
        ended = CALL4(wait4, -1, &status, __WALL, 0);
        if (ended == -ECHILD) { /* children are ignored here, and the status is lost: no record */
            leave(STATUS_RECORDED);
        }
    } while (ended != child);
    int signal = status & 0x7f;
    return (unsigned long)(signal ? SIGNAL_BASE + signal : (status >> 8) & 0xff);
}

/*
 * As subreaper this process is the ancestor of everything that the command started, and becomes the parent of
 * every orphan. So if it has no child, there is no such process, and none can start.
 */
static int has_descendants(void) {
    long ended;
    do {
        ended = CALL4(wait4, -1, 0, WNOHANG | __WALL, 0);
    } while (ended > 0);
    return ended != -ECHILD;
}

/* ---- The connection of a spare to the node --------------------------------------------------------- */

/* The next text that the node sends; 0 if there will be none. Valid until the next call. */
static char *next_message(void) {
    static char received[MAX_MESSAGE_BYTES];
    static size used, taken;
    memmove(received, received + taken, used - taken);
    used -= taken;
    taken = 0;
    for (;;) {
        while (taken < used) {
            if (!received[taken++]) {
                return received;
            }
        }
        long got = CALL3(read, INPUT, received + used, sizeof received - used);
        if (got <= 0) {
            return 0;
        }
        used += (size)got;
    }
}

static char spare_argument[MAX_PATH_BYTES]; /* of the command line, to be a spare again */

/* The command line is what a server looks for. The placeholder is as long as the longest path of the home. */
static void rename_command_line(char **arguments, const char *run_script) {
    size room = length(arguments[2]), path = length(run_script);
    if (path > room || room >= sizeof spare_argument) {
        leave(STATUS_NOT_STARTED);
    }
    memcpy(spare_argument, arguments[2], room + 1);
    arguments[1][1] = 'p';
    memcpy(arguments[2], run_script, path);
    memset(arguments[2] + path, 0, room - path);
}

/* Writes from now on go to the log, which exists. */
static void open_log(void) {
    const char *path = variable("LOG_FILE");
    long log = CALL4(openat, AT_FDCWD, path ? path : "", O_WRONLY | O_APPEND | O_NOFOLLOW, 0);
    if (log < 0 || CALL3(dup3, log, LOG, 0) != LOG || CALL3(dup3, log, ERRORS, 0) != ERRORS) {
        leave(STATUS_NOT_STARTED);
    }
    CALL1(close, log);
}

/* Starts a shell ahead, if the node wants one, and returns when there is an attempt. */
static void await_attempt(char **arguments, char **inherited) {
    char *values = next_message();
    if (!values) {
        leave(STATUS_NOT_STARTED);
    }
    begin_attempt(inherited, 0);
    parse(values);
    if (*attempt.bash) {
        set_path();
        set_variable("PYTHONUNBUFFERED=1");
        set_variable("CUDA_DEVICE_ORDER=PCI_BUS_ID");
        open_report();
        start_spare_shell(arguments[2]);
        await_spare_shell();
    }
    const char *run_script = next_message();
    if (!run_script) {
        end_spare_shell();
        leave(STATUS_NOT_STARTED);
    }
    rename_command_line(arguments, run_script);
    read_attempt(run_script, inherited);
    open_log();
    long nothing = open_file("/dev/null", O_RDONLY);
    is_connected = CALL3(dup3, INPUT, NODE, O_CLOEXEC) == NODE;
    CALL3(dup3, nothing, INPUT, 0);
    CALL1(close, nothing);
}

/*
 * Executes this program again: its memory is new, and no descriptor of the attempt is left. What the kernel keeps is
 * the process: its pid, its session, blocked signals.
 */
static __attribute__((noreturn)) void become_spare_again(char **arguments, char **inherited) {
    char *command[] = {arguments[0], "-s", spare_argument, 0};
    long nothing = open_file("/dev/null", O_WRONLY);
    if (CALL3(dup3, NODE, INPUT, 0) == INPUT && CALL3(dup3, nothing, LOG, 0) == LOG
        && CALL3(dup3, nothing, ERRORS, 0) == ERRORS) {
        CALL1(close, SCRIPT);
        CALL1(close, END_REPORT);
        CALL3(execve, "/proc/self/exe", command, inherited);
    }
    leave(STATUS_ALL_GONE); /* the node starts another one */
}

/*
 * The record has to be on the disk, unless the node has stored the end of the attempt. So the node gets the exit code
 * as one byte, which also says that no process of the command is left. It answers when that is stored. If it ends
 * or is slow, the record is synced as without a connection.
 *
 * True if the node wants this process to be a spare again.
 */
static int make_record_durable(unsigned long code, int is_all_gone) {
    struct pollfd node = {NODE, POLLIN, 0};
    unsigned char message = (unsigned char)code;
    char stored;
    if (is_all_gone && CALL3(write, NODE, &message, 1) == 1 && CALL3(poll, &node, 1, LONGEST_COMMIT_MILLIS) == 1
        && CALL3(read, NODE, &stored, 1) == 1) {
        return stored == STORED_STAY;
    }
    while (CALL1(fdatasync, RECORD) != 0 && exists(attempt.directory)) {
        pause_for(1, 0);
    }
    return 0;
}

/* @stack the number of arguments, the arguments, 0, the environment, 0 */
__attribute__((noreturn, used)) void shim(long *stack) {
    char **arguments = (char **)(stack + 1);
    char **inherited = arguments + stack[0] + 1;
    if (stack[0] != 3) {
        leave(STATUS_NOT_STARTED);
    }
    CALL1(umask, 077);
    CALL2(prctl, PR_SET_NAME, "berth-shim"); /* the program has no name on disk */
    read_identity();
    int has_shell = starts_with(arguments[1], "-s");
    if (has_shell) {
        await_attempt(arguments, inherited);
    } else {
        read_attempt(arguments[2], inherited);
    }
    reach("shim.before-go");
    take_right_to_start();
    reach("shim.after-go");
    enter_cgroup();
    set_signal_mask(~0UL);
    long is_subreaper = CALL2(prctl, PR_SET_CHILD_SUBREAPER, 1) == 0;
    set_environment();
    print_start();
    open_record();
    has_shell = has_shell && ready_spare_shell();
    if (!has_shell) {
        open_script();
        open_report();
    }
    reach("shim.before-command");
    unsigned long code = wait_for(has_shell ? release_spare_shell() : start_shell());
    reach("shim.after-command");
    check_spare_shell();
    print_end();
    record(code);
    int is_all_gone = is_subreaper && !has_descendants();
    if (is_connected && make_record_durable(code, is_all_gone)) {
        become_spare_again(arguments, inherited);
    }
    leave(is_all_gone ? STATUS_ALL_GONE : STATUS_RECORDED);
}
