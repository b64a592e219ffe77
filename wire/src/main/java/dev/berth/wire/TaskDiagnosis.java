package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.Map;

/**
 * Why a task failed, by its log.
 *
 * @param cause in a word, like oom or module_missing
 * @param line of its log that shows it
 * @param advice what to do about it
 * @param params what the line names
 * @param redo what to send to {@code /api/tasks/ID/clone} to run it again with the fix
 */
public record TaskDiagnosis(
        String cause, String line, String advice, Map<String, String> params, @Nullable Redo redo) {

    /** What is to be different the next time. */
    public record Redo(@Nullable Double memoryGb, @Nullable Map<String, String> env) {}
}
