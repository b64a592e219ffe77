package dev.berth.app.demo;

import dev.berth.cli.link.HttpOverSocket;
import dev.berth.cli.link.Json;
import dev.berth.cli.link.JsonText;
import dev.berth.cli.link.LinkFailure;
import dev.berth.cli.link.Reply;
import dev.berth.cli.link.Request;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Keeps the demo going, by the same calls that everybody uses. */
final class Director {

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(4);

    /** Some run, some wait. */
    private static final int AT_ONCE = 7;

    /** Before the others, or it would rarely find a card among so many. */
    private static final String START = "/api/scheduler/single/start?config_index=0&priority=HIGH";

    private final Path socket;
    private final String workDir;
    private final CountDownLatch over = new CountDownLatch(1);
    private int next;

    Director(Path socket, Path workDir) {
        this.socket = socket;
        this.workDir = workDir.toString();
    }

    /** Until it is over, or the server has gone. */
    void run() {
        try (var http = new HttpOverSocket()) {
            submit(http, Sample.DRAFT);
            write(http);
            do {
                runTheNight(http);
                while (over.getCount() > 0 && unfinished(http) < AT_ONCE) {
                    submit(http, Sample.ALL.get(next++ % Sample.ALL.size()));
                }
            } while (!over.await(BETWEEN_LOOKS.toSeconds(), TimeUnit.SECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (LinkFailure _) {
            // The server has gone, and the demo with it.
        }
    }

    private void write(HttpOverSocket http) throws LinkFailure {
        var content = JsonText.of(Map.of("content", Sample.NIGHT));
        require(ask(http, Request.put("/api/commands/single?config_index=0", content)));
    }

    /** Again, whenever it is over. */
    private void runTheNight(HttpOverSocket http) throws LinkFailure {
        if (over.getCount() > 0 && items(http, "/api/scheduler/running").isEmpty()) {
            require(ask(http, Request.post(START, "")));
        }
    }

    private static void require(Reply reply) {
        if (reply.isRefusal()) {
            throw new IllegalStateException("the demo's command file: " + reply.body());
        }
    }

    private void submit(HttpOverSocket http, Sample sample) throws LinkFailure {
        var reply = ask(http, Request.post("/api/tasks", JsonText.of(sample.fields(workDir))));
        if (reply.isRefusal()) {
            throw new IllegalStateException("the demo's " + sample.name() + ": " + reply.body());
        }
    }

    private int unfinished(HttpOverSocket http) throws LinkFailure {
        return ids(http, "queued&source=api").size() + ids(http, "running&source=api").size();
    }

    /** Asks {@link #run} to return. */
    void finish() {
        over.countDown();
    }

    /** Nothing of a demo is left behind. */
    void endAll() {
        try (var http = new HttpOverSocket()) {
            for (var status : List.of("pending", "queued", "running")) {
                for (var id : ids(http, status)) {
                    var _ = ask(http, Request.post("/api/tasks/" + id + "/cancel", ""));
                }
            }
            for (var id : ids(http, "running")) {
                var _ = ask(http, Request.get("/api/tasks/" + id + "/wait?seconds=5"));
            }
        } catch (LinkFailure _) {
            // No server, then nobody to ask.
        }
    }

    private List<String> ids(HttpOverSocket http, String status) throws LinkFailure {
        return items(http, "/api/tasks?status=" + status).stream()
                .map(task -> ((Map<?, ?>) task).get("id"))
                .map(id -> ((Json.Numeral) id).text())
                .toList();
    }

    private List<?> items(HttpOverSocket http, String path) throws LinkFailure {
        var reply = ask(http, Request.get(path));
        try {
            return Json.read(reply.body()) instanceof List<?> list ? list : List.of();
        } catch (Json.Malformed malformed) {
            throw new IllegalStateException("the server sent no JSON", malformed);
        }
    }

    private Reply ask(HttpOverSocket http, Request request) throws LinkFailure {
        return http.exchange(socket, request);
    }
}
