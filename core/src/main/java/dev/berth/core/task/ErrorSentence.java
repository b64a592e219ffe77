package dev.berth.core.task;

import java.util.regex.Pattern;

/**
 * The sentences that Berth writes about failed, lost and stuck attempts. They are stored as English
 * text, so that a home of any version is readable. The catalogue has each of them by its code: the
 * server and the console recognise the stored text by its template and show it in the language of
 * the reader. Texts of programs, workers and the kernel are not listed here and stay as they are.
 */
public enum ErrorSentence {
    EXIT_CODE("exit_code", "exit code {code}"),
    EXIT_SIGNAL("exit_code.signal", "exit code {code} ({cause})"),
    EXIT_SIGNAL_LINE("exit_code.signal.line", "exit code {code} ({cause}): {line}"),
    SIGNAL_ILL("signal.ill", "SIGILL: illegal instruction"),
    SIGNAL_ABRT("signal.abrt", "SIGABRT: aborted"),
    SIGNAL_BUS("signal.bus", "SIGBUS: bus error"),
    SIGNAL_FPE("signal.fpe", "SIGFPE: arithmetic error"),
    SIGNAL_KILL("signal.kill", "SIGKILL: killed, often for want of memory"),
    SIGNAL_XCPU("signal.xcpu", "SIGXCPU: CPU time limit"),
    SIGNAL_XFSZ("signal.xfsz", "SIGXFSZ: file size limit"),
    SIGNAL_SYS("signal.sys", "SIGSYS: bad system call"),

    VANISHED("vanished", "ended with no exit code"),
    VANISHED_BECAUSE("vanished.because", "ended with no exit code: {cause}"),
    DIRECTORY_DELETED("directory_deleted", "its directory was deleted"),
    START_UNKNOWN("start_unknown", "nothing says whether it started"),
    RESOLVED("resolved", "{user} resolved it as {resolution}"),
    MACHINE_RESTARTED("machine_restarted", "machine restarted"),
    NEVER_STARTED("never_started", "closed off before it started"),
    START_TIMEOUT("start_timeout", "did not come up within {seconds} s"),
    TIME_LIMIT("time_limit", "timeout: ended after its time limit of {seconds} s"),
    OUT_OF_MEMORY("out_of_memory", "CUDA out of memory"),
    GPU_ERROR("gpu_error", "GPU error: {cause}"),
    SCRIPT_REPORT("script_report", "its script reported abnormal_exit"),
    SCRIPT_REPORT_TYPE("script_report.type", "its script reported abnormal_exit ({type})"),

    LAUNCH_FAILED("launch_failed", "could not be started: {cause}"),
    SCRIPT_MISSING("script_missing", "its script is not in the database"),
    PARAMETERS_MISSING("parameters_missing", "its parameters are not in the database"),
    ACCOUNT_OWN_ONLY("account.own_only", "this server runs tasks only as its own user"),
    ACCOUNT_NONE("account.none", "it names no account to run as"),
    ACCOUNT_MISSING("account.missing", "there is no account {user} on this machine"),
    ACCOUNT_CHANGED(
            "account.changed",
            "the account {user} has uid {uid} now, but had uid {before} when the task was"
                    + " submitted"),
    ACCOUNT_SYSTEM("account.system", "no task runs as {user}: it is an account of the system"),
    ACCOUNT_SERVER("account.server", "no task runs as {user}: it is the account of the server"),
    ACCOUNT_EXCLUDED(
            "account.excluded", "no task runs as {user}: the administrator has excluded it"),
    ACCOUNT_GROUP("account.group", "no task runs as {user}: it is not in the group {group}"),
    NOT_STARTED("not_started", "not started: {cause}"),
    STARTER_STATUS(
            "starter.status",
            "the starter ended with status {status} before the command could run"),
    STARTER_SIGNAL(
            "starter.signal",
            "the starter was ended by signal {signal} before the command could run"),
    STARTER_GONE("starter.gone", "the starter is gone before the command could run"),
    STARTER_ENDED("starter.ended", "the starter was ended before the command could run"),
    STARTER_STEP("starter.step", "the starter could not prepare the command ({step})"),
    NO_PROCESS("no_process", "no process could be created for the command"),

