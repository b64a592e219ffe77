package dev.berth.app.demo;

import dev.berth.cli.client.ApiReply;
import dev.berth.cli.client.ApiRequest;
import dev.berth.cli.client.ConnectionFailure;
import dev.berth.cli.client.UnixSocketHttpClient;
import dev.berth.jsontext.JsonParser;
import dev.berth.jsontext.JsonWriter;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Submits sample tasks through the API so that the demo always has running and waiting tasks. */
final class SampleSubmitter {

    private static final Duration POLL_INTERVAL = Duration.ofSeconds(4);

    /** More than fit at once: some run, some wait. */
    private static final int TARGET_TASKS = 7;

    /** HIGH, because the command file would otherwise rarely get a GPU. */
    private static final String START = "/api/scheduler/single/start?config_index=0&priority=HIGH";

    private final Path socket;
    private final String workDir;
    private final CountDownLatch finished = new CountDownLatch(1);
    private int nextSample;

    SampleSubmitter(Path socket, Path workDir) {
        this.socket = socket;
        this.workDir = workDir.toString();
    }

    /** Returns after {@link #finish}, or when the server has stopped. */
    void run() {
        try (var http = new UnixSocketHttpClient()) {
            submit(http, SampleTask.DRAFT);
            writeCommandFile(http);
            do {
                startRunIfNone(http);
                while (finished.getCount() > 0 && unfinished(http) < TARGET_TASKS) {
                    submit(http, SampleTask.ALL.get(nextSample++ % SampleTask.ALL.size()));
                }
            } while (!finished.await(POLL_INTERVAL.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (ConnectionFailure _) {
            // The server has stopped, and the demo with it.
        }
    }

    private void writeCommandFile(UnixSocketHttpClient http) throws ConnectionFailure {
        var content = JsonWriter.write(Map.of("content", SampleTask.COMMAND_FILE));
        requireAccepted(send(http, ApiRequest.put("/api/commands/single?config_index=0", content)));
    }

    /** Starts the command file again whenever no run is active. */
    private void startRunIfNone(UnixSocketHttpClient http) throws ConnectionFailure {
        if (finished.getCount() > 0 && items(http, "/api/scheduler/running").isEmpty()) {
            requireAccepted(send(http, ApiRequest.post(START, "")));
        }
    }

    private static void requireAccepted(ApiReply reply) {
        if (reply.isError()) {
            throw new IllegalStateException("the demo's command file: " + reply.body());
        }
    }

    private void submit(UnixSocketHttpClient http, SampleTask sample) throws ConnectionFailure {
        var reply =
                send(http, ApiRequest.post("/api/tasks", JsonWriter.write(sample.fields(workDir))));
        if (reply.isError()) {
            throw new IllegalStateException("the demo's " + sample.name() + ": " + reply.body());
        }
    }

    private int unfinished(UnixSocketHttpClient http) throws ConnectionFailure {
        return ids(http, "queued&source=api").size() + ids(http, "running&source=api").size();
    }

    /** Makes {@link #run} return. */
    void finish() {
        finished.countDown();
    }

    /** Cancels all tasks, so that no process survives the demo. */
    void cancelAll() {
        try (var http = new UnixSocketHttpClient()) {
            for (var status : List.of("pending", "queued", "running")) {
                for (var id : ids(http, status)) {
                    var _ = send(http, ApiRequest.post("/api/tasks/" + id + "/cancel", ""));
                }
            }
            for (var id : ids(http, "running")) {
                var _ = send(http, ApiRequest.get("/api/tasks/" + id + "/wait?seconds=5"));
            }
        } catch (ConnectionFailure _) {
            // The server has stopped.
        }
    }

    private List<String> ids(UnixSocketHttpClient http, String status) throws ConnectionFailure {
        return items(http, "/api/tasks?status=" + status).stream()
                .map(task -> ((Map<?, ?>) task).get("id"))
                .map(id -> ((JsonParser.JsonNumber) id).text())
                .toList();
    }

    private List<?> items(UnixSocketHttpClient http, String path) throws ConnectionFailure {
        var reply = send(http, ApiRequest.get(path));
        try {
            return JsonParser.parse(reply.body()) instanceof List<?> list ? list : List.of();
        } catch (JsonParser.MalformedJson malformed) {
            throw new IllegalStateException("the server sent no JSON", malformed);
        }
    }

    private ApiReply send(UnixSocketHttpClient http, ApiRequest request) throws ConnectionFailure {
        return http.exchange(socket, request);
    }
}
