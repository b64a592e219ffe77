package dev.berth.wire;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;

/**
 * Why a task waits, what is ahead of it, and what would let it start earlier.
 *
 * @param summary the decisive reason; for a task that does not wait, its state
 * @param reasons all reasons, as in {@code wait_reasons}
 * @param gpus all GPUs, grouped by the reason why the task cannot use them
 * @param ahead the first 20 tasks that start or end before it
 * @param aheadTotal number of such tasks
 * @param peopleAhead number of their owners
 * @param eta expected start; null if it is unknown
 * @param etaLatest the start if tasks take long
 * @param etaReason why the start of a waiting task is unknown
 * @param reservedStart the promised start of a blocked head
 * @param suggestions at most 8, each verified by the planner
 */
public record Why(
        long taskId,
        String status,
        Reason summary,
        List<Reason> reasons,
        List<GpuGroup> gpus,
        List<TaskAhead> ahead,
        int aheadTotal,
        int peopleAhead,
        @Nullable String eta,
        @Nullable String etaLatest,
        @Nullable Reason etaReason,
        @Nullable String reservedStart,
        List<Suggestion> suggestions) {

    /**
     * GPUs that have one reason in common.
     *
     * @param reason null if the task could use them now
     * @param gpus by index
     */
    public record GpuGroup(@Nullable Reason reason, List<Integer> gpus) {}

    /**
     * A task that starts or ends before it.
     *
     * @param gpus the GPUs that it holds, by index
     */
    public record TaskAhead(
            long taskId,
            String name,
            String owner,
            String status,
            List<Integer> gpus,
            @Nullable String expectedEnd) {}

    /**
     * A change with which the task starts earlier.
     *
     * @param detail like "with 1 GPU: now"
     * @param change the body for {@code PATCH /api/tasks/ID}
     * @param startsNow it would start in the next scheduling pass
     * @param eta expected start, if not now
     * @param command the same change in a shell
     */
    public record Suggestion(
            String code,
            Map<String, String> params,
            String detail,
            Map<String, Object> change,
            boolean startsNow,
            @Nullable String eta,
            String command) {}
}