    WORKER_REPORT("worker.report", "the worker reported {type}"),
    WORKER_OFFLINE("worker.offline", "Worker offline"),
    WORKER_OFFLINE_BECAUSE("worker.offline.because", "Worker offline: {cause}"),
    WORKER_UNLOADED("worker.unloaded", "its worker was unloaded"),
    WORKER_ENDED("worker.ended", "it ended by itself"),
    WORKER_ENDED_LINE("worker.ended.line", "it ended by itself: {line}"),
    WORKER_NOT_READY("worker.not_ready", "was not ready within {seconds} s"),
    WORKER_SILENT("worker.silent", "has not answered for {seconds} s"),
    WORKER_CANCEL("worker.cancel", "did not end a cancelled task within {seconds} s"),
    WORKER_OTHER_TASK("worker.other_task", "answered task {task}, which it does not run"),
    WORKER_LINE("worker.line", "printed a line that is not a message: {line}"),
    WORKER_LONG_LINE("worker.long_line", "printed a line of more than {bytes} bytes"),
    WORKER_OUTPUT("worker.output", "has closed its output"),
    WORKER_UNREADABLE("worker.unreadable", "cannot be read: {why}"),
    WORKER_INPUT("worker.input", "does not read its input: {why}"),
    SERVER_RESTARTED("server_restarted", "the server was restarted"),

    SLURM_REFUSED("slurm.refused", "Slurm refused it: {cause}"),
    SLURM_CANCELLED("slurm.cancelled", "its job was cancelled in Slurm"),
    SLURM_INTERRUPTED("slurm.interrupted", "Slurm ended it after a restart of its controller"),
    SLURM_PREEMPTED("slurm.preempted", "Slurm gave its GPUs to another job"),
    SLURM_TIME_LIMIT("slurm.time_limit", "Slurm ended it at the time limit of its job"),
    SLURM_MEMORY("slurm.memory", "Slurm ended it because its job had no host memory left"),
    SLURM_FORGOTTEN("slurm.forgotten", "Slurm has forgotten its job"),
    SLURM_STATE("slurm.state", "Slurm lists its job as {state}"),
    SLURM_SHIM("slurm.shim", "its shim was killed while it started"),
    LOST_HOST("lost.host", "unreachable: Slurm cannot reach node {node}"),
    LOST_JOB("lost.job", "unreachable: Slurm does not know its job any more"),
    LOST_FILES("lost.files", "unreachable: its directory cannot be read: {why}"),
    LOST_PROCESS_TABLE("lost.process_table", "the process table cannot be read"),
    LOST_GO_DAMAGED("lost.go_damaged", "its file {path} is damaged"),
    LOST_GO_HELD("lost.go_held", "{path} is held by another process, pid {pid}"),
    LOST_EXIT_RECORD("lost.exit_record", "its exit record cannot be read: {why}"),
    LOST_DIRECTORY("lost.directory", "its directory was removed, but its shim runs, pid {pid}"),
    LOST_OTHER_HOME(
            "lost.other_home", "its process, pid {pid}, belongs to another home: it runs {path}"),
    LOST_PROCESSES("lost.processes", "nothing says that it started, but these run: {processes}"),
    LOST_AT_RECOVERY(
            "lost.at_recovery",
            "its shim is gone, but processes of it were running at the recovery"),
    LOST_UNTIL_FOUND("lost.until_found", "the server has restarted and is finding it again");

    private static final Pattern PLACE = Pattern.compile("\\{[a-z]+\\}");

    private final String code;
    private final String pattern;

    ErrorSentence(String code, String pattern) {
        this.code = code;
        this.pattern = pattern;
    }

    /** The key in the catalogue without its family. */
    public String code() {
        return code;
    }

    /** The English sentence with places such as {@code {code}}. */
    public String pattern() {
        return pattern;
    }

    /**
     * The English sentence.
     *
     * @param values in the order of the sentence
     */
    public String text(Object... values) {
        var text = new StringBuilder();
        var place = PLACE.matcher(pattern);
        int done = 0;
        int used = 0;
        while (place.find()) {
            text.append(pattern, done, place.start()).append(values[used++]);
            done = place.end();
        }
        if (used < values.length) {
            throw new IllegalArgumentException(this + " takes " + used + " values");
        }
        return text.append(pattern.substring(done)).toString();
    }
}
