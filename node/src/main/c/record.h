/* The right to start an attempt, and the record of its end. */
#ifndef BERTH_RECORD_H
#define BERTH_RECORD_H

#include "attempt.h"

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

/* The line of `go` about this process. A spare reads it before there is an attempt. */
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

/* Nothing else that somebody has put in its place. */
static int is_empty_file(int file) {
    struct statx status;
    return CALL5(statx, file, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE | STATX_NLINK, &status) == 0
           && (status.stx_mode & S_IFMT) == S_IFREG && status.stx_size == 0 && status.stx_nlink == 1;
}

/*
 * Creates `go`, or renames a file that was created ahead with the directory: that needs no inode, for which some file
 * systems search long. Only one process can succeed, in one of the two ways.
 *
 * @return its descriptor, or a negated errno
 */
static int create_go(const char *path) {
    static char pending[MAX_PATH_BYTES];
    int file = open_file(file_of_attempt(pending, "go.pending"), O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file >= 0) {
        if (is_empty_file(file) && CALL5(renameat2, AT_FDCWD, pending, AT_FDCWD, path, RENAME_NOREPLACE) == 0) {
            return file;
        }
        CALL1(close, file);
    }
    return open_file(path, O_WRONLY | O_CREAT | O_EXCL);
}

/* Only one process can create `go`, so what follows runs at most once. */
static void take_right_to_start(void) {
    static char path[MAX_PATH_BYTES];
    int go = create_go(file_of_attempt(path, "go"));
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

#endif
