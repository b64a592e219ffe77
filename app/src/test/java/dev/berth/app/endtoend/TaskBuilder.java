package dev.berth.app.endtoend;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A task to submit.
 *
 * @param gpus the number of GPUs; 0 makes it a CPU task
 * @param extraFields fields as they are sent
 */
record TaskBuilder(
        String name,
        String command,
        int gpus,
        Map<String, String> environment,
        Optional<String> key,
        Map<String, Object> extraFields) {

    static TaskBuilder cpu(String command) {
        return gpus(0, command);
    }

    static TaskBuilder oneGpu(String command) {
        return gpus(1, command);
    }

    static TaskBuilder gpus(int cards, String command) {
        return new TaskBuilder("test", command, cards, Map.of(), Optional.empty(), Map.of());
    }

    TaskBuilder named(String value) {
        return new TaskBuilder(value, command, gpus, environment, key, extraFields);
    }

    TaskBuilder env(String variable, String value) {
        var all = new TreeMap<>(environment);
        all.put(variable, value);
        return new TaskBuilder(name, command, gpus, all, key, extraFields);
    }

    TaskBuilder key(String value) {
        return new TaskBuilder(name, command, gpus, environment, Optional.of(value), extraFields);
    }

    /** A request field without a method of its own here. */
    TaskBuilder with(String field, Object value) {
        var all = new TreeMap<>(extraFields);
        all.put(field, value);
        return new TaskBuilder(name, command, gpus, environment, key, all);
    }

    String body() {
        var body = TestClient.JSON.createObjectNode();
        body.put("name", name).put("command", command).put("gpu_count", gpus);
        if (gpus == 0) {
            body.put("devices", "cpu");
        }
        if (!environment.isEmpty()) {
            environment.forEach(body.putObject("env")::put);
        }
        extraFields.forEach(body::putPOJO);
        return body.toString();
    }

    Map<String, String> headers() {
        return key.map(value -> Map.of("Idempotency-Key", value)).orElse(Map.of());
    }
}
