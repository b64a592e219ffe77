/* The values of the attempt, which are the assignments at the head of its run.sh. */
#ifndef BERTH_ATTEMPT_H
#define BERTH_ATTEMPT_H

#include "kernel.h"

static const char START_FUNCTION[] = "berth_start() { ";

static struct ALONE_IN_PAGES {
    char *directory, *work_directory, *umask, *bash, *loader, *time, *extra_path, *banner;
    char *owner, *group, *groups, *owner_path;
    char *cgroup, *failpoints;
    char **environment; /* of the command */
    size variables;
    const char *path;     /* PATH, before the variables of the task */
    char *task_variables; /* NAME='value' of each, followed by a command */
} attempt;

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
    {"berth_banner", &attempt.banner},
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

/* Where the variable is that NAME=value sets; 0 if there is none. */
static char **find_variable(const char *assignment) {
    size name = until(assignment, '=') + 1;
    for (size i = 0; i < attempt.variables; i++) {
        char *other = attempt.environment[i];
        size same = 0;
        while (same < name && other[same] == assignment[same]) {
            same++;
        }
        if (same == name) {
            return attempt.environment + i;
        }
    }
    return 0;
}

/* Adds NAME=value, in place of one with the same name. */
static void set_variable(char *assignment) {
    char **place = find_variable(assignment);
    *(place ? place : attempt.environment + attempt.variables++) = assignment;
}

static void unset_variable(const char *assignment) {
    char **place = find_variable(assignment);
    if (place) {
        *place = attempt.environment[--attempt.variables];
    }
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

/* The server's launcher sets variables of the locale for the JVM, and keeps those of its caller under these names. */
static const char OF_CALLER[] = "BERTH_CALLER_";

/* Not for commands. `bash -p`, which runs run.sh, drops the options of the server's shell. */
static const char *const DROPPED[] = {"BERTH_FAILPOINTS=", "OLDPWD=", "SHELLOPTS=", "BASHOPTS=", OF_CALLER};

static int is_dropped(const char *variable) {
    for (size i = 0; i < COUNT(DROPPED); i++) {
        if (starts_with(variable, DROPPED[i])) {
            return 1;
        }
    }
    return 0;
}

static void inherit(char **environment) {
    for (char **each = environment; *each; each++) {
        if (!is_dropped(*each)) {
            attempt.environment[attempt.variables++] = *each;
        }
    }
    for (char **each = environment; *each; each++) {
        char *kept = *each + sizeof OF_CALLER - 1;
        if (!starts_with(*each, OF_CALLER)) {
            continue;
        }
        if (kept[until(kept, '=') + 1]) {
            set_variable(kept);
        } else {
            unset_variable(kept);
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

/* At least as many as there are. */
static size assignments(const char *text) {
    size count = 0;
    for (; *text; text++) {
        count += *text == '=';
    }
    return count;
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
    CALL3(dup3, file, RUN_SCRIPT, O_CLOEXEC); /* fails if descriptors are limited to fewer; it is for recovery alone */
    CALL1(close, file);
    begin_attempt(inherited, assignments(text));
    parse(text);
    if (!attempt.task_variables || !*attempt.directory || !*attempt.bash || !*attempt.loader) {
        leave(STATUS_NOT_STARTED);
    }
}

#endif
