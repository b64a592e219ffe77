package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * Why a task failed, by its log.
 *
 * @param cause code like oom or module_missing
 * @param line the decisive line of its log
 * @param advice what to do about it
 * @param params values from the line
 * @param redo what to send to {@code /api/tasks/ID/clone} to run it again with the fix
 */
public record TaskDiagnosis(
        String cause, String line, String advice, Map<String, String> params, @Nullable Redo redo) {

    /** Changes for the next run. */
    public record Redo(@Nullable Double memoryGb, @Nullable Map<String, String> env) {}
}
