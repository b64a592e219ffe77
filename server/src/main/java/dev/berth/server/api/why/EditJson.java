package dev.berth.server.api.why;

import dev.berth.core.id.TaskId;
import dev.berth.core.task.GpuIndices;
import dev.berth.core.task.Need;
import dev.berth.core.task.Task;
import dev.berth.core.why.Suggestion;
import dev.berth.core.why.TaskEdit;
import dev.berth.http.Sentences;
import dev.berth.json.IsoTime;
import dev.berth.wire.Why;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An edit of a task in three forms.
 *
 * @param params the values of its sentence
 * @param change the body for {@code PATCH /api/tasks/ID}
 * @param options of {@code berth edit}, with their values; a switch has none
 */
record EditJson(
        String code,
        SortedMap<String, String> params,
        Map<String, Object> change,
        Map<String, String> options) {

    private static final BigDecimal MIB_PER_GB = BigDecimal.valueOf(1024);

    static Why.Suggestion of(Task task, Suggestion suggestion, Instant now) {
        var edit = of(task, suggestion.edit());
        var params = new TreeMap<>(edit.params);
        suggestion
                .expectedStart()
                .ifPresent(
                        start -> {
                            params.put("variant", "later");
                            params.put("wait", Long.toString(roundedSeconds(now, start)));
                        });
        return new Why.Suggestion(
                edit.code,
                params,
                Sentences.suggestion(edit.code, params),
                edit.change,
                suggestion.startsNow(),
                suggestion.expectedStart().map(IsoTime::format).orElse(null),
                command(task.id(), edit));
    }

    /** To whole minutes: it is an expectation. */
    private static long roundedSeconds(Instant now, Instant start) {
        long seconds = Math.max(0, Duration.between(now, start).toSeconds());
        return Math.max(1, Math.ceilDiv(seconds, 60)) * 60;
    }

    private static String command(TaskId task, EditJson edit) {
        var command = new StringBuilder("berth edit " + task);
        edit.options.forEach(
                (option, value) ->
                        command.append(' ')
                                .append(option)
                                .append(value.isEmpty() ? "" : " " + value));
        return command.toString();
    }

    private static EditJson of(Task task, TaskEdit edit) {
        return switch (edit) {
            case TaskEdit.FewerGpus(var count) -> fewerGpus(count);
            case TaskEdit.FewerDevices(var devices) ->
                    of("fewer_devices", "devices", devices.apiName(), "--device");
            case TaskEdit.AnyDevices(int count) -> anyDevices(task, count);
            case TaskEdit.AnyType _ -> anyType(task);
            case TaskEdit.LessMemory(long mib) -> memory("less_memory", mib);
            case TaskEdit.StatedMemory(long mib) -> memory("state_memory", mib);
            case TaskEdit.Shared _ ->
                    new EditJson(
                            "share", new TreeMap<>(), Map.of("share", true), Map.of("--share", ""));
            case TaskEdit.TimeLimit(var limit) -> timeLimit(limit);
            case TaskEdit.HigherPriority(var priority) ->
                    of("priority", "priority", priority.name(), "--priority");
            case TaskEdit.Both(var first, var second) ->
                    both(of(task, first), of(task.with(first.applyTo(task.spec())), second));
        };
    }

    /** Where both change the same, the second one counts. */
    private static EditJson both(EditJson first, EditJson second) {
        var params = new TreeMap<String, String>();
        params.put("first", first.part());
        params.put("second", second.part());
        var change = new LinkedHashMap<>(first.change);
        change.putAll(second.change);
        var options = new LinkedHashMap<>(first.options);
        options.putAll(second.options);
        return new EditJson("two_changes", params, change, options);
    }

    /** Its sentence without the time, such as "with 1 GPU". */
    private String part() {
        var values = new TreeMap<>(params);
        values.put("variant", "part");
        return Sentences.suggestion(code, values);
    }

    private static EditJson of(String code, String field, String value, String option) {
        return new EditJson(
                code,
                new TreeMap<>(Map.of(field, value)),
                Map.of(field, value),
                Map.of(option, value));
    }

    private static EditJson fewerGpus(Need.GpuCount count) {
        boolean isRange = count.max() > count.min();
        var text = isRange ? count.min() + "-" + count.max() : Integer.toString(count.min());
        var change = new LinkedHashMap<String, Object>();
        if (isRange) {
            change.put("min_gpu", count.min());
            change.put("max_gpu", count.max());
        } else {
            change.put("gpu_count", count.min());
        }
        return new EditJson(
                "fewer_gpus", new TreeMap<>(Map.of("gpus", text)), change, Map.of("--gpus", text));
    }

    private static EditJson anyDevices(Task task, int count) {
        var change = new LinkedHashMap<String, Object>();
        change.put("devices", "auto");
        change.put("gpu_count", count);
        var params =
                new TreeMap<>(
                        Map.of(
                                "gpus",
                                Integer.toString(count),
                                "devices",
                                need(task).devices().map(GpuIndices::apiName).orElse("")));
        var options = new LinkedHashMap<String, String>();
        options.put("--device", "auto");
        options.put("--gpus", Integer.toString(count));
        return new EditJson("any_devices", params, change, options);
    }

    private static EditJson anyType(Task task) {
        var type = need(task).type().orElse("");
        return new EditJson(
                "any_type",
                new TreeMap<>(Map.of("type", type)),
                Map.of("gpu_type", "any"),
                Map.of("--type", "any"));
    }

    private static EditJson memory(String code, long mib) {
        var gb = BigDecimal.valueOf(mib).divide(MIB_PER_GB).stripTrailingZeros();
        return new EditJson(
                code,
                new TreeMap<>(Map.of("memory_gb", gb.toPlainString())),
                Map.of("memory_gb", gb.doubleValue()),
                Map.of("--memory", gb.toPlainString() + "G"));
    }

    private static EditJson timeLimit(Duration limit) {
        long seconds = limit.toSeconds();
        var text =
                seconds % 3600 == 0
                        ? seconds / 3600 + "h"
                        : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
        return new EditJson(
                "time_limit",
                new TreeMap<>(Map.of("limit", Long.toString(seconds))),
                Map.of("timeout_seconds", seconds),
                Map.of("--time", text));
    }

    private static Need.Gpus need(Task task) {
        return switch (task.spec().requirements().need()) {
            case Need.Gpus need -> need;
            case Need.Cpu _ -> throw new IllegalArgumentException("the task needs no GPU");
        };
    }
}
