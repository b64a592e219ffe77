/* The environment of the command, and what the shim prints to its log. */
#ifndef BERTH_BANNER_H
#define BERTH_BANNER_H

#include "record.h"

static const char DEFAULT_PATH[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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

static int is_executable(const char *path) {
    return CALL3(faccessat, AT_FDCWD, path, 1) == 0;
}

static int is_directory(const char *path) {
    struct statx status;
    return CALL5(statx, AT_FDCWD, path, 0, STATX_TYPE, &status) == 0 && (status.stx_mode & S_IFMT) == S_IFDIR;
}

/* The path of the program in a directory of PATH: until the next colon. 0 if it does not fit. */
static int join_path(char *path, const char *directory, const char *name) {
    size bytes = until(directory, ':'), name_bytes = length(name) + 1;
    if (bytes + name_bytes + 2 > MAX_PATH_BYTES) {
        return 0;
    }
    memcpy(path, bytes ? directory : ".", bytes ? bytes : 1);
    size at = bytes ? bytes : 1;
    if (path[at - 1] != '/') {
        path[at++] = '/';
    }
    memcpy(path + at, name, name_bytes);
    return 1;
}

/*
 * As `command -v NAME || echo not found` in a shell that knows no function of that name: the first program; without
 * one, what is found first under that name, unless it is a directory.
 */
static void add_program(const char *path, const char *name) {
    static char file[MAX_PATH_BYTES], first[MAX_PATH_BYTES];
    const char *found = 0;
    *first = 0;
    for (const char *entry = path; entry && !found;) {
        if (join_path(file, entry, name) && exists(file)) {
            if (is_executable(file) && !is_directory(file)) {
                found = file;
            } else if (!*first) {
                memcpy(first, file, sizeof first);
            }
        }
        entry += until(entry, ':');
        entry = *entry ? entry + 1 : 0;
    }
    if (!found && *first && !is_directory(first)) {
        found = first;
    }
    add(&output, found ? found : "not found");
    add(&output, "\n");
}

static int has_command_path; /* PATH is that of commands since the start of this process */

static void set_environment(void) {
    if (!has_owner() && !has_command_path) { /* the owner's PATH is for the owner's shell alone */
        set_path();
    }
    set_variable("PYTHONUNBUFFERED=1");
    set_variable("CUDA_DEVICE_ORDER=PCI_BUS_ID");
    attempt.path = variable("PATH");
    set_task_variables();
}

/* The shell of an owner prints this banner itself, and some shells the second part. */
static void print_start(void) {
    if (has_owner()) {
        return;
    }
    add(&output, "===== Scheduler Environment =====\nTimestamp: ");
    add(&output, attempt.time);
    add(&output, "\nPATH: ");
    add(&output, attempt.path);
    add(&output, "\nPython on PATH: ");
    const char *python = output.bytes + output.used;
    add_program(attempt.path, "python");
    size bytes = (size)(output.bytes + output.used - python);
    if (*attempt.banner) {
        add(&output, "===== Command Script Start =====\nScript PATH: ");
        add(&output, attempt.path);
        add(&output, "\ncommand -v python: ");
        add_bytes(&output, python, bytes);
        add(&output, "command -v conda: ");
        add_program(attempt.path, "conda");
    }
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
    static char report[END_REPORT_BYTES + 2];
    long written = CALL3(lseek, END_REPORT, 0, SEEK_CUR); /* the command's shell has the same position */
    long got = CALL4(pread64, END_REPORT, report, written < END_REPORT_BYTES ? written : END_REPORT_BYTES, 0);
    memset(report + (got < 0 ? 0 : got), 0, 2);
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
        add_program(attempt.path, "python");
    }
    write_out(&output, LOG);
}

#endif
