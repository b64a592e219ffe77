package dev.berth.server.api;

import dev.berth.core.Rejected;
import dev.berth.core.task.Owner;
import dev.berth.core.task.Task;
import dev.berth.http.Caller;
import dev.berth.http.RejectedException;

/**
 * Decides what a caller sees of a task, and who may change it. Every route asks here.
 *
 * @param others what users see of each other's tasks
 */
public record TaskAccess(View others) {

    /** Users see only the basic facts of each other's tasks. */
    public static final TaskAccess BASIC = new TaskAccess(View.BASIC);

    /** How much of a task is visible. */
    public enum View {
        /** Id, owner, name, state, GPUs, memory and times. */
        BASIC,
        /** Also command, log, diagnosis and progress; never environment and directory. */
        LOGS,
        /** Everything. */
        ALL
    }

    public View viewOf(Caller caller, Owner owner) {
        return caller.isAdmin() || caller.owns(owner) ? View.ALL : others;
    }

    /** Required for the log, and for all that is derived from the command or the log. */
    public void requireLogs(Caller caller, Task task) throws RejectedException {
        if (viewOf(caller, task.owner()) == View.BASIC) {
            throw notYours(task);
        }
    }

    /** Required for every change. */
    public static void requireOwner(Caller caller, Task task) throws RejectedException {
        if (!caller.isAdmin() && !caller.owns(task.owner())) {
            throw notYours(task);
        }
    }

    private static RejectedException notYours(Task task) {
        return new RejectedException(
                Rejected.forbidden("task.not_yours")
                        .with("task", task.id())
                        .with("owner", task.owner().name()));
    }
}
