package dev.berth.server.api.task;

import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.TaskSpec;
import dev.berth.http.JsonFields;
import dev.berth.http.RejectedException;
import dev.berth.json.WireJson;
import dev.berth.server.api.need.NeedJson;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A task as the request that would create it, so that a change is validated like a request. */
final class UnchangedFields {

    private UnchangedFields() {}

    /** The fields that a change leaves as they are. */
    static Map<String, Object> fieldsNotIn(JsonFields change, TaskSpec spec, TimeLimits limits)
            throws RejectedException {
        var form = of(spec);
        if (change.has("gpu_count") || changesDevices(change, form)) {
            // A new count or other devices make the old bounds meaningless.
            form.remove("min_gpu");
            form.remove("max_gpu");
        }
        if (isToBeNull(change, form, "model_name") && isToBeNull(change, form, "task_type")) {
            // Defaults of a model task go away with its model.
            form.remove("structure_n_atoms");
            if (spec.requirements().work().isPresent()
                    && spec.options().timeLimit().equals(Optional.of(limits.ofModelTasks()))) {
                form.remove("timeout_seconds");
            }
        }
        return form;
    }

    private static boolean changesDevices(JsonFields change, Map<String, Object> form)
            throws RejectedException {
        var devices = change.text("devices").orElse("auto").strip();
        return change.has("devices") && !devices.equals(form.get("devices"));
    }

    private static boolean isToBeNull(JsonFields change, Map<String, Object> form, String name) {
        return change.has(name) ? change.isNull(name) : !form.containsKey(name);
    }

    private static Map<String, Object> of(TaskSpec spec) {
        var form = new TreeMap<String, Object>();
        form.put("name", spec.name());
        var text = spec.script().text().command();
        if (spec.calledModel().isPresent()) {
            form.put("params", WireJson.readTree(text.getBytes(StandardCharsets.UTF_8)));
        } else {
            form.put("command", text);
        }
        form.put("priority", spec.options().priority().name());
        form.put("work_dir", spec.script().workDir());
        form.put("env", spec.script().text().environment());
        spec.options()
                .timeLimit()
                .ifPresent(limit -> form.put("timeout_seconds", limit.toSeconds()));
        spec.options().maxRetries().ifPresent(most -> form.put("max_retries", most));
        spec.requirements().work().ifPresent(work -> put(work, form));
        put(spec.requirements().need(), form);
        return form;
    }

    private static void put(ModelWork work, Map<String, Object> form) {
        work.model().ifPresent(model -> form.put("model_name", model));
        work.kind().ifPresent(kind -> form.put("task_type", kind));
        if (work.atoms() > 0) {
            form.put("structure_n_atoms", work.atoms());
        }
    }

    private static void put(Need need, Map<String, Object> form) {
        var words = NeedJson.of(need);
        form.put("devices", words.devices());
        if (words.devices().equals("auto")) {
            form.put("min_gpu", words.minGpu());
            form.put("max_gpu", words.maxGpu());
        }
        if (words.gpuType() != null) {
            form.put("gpu_type", words.gpuType());
        }
        if (words.memoryGb() != null) {
            form.put("memory_gb", words.memoryGb());
        }
        if (words.isShared()) {
            form.put("share", true);
        }
    }
}
