/* The process of the command: its files, its user, and what is left of it. */
#ifndef BERTH_COMMAND_H
#define BERTH_COMMAND_H

#include "banner.h"

/*
 * The report of the command's shell goes to memory of a fixed size: every process of the task can write to it.
 *
 * @return 0 if there can be none
 */
static int create_report(void) {
    long report = CALL2(memfd_create, "end", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    CALL2(ftruncate, report, END_REPORT_BYTES);
    int is_created = CALL3(fcntl, report, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0
                     && CALL3(dup3, report, END_REPORT, 0) == END_REPORT;
    CALL1(close, report);
    return is_created;
}

static __attribute__((noreturn)) void refuse_files(void) {
    refuse("files", "open the files of ", attempt.directory);
}

/* The script by an open descriptor: the command may run as a user who cannot read our directory. */
static int open_script(void) {
    static char path[MAX_PATH_BYTES];
    int script = open_file(file_of_attempt(path, "command.sh"), O_RDONLY | O_NOFOLLOW);
    int is_open = CALL3(dup3, script, SCRIPT, 0) == SCRIPT;
    CALL1(close, script);
    return is_open;
}

static void open_report(void) {
    if (!create_report()) {
        refuse_files();
    }
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

/* 0 in the copy; negative if there can be none now. */
static long copy_process(void);

/*
 * A copy of this process, which becomes the command: returns 0 there. Tries as long as bash does, because a limit on
 * processes may be reached for a moment only.
 */
static long create_process(void) {
    for (long pause = 1;; pause *= 2) {
        long child = copy_process();
        if (child >= 0) {
            return child;
        }
        if (pause > LONGEST_FORK_PAUSE_SECONDS) {
            refuse("process", "create a process for ", attempt.directory);
        }
        pause_for(pause, 0);
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

static int is_subreaper;

/* All steps before the process of the command. */
static void prepare_command(void) {
    reach("shim.before-go");
    take_right_to_start();
    reach("shim.after-go");
    enter_cgroup();
    set_signal_mask(~0UL);
    is_subreaper = CALL2(prctl, PR_SET_CHILD_SUBREAPER, 1) == 0;
    set_environment();
    print_start();
    open_record();
    if (!open_script()) {
        refuse_files();
    }
    reach("shim.before-command");
}

/* True if no process of the command is left. */
static int record_end(unsigned long code) {
    reach("shim.after-command");
    print_end();
    record(code);
    return is_subreaper && !has_descendants();
}

#endif
