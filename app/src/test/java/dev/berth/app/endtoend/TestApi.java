package dev.berth.app.endtoend;

import static dev.berth.testkit.Eventually.eventually;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The server's routes in terms of a test. */
record TestApi(TestClient client) {

    private static final Set<String> FINAL = Set.of("completed", "failed", "cancelled");
    private static final Duration ENDS_WITHIN = Duration.ofMinutes(5);
    private static final int PAGE = 1000;

    /** A repeated key returns the same task, with status 200. */
    long submit(TaskBuilder order) {
        var answer = client.post("/api/tasks", order.body(), order.headers());
        return answer.expect(answer.status() == 200 ? 200 : 201).path("id").asLong();
    }

    JsonNode task(long id) {
        return client.get("/api/tasks/" + id).expect(200);
    }

    String status(long id) {
        return task(id).path("status").asString();
    }

    String phase(long id) {
        return task(id).path("phase").asString();
    }

    /** Waits until the task has ended and returns it. */
    JsonNode awaitEnd(long id) {
        eventually(
                ENDS_WITHIN,
                "task " + id + " has ended",
                () -> {
                    client.get("/api/tasks/" + id + "/wait?seconds=10").expect(200);
                    return FINAL.contains(status(id));
                });
        return task(id);
    }

    void awaitPhase(long id, String phase) {
        eventually("task " + id + " is " + phase, () -> phase(id).equals(phase));
    }

    TestClient.TestReply cancel(long id) {
        return client.post("/api/tasks/" + id + "/cancel", "");
    }

    TestClient.TestReply resolve(long id, String as) {
        return client.post("/api/tasks/" + id + "/resolve", "{\"as\":\"" + as + "\"}");
    }

    /** All tasks, newest first. */
    List<JsonNode> tasks() {
        return list(client.get("/api/tasks").expect(200));
    }

    List<String> log(long id, int tail) {
        return list(client.get("/api/tasks/" + id + "/logs?tail=" + tail).expect(200).path("lines"))
                .stream()
                .map(JsonNode::asString)
                .toList();
    }

    List<JsonNode> gpus() {
        return list(client.get("/api/gpus").expect(200));
    }

    JsonNode placement(long id) {
        return client.get("/api/tasks/" + id + "/placement").expect(200);
    }

    /** The tasks that would start first, over all queues. */
    List<JsonNode> peek() {
        return list(client.get("/api/queue/peek").expect(200));
    }

    /** The tasks in the order of their starts. */
    List<Long> startOrder() {
        return events("attempt.granted").stream()
                .map(event -> event.path("task_id").asLong())
                .toList();
    }

    /** The codes of its wait reasons, each followed by those of its parts. */
    List<String> waitReasonCodes(long id) {
        return list(task(id).path("wait_reasons")).stream()
                .flatMap(
                        reason ->
                                Stream.concat(
                                        Stream.of(reason), list(reason.path("parts")).stream()))
                .map(reason -> reason.path("code").asString())
                .toList();
    }

    /** The tasks that have claimed a GPU. */
    List<Long> holders() {
        return gpus().stream()
                .filter(gpu -> !gpu.path("assigned_task_id").isNull())
                .map(gpu -> gpu.path("assigned_task_id").asLong())
                .toList();
    }

    /** Events of one kind, oldest first. */
    List<JsonNode> events(String kind) {
        var found = new ArrayList<JsonNode>();
        long after = 0;
        while (true) {
            var page =
                    list(
                            client.get("/api/events/log?after=" + after + "&limit=" + PAGE)
                                    .expect(200));
            if (page.isEmpty()) {
                return found;
            }
            page.stream()
                    .filter(event -> event.path("kind").asString().equals(kind))
                    .forEach(found::add);
            after = page.getLast().path("seq").asLong();
        }
    }

    static List<JsonNode> list(JsonNode array) {
        if (!array.isArray()) {
            throw new AssertionError("not an array: " + array);
        }
        return array.valueStream().toList();
    }
}
