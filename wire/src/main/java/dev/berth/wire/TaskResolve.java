package dev.berth.wire;

import org.jspecify.annotations.Nullable;

/**
 * What a person decides about a task whose attempt is lost or stuck.
 *
 * @param as ended, running or requeue
 * @param pid with running: the process that it runs as; Berth looks for it if absent
 * @param force for a stuck attempt, or if the processes cannot be listed: end it regardless
 */
public record TaskResolve(String as, @Nullable Integer pid, @Nullable Boolean force) {}
