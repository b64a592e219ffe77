package dev.berth.core.task;

import java.util.Optional;

/**
 * The account that a task runs as, kept since its submit. If the name has another uid when the task
 * starts, the start is refused.
 *
 * @param shell the submitter's shell; empty if the account's own values apply
 */
public record RunAs(String user, int uid, Optional<ShellContext> shell) {}
