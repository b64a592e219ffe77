package dev.berth.cli.stage;

import dev.berth.cli.link.JsonText;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A run as the server would send it. */
public final class RunJson {

    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final Map<String, Object> queues = new LinkedHashMap<>();

    private RunJson() {}

    /** Started a minute ago from the home's own file; it has no lanes yet. */
    public static RunJson run(long pid) {
        return new RunJson()
                .with("pid", pid)
                .with("mode", "single")
                .with("config_index", 0)
                .with("command_file", "command/command_gpu.txt")
                .with("status", "running")
                .with("owner", "ada")
                .with("priority", "NORMAL")
                .with("started_at", "2025-11-15T05:59:00Z")
                .with("updated_at", "2025-11-15T05:59:00Z")
                .with("ended_at", null)
                .with("total", 0)
                .with("pending", 0)
                .with("running", 0)
                .with("completed", 0)
                .with("failed", 0)
                .with("cancelled", 0)
                .with("reason", null)
                .with("log", "logs/scheduler_single_" + pid + ".log");
    }

    /** A task of a lane that has not started. */
    public static Map<String, Object> task(long id, String status) {
        Map<String, Object> task = new LinkedHashMap<>();
        task.put("task_id", id);
        task.put("task_index", 0);
        task.put("uni_id", "u" + id);
        task.put("command", "python a.py");
        task.put("memory_gb", 20.0);
        task.put("gpu_count", 1);
        task.put("gpus", List.of());
        task.put("pid", null);
        task.put("status", status);
        task.put("retry_count", 0);
        task.put("backoff_until", null);
        task.put("error", null);
        task.put("error_type", null);
        task.put("log", "runtime/tasks/task_" + id + "/tmux.log");
        task.put("bound_log", null);
        return task;
    }

    public static Map<String, Object> with(Map<String, Object> task, String field, Object value) {
        task.put(field, value);
        return task;
    }

    public RunJson with(String field, Object value) {
        fields.put(field, value);
        return this;
    }

    /** A lane whose numbers follow from its tasks, and the run's with them. */
    @SafeVarargs
    public final RunJson lane(String queue, String status, Map<String, Object>... tasks) {
        Map<String, Object> lane = new LinkedHashMap<>();
        lane.put("status", status);
        lane.put("total", tasks.length);
        lane.put("completed", 0);
        lane.put("current", null);
        lane.put("gpus", List.of());
        lane.put("backoff_until", null);
        for (Map<String, Object> task : tasks) {
            count("total");
            count((String) task.get("status"));
            if (task.get("status").equals("completed")) {
                lane.put("completed", (int) lane.get("completed") + 1);
            }
            if (task.get("status").equals("running")) {
                lane.put("current", task.get("task_id"));
                lane.put("gpus", task.get("gpus"));
            }
            if (task.get("backoff_until") != null) {
                lane.put("backoff_until", task.get("backoff_until"));
            }
        }
        lane.put("processes", new ArrayList<>(List.of(tasks)));
        queues.put(queue, lane);
        return this;
    }

    private void count(String field) {
        fields.put(field, (int) fields.get(field) + 1);
    }

    public RunJson ended(String status) {
        return with("status", status).with("ended_at", "2025-11-15T05:59:50Z");
    }

    @Override
    public String toString() {
        Map<String, Object> all = new LinkedHashMap<>(fields);
        all.put("queues", queues);
        return JsonText.of(all);
    }

    public static String list(RunJson... runs) {
        return List.of(runs).toString();
    }
}
