/* A shim that was started ahead: it waits for its attempts, and reports their ends. */
#ifndef BERTH_SPARE_H
#define BERTH_SPARE_H

#include "command.h"

enum { MSG_PEEK = 2, SHUT_RD = 0 }; /* as the C library defines them; the headers of the kernel lack them */

enum { STORED_STAY = 'a' }; /* answer of the node: the end is stored, be a spare again. Any other byte: it is stored */

/*
 * The next text that the node sends; 0 if there will be none. Valid until the next call. Leaves what follows in the
 * connection: another program may read it. The node sends a text at once, so it is there as a whole.
 */
static char *next_message(int connection) {
    static char received[MAX_MESSAGE_BYTES];
    long got = CALL6(recvfrom, connection, received, sizeof received - 1, MSG_PEEK, 0, 0);
    if (got <= 0) {
        return 0;
    }
    received[got] = 0;
    size bytes = length(received) + 1;
    return CALL3(read, connection, received, bytes) == (long)bytes ? received : 0;
}

/* What follows the first word. A server looks for it. */
static struct {
    char *at;
    size room;
} command_line;

static void set_command_line(const char *option, const char *path) {
    output.used = 0;
    add_bytes(&output, option, *option ? length(option) + 1 : 0);
    add_bytes(&output, path, length(path) + 1);
    if (output.used > command_line.room) {
        leave(STATUS_NOT_STARTED);
    }
    memset(command_line.at, 0, command_line.room);
    memcpy(command_line.at, output.bytes, output.used);
    output.used = 0;
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

/* @run_script as the node sent it */
static void accept_attempt(const char *run_script, char **inherited) {
    set_command_line("-p", run_script);
    read_attempt(run_script, inherited);
    open_log();
}

static void use_nothing(int descriptor, int flags) {
    int nothing = open_file("/dev/null", flags);
    CALL3(dup3, nothing, descriptor, 0);
    CALL1(close, nothing);
}

/*
 * Sends the node the exit code, which also says that no process of the command is left. The node reports the end
 * without reading a file.
 */
static int report_end(unsigned long code) {
    unsigned char message = (unsigned char)code;
    return is_connected && CALL3(write, NODE, &message, 1) == 1;
}

/*
 * The record has to be on the disk, unless the node has stored the end of the attempt. If the node ends or is slow, the
 * record is synced as without a connection.
 *
 * True if the node has answered that this process is a spare again.
 */
static int make_record_durable(int is_reported) {
    struct pollfd node = {NODE, POLLIN, 0};
    char stored;
    if (is_reported && CALL3(poll, &node, 1, LONGEST_COMMIT_MILLIS) == 1 && CALL3(read, NODE, &stored, 1) == 1) {
        return stored == STORED_STAY;
    }
    reach("shim.before-sync");
    while (is_connected && CALL1(fdatasync, RECORD) != 0 && exists(attempt.directory)) {
        pause_for(1, 0);
    }
    /* The node may have answered meanwhile, and sent the next attempt. It learns that it can send nothing more. */
    return is_connected && CALL2(shutdown, NODE, SHUT_RD) == 0 && CALL3(read, NODE, &stored, 1) == 1
           && stored == STORED_STAY;
}

#endif
