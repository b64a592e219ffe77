package dev.berth.server.api;

import dev.berth.core.task.ModelWork;
import dev.berth.core.task.Need;
import dev.berth.core.task.TaskSpec;
import dev.berth.server.http.JsonFields;
import dev.berth.server.http.Refused;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A task as the request that would make it, so that a change of it is read as a request is. */
final class PresentForm {

    private PresentForm() {}

    /** What stays as it is below a change. */
    static Map<String, Object> below(JsonFields change, TaskSpec spec, TimeLimits limits)
            throws Refused {
        var form = of(spec);
        if (change.has("gpu_count") || isElsewhere(change, form)) {
            // Another number, or other cards, make the old bounds mean nothing.
            form.remove("min_gpu");
            form.remove("max_gpu");
        }
        if (isToBeNull(change, form, "model_name") && isToBeNull(change, form, "task_type")) {
            // What followed from its being a model task goes with that.
            form.remove("structure_n_atoms");
            if (spec.work().isPresent()
                    && spec.timeLimit().equals(Optional.of(limits.ofModelTasks()))) {
                form.remove("timeout_seconds");
            }
        }
        return form;
    }

    private static boolean isElsewhere(JsonFields change, Map<String, Object> form) throws Refused {
        var devices = change.text("devices").orElse("auto").strip();
        return change.has("devices") && !devices.equals(form.get("devices"));
    }

    private static boolean isToBeNull(JsonFields change, Map<String, Object> form, String name) {
        return change.has(name) ? change.isNull(name) : !form.containsKey(name);
    }

    private static Map<String, Object> of(TaskSpec spec) {
        var form = new TreeMap<String, Object>();
        form.put("name", spec.name());
        form.put("command", spec.command());
        form.put("priority", spec.priority().name());
        form.put("work_dir", spec.workDir());
        form.put("env", spec.environment());
        spec.timeLimit().ifPresent(limit -> form.put("timeout_seconds", limit.toSeconds()));
        spec.mostRetries().ifPresent(most -> form.put("max_retries", most));
        spec.work().ifPresent(work -> put(work, form));
        put(spec.need(), form);
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
        var words = NeedWords.of(need);
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
