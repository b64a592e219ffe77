package dev.berth.cli.stage;

import dev.berth.cli.link.JsonText;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A task as the server would send it. */
public final class TaskJson {

    private final Map<String, Object> fields = new LinkedHashMap<>();

    private TaskJson() {}

    /** Queued a minute ago, for one card. */
    public static TaskJson summary(long id) {
        return new TaskJson()
                .with("id", id)
                .with("name", "task-" + id)
                .with("status", "queued")
                .with("phase", "queued")
                .with("priority", "NORMAL")
                .with("owner", "ada")
                .with("source", "api")
                .with("devices", "auto")
                .with("gpu_type", null)
                .with("gpu_count", 1)
                .with("max_gpu", 1)
                .with("memory_gb", null)
                .with("share", false)
                .with("timeout_seconds", null)
                .with("created_at", "2025-11-15T05:59:00.123456Z")
                .with("queued_at", "2025-11-15T05:59:00.123456Z")
                .with("started_at", null)
                .with("finished_at", null)
                .with("assigned_gpus", null)
                .with("exit_code", null)
                .with("error", null)
                .with("retry_count", 0);
    }

    public static TaskJson detail(long id) {
        return summary(id)
                .with("command", "python train.py\necho done\n")
                .with("work_dir", "/home/ada")
                .with("min_gpu", 1)
                .with("env", List.of())
                .with("position", null)
                .with("score", null)
                .with("wait_reasons", List.of())
                .with("attempts", List.of());
    }

    public TaskJson with(String field, Object value) {
        fields.put(field, value);
        return this;
    }

    public TaskJson running(Integer... gpus) {
        return with("status", "running")
                .with("phase", "running")
                .with("started_at", "2025-11-15T05:59:30Z")
                .with("assigned_gpus", List.of(gpus));
    }

    public TaskJson ended(String status, Integer code) {
        return running(0)
                .with("status", status)
                .with("phase", "ended")
                .with("exit_code", code)
                .with("finished_at", "2025-11-15T05:59:50Z");
    }

    public TaskJson failed(int code) {
        return ended("failed", code).with("error", "exit code " + code);
    }

    public Map<String, Object> fields() {
        return fields;
    }

    @Override
    public String toString() {
        return JsonText.of(fields);
    }

    public static String list(TaskJson... tasks) {
        return List.of(tasks).toString();
    }
}
