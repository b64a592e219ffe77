/*
 * The shim as a program: takes the right to start an attempt, runs its command, and records how it ended. It does
 * what the script run.sh does when bash runs it, in the same order and with the same files; see
 * docs/adr/0019-a-native-shim.md for the protocol.
 *
 *     shim -p DIRECTORY/run.sh
 *     shim -s PLACEHOLDER
 *
 * The command line is that of `bash -p DIRECTORY/run.sh`, so a server finds both shims in the same way. The
 * values of the attempt are the assignments at the head of run.sh.
 *
 * With -s it is a spare, which waits for its attempt. Until then it holds nothing of any attempt. Its input is a
 * connection to the node, which sends texts that end with a zero byte: first assignments, later the path of a run.sh.
 * When the connection ends, the spare ends too. If the assignments name a shell, this process becomes that shell,
 * which loads the shim as a builtin (shell.c). Otherwise a shell starts when the owner of the command is known.
 *
 * Exit status: STATUS_ALL_GONE, STATUS_RECORDED, STATUS_NOT_STARTED or STATUS_GO_TAKEN. The command's exit
 * code is in the exit record only.
 */
#include "spare.h"

/* The kernel starts a program with the number of arguments on top of the stack, not with a function call. */
__asm__(".globl _start\n"
        "_start:\n"
        "    xor %ebp, %ebp\n"
        "    mov %rsp, %rdi\n"
        "    and $-16, %rsp\n"
        "    call shim\n");

static long copy_process(void) {
    return CALL5(clone, SIGCHLD, 0, 0, 0, 0); /* fork */
}

/* The variables by which processes of an attempt are found come first in the environment, as blanks. */
static char *reserve_variables(const char *placeholder) {
    size reserved = sizeof "BERTH_ATTEMPT=" + MAX_MARKER_BYTES + sizeof "LOG_FILE=" + length(placeholder);
    char *blanks = allocate(reserved + 1);
    memset(blanks, ' ', reserved);
    memcpy(blanks, "BERTH_ATTEMPT=", sizeof "BERTH_ATTEMPT=" - 1);
    return blanks;
}

/* Its input is no connection then: bash would take itself for the shell of a remote user, and read other files. */
static __attribute__((noreturn)) void become_shell(char *placeholder) {
    char *command[] = {attempt.bash, "-c", attempt.loader, placeholder, 0};
    set_path();
    set_variable("PYTHONUNBUFFERED=1");
    set_variable("CUDA_DEVICE_ORDER=PCI_BUS_ID");
    char **environment = allocate((attempt.variables + 2) * sizeof(char *));
    environment[0] = reserve_variables(placeholder);
    memcpy(environment + 1, attempt.environment, attempt.variables * sizeof(char *));
    CALL3(dup3, INPUT, NODE, 0);
    use_nothing(INPUT, O_RDONLY);
    CALL3(execve, attempt.bash, command, environment);
    leave(CANNOT_EXECUTE);
}

/* Returns when there is an attempt. */
static void await_attempt(char **arguments, char **inherited) {
    char *values = next_message(INPUT);
    if (!values) {
        leave(STATUS_NOT_STARTED);
    }
    begin_attempt(inherited, 0);
    parse(values);
    if (*attempt.bash) {
        become_shell(arguments[2]);
    }
    const char *run_script = next_message(INPUT);
    if (!run_script) {
        leave(STATUS_NOT_STARTED);
    }
    command_line.at = arguments[1];
    command_line.room = sizeof "-s" + length(arguments[2]) + 1;
    accept_attempt(run_script, inherited);
    is_connected = CALL3(dup3, INPUT, NODE, O_CLOEXEC) == NODE;
    use_nothing(INPUT, O_RDONLY);
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
    if (starts_with(arguments[1], "-s")) {
        await_attempt(arguments, inherited);
    } else {
        read_attempt(arguments[2], inherited);
    }
    prepare_command();
    open_report();
    long child = create_process();
    if (child == 0) {
        become_command();
    }
    unsigned long code = wait_for(child);
    int is_all_gone = record_end(code);
    make_record_durable(is_all_gone && report_end(code));
    leave(is_all_gone ? STATUS_ALL_GONE : STATUS_RECORDED);
}
