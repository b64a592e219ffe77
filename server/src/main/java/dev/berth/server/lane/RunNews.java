package dev.berth.server.lane;

import dev.berth.core.task.TaskId;
import dev.berth.engine.port.Event;
import dev.berth.wire.FileProblem;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** What happens to a run and its tasks, in a line each. Commands are their owner's secret. */
final class RunNews {

    private RunNews() {}

    /**
     * The line for an event, if it is one that its readers want to know of. The time of each of
     * these is also in the run's state, so that a new server knows which of them are told.
     *
     * @param queues the queue of each of the run's tasks
     */
    static Optional<String> of(Event event, Map<Long, String> queues) {
        var data = event.data();
        var task = event.task().map(id -> task(id, queues)).orElse("");
        return Optional.ofNullable(
                switch (event.kind()) {
                    case RUN_STARTED ->
                            "started by "
                                    + event.actor().name()
                                    + ": "
                                    + data.getOrDefault("file", "")
                                    + ", "
                                    + tasks(data.getOrDefault("tasks", "0"));
                    case RUN_STOPPING -> "is stopped by " + event.actor().name();
                    case RUN_ENDED -> data.getOrDefault("how", "over");
                    case ATTEMPT_GRANTED -> task + " starts" + cards(data);
                    case ATTEMPT_ENDED ->
                            badEnd(data).map(why -> task + " ended: " + why).orElse(null);
                    case TASK_RETRIED -> task + " is tried again" + retry(data);
                    case TASK_REQUEUED -> task + " never ran and waits again";
                    case TASK_COMPLETED -> task + " completed";
                    case TASK_FAILED -> task + " failed";
                    case TASK_CANCELLED -> task + " cancelled";
                    default -> null;
                });
    }

    static String of(FileProblem problem) {
        return "line " + problem.line() + " is left out: " + problem.detail();
    }

    private static String task(TaskId id, Map<Long, String> queues) {
        var queue = queues.get(id.value());
        return "task " + id + (queue == null ? "" : " (queue " + queue + ")");
    }

    private static String tasks(String count) {
        return count + (count.equals("1") ? " task" : " tasks");
    }

    private static String cards(SortedMap<String, String> data) {
        var gpus = data.getOrDefault("gpus", "");
        var left = data.get("gpu_left");
        return (gpus.isEmpty() ? "" : " on GPU " + gpus.replace(",", ", "))
                + (left == null ? "" : " (gpu_left " + left + ")");
    }

    private static Optional<String> badEnd(SortedMap<String, String> data) {
        var code = data.getOrDefault("exit_code", "");
        if (code.equals("0")) {
            return Optional.empty();
        }
        return Optional.ofNullable(code.isEmpty() ? data.get("reason") : "exit code " + code);
    }

    private static String retry(SortedMap<String, String> data) {
        var until = data.get("not_before");
        return " (retry "
                + data.getOrDefault("retry", "?")
                + ")"
                + (until == null ? "" : " after a rest until " + until);
    }
}
